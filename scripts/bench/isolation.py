"""What isolation costs: extraction of the same pages in this process and in a killable child, in turns.

    python -m scripts.bench.isolation crawl/*.warc.gz [--pages 500] [--rounds 3]

CPU seconds are those of both processes. Each figure is the smallest of the rounds; the child's start is told apart. Figures depend
on the machine; its load stands beside them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from functools import partial

import psutil

from transforms.archives.select import SelectConfig, select_page
from transforms.archives.warc import read_responses
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document
from transforms.documents.isolate import IsolatedExtractor
from transforms.records import Document, Drop, Page, Response


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files")
    parser.add_argument("--pages", type=int, default=500, help="of each archive at most")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    pages = [page for archive in options.archives for page in read_pages(archive, options.pages)]
    config = ExtractConfig()
    load = os.getloadavg()[0]
    with IsolatedExtractor(config) as nodes, IsolatedExtractor(config, keep_blocks=True) as blocks:
        modes: dict[str, tuple[Callable[[Page], Document | Drop], Callable[[], float]]] = {
            "none": (partial(extract_document, config=config), lambda: 0.0),
            "process": (nodes.extract, lambda: nodes.cpu_seconds),
            "process, blocks kept": (blocks.extract, lambda: blocks.cpu_seconds),
        }
        starts = {name: measure(extract, cpu, pages[:1]) for name, (extract, cpu) in modes.items()}
        rounds = [{name: measure(extract, cpu, pages) for name, (extract, cpu) in modes.items()} for _ in range(options.rounds)]
        memory = max(child.memory_info().rss for child in psutil.Process().children())
    print(f"load before {load:.1f}, cores {os.cpu_count()}, pages {len(pages)}, rounds {options.rounds}")
    print(f"{'isolation':<22}{'wall s':>8}{'CPU s':>8}{'pages/s':>9}{'wall loss':>11}{'CPU loss':>10}{'first page s':>14}")
    best = {name: tuple(min(figures[name][i] for figures in rounds) for i in (0, 1)) for name in modes}
    base_wall, base_cpu = best["none"]
    for name, (wall, cpu) in best.items():
        # Loss of throughput: the share of pages that are not done in the same time.
        print(
            f"{name:<22}{wall:8.2f}{cpu:8.2f}{len(pages) / wall:9.1f}{1 - base_wall / wall:11.1%}{1 - base_cpu / cpu:10.1%}"
            f"{starts[name][0]:14.2f}"
        )
    print(f"memory of a child after all pages: {memory / 2**20:.0f} MiB")
    return 0


def read_pages(archive: str, most: int) -> list[Page]:
    """The first pages of an archive that the default settings select."""
    pages: list[Page] = []
    for item in read_responses(archive):
        page = select_page(item, SelectConfig()) if isinstance(item, Response) else item
        if isinstance(page, Page):
            pages.append(page)
            if len(pages) == most:
                break
    return pages


def measure(
    extract: Callable[[Page], Document | Drop], other_cpu_seconds: Callable[[], float], pages: list[Page]
) -> tuple[float, float]:
    """Wall and CPU seconds for all pages."""
    wall, cpu = time.perf_counter(), time.process_time() + other_cpu_seconds()
    for page in pages:
        extract(page)
    return time.perf_counter() - wall, time.process_time() + other_cpu_seconds() - cpu


if __name__ == "__main__":
    sys.exit(main())
