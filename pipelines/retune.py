"""`interleaf retune`: other thresholds for a finished run, without its archives (filters.md, design.md "Measure, then judge").

    OUT/stages, OUT/images  ─►  judged again by the new settings  ─►  NEW/data, NEW/drops, card, statistics, report
         '-- referred to, not copied

What the measures themselves follow from, as the threshold of main content, makes NEW/stages/scored as well.

`NEW/data` has the bytes that a build with the same settings would have written.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from filters.rules import RuleGuardError
from pipelines.build import Speaker, run_with_log, summary
from pipelines.config import ConfigError, config_from_dict, load_config, override_config
from pipelines.errors import RunError, UsageError
from pipelines.finish import add_totals, check_shard, finish_run, origin_manifests, shard_totals
from pipelines.input_manifest import InputSummary
from pipelines.report.samples import Chosen
from pipelines.retune_keys import check_retunable, stages_to_make
from pipelines.run_folder import (
    INPUT_FILE,
    RANGE_FILE,
    RUN_FILE,
    Retuned,
    Run,
    code_versions,
    data_shards,
    local_folder,
    prepare_folder,
    read_plan,
    read_run,
)
from pipelines.runners import check_beam_arguments, resolve_runner
from transforms.dataset.write import write_data_shard
from transforms.garbage import collect_rarely
from transforms.shards.plan import Origin, ShardPlan
from transforms.shards.writer import file_sha256, manifest_path


def retune_dataset(
    folder: str,
    *,
    output: str,
    config: str | None = None,
    overrides: Sequence[str] = (),
    runner: str = "local",
    workers: int | None = None,
    beam_arguments: Sequence[str] = (),
    stream: TextIO = sys.stderr,
) -> int:
    """Judges and writes a finished run again; returns 0, or raises UsageError or RunError.

    One worker of the runner `local` needs no Beam to judge: a small run takes less time than importing it. config: of the new run
    as a whole; None: that of the old one. overrides: on top of either.
    """
    started = time.time()
    engine = resolve_runner(runner, workers, beam_arguments)
    check_beam_arguments(engine)
    run = plan_retune(folder, output, config, overrides)
    resumed = prepare_folder(run)
    say = Speaker(stream)
    assert run.retuned is not None
    if run.finished:
        say(f"{output} is finished already; nothing to do")
        say(summary(run))
        return 0
    say(f"retunes {folder}: {', '.join(f'{key} {old} -> {new}' for key, old, new in run.retuned.changes) or 'no key changes'}")
    say(f"output: {output}, {run.plan.data} shards{' (resuming an earlier attempt)' if resumed else ''}")
    if runner == "local" and workers in (None, 1) and "scored" in run.plan.origins:
        run_in_process(run, started)
    else:
        say(engine.text)
        from pipelines.graph import retune

        run_with_log(run, engine, lambda root: retune(root, run, started), stream)
    say(summary(run))
    return 0


def plan_retune(folder: str | Path, output: str | Path, config: str | None, overrides: Sequence[str]) -> Run:
    """A run whose stages before those that its settings change are those of another run.

    Raises:
        UsageError: a folder that has not got that far, was made by other versions, or settings that need more than it has stored.
    """
    for each in (folder, output):
        local_folder(str(each), "retune")
    stored, base = read_run(folder), read_plan(folder)
    where = str(Path(folder) / RUN_FILE)
    try:
        old = config_from_dict(stored["config"], where)
        new = (
            load_config(config, overrides)
            if config is not None
            else override_config(_derivable(stored["config"]), overrides, where)
        )
    except ConfigError as error:
        raise UsageError(str(error)) from None
    _check_versions(str(folder), stored["versions"], code_versions(old))
    changes = check_retunable(old, new, str(folder))
    remade = stages_to_make([key for key, _, _ in changes], old, new)
    _check_complete(base, remade)
    lists = TemporaryDirectory(prefix="interleaf-plan-")
    for name in (INPUT_FILE, RANGE_FILE):
        shutil.copy(Path(folder) / name, lists.name)
    given = stored["input"]
    summary = InputSummary(given["files"], given["bytes"], file_sha256(Path(folder) / INPUT_FILE))
    ranges = base.documents - base.revisits
    versions = {**stored["versions"], **code_versions(new)}
    origins = {stage: Origin(base.folder_of(stage), base.key_of(stage)) for stage in base.stages if stage not in remade}
    keys = {stage: origin.key for stage, origin in origins.items()}
    key_of = {"config": new.as_dict(), "versions": versions, "input": summary.digest, "stages": keys}
    plan = replace(
        base,
        folder=str(output),
        key=hashlib.sha256(json.dumps(key_of, sort_keys=True).encode()).hexdigest()[:16],
        data=min(data_shards(new, summary.bytes), ranges),
        origins=origins,
    )
    if os.path.realpath(output) == os.path.realpath(folder):
        raise UsageError(f"--output {output}: is the run that is retuned; give another folder")
    retuned = Retuned(str(folder), base.key, tuple(changes))
    return Run(Path(output), new, summary, ranges, versions, plan, lists, retuned)


def run_in_process(run: Run, started: float) -> None:
    """Makes the data shards one after the other and finishes the run."""
    collect_rarely()
    plan, settings = run.plan, run.config.write_settings()
    scored: dict[int, list[int]] = {index: [] for index in range(plan.data)}
    for index in range(plan.documents):
        scored[plan.data_shard(index)].append(index)
    chosen = Chosen(plan)
    made = (write_data_shard(index, shards, plan, settings, chosen.see) for index, shards in scored.items())
    manifests = (check_shard(plan, [manifest]) for each in (origin_manifests(plan), made) for manifest in each)
    try:
        totals = reduce(add_totals, map(shard_totals, manifests))
        finish_run(run.folder, plan, totals, started, chosen)
    except RuleGuardError as error:
        raise RunError(str(error)) from error
    except (RuntimeError, OSError) as error:
        raise RunError(f"{run.folder}: {error}; the same command resumes") from error


def _check_complete(base: ShardPlan, remade: Sequence[str]) -> None:
    """Raises UsageError unless the run has all stages that are not made again; whether it was finished then does not matter."""
    for stage in base.stages:
        total = base.total(stage)
        if stage in remade:
            continue
        if not all(manifest_path(base.folder_of(stage), stage, index, total).is_file() for index in range(total)):
            raise UsageError(
                f"{base.folder}: has not all shards of the stage {stage}; repeat its `interleaf build` command, then retune"
            )


def _check_versions(folder: str, stored: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raises UsageError where a new run would measure with other code, lists or models than the stored one did."""
    for name, version in here.items():
        if stored.get(name) != version:
            raise UsageError(
                f"{folder}: was made with {name} {stored.get(name)}, {version} is here, so that a new run would measure otherwise; "
                "install what its run.yaml names under `versions`, or build it again"
            )


def _derivable(config: dict[str, Any]) -> dict[str, Any]:
    """A stored configuration in which keys that follow from others do so again."""
    extract, obelics = config["extract"], config["extract"]["obelics"]
    if obelics["require_image"] != config["documents"]["require_image"]:
        return config
    return {**config, "extract": {**extract, "obelics": {**obelics, "require_image": None}}}
