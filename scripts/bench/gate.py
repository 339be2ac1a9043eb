"""What the gate costs beside the parse: on real pages, and on made ones whose candidates lie inside one another.

    python -m scripts.bench.gate crawl/*.warc.gz [--pages 5000] [--tries 5]

`bool` may stop early, `score` is the full sum, which a run stores. With `scale` lengths go by script, as in a run by default;
`strict` is `strict_ancestors`. Each gets a tree of its own in every try, as the first to read it. All in one thread; a figure is
the smallest of the tries, the same number for the parse and each gate. `summed` is the time of all pages together. Figures depend
on the machine; its load stands beside them. The tables are Markdown.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from scripts.bench.isolation import read_pages
from transforms.archives.encoding import decode_html
from transforms.html.readerable import is_probably_readerable, readerable_score
from transforms.html.text_length import SCRIPT_LENGTH_SCALE
from transforms.html.tree import LexborHTMLParser, parse_html

GATES: dict[str, Callable[[LexborHTMLParser], object]] = {
    "bool": is_probably_readerable,
    "score": readerable_score,
    "bool, scale": lambda tree: is_probably_readerable(tree, script_length_scale=SCRIPT_LENGTH_SCALE),
    "score, scale": lambda tree: readerable_score(tree, script_length_scale=SCRIPT_LENGTH_SCALE),
    "score, strict": lambda tree: readerable_score(tree, strict_ancestors=True),
}

LEAVES = 20_000
"""Short nodes of a made page."""
DEPTHS = (1, 8, 16, 64, 256, 500)
"""Candidates around one another, up to about what a page may nest."""


def nested(candidate: str, depth: int) -> str:
    """A page of short nodes inside `depth` candidates, some nodes at each level."""
    return f"{candidate}{'<i>x</i>' * (LEAVES // depth)}" * depth


NESTED: dict[str, Callable[[int], str]] = {
    "article, nodes innermost": lambda depth: "<article>" * depth + "<i>x</i>" * LEAVES,
    "div > br, nodes innermost": lambda depth: "<div><br>" * depth + "<i>x</i>" * LEAVES,
    "article, nodes at each level": lambda depth: nested("<article>", depth),
    "article and div > br, nodes at each level": lambda depth: nested("<article><div><br>", depth // 2 or 1),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="*", help="WARC files; without them only the made pages are measured")
    parser.add_argument("--pages", type=int, default=5000, help="of each archive at most")
    parser.add_argument("--tries", type=int, default=5)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    texts = [
        decode_html(page.body, page.content_type).text for name in options.archives for page in read_pages(name, options.pages)
    ]
    gc.disable()
    if texts:
        print_ratios([measure(text, GATES, options.tries) for text in texts], [readable(text) for text in texts])
    print_depths(options.tries)
    print(f"\nload before {load:.1f}, after {os.getloadavg()[0]:.1f}, cores {os.cpu_count()}, tries {options.tries}")
    return 0


def readable(text: str) -> bool:
    return is_probably_readerable(parse_html(text))


def measure(text: str, gates: dict[str, Callable[[LexborHTMLParser], object]], tries: int) -> dict[str, float]:
    """Seconds of `parse` and of each gate: the smallest of the tries."""
    best = dict.fromkeys(("parse", *gates), inf)
    for _ in range(tries):
        best["parse"] = min(best["parse"], seconds(parse_html, text))
        for name, gate in gates.items():
            best[name] = min(best[name], seconds(gate, parse_html(text)))
    return best


def seconds(function: Callable[[Any], object], argument: Any) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    result = function(argument)
    taken = time.perf_counter() - started
    del result  # to end a tree is no part of parsing it
    return taken


def print_ratios(measured: Sequence[dict[str, float]], passed: Sequence[bool]) -> None:
    """Gate / parse, page by page and summed."""
    print(f"\n{len(measured)} pages, {sum(passed)} pass; parse {sum(page['parse'] for page in measured) * 1000:.0f} ms\n")
    print("| gate | gate / parse, median | p90 | summed | pages that pass, median | that fail, median | ms a page, mean |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in GATES:
        ratios = [page[name] / page["parse"] for page in measured]
        by_answer = [[ratio for ratio, answer in zip(ratios, passed, strict=True) if answer is wanted] for wanted in (True, False)]
        summed = sum(page[name] for page in measured)
        columns = [
            statistics.median(ratios),
            sorted(ratios)[int(0.9 * (len(ratios) - 1))],
            summed / sum(page["parse"] for page in measured),
            *(statistics.median(group) if group else float("nan") for group in by_answer),
        ]
        print(f"| {name} | {' | '.join(f'{column:.1%}' for column in columns)} | {summed / len(measured) * 1000:.3f} |")


def print_depths(tries: int) -> None:
    """Cost of the full score against the number of candidates around one another."""
    print(f"\nThe full score of a page with {LEAVES:,} short nodes; gate / parse (gate, ms)\n")
    print(f"| inside | {' | '.join(f'{depth} deep' for depth in DEPTHS)} |")
    print(f"|---|{'--:|' * len(DEPTHS)}")
    for name, page in NESTED.items():
        cells: list[str] = []
        for depth in DEPTHS:
            best = measure(page(depth), {"score": readerable_score}, tries)
            cells.append(f"{best['score'] / best['parse']:.2f} ({best['score'] * 1000:.1f})")
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
