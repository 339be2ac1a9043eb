"""`interleaf build --retry-images`: a finished run asks again for the images that failed for a time, and for no others.

stages/fetched-N  ->  stages/earlier/fetched-N       what is known for good is taken from there
outcomes, images, scored, data                       are made again, since they depend on it
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from pipelines.errors import UsageError
from pipelines.run_folder import EARLIER, SUCCESS, Run, local_folder, read_run
from transforms.images.network.journal import JOURNALS
from transforms.images.statuses import STATUS_CLASSES
from transforms.records import NETWORK
from transforms.shards.writer import manifest_path, read_manifest
from transforms.stored_path import publish_text

MARK = "stages/retry-images"
"""Stands in the run folder while things are set aside: whatever ends that half way, the next command goes on with it."""

MADE_AGAIN = ("outcomes", "images", "scored", "data")


def begin_retry(run: Run) -> Counter[str]:
    """Marks a finished run for another pass; how many images of each transient status that pass will ask for.

    With none, and in a run that is not finished, nothing is marked.

    Raises:
        UsageError: a run that asks the network for nothing.
    """
    if not run.plan.rounds:
        raise UsageError(
            f"--retry-images: the run takes no images from the network (images.source: {run.config.images.source}); leave it out"
        )
    folder = local_folder(str(run.folder), "build --retry-images")
    if not run.finished:
        return Counter()
    statuses: Counter[str] = Counter()
    for index in range(run.plan.outcomes):
        table = pq.read_table(run.plan.path("stages/outcomes", index, run.plan.outcomes), columns=["status", "source"])
        for status, source in zip(table["status"].to_pylist(), table["source"].to_pylist(), strict=True):
            if source == NETWORK and STATUS_CLASSES[status] == "transient":
                statuses[status] += 1
    if statuses:
        shutil.rmtree(folder / EARLIER, ignore_errors=True)
        publish_text("", folder / MARK, folder)
    return statuses


def set_aside(run: Run) -> None:
    """Carries a mark out; does nothing without one. May be stopped and repeated at any point."""
    folder, plan = run.folder, run.plan
    if not isinstance(folder, Path) or not (folder / MARK).exists():
        return
    (folder / SUCCESS).unlink(missing_ok=True)
    shutil.rmtree(folder / JOURNALS, ignore_errors=True)
    (folder / EARLIER).mkdir(exist_ok=True)
    for stage in plan.fetched:
        if (folder / "stages" / stage).exists():
            os.rename(folder / "stages" / stage, folder / EARLIER / stage)
    for stage in MADE_AGAIN:
        for index in range(plan.total(stage)):
            manifest = read_manifest(folder, stage, index, plan.total(stage), plan.key)
            for name in manifest.files if manifest is not None else ():
                (folder / name).unlink(missing_ok=True)
            manifest_path(folder, stage, index, plan.total(stage)).unlink(missing_ok=True)
    (folder / MARK).unlink()


def check_reused(run: Run) -> None:
    """Raises UsageError for a run named in `images.network.reuse` that judged its images by other limits, or is none."""
    now = run.config.as_dict()["images"]
    for folder in run.config.images.network.reuse:
        then = read_run(Path(folder))["config"]["images"]
        for key in ("limits", "perceptual_hash", "resize", "optout"):
            if then.get(key) != now[key]:
                raise UsageError(
                    f"images.network.reuse: {folder} has other images.{key}: {then.get(key)} there, {now[key]} here; "
                    "give both runs the same, or leave it out"
                )
