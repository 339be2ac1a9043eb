"""What a page costs: CPU milliseconds of every step from its bytes to its document, beside the bare parse.

    python -m scripts.bench.extraction crawl/*.warc.gz [--every 3] [--rounds 3] [--blocks] [--profile]

Each figure is the least of the rounds, page by page, so that what other processes disturb is not counted. The parse of the same run
is the yardstick: figures depend on the machine, whose load stands beside them. `rest` is what `extract_document` does beside the
steps: drops, the count of nodes where there may be too many, and giving the memory back. By default as in a run that does not keep
blocks, which then need no rich texts. The process is prepared as one that extracts in a run; what it remembers of earlier pages is
forgotten before each pass.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sys
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

from filters.measures.language import identify_language
from scripts.bench.isolation import read_pages
from transforms.archives.encoding import decode_html
from transforms.blocks import content_hash
from transforms.blocks.dedup import deduplicate
from transforms.blocks.evidence import KNOWN_CLASSES, KNOWN_TOKENS
from transforms.blocks.extract import BlocksConfig, page_blocks
from transforms.blocks.main_content.select import select_main_content
from transforms.blocks.strip import read_style
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document, page_directives
from transforms.documents.isolate_worker import warm_up
from transforms.documents.nodes import make_nodes
from transforms.html.limits import exceeded_limit
from transforms.html.readerable import gate_score
from transforms.html.tree import parse_html
from transforms.records import Page

Results = dict[str, Any]
"""What the steps of a page have given so far, by name of the step."""
SLOWEST = 10
PROFILED_FUNCTIONS = 30


BLOCK_MODEL = ("parse", "walk and blocks", "deduplicate")
"""The steps whose cost together is told in bare parses."""


def steps_of(config: ExtractConfig, keep_blocks: bool) -> dict[str, Callable[[Page, Results], Any]]:
    """The steps of `extract_document`, in its order, each reading what those before it gave."""
    return {
        "decode": lambda page, _: decode_html(page.body, page.content_type),
        "limits": lambda _, done: exceeded_limit(done["decode"].utf8, config.limits),
        "parse": lambda _, done: parse_html(done["decode"].text),
        "gate": lambda _, done: gate_score(done["parse"], config.gate),
        "directives": lambda page, done: page_directives(done["parse"], page),
        "walk and blocks": lambda page, done: page_blocks(done["parse"], page.url, BlocksConfig(rich_text=keep_blocks)),
        "deduplicate": lambda _, done: deduplicate(done["walk and blocks"].blocks),
        "main content": lambda page, done: select_main_content(
            done["walk and blocks"], done["deduplicate"], page.url, config.main_content
        ),
        "nodes": lambda _, done: tuple(make_nodes(done["main content"].blocks)),
        "language": lambda _, done: identify_language("\n".join(text for node in done["nodes"] if (text := node.text) is not None)),
        "hash": lambda _, done: content_hash(done["deduplicate"].kept),
    }


def ends_at(step: str, result: Any, config: ExtractConfig) -> bool:
    """Whether a page is dropped by what a step found."""
    if step == "limits":
        return result is not None
    if step == "gate":
        return not result > config.gate.min_score
    return bool((step == "main content" and result.is_empty) or (step == "nodes" and not result))


def measure_steps(page: Page, config: ExtractConfig, keep_blocks: bool) -> dict[str, float]:
    """CPU seconds of each step that the page comes to."""
    seconds: dict[str, float] = {}
    done: Results = {}
    for name, step in steps_of(config, keep_blocks).items():
        started = process_time()
        done[name] = step(page, done)
        seconds[name] = process_time() - started
        if ends_at(name, done[name], config):
            break
    return seconds


def measure_whole(page: Page, config: ExtractConfig, keep_blocks: bool) -> dict[str, float]:
    """CPU seconds of `extract_document`."""
    started = process_time()
    extract_document(page, config, keep_blocks)
    return {"whole": process_time() - started}


def measure_round(pages: Sequence[Page], config: ExtractConfig, keep_blocks: bool) -> list[dict[str, float]]:
    """The figures of all pages. Each of the two passes is that of a process that has seen none of them."""
    passes = []
    for measure in (measure_steps, measure_whole):
        for known in (KNOWN_CLASSES, KNOWN_TOKENS):
            known.clear()
        read_style.cache_clear()
        passes.append([measure(page, config, keep_blocks) for page in pages])
    return [steps | whole for steps, whole in zip(*passes, strict=True)]


def print_table(pages: Sequence[Page], best: Sequence[dict[str, float]], names: Sequence[str]) -> None:
    """Milliseconds per page of each step, and in parses; then the slowest pages."""
    total = {name: sum(seconds.get(name, 0.0) for seconds in best) for name in [*names, "whole"]}
    steps = sum(total[name] for name in names)
    rows = [*((name, total[name]) for name in names), ("sum", steps), ("rest", total["whole"] - steps)]
    print("| step | CPU ms a page | parses |\n|---|---:|---:|")
    for name, seconds in [*rows, ("**extract_document**", total["whole"])]:
        print(f"| {name} | {1000 * seconds / len(pages):.2f} | {seconds / total['parse']:.2f} |")
    model = sum(total[name] for name in BLOCK_MODEL)
    print(f"\n{' + '.join(BLOCK_MODEL)}: {1000 * model / len(pages):.2f} ms a page, {model / total['parse']:.2f} parses")
    print(f"\n{len(pages) / total['whole']:.1f} pages a CPU second\n\n| slowest pages | CPU ms | KiB |\n|---|---:|---:|")
    slowest = sorted(zip(best, pages, strict=True), key=lambda row: -row[0]["whole"])[:SLOWEST]
    for figures, page in slowest:
        print(f"| {page.url} | {1000 * figures['whole']:.1f} | {len(page.body) / 1024:.0f} |")


def profile(pages: Sequence[Page], config: ExtractConfig, keep_blocks: bool) -> None:
    """Where the time goes, function by function. The profiler makes small functions look dearer than they are."""
    profiler = cProfile.Profile()
    profiler.enable()
    for page in pages:
        extract_document(page, config, keep_blocks)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(PROFILED_FUNCTIONS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every N-th page (default: 1)")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many measurements counts (default: 3)")
    parser.add_argument("--blocks", action="store_true", help="as in a run that keeps blocks, with their rich texts")
    parser.add_argument("--profile", action="store_true", help="also print the functions that take longest")
    options = parser.parse_args()
    config = ExtractConfig()
    pages = [page for archive in options.archives for page in read_pages(archive, sys.maxsize)[:: options.every]]
    if not pages:
        parser.error("no page in these archives that the default settings select")
    warm_up()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {len(pages)} pages, best of {options.rounds}\n", flush=True)
    rounds = [measure_round(pages, config, options.blocks) for _ in range(options.rounds)]
    best = [{name: min(figures[name] for figures in of_page) for name in of_page[0]} for of_page in zip(*rounds, strict=True)]
    print_table(pages, best, list(steps_of(config, options.blocks)))
    if options.profile:
        print()
        profile(pages, config, options.blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
