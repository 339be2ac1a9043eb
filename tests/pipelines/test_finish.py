"""A run ends well only when every planned shard is there once and whole; what adds up is as small for many shards as for few."""

from __future__ import annotations

import dataclasses
import shutil
from functools import reduce
from pathlib import Path

import pytest
from apache_beam.coders import registry

import transforms.coders  # noqa: F401  registers the records
from pipelines.finish import add_totals, check_shard, finish_run, shard_totals
from pipelines.run_folder import read_plan
from transforms.records import RunTotals, ShardManifest
from transforms.shards.plan import ShardPlan
from transforms.shards.writer import find_finished, manifest_path


def manifests(folder: Path, plan: ShardPlan) -> list[ShardManifest]:
    found = [find_finished(folder, s, i, plan.total(s), plan.key) for s in plan.stages for i in range(plan.total(s))]
    assert None not in found
    return found  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 10_000}, "its manifest says 10000"),
        ({"index": 99}, "not planned"),
        ({"sha256": "other"}, "names no main file"),
    ],
)
def test_a_shard_that_is_not_as_planned_stops_the_run(finished: Path, change: dict[str, object], message: str) -> None:
    plan = read_plan(finished)
    shard = next(m for m in manifests(finished, plan) if m.rows)
    assert check_shard(plan, [shard]) == shard
    with pytest.raises(RuntimeError, match=message):
        check_shard(plan, [dataclasses.replace(shard, **change)])


def test_of_two_attempts_the_dearer_counts_and_both_must_be_equal(finished: Path) -> None:
    plan = read_plan(finished)
    found = manifests(finished, plan)[0]
    made = dataclasses.replace(found, cpu_seconds=3.0)
    assert check_shard(plan, [found, made]) == made
    with pytest.raises(RuntimeError, match="two attempts wrote different bytes"):
        check_shard(plan, [made, dataclasses.replace(found, sha256="other")])


def test_a_missing_shard_is_named_and_nothing_is_marked_as_finished(finished: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    plan = read_plan(run)
    (run / "_SUCCESS").unlink()
    manifest_path(run, "scored", 1, plan.total("scored")).unlink()
    there = [m for m in manifests(finished, plan) if (m.stage, m.index) != ("scored", 1)]
    with pytest.raises(RuntimeError, match=rf"scored: {plan.documents - 1} of {plan.documents} .* \[1\]"):
        finish_run(run, plan, reduce(add_totals, map(shard_totals, there)), started=0.0)
    assert not (run / "_SUCCESS").exists()


def test_the_sum_does_not_grow_with_the_number_of_shards(finished: Path) -> None:
    plan = read_plan(finished)
    one = manifests(finished, plan)
    coder = registry.get_coder(RunTotals)
    few, many = (len(coder.encode(reduce(add_totals, map(shard_totals, one * times)))) for times in (1, 50))
    assert many - few < 2 * len(coder.encode(shard_totals(one[0])))
