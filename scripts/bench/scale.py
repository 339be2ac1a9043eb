"""What runs of ten thousand, a million and a billion pages shuffle, write and open, from figures measured on a few ranges.

    python -m scripts.bench.scale --input 'crawl/*.warc.gz' [--sample 8] [--pages 1e4 1e6 1e9]

Per page: bytes of input, elements and bytes of each shuffle that grows with pages, CPU. Per shard: elements and bytes of the
shuffles that carry ranges or manifests, files written and opened. The shards of each size are those that the planner gives to so
many bytes; the graph is built and its size taken. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipelines.config import Config, load_config
from pipelines.forecast import Sample, file_operations
from pipelines.run_folder import plan_run, plan_shards, range_size
from pipelines.sample_run import measure_sample
from pipelines.shuffles import Shuffle
from transforms.shards.plan import ShardPlan
from transforms.sizes import format_size

OF_SHARDS = ("ReadRanges", "WriteDataset", "FinishRun")
"""Steps whose shuffles carry a range or a manifest an element; all others carry what pages mention and hold."""


@dataclass(frozen=True)
class PageFigures:
    """Measured on a sample. of_pages: elements and bytes a page. of_shards: elements and bytes a shard of any stage."""

    input_bytes: float
    cpu_seconds: float
    stored_images: float
    of_pages: Shuffle
    of_shards: Shuffle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", nargs="+", required=True, help="archives: files, patterns, folders")
    parser.add_argument("--sample", type=int, default=8, help="input ranges to measure (default: %(default)s)")
    parser.add_argument("--pages", type=float, nargs="+", default=[1e4, 1e6, 1e9])
    options = parser.parse_args()
    config = load_config(None)
    with tempfile.TemporaryDirectory(prefix="interleaf-scale-") as work:
        run = plan_run(Path(work) / "out", config, options.input)
        sample = measure_sample(run, options.sample)
        graph_bytes = measure_graph(run)
    figures = page_figures(sample)
    print(f"per page: {describe_page(figures)}")
    print("\n".join(scale_table(figures, config, [round(pages) for pages in options.pages], graph_bytes)))
    return 0


def measure_graph(run: object) -> int:
    """Bytes of the graph as it is handed to a runner."""
    import apache_beam as beam

    from pipelines.graph import build

    pipeline = beam.Pipeline()
    build(pipeline, run, started=0.0)  # type: ignore[arg-type]
    return len(pipeline.to_runner_api().SerializeToString())


def page_figures(sample: Sample) -> PageFigures:
    """The figures of a sample, divided by its pages or by its shards."""
    pages = sum(range_.used["pages"] for range_ in sample.ranges)
    manifests = sample.shuffles["FinishRun/GroupAttempts"].elements  # one a shard of any stage
    cpu_seconds = sum(range_.used["cpu_seconds"] for range_ in sample.ranges) + sample.later["cpu_seconds"]

    def each(of_shards: bool, number: float) -> Shuffle:
        chosen = [shuffle for label, shuffle in sample.shuffles.items() if label.startswith(OF_SHARDS) == of_shards]
        return Shuffle(sum(s.elements for s in chosen) / number, sum(s.bytes for s in chosen) / number)

    return PageFigures(
        input_bytes=sum(range_.bytes for range_ in sample.ranges) / pages,
        cpu_seconds=cpu_seconds / pages,
        stored_images=sample.later["stored_images"] / pages,
        of_pages=each(False, pages),
        of_shards=each(True, manifests),
    )


def plan_for(pages: int, figures: PageFigures, config: Config) -> tuple[ShardPlan, int]:
    """The shards of a run of so many pages in archives, and the number of its input ranges."""
    size = round(pages * figures.input_bytes)
    ranges = -(-size // range_size(config, size))
    return plan_shards("-", "-", config, size, ranges, ranges), ranges


def scale_table(figures: PageFigures, config: Config, sizes: list[int], graph_bytes: int) -> Iterator[str]:
    """A table in Markdown: one column a size."""
    yield f"| pages | {' | '.join(f'{pages:,}' for pages in sizes)} |"
    yield "|---|" + "---|" * len(sizes)
    columns = [dict(scale_rows(pages, figures, config, graph_bytes)) for pages in sizes]
    for name in columns[0]:
        yield f"| {name} | {' | '.join(column[name] for column in columns)} |"


def scale_rows(pages: int, figures: PageFigures, config: Config, graph_bytes: int) -> Iterator[tuple[str, str]]:
    """The rows of one size: name and figure."""
    plan, ranges = plan_for(pages, figures, config)
    shards = sum(plan.total(stage) for stage in plan.stages)
    elements = pages * figures.of_pages.elements + shards * figures.of_shards.elements
    shuffled = pages * figures.of_pages.bytes + shards * figures.of_shards.bytes
    operations = file_operations(plan, ranges, pages * figures.stored_images)
    yield "input", format_size(pages * figures.input_bytes)
    yield "graph", format_size(graph_bytes)
    yield "input ranges", f"{ranges:,}"
    yield "shards: documents, outcomes, images, data", f"{plan.documents:,}, {plan.outcomes:,}, {plan.images:,}, {plan.data:,}"
    yield "elements shuffled", f"{elements:,.0f}"
    yield "bytes shuffled", format_size(shuffled)
    yield "files written, at most", f"{operations['written']:,.0f}"
    yield "files opened, at most", f"{operations['opened']:,.0f}"
    yield "CPU", f"{pages * figures.cpu_seconds / 3600:,.1f} h"


def describe_page(figures: PageFigures) -> str:
    """The figures a page in one line."""
    return (
        f"{figures.input_bytes:,.0f} B of input, {1000 * figures.cpu_seconds:.1f} ms CPU, {figures.stored_images:.2f} images, "
        f"{figures.of_pages.elements:.1f} elements with {figures.of_pages.bytes:,.0f} B shuffled; per shard: "
        f"{figures.of_shards.elements:.1f} elements with {figures.of_shards.bytes:,.0f} B"
    )


if __name__ == "__main__":
    sys.exit(main())
