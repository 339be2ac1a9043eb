"""The end of a run: the shards are counted against the plan, then card, statistics and report are written, `_SUCCESS` last."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipelines.card import write_card
from pipelines.report import write_report
from pipelines.run_folder import SUCCESS, read_run
from transforms.records import ShardManifest
from transforms.shards.dataset import dataset_schema
from transforms.shards.plan import STAGES, ShardPlan
from transforms.shards.writer import TEMPORARY, add_empty_table, write_atomically

COUNTED_STAGES = ("read", "documents", "blocks", "images", "image_nodes", "scored", "paragraphs", "parts")
"""Levels at which in = out + drops holds, in the order of the funnel.

read: HTTP responses of the archives. documents: pages. blocks: blocks of documents. images: distinct image URLs.
image_nodes, paragraphs: nodes of scored documents. scored: documents. parts: documents after splitting.
"""


def finish_run(folder: Path, plan: ShardPlan, manifests: Iterable[ShardManifest], started: float) -> Path:
    """Checks that all shards are there and whole, then writes everything that describes the run.

    Raises:
        RuntimeError: a shard missing, twice, or with another number of rows than its manifest says; in != out + drops.
    """
    by_stage = complete_shards(plan, manifests)
    for stage, shards in by_stage.items():
        for manifest in shards:
            _check_rows(folder, stage, manifest)
    counts = sum_counts(m for shards in by_stage.values() for m in shards)
    stages = stage_funnel(counts)
    unbalanced = [name for name, s in stages.items() if s["in"] != s["out"] + sum(s["drops"].values())]
    if unbalanced:
        raise RuntimeError(f"{folder}: in is not out + drops for {', '.join(unbalanced)}: {[stages[n] for n in unbalanced]}")
    cpu = {stage: round(sum(m.cpu_seconds for m in shards), 3) for stage, shards in by_stage.items()}
    stats: dict[str, Any] = {
        "stages": stages,
        "dataset": _section(counts, "dataset"),
        "flags": _section(counts, "flags"),
        "main_content": _section(counts, "main_content"),
        "stored_images": counts.get("stored_images/rows", 0),
        "seconds": round(time.time() - started, 3),
        "cpu_seconds": {**cpu, "total": round(sum(cpu.values()), 3)},
        "versions": read_run(folder)["versions"],
    }
    output = read_run(folder)["config"]["output"]
    schema = dataset_schema(blocks=output["blocks"], markdown=output["markdown"], inline_images=output["inline_images"])
    data = by_stage["data"]
    if not any(manifest.rows for manifest in data):
        data[0] = add_empty_table(folder, data[0], plan.key, "data", schema, "train")
    temporary = folder / TEMPORARY
    write_atomically(folder / "stats.json", json.dumps(stats, indent=1) + "\n", temporary)
    write_card(folder, schema, data, stats)
    write_report(folder)
    success = folder / SUCCESS
    write_atomically(success, plan.key + "\n", temporary)
    shutil.rmtree(temporary, ignore_errors=True)
    return success


def complete_shards(plan: ShardPlan, manifests: Iterable[ShardManifest]) -> dict[str, list[ShardManifest]]:
    """The manifests by stage, in order; a retried bundle may bring one twice. Raises RuntimeError for a gap or a stranger."""
    found: dict[str, dict[int, ShardManifest]] = defaultdict(dict)
    for manifest in manifests:
        known = found[manifest.stage].get(manifest.index)
        if known is not None and known.sha256 != manifest.sha256:
            raise RuntimeError(
                f"{manifest.stage} shard {manifest.index}: two attempts wrote different bytes; the run is not repeatable"
            )
        # Of two equal ones the dearer counts: the other was found finished.
        if known is None or manifest.cpu_seconds > known.cpu_seconds:
            found[manifest.stage][manifest.index] = manifest
    for stage in STAGES:
        expected, there = set(range(plan.total(stage))), set(found[stage])
        if expected != there:
            raise RuntimeError(
                f"{stage}: shards missing: {sorted(expected - there)[:5]}, not planned: {sorted(there - expected)[:5]}; run the "
                "same command again to resume"
            )
    return {stage: [found[stage][index] for index in sorted(found[stage])] for stage in STAGES}


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


def _check_rows(folder: Path, stage: str, manifest: ShardManifest) -> None:
    main = next((name for name, digest in manifest.files.items() if digest == manifest.sha256), None)
    if main is None and not manifest.rows:
        return
    if main is None:
        raise RuntimeError(f"{stage} shard {manifest.index}: its manifest names no main file; delete the manifest and run again")
    rows = pq.read_metadata(folder / main).num_rows
    if rows != manifest.rows:
        raise RuntimeError(f"{folder / main}: {rows} rows, its manifest says {manifest.rows}; delete the file and run again")
