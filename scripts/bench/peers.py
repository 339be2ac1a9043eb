"""HTML to document beside a bare parse and beside other extractors of main content, in one process, page by page in turn.

    python -m scripts.bench.peers 'crawl/*.warc.gz' [--every 3] [--rounds 3]

Each starts from the page's decoded text but `interleaf`, which starts from its bytes, as it does in a run. The least of the rounds
counts, page by page, so that what other processes disturb is not counted. `interleaf, no gate` makes a document of every page;
others have no gate. resiliparse and trafilatura are in the optional dependencies `bench`; without them their rows are left out.
Some extractors remember what they saw (trafilatura keeps hashes of texts); they are used as their documentation shows.
"""

from __future__ import annotations

import argparse
import dataclasses
import glob
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata, util
from time import process_time
from typing import Any

from scripts.bench.isolation import read_pages
from transforms.archives.encoding import decode_html
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document
from transforms.documents.isolate_worker import warm_up
from transforms.html.tree import parse_html
from transforms.records import Page

Extractor = Callable[[Page, str], Any]
"""Takes a page and its decoded text."""


def extractors() -> Iterator[tuple[str, Extractor]]:
    """What is installed, by name and version."""
    config = ExtractConfig()
    without_gate = dataclasses.replace(config, gate=dataclasses.replace(config.gate, enabled=False))
    yield f"bare parse (selectolax {metadata.version('selectolax')})", lambda page, text: parse_html(text)
    yield "interleaf", lambda page, text: extract_document(page, config)
    yield "interleaf, no gate", lambda page, text: extract_document(page, without_gate)
    if util.find_spec("resiliparse") is not None:
        from resiliparse.extract.html2text import extract_plain_text

        name = f"resiliparse {metadata.version('resiliparse')}, main content"
        yield name, lambda page, text: extract_plain_text(text, main_content=True)
    if util.find_spec("trafilatura") is not None:
        import trafilatura

        yield f"trafilatura {metadata.version('trafilatura')}", lambda page, text: trafilatura.extract(text, url=page.url)


def measure(pages: Sequence[Page], rounds: int) -> dict[str, float]:
    """CPU seconds for all pages, by extractor: of each page its least."""
    texts = [decode_html(page.body, page.content_type).text for page in pages]
    run = dict(extractors())
    best = {name: [float("inf")] * len(pages) for name in run}
    for _ in range(rounds):
        for number, (page, text) in enumerate(zip(pages, texts, strict=True)):
            for name, extract in run.items():
                started = process_time()
                extract(page, text)
                best[name][number] = min(best[name][number], process_time() - started)
    return {name: sum(seconds) for name, seconds in best.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files or patterns")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every N-th page (default: 1)")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many measurements counts (default: 3)")
    options = parser.parse_args()
    archives = sorted(path for pattern in options.archives for path in glob.glob(pattern))
    pages = [page for archive in archives for page in read_pages(archive, sys.maxsize)[:: options.every]]
    if not pages:
        parser.error("no page in these archives that the default settings select")
    warm_up()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {len(pages)} pages, best of {options.rounds}\n")
    figures = measure(pages, options.rounds)
    parse = next(iter(figures.values()))
    print("| HTML to document | CPU ms a page | pages a CPU second | parses |\n|---|--:|--:|--:|")
    for name, seconds in figures.items():
        print(f"| {name} | {1000 * seconds / len(pages):.2f} | {len(pages) / seconds:.1f} | {seconds / parse:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
