"""The end of a run: the shards are counted against the plan, then card, statistics and report are written, `_SUCCESS` last."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq

from filters.rules import check_rules
from pipelines.card import write_card
from pipelines.config import config_from_dict
from pipelines.report import write_report
from pipelines.report.samples import Chosen
from pipelines.run_folder import EARLIER, SUCCESS, read_run
from transforms.dataset.rows import dataset_schema
from transforms.documents.assemble import JUDGED_STAGES
from transforms.images.network.journal import JOURNALS
from transforms.records import RunTotals, ShardManifest
from transforms.shards.plan import ShardPlan
from transforms.shards.writer import add_empty_table, find_finished, manifest_path, read_manifest
from transforms.stored_path import StoredPath, arrow_source, publish_text, remove_temporary_files, stored_path

N = TypeVar("N", int, float)

COUNTED_STAGES = ("read", "documents", "blocks", "images", "image_nodes", "scored", "paragraphs", "parts")
"""Levels at which in = out + drops holds, in the order of the funnel.

read: HTTP responses of the archives. documents: pages. blocks: blocks of documents. images: distinct image URLs.
image_nodes, paragraphs: nodes of scored documents. scored: documents. parts: documents after splitting.
"""


def check_shard(plan: ShardPlan, manifests: Iterable[ShardManifest]) -> ShardManifest:
    """The manifest of one shard, found to be planned and whole; a retried bundle may bring it twice.

    Raises:
        RuntimeError: a shard that is not planned, two attempts with different bytes, another number of rows than the manifest says.
    """
    # Of two equal ones the dearer counts: the other was found finished.
    first, *others = sorted(manifests, key=lambda manifest: -manifest.cpu_seconds)
    name = f"{first.stage} shard {first.index}"
    if any(other.sha256 != first.sha256 for other in others):
        raise RuntimeError(f"{name}: two attempts wrote different bytes; the run is not repeatable")
    if not 0 <= first.index < plan.total(first.stage):
        raise RuntimeError(f"{name}: not planned; there are {plan.total(first.stage)}")
    folder = stored_path(plan.folder_of(first.stage))
    main = next((path for path, digest in first.files.items() if digest == first.sha256), None)
    if main is None and first.rows:
        raise RuntimeError(f"{name}: its manifest names no main file; delete the manifest and run again")
    if main is not None and (rows := pq.read_metadata(arrow_source(folder / main)).num_rows) != first.rows:
        raise RuntimeError(f"{folder / main}: {rows} rows, its manifest says {first.rows}; delete the file and run again")
    return first


def origin_manifests(plan: ShardPlan) -> Iterator[ShardManifest]:
    """The manifests of all shards that another run made."""
    for stage in plan.origins:
        for index in range(plan.total(stage)):
            manifest = read_manifest(plan.folder_of(stage), stage, index, plan.total(stage), plan.key_of(stage))
            if manifest is None:
                raise RuntimeError(f"{stage} shard {index} of {plan.folder_of(stage)} is gone; make that run again")
            yield manifest


def add_totals(totals: RunTotals, other: RunTotals) -> RunTotals:
    """Two parts of a run together."""
    return RunTotals(*(add_numbers(getattr(totals, f.name), getattr(other, f.name)) for f in fields(RunTotals)))


def shard_totals(manifest: ShardManifest) -> RunTotals:
    """One shard as part of a run."""
    stage = manifest.stage
    cpu_seconds = {stage: manifest.cpu_seconds}
    return RunTotals({stage: 1}, {stage: manifest.rows}, {stage: manifest.bytes}, dict(manifest.counts), cpu_seconds)


def finish_run(folder: StoredPath, plan: ShardPlan, totals: RunTotals, started: float, chosen: Chosen | None = None) -> StoredPath:
    """Checks that all shards are there, each of them once, then writes everything that describes the run.

    totals: the sum of the shards that `check_shard` found whole. chosen: see `write_report`.

    Raises:
        RuntimeError: a shard missing; in != out + drops.
        RuleGuardError: a rule drops nearly everything.
    """
    for stage in plan.stages:
        _check_number(plan, stage, totals.shards.get(stage, 0))
    counts = totals.counts
    stages = stage_funnel(counts)
    unbalanced = [name for name, s in stages.items() if s["in"] != s["out"] + sum(s["drops"].values())]
    if unbalanced:
        raise RuntimeError(f"{folder}: in is not out + drops for {', '.join(unbalanced)}: {[stages[n] for n in unbalanced]}")
    config = config_from_dict(read_run(folder)["config"], str(folder))
    judged = {name: count for name, count in counts.items() if name.partition("/")[0] in JUDGED_STAGES}
    check_rules(judged, config.effective_rules(), config.guard, str(folder))
    cpu = {stage: round(totals.cpu_seconds[stage], 3) for stage in plan.stages}
    stats: dict[str, Any] = {
        "stages": stages,
        "dataset": _section(counts, "dataset"),
        "flags": _section(counts, "flags"),
        "main_content": _section(counts, "main_content"),
        "image_outcomes": _section(counts, "image_outcomes"),
        "stored_images": counts.get("stored_images/rows", 0),
        "seconds": round(time.time() - started, 3),
        "cpu_seconds": {**cpu, "total": round(sum(cpu.values()), 3)},
        "versions": read_run(folder)["versions"],
    }
    output = read_run(folder)["config"]["output"]
    schema = dataset_schema(
        blocks=output["blocks"],
        markdown=output["markdown"],
        inline_images=output["inline_images"],
        pii=output["pii"] is not None,
    )
    size = totals.bytes["data"]
    first = None if totals.rows["data"] else find_finished(folder, "data", 0, plan.data, plan.key)
    if first is not None:
        size = add_empty_table(folder, first, plan.key, "data", schema, "train").bytes
    publish_text(json.dumps(stats, indent=1) + "\n", folder / "stats.json", folder)
    write_card(folder, schema, totals.rows["data"], size, stats)
    write_report(folder, chosen)
    success = folder / SUCCESS
    publish_text(plan.key + "\n", success, folder)
    remove_temporary_files(folder)
    if isinstance(folder, Path):  # a remote run has neither: it is not fetched again, and its journals are on its workers
        for leftover in (EARLIER, JOURNALS):
            shutil.rmtree(folder / leftover, ignore_errors=True)
    return success


def add_numbers(one: Mapping[str, N], other: Mapping[str, N]) -> dict[str, N]:
    """Numbers by name, added up.

    >>> add_numbers({"a": 1}, {"a": 2, "b": 3})
    {'a': 3, 'b': 3}
    """
    total = dict(one)
    for name, number in other.items():
        total[name] = total[name] + number if name in total else number
    return total


def _check_number(plan: ShardPlan, stage: str, found: int) -> None:
    expected = plan.total(stage)
    if found == expected:
        return
    without = (i for i in range(expected) if not manifest_path(plan.folder_of(stage), stage, i, expected).is_file())
    raise RuntimeError(
        f"{stage}: {found} of {expected} shards were made; without a manifest: {list(islice(without, 5))}; run the same command "
        "again to resume"
    )


def sum_counts(manifests: Iterable[ShardManifest]) -> Counter[str]:
    """The counts of all shards added up."""
    total: Counter[str] = Counter()
    for manifest in manifests:
        total.update(manifest.counts)
    return total


def stage_funnel(counts: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """Counts `STAGE/in`, `STAGE/out`, `STAGE/drop:RULE` as the `stages` of stats.json."""
    funnel: dict[str, dict[str, Any]] = {}
    for stage in COUNTED_STAGES:
        prefix = f"{stage}/drop:"
        drops = {key.removeprefix(prefix): counts[key] for key in sorted(counts) if key.startswith(prefix)}
        funnel[stage] = {"in": counts.get(f"{stage}/in", 0), "out": counts.get(f"{stage}/out", 0), "drops": drops}
    return funnel


def _section(counts: Mapping[str, int], name: str) -> dict[str, int]:
    return {key.removeprefix(f"{name}/"): counts[key] for key in sorted(counts) if key.startswith(f"{name}/")}
