"""Faults reported to comparable projects that only a whole run shows: rows H and I of field_reports.md."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import yaml
from run_helpers import run_build

from pipelines.run_rows import drop_rows
from pipelines.verify import verify_run


def test_h8_h9_a_rule_that_leaves_no_row_gives_a_valid_empty_dataset_and_a_drop_for_each_document(
    crawl: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    overrides = ["rules.document.words.min=100000", "rules.document.words.max=null"]
    status, _ = run_build([str(crawl)], output, overrides=overrides)
    assert status == 0
    for result in verify_run(output):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"
    [shard] = (output / "data").glob("*.parquet")
    assert pq.read_table(shard).num_rows == 0
    dropped = [drop for drop in drop_rows(output) if drop["rule"] == "document.words"]
    assert dropped
    assert all(drop["threshold"] == 100_000 and drop["value"] < 100_000 for drop in dropped)


def test_i9_a_run_names_all_that_it_read_and_how(finished: Path, crawl: Path) -> None:
    description = yaml.safe_load((finished / "run.yaml").read_text())
    assert {"config", "input", "versions"} <= set(description)
    named = "\n".join(
        path.read_text(errors="replace") for path in finished.rglob("*") if path.suffix in (".yaml", ".txt", ".jsonl", ".md")
    )
    for archive in crawl.iterdir():
        assert archive.name in named
