"""What becomes of pages that crash, hang or swell the process that extracts them, and of the page after each.

    python -m scripts.bench.faults [--seconds 3]

Each row has an isolated extractor of its own: an ordinary page, the faulty one, which is tried once more in a fresh process (hence
twice the deadline), and the ordinary one again. `after` says whether the last gives the same document as in this process. Limits
before the parse are those of a run, or none, so that the worker's own limits are seen at work. The table is Markdown.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import os
import sys
import time
from collections.abc import Callable

from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document
from transforms.documents.isolate import IsolatedExtractor, IsolationLimits
from transforms.html.limits import LimitsConfig
from transforms.records import Document, Drop, Page, Source

HOST = "http://fault.test/"
FUNCTION = "scripts.bench.faults:extract_with_fault"
MEBIBYTE = 2**20
SENTENCE = "The ferryman keeps a log in which every crossing has one line, with the hour and the wind. "
PARAGRAPH = f"<p>{SENTENCE * 12}</p>"


def swell() -> None:
    hoard: list[bytes] = []
    while True:
        hoard.append(b"x" * (4 * MEBIBYTE))


FAULTS: dict[str, Callable[[], object]] = {
    "segmentation fault": lambda: ctypes.string_at(0),
    "exit": lambda: os._exit(3),
    "sleep": lambda: time.sleep(600),
    "memory bomb": swell,
}
PAGES = {
    "200,000 nested divs": "<div>" * 200_000 + PARAGRAPH,
    "4,000 attributes on a tag": f"<div {' '.join(f'a{number}=1' for number in range(4_000))}>{PARAGRAPH}</div>",
    "1,000,000 table rows": f"{PARAGRAPH}<table>{'<tr><td>1' * 1_000_000}</table>",
}
NO_LIMITS = LimitsConfig(bytes=None, nesting=None, attributes=None, nodes=None)


def extract_with_fault(page: Page, config: ExtractConfig, keep_blocks: bool) -> Document | Drop:
    """`extract_document`, after the fault that the page's URL names."""
    fault = FAULTS.get(page.url.removeprefix(HOST))
    if fault is not None:
        fault()
    return extract_document(page, config, keep_blocks)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0, help="deadline of a page (default: 3; a run has 30)")
    parser.add_argument("--memory", type=int, default=400, help="MiB that the extracting process may hold (default: 400)")
    options = parser.parse_args()
    limits = IsolationLimits(seconds=options.seconds, memory=options.memory * MEBIBYTE)
    print(f"deadline {options.seconds:g} s, memory {options.memory} MiB, load {os.getloadavg()[0]:.1f}, cores {os.cpu_count()}\n")
    print("| page | limits before the parse | outcome | seconds | after |\n|---|---|---|--:|---|")
    for name in FAULTS:
        print_row(name, "of a run", make_page(name, PARAGRAPH), ExtractConfig(), limits)
    for name, html in PAGES.items():
        print_row(name, "of a run", make_page(name, html), ExtractConfig(), limits)
        print_row(name, "none", make_page(name, html), dataclasses.replace(ExtractConfig(), limits=NO_LIMITS), limits)
    return 0


def make_page(name: str, html: str) -> Page:
    return Page(HOST + name, html.encode(), "text/html; charset=utf-8", Source("faults.warc.gz", 0, len(html)))


def print_row(name: str, before_parse: str, faulty: Page, config: ExtractConfig, limits: IsolationLimits) -> None:
    """Extracts an ordinary page, the faulty one and the ordinary one again, and tells how it went."""
    ordinary = make_page("ordinary", f"<title>Log</title>{PARAGRAPH}")
    expected = extract_document(ordinary, config)
    assert isinstance(expected, Document), expected
    expected = dataclasses.replace(expected, blocks=())  # an isolated extractor leaves them out
    with IsolatedExtractor(config, limits, function=FUNCTION) as extractor:
        extractor.extract(ordinary)
        started = time.perf_counter()
        result = extractor.extract(faulty)
        seconds = time.perf_counter() - started
        after = "same document" if extractor.extract(ordinary) == expected else "ANOTHER RESULT"
    print(f"| {name} | {before_parse} | {describe(result)} | {seconds:.2f} | {after} |", flush=True)


def describe(result: Document | Drop) -> str:
    """`document of 3 nodes`, or the rule of the drop with what it says."""
    if isinstance(result, Document):
        return f"document of {len(result.nodes)} nodes"
    compared = "" if result.value is None or result.detail else f": {result.value:,.0f} against {result.threshold or 0:,.0f}"
    return f"`{result.rule}`{compared}{f': {result.detail}' if result.detail else ''}"


if __name__ == "__main__":
    sys.exit(main())
