"""`interleaf plan`: what a run will use, before it runs; and, for a finished one, beside what it used."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from pipelines.config import Config, ConfigError, config_from_dict, load_config
from pipelines.errors import UsageError
from pipelines.forecast import Amount, Input, Sample, forecast
from pipelines.run_folder import INPUT_FILE, RUN_FILE, SUCCESS, Run, local_folder, plan_run, read_plan, read_run
from pipelines.runners import available_cores
from pipelines.sample_run import folder_bytes, measure_sample, read_back
from transforms.sizes import format_size


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _clock(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"


LABELS: dict[str, tuple[str, Callable[[float], str]]] = {
    "pages": ("HTML pages", _count),
    "documents": ("documents", _count),
    "rows": ("rows of the dataset", _count),
    "image_urls": ("distinct image URLs", _count),
    "stored_images": ("images stored", _count),
    "requests": ("requests to the network", _count),
    "cpu_seconds": ("CPU of the stages", _clock),
    "process_cpu_seconds": ("CPU of all processes", _clock),
    "seconds": ("time on {cores} idle cores", _clock),
    "memory": ("peak memory, all processes", format_size),
    "read_bytes": ("bytes read", format_size),
    "written_bytes": ("bytes written", format_size),
    "shuffled_bytes": ("bytes shuffled", format_size),
    "files_written": ("files written, at most", _count),
    "files_opened": ("files opened, at most", _count),
    "shards": ("shards of all stages", _count),
    "data_shards": ("files of the dataset", _count),
}
"""The rows of the table: name and unit of each amount."""


def show_plan(
    *,
    config: str | None = None,
    overrides: Sequence[str] = (),
    patterns: Sequence[str] = (),
    manifests: Sequence[str] = (),
    compare: str | None = None,
    sample: int = 8,
    cores: int | None = None,
    as_json: bool = False,
    output: TextIO = sys.stdout,
    stream: TextIO = sys.stderr,
) -> int:
    """Prints the forecast of a run: of an input, or of a finished run with what that used beside it. sample: input ranges measured.

    Raises:
        UsageError: nothing to read or two things, a sample or cores below one, a run that is not finished.
    """
    if sample < 1:
        raise UsageError(f"--sample {sample}: must be at least 1, the number of input ranges to measure")
    if cores is not None and cores < 1:
        raise UsageError(f"--cores {cores}: must be at least 1")
    if (compare is not None) == bool(patterns or manifests):
        raise UsageError("give either input (files, patterns, folders, --input-manifest FILE) or --compare OUT, a finished run")
    if compare is None:
        try:
            settings = load_config(config, overrides)
        except ConfigError as error:
            raise UsageError(str(error)) from None
        run = plan_run("-", settings, patterns, manifests)
    else:
        run = _finished_run(local_folder(compare, "plan --compare"))
    count = min(sample, run.ranges)
    stream.write(f"interleaf: measuring {count} of {run.ranges} input ranges, {format_size(run.input.bytes)} in all\n")
    measured = measure_sample(run, count)
    amounts = run_forecast(measured, run, cores or available_cores())
    used = None if compare is None else used_amounts(Path(compare))
    if as_json:
        output.write(json.dumps(_as_dict(amounts, used), indent=1) + "\n")
    else:
        output.write("\n".join(format_table(amounts, used, cores or available_cores())) + "\n")
    return 0


def run_forecast(sample: Sample, run: Run, cores: int) -> dict[str, Amount]:
    """The forecast of a planned run."""
    return forecast(sample, Input(run.input.bytes, run.ranges, run.plan, run.config.images.source), cores)


def used_amounts(folder: Path) -> dict[str, float]:
    """What a finished run used, as far as its folder tells; the names are those of the forecast."""
    stats = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
    shards, source = read_run(folder)["shards"], read_run(folder)["input"]
    sizes = folder_bytes(folder)
    plan = read_plan(folder)
    return {
        "pages": stats["stages"]["documents"]["in"],
        "documents": stats["stages"]["documents"]["out"],
        "rows": stats["dataset"].get("rows", 0),
        "image_urls": stats["stages"]["images"]["in"],
        "stored_images": stats["stored_images"],
        "cpu_seconds": stats["cpu_seconds"]["total"],
        "seconds": stats["seconds"],
        "read_bytes": source["bytes"] + read_back(sizes),
        "written_bytes": sum(sizes.values()),
        "files_written": sum(path.is_file() for path in folder.rglob("*")),
        "shards": sum(plan.total(stage) for stage in plan.stages),
        "data_shards": shards["data"],
    }


def format_table(amounts: dict[str, Amount], used: dict[str, float] | None, cores: int) -> list[str]:
    """The forecast as lines of text; with what was used, how far the forecast was off."""
    lines = [f"{'':<28}{'forecast':>12}   {'9 cases of 10 between':<26}" + ("" if used is None else f"{'used':>12}{'off by':>9}")]
    for name, (label, unit) in LABELS.items():
        if name not in amounts:
            continue
        amount = amounts[name]
        between = f"{unit(amount.low)} and {unit(amount.high)}" if amount.low != amount.high else "known"
        line = f"{label.format(cores=cores):<28}{unit(amount.value):>12}   {between:<26}"
        if used is not None and name in used:
            off = f"{amount.value / used[name] - 1:+.0%}" if used[name] else "-"
            line += f"{unit(used[name]):>12}{off:>9}"
        lines.append(line.rstrip())
    return lines


def _finished_run(folder: Path) -> Run:
    description = read_run(folder)
    if not (folder / SUCCESS).is_file():
        raise UsageError(f"{folder}: not finished (no {SUCCESS}); repeat the `interleaf build` command to resume")
    if origins := description.get("stages_of"):
        place = next(iter(origins.values()))["run"]
        raise UsageError(f"{folder}: judges another run anew and read no input itself; compare that run: {folder / place}")
    config: Config = config_from_dict(description["config"], str(folder / RUN_FILE))
    return plan_run(folder, config, [], [str(folder / INPUT_FILE)])


def _as_dict(amounts: dict[str, Amount], used: dict[str, float] | None) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name in LABELS:
        if name in amounts:
            table[name] = {"value": amounts[name].value, "low": amounts[name].low, "high": amounts[name].high}
            if used is not None and name in used:
                table[name]["used"] = used[name]
    return table
