"""`interleaf build`: plan the run, run the graph with progress, say what came of it."""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Sequence
from typing import Any, TextIO

from pipelines.config import ConfigError, load_config
from pipelines.errors import RunError, UsageError
from pipelines.run_folder import ERROR_LOG, Run, plan_run, prepare_folder
from pipelines.runners import check_beam_arguments, resolve_runner, run_graph
from transforms.sizes import format_size


def build_dataset(
    *,
    config: str | None,
    overrides: Sequence[str],
    patterns: Sequence[str],
    output: str,
    runner: str = "local",
    workers: int | None = None,
    beam_arguments: Sequence[str] = (),
    stream: TextIO = sys.stderr,
) -> int:
    """Runs the main job; returns 0, or raises UsageError or RunError. Everything it says goes to `stream`."""
    started = time.time()
    try:
        resolved = load_config(config, overrides)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    engine = resolve_runner(runner, workers, beam_arguments)
    check_beam_arguments(engine)
    run = plan_run(output, resolved, patterns)
    resumed = prepare_folder(run)
    say = _Speaker(stream)
    if run.finished:
        say(f"{output} is finished already; nothing to do")
        say(summary(run))
        return 0
    say(f"input: {len(run.files)} files, {format_size(sum(size for _, size in run.files))}, in {len(run.ranges)} ranges")
    for path, size in run.files:
        if size == 0:
            say(f"warning: {path} is empty: it has no bytes")
    say(f"output: {output}, {run.plan.data} shards{' (resuming an earlier attempt)' if resumed else ''}")
    say(engine.text)

    # Beam takes seconds to import; wrong use is told before that.
    from pipelines.graph import build
    from pipelines.progress import Progress

    try:
        with Progress(run.plan, stream):
            run_graph(engine, lambda root: build(root, run, started))
    except UsageError:
        raise
    except Exception as error:
        raise RunError(_failure(run, error)) from error
    if not run.finished:
        raise RunError(f"{output}: the runner reports success, but the run is not finished; run the same command again")
    say(summary(run))
    return 0


def summary(run: Run) -> str:
    """What a finished run did, for people: pages in, documents out, images, drops by reason, seconds, where it is."""
    stats = json.loads((run.folder / "stats.json").read_text(encoding="utf-8"))
    stages, dataset = stats["stages"], stats["dataset"]
    lines = [
        f"{stages['documents']['in']:,} pages in, {dataset.get('documents', 0):,} documents out "
        f"in {dataset.get('rows', 0):,} rows, {dataset.get('words', 0):,} words, "
        f"{dataset.get('images', 0):,} images ({stats['stored_images']:,} stored)"
    ]
    if stats["flags"]:
        lines.append(f"  findings in records: {_most(stats['flags'])}")
    for stage in ("read", "documents", "images", "image_nodes", "paragraphs", "parts"):
        drops = stages[stage]["drops"]
        if drops:
            lines.append(f"  dropped in {stage}: {_most(drops)}")
    lines.append(f"{stats['seconds']:.1f} s, {stats['cpu_seconds']['total']:.1f} CPU s in the stages")
    lines.append(f"dataset: {run.folder / 'data'}   report: {run.folder / 'report.html'}   check: interleaf verify {run.folder}")
    return "\n".join(lines)


def _most(drops: dict[str, int], count: int = 8) -> str:
    ordered = sorted(drops.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(n for _, n in ordered[count:])
    return ", ".join(f"{rule} {n:,}" for rule, n in ordered[:count]) + (f", others {rest:,}" if rest else "")


def _failure(run: Run, error: Exception) -> str:
    """The cause in one line; the whole trace goes to a file of the run folder."""
    log = run.folder / ERROR_LOG
    trace = "".join(traceback.format_exception(error))
    try:
        log.write_text(trace, encoding="utf-8")
        place = f"the whole trace is in {log}"
    except OSError as unwritable:
        place = f"the trace could not be written to {log}: {unwritable.strerror}"
    return f"the run failed: {_last_cause(trace) or repr(error)}; {place}; the same command resumes"


def _last_cause(trace: str) -> str:
    """The innermost message of a trace, which may hold a worker's trace as text."""
    for line in reversed(trace.strip().splitlines()):
        text = line.strip()
        name, colon, message = text.partition(": ")
        if (
            colon
            and message
            and name.replace(".", "").replace("_", "").isalnum()
            and name.endswith(("Error", "Exception", "Interrupt"))
        ):
            return f"{name.rpartition('.')[2]}: {message}"[:500]
    return ""


class _Speaker:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, text: Any) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()
