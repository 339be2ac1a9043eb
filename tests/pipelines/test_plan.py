"""`interleaf plan`: a forecast from a few input ranges, beside what a finished run used."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.config import load_config
from pipelines.errors import UsageError
from pipelines.plan import LABELS, show_plan
from pipelines.run_folder import plan_run
from pipelines.sample_run import choose_ranges, measure_sample


def plan(**options: object) -> tuple[str, str]:
    output, stream = io.StringIO(), io.StringIO()
    assert show_plan(output=output, stream=stream, **options) == 0  # type: ignore[arg-type]
    return output.getvalue(), stream.getvalue()


def test_a_sample_of_all_ranges_foretells_what_the_run_used(finished: Path) -> None:
    table = json.loads(plan(compare=str(finished), as_json=True, cores=1)[0])
    exact = ("pages", "documents", "rows", "image_urls", "stored_images", "shards", "data_shards")
    assert {name: table[name]["value"] for name in exact} == {name: table[name]["used"] for name in exact}
    assert table["written_bytes"]["value"] == pytest.approx(table["written_bytes"]["used"], rel=0.02)
    assert table["read_bytes"]["value"] == pytest.approx(table["read_bytes"]["used"], rel=0.02)
    assert table["files_written"]["used"] <= table["files_written"]["value"]


def test_a_sample_of_one_range_says_so_and_leaves_nothing(crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, said = plan(patterns=[str(crawl)], sample=1, cores=3)
    assert "measuring 1 of 3 input ranges" in said
    for label, _ in LABELS.values():
        assert label.format(cores=3) in text
    assert list(tmp_path.iterdir()) == []


def test_ranges_are_chosen_at_even_distances_with_their_part_of_the_bytes(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.warc").write_bytes(b"x" * (10 + number))
    config = load_config(None, ["input.range_bytes=5"])
    run = plan_run(tmp_path / "out", config, [str(tmp_path / "*.warc")])
    chosen = choose_ranges(run, 4)
    assert len({range_.index for range_, _ in chosen}) == 4
    assert all(size == range_.stop - range_.start for range_, size in chosen)
    everything = choose_ranges(run, 100)
    assert [range_.index for range_, _ in everything] == list(range(run.ranges))
    assert sum(size for _, size in everything) == run.input.bytes


def test_row_groups_of_a_table_share_its_bytes(tmp_path: Path) -> None:
    words = "<p>" + "Some words that stand in a paragraph of a page. " * 20
    table = pa.table({"url": [f"http://a.example/{n}" for n in range(40)], "html": [words * (n + 1) for n in range(40)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=5)
    run = plan_run(tmp_path / "out", load_config(None, ["input.range_bytes=1"]), [str(tmp_path / "a.parquet")])
    sample = measure_sample(run, 4)
    assert sum(range_.bytes for range_ in sample.ranges) == pytest.approx(run.input.bytes / 2)
    assert [range_.used["pages"] for range_ in sample.ranges] == [5, 5, 5, 5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patterns": ["a"], "sample": 0}, "--sample 0: must be at least 1"),
        ({"patterns": ["a"], "cores": 0}, "--cores 0: must be at least 1"),
        ({}, "either input"),
        ({"patterns": ["a"], "compare": "b"}, "either input"),
        ({"compare": "nowhere"}, "not a run folder"),
        ({"patterns": ["nowhere.warc"]}, "no such file"),
    ],
)
def test_wrong_use_is_one_message(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan(**options)


def test_an_unfinished_run_has_no_bill(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_bytes((finished / "run.yaml").read_bytes())
    with pytest.raises(UsageError, match="not finished"):
        plan(compare=str(tmp_path))


def test_a_retuned_run_names_the_run_that_read_the_input(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(
        (finished / "run.yaml").read_text() + "stages_of: {documents: {run: ../first, run_key: x}}\n"
    )
    (tmp_path / "_SUCCESS").touch()
    with pytest.raises(UsageError, match=r"compare that run: .*\.\./first"):
        plan(compare=str(tmp_path))


def test_a_forecast_of_a_run_that_fetches_asks_no_one(crawl: Path) -> None:
    network = ["images.source=both", "images.network.user_agent_contact=https://crawler.example/about"]
    table = json.loads(plan(patterns=[str(crawl)], overrides=network, as_json=True)[0])
    assert table["requests"]["value"] == table["image_urls"]["value"] - table["stored_images"]["value"] > 0
