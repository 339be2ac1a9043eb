"""What the block model costs at the least in Python: its steps without any of its rules, beside the block model itself.

    python -m scripts.bench.block_floor crawl/*.warc.gz [--every 3] [--rounds 3]

Whatever blocks are made by, every node is read once, every block gets its text and its record, and texts are compared. Here nothing
else is done: no class is looked at, no list, table, image, path, region or widget. The rows before `floor` are these steps; the
last is `parse`, `page_blocks` and `deduplicate` as a run has them. Each figure is the least of the rounds, page by page.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from operator import attrgetter
from time import process_time
from typing import TypeVar

from scripts.bench.isolation import read_pages
from transforms.archives.encoding import decode_html
from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import BlocksConfig, page_blocks
from transforms.documents.isolate_worker import warm_up
from transforms.html.limits import LimitsConfig, exceeded_limit
from transforms.html.tree import LexborNode, parse_html
from transforms.records import Block, Page

FLOOR = ("parse", "every node read once", "texts", "records", "comparison")
WHOLE = "the block model"
VALUES = attrgetter(*(own.name for own in fields(Block)))
Result = TypeVar("Result")


def read_nodes(top: LexborNode) -> tuple[list[str], list[str]]:
    """Reads tag, attributes, parent and end of every element, and every text, into lists; gives tags and texts."""
    tags: list[str] = []
    attributes: list[dict[str, str | None]] = []
    parents: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    stack: list[tuple[LexborNode, int]] = []
    node, parent = top.first_child, -1
    while True:
        while node is None:
            if not stack:
                return tags, texts
            ends[parent] = len(tags)
            above, parent = stack.pop()
            node = above.next
        text = node.text_content
        if text is not None:
            texts.append(text)
            node = node.next
            continue
        element = len(tags)
        tags.append(node.tag or "")
        attributes.append(node.attributes)
        parents.append(parent)
        ends.append(element + 1)
        child = node.first_child
        if child is None:
            node = node.next
        else:
            stack.append((node, parent))
            node, parent = child, element


def measure_page(page: Page) -> dict[str, float]:
    """CPU seconds of each step; empty for a page that is over a limit or has no body."""
    seconds: dict[str, float] = {}

    def timed(name: str, step: Callable[[], Result]) -> Result:
        started = process_time()
        result = step()
        seconds[name] = seconds.get(name, 0.0) + process_time() - started
        return result

    decoded = decode_html(page.body, page.content_type)
    if exceeded_limit(decoded.utf8, LimitsConfig()) is not None:
        return {}
    tree = timed("parse", lambda: parse_html(decoded.text))
    body = tree.body
    if body is None:
        return {}
    found = page_blocks(tree, page.url, BlocksConfig(rich_text=False))
    pieces, values = found.flat.texts, [VALUES(block) for block in found.blocks]
    timed("every node read once", lambda: read_nodes(body))
    texts = timed("texts", lambda: [" ".join("".join(pieces[begin:end]).split()) for _, begin, end in found.origins])
    timed("records", lambda: [Block(*each) for each in values])
    timed("comparison", lambda: {"".join(each.split()).casefold(): number for number, each in enumerate(texts)})
    blocks = timed(WHOLE, lambda: page_blocks(tree, page.url, BlocksConfig(rich_text=False))).blocks
    timed(WHOLE, lambda: deduplicate(blocks))
    seconds[WHOLE] += seconds["parse"]
    return seconds


def print_table(best: Sequence[dict[str, float]]) -> None:
    total = {name: sum(seconds[name] for seconds in best) for name in (*FLOOR, WHOLE)}
    rows = [*((name, total[name]) for name in FLOOR), ("**floor**", sum(total[name] for name in FLOOR)), (WHOLE, total[WHOLE])]
    print("| step | CPU ms a page | parses |\n|---|---:|---:|")
    for name, seconds in rows:
        print(f"| {name} | {1000 * seconds / len(best):.2f} | {seconds / total['parse']:.2f} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every N-th page (default: 1)")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many measurements counts (default: 3)")
    options = parser.parse_args()
    pages = [page for archive in options.archives for page in read_pages(archive, sys.maxsize)[:: options.every]]
    warm_up()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {len(pages)} pages, best of {options.rounds}\n", flush=True)
    rounds = [[measure_page(page) for page in pages] for _ in range(options.rounds)]
    best = [{name: min(each[name] for each in of_page) for name in of_page[0]} for of_page in zip(*rounds, strict=True)]
    measured = [seconds for seconds in best if seconds]
    if not measured:
        parser.error("no page in these archives that the default settings select")
    print_table(measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
