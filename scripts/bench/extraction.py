"""What a page costs: CPU milliseconds of every step from its bytes to its document, beside the bare parse.

    python -m scripts.bench.extraction crawl/*.warc.gz [--every 3] [--rounds 3] [--profile]

Each figure is the least of the rounds, page by page, so that a page another process got in the way of counts once. The parse of the
same run is the yardstick: figures depend on the machine, whose load stands beside them. `rest` is what `extract_document` does
beside the steps. Garbage collection is on, as in a run.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sys
from collections.abc import Callable, Sequence
from functools import partial
from time import process_time
from typing import Any

from filters.measures.language import identify_language
from scripts.bench.isolation import read_pages
from transforms.archives.encoding import decode_html
from transforms.blocks import content_hash
from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import page_blocks
from transforms.documents.extract import ExtractConfig, extract_document, make_nodes
from transforms.html.limits import exceeded_limit, exceeded_nodes
from transforms.html.readerable import readerable_score
from transforms.html.tree import parse_html
from transforms.records import Page

Results = dict[str, Any]
"""What the steps of a page have given so far, by name of the step."""
SLOWEST = 10
PROFILED_FUNCTIONS = 30


def steps_of(config: ExtractConfig) -> dict[str, Callable[[Page, Results], Any]]:
    """The steps of `extract_document`, in its order, each reading what those before it gave."""
    gate = partial(
        readerable_score,
        min_content_length=config.gate.min_content_length,
        strict_ancestors=config.gate.strict_ancestors,
        script_length_scale=config.gate.script_length_scale,
    )
    return {
        "decode": lambda page, _: decode_html(page.body, page.content_type),
        "limits": lambda _, done: exceeded_limit(done["decode"].text, config.limits),
        "parse": lambda _, done: parse_html(done["decode"].text),
        "node count": lambda _, done: exceeded_nodes(done["parse"], config.limits),
        "gate": lambda _, done: gate(done["parse"]),
        "blocks": lambda page, done: page_blocks(done["parse"], page.url),
        "deduplicate": lambda _, done: deduplicate(done["blocks"].blocks),
        "nodes": lambda _, done: tuple(make_nodes(done["deduplicate"].kept)),
        "language": lambda _, done: identify_language("\n".join(text for node in done["nodes"] if (text := node.text) is not None)),
        "hash": lambda _, done: content_hash(done["deduplicate"].kept),
    }


def measure_page(page: Page, config: ExtractConfig) -> dict[str, float]:
    """CPU seconds of each step and, as `whole`, of `extract_document`. A page over a limit, or that the gate stops, ends there."""
    seconds: dict[str, float] = {}
    done: Results = {}
    for name, step in steps_of(config).items():
        started = process_time()
        done[name] = step(page, done)
        seconds[name] = process_time() - started
        if (name in ("limits", "node count") and done[name] is not None) or (name == "gate" and not done[name] > config.gate.min_score):
            break
    del done
    started = process_time()
    extract_document(page, config)
    seconds["whole"] = process_time() - started
    return seconds


def print_table(pages: Sequence[Page], best: Sequence[dict[str, float]]) -> None:
    """Milliseconds per page of each step, and in parses; then the slowest pages."""
    names = max((list(seconds) for seconds in best), key=len)[:-1]
    total = {name: sum(seconds.get(name, 0.0) for seconds in best) for name in [*names, "whole"]}
    sum_of_steps = sum(total[name] for name in names)
    rows = [*((name, total[name]) for name in names), ("sum", sum_of_steps), ("rest", total["whole"] - sum_of_steps)]
    print("| step | CPU ms a page | parses |\n|---|---:|---:|")
    for name, seconds in [*rows, ("**extract_document**", total["whole"])]:
        print(f"| {name} | {1000 * seconds / len(pages):.2f} | {seconds / total['parse']:.2f} |")
    print(f"\n{len(pages) / total['whole']:.1f} pages a CPU second\n\n| slowest pages | CPU ms | KiB |\n|---|---:|---:|")
    slowest = sorted(zip(best, pages, strict=True), key=lambda row: -row[0]["whole"])[:SLOWEST]
    for seconds_of, page in slowest:
        print(f"| {page.url} | {1000 * seconds_of['whole']:.1f} | {len(page.body) / 1024:.0f} |")


def profile(pages: Sequence[Page], config: ExtractConfig) -> None:
    """Where the time goes, function by function. The profiler makes small functions look dearer than they are."""
    profiler = cProfile.Profile()
    profiler.enable()
    for page in pages:
        extract_document(page, config)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(PROFILED_FUNCTIONS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every N-th page (default: 1)")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many measurements counts (default: 3)")
    parser.add_argument("--profile", action="store_true", help="also print the functions that take longest")
    options = parser.parse_args()
    config = ExtractConfig()
    pages = [page for archive in options.archives for page in read_pages(archive, sys.maxsize)[:: options.every]]
    if not pages:
        parser.error("no page in these archives that the default settings select")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {len(pages)} pages, best of {options.rounds}\n")
    extract_document(pages[0], config)  # loads the language model
    best = [measure_page(page, config) for page in pages]
    for _ in range(options.rounds - 1):
        for known, page in zip(best, pages, strict=True):
            known.update({name: min(known[name], seconds) for name, seconds in measure_page(page, config).items()})
    print_table(pages, best)
    if options.profile:
        print()
        profile(pages, config)
    return 0


if __name__ == "__main__":
    sys.exit(main())
