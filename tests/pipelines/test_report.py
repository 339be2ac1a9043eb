"""The report of a large run costs no more than that of a small one."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest
import yaml

from pipelines import report


def test_shards_that_samples_come_from_are_spread_evenly_and_bounded() -> None:
    for total in (0, 1, 63, 64, 65, 1000, 1_000_000):
        chosen = report.spread(total, 64)
        assert len(set(chosen)) == len(chosen) == min(total, 64)
        assert not chosen or (chosen[0] == 0 and chosen[-1] < total)
        gaps = {after - before for before, after in itertools.pairwise(chosen)}
        assert not gaps or max(gaps) - min(gaps) <= 1


def test_few_shards_are_opened_and_the_report_says_so(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    opened = []
    read_rows = report.read_rows
    monkeypatch.setattr(report, "read_rows", lambda path, **options: opened.append(path.name) or read_rows(path, **options))
    whole = report.write_report(run).read_text()
    shards = yaml.safe_load((run / "run.yaml").read_text())["shards"]["documents"]
    assert sum(name.startswith("part-documents") for name in opened) > 2
    opened.clear()
    monkeypatch.setattr(report, "SAMPLED_SHARDS", 2)
    sampled = report.write_report(run).read_text()
    assert sum(name.startswith("part-documents") for name in opened) <= 2
    assert f"from 2 of up to {shards} shards" in sampled
    assert "shards a stage" not in whole
