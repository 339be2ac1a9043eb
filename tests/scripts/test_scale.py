"""Scale on paper: what grows with pages grows with them, and what does not, does not."""

from __future__ import annotations

from pipelines.config import load_config
from pipelines.forecast import Sample, SampledRange
from pipelines.shuffles import Shuffle
from scripts.bench.scale import page_figures, plan_for, scale_table

SHUFFLES = {
    "ReadRanges/Spread": Shuffle(2, 200.0),
    "ResolveImages/JoinByUrl": Shuffle(300, 30_000.0),
    "FinishRun/GroupAttempts": Shuffle(10, 8_000.0),
}
USED = {"pages": 50.0, "documents": 40.0, "cpu_seconds": 1.0}
SAMPLE = Sample(
    (SampledRange(2e6, USED), SampledRange(2e6, USED)),
    {"cpu_seconds": 3.0, "stored_images": 25.0},
    (1.0, 1.0), 0.0, 0.0, 0.0, 0.0, 0.0, SHUFFLES,
)  # fmt: skip


def test_figures_are_those_of_the_sample_a_page_and_a_shard() -> None:
    figures = page_figures(SAMPLE)
    assert (figures.input_bytes, figures.cpu_seconds, figures.stored_images) == (40_000, 0.05, 0.25)
    assert figures.of_pages == Shuffle(3.0, 300.0)
    assert figures.of_shards == Shuffle(1.2, 820.0)


def test_the_table_has_a_column_a_size_and_one_graph_for_all() -> None:
    lines = list(scale_table(page_figures(SAMPLE), load_config(None), [10**4, 10**9], 123_000))
    assert lines[0] == "| pages | 10,000 | 1,000,000,000 |"
    rows = {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)}
    assert rows["graph"] == ["120.1 KiB", "120.1 KiB"]
    assert rows["CPU"] == ["0.1 h", "13,888.9 h"]
    plan, ranges = plan_for(10**9, page_figures(SAMPLE), load_config(None))
    assert rows["input ranges"][1] == f"{ranges:,}"
    assert ranges == -(-40_000 * 10**9 // 2**26)
    shards = sum(plan.total(stage) for stage in plan.stages)
    assert rows["elements shuffled"][1] == f"{3 * 10**9 + 1.2 * shards:,.0f}"
