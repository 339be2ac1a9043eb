"""`interleaf build`: plan the run, run the graph with progress, say what came of it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from filters.rules import RuleGuardError
from pipelines.config import ConfigError, load_config
from pipelines.errors import RunError, UsageError
from pipelines.presets import given_options
from pipelines.retry_images import begin_retry, check_reused, set_aside
from pipelines.run_folder import ERROR_LOG, SUCCESS, Run, plan_run, prepare_folder
from pipelines.runners import Engine, check_beam_arguments, resolve_runner, run_graph
from pipelines.stop import stops_at_once
from transforms.files import is_remote
from transforms.sizes import format_size


def build_dataset(
    *,
    config: str | None,
    overrides: Sequence[str],
    patterns: Sequence[str] = (),
    manifests: Sequence[str] = (),
    output: str,
    runner: str = "local",
    workers: int | None = None,
    beam_arguments: Sequence[str] = (),
    retry_images: bool = False,
    stream: TextIO = sys.stderr,
) -> int:
    """Runs the main job; returns 0, or raises UsageError or RunError. Everything it says goes to `stream`.

    patterns, manifests: what is read, as the options `--input` and `--input-manifest` take it. retry_images: ask again for images
    of a finished run that failed for a time.
    """
    started = time.time()
    try:
        resolved = load_config(config, overrides)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    if not patterns and not manifests:
        raise UsageError("nothing to read; give --input with archives, patterns or folders, or --input-manifest with a list")
    if resolved.images.uses_network:
        from transforms.images.network.downloader import why_unavailable

        if (reason := why_unavailable()) is not None:
            raise UsageError(f"images.source: {resolved.images.source}: {reason}")
    engine = resolve_runner(runner, workers, beam_arguments)
    check_beam_arguments(engine)
    if any(map(is_remote, (output, *patterns, *manifests))):
        _give_options_to_file_systems(engine)
    run = plan_run(output, resolved, patterns, manifests)
    check_reused(run)
    resumed = prepare_folder(run)
    say = Speaker(stream)
    if resolved.images.uses_network and resolved.images.network.proxy is not None:
        say(f"images are asked for through {resolved.images.network.proxy}; the address guard cannot see where it connects to")
    if retry_images and (asked := begin_retry(run)):
        say(f"asks again for {sum(asked.values()):,} images: {_most(asked)}")
    set_aside(run)
    if run.finished:
        # A run that was ended between its last file and its last words leaves its log.
        error_log(run).unlink(missing_ok=True)
        say(f"{output} is finished already; nothing to do")
        say(summary(run))
        return 0
    say(f"input: {run.input.files} files, {format_size(run.input.bytes)}, in {run.ranges} ranges")
    for path in run.input.named_empty:
        say(f"warning: {path} is empty: it has no bytes")
    if (others := run.input.empty - len(run.input.named_empty)) > 0:
        say(f"warning: {others:,} more files are empty")
    say(f"output: {output}, {run.plan.data} shards{' (resuming an earlier attempt)' if resumed else ''}")
    say(engine.text)

    # Beam takes seconds to import; wrong use is told before that.
    from pipelines.graph import build

    finished = run_with_log(run, engine, lambda root: build(root, run, started), stream)
    say(summary(run) if finished else f"submitted; {output} is complete when it has {SUCCESS}; the same command resumes")
    return 0


def _give_options_to_file_systems(engine: Engine) -> None:
    """Some file systems take options, such as `--hdfs_host`; they are needed before there is a pipeline that brings them."""
    from apache_beam.io.filesystems import FileSystems
    from apache_beam.options.pipeline_options import PipelineOptions

    FileSystems.set_options(PipelineOptions(list(engine.arguments)))


def run_with_log(run: Run, engine: Engine, build: Callable[[Any], object], stream: TextIO) -> bool:
    """Builds and runs a graph with progress on `stream`; what workers print goes to a file of the run folder.

    Whether the run is finished; it is not where the job was only submitted. Raises RunError for any other end.
    """
    from pipelines.progress import Progress

    log = error_log(run)
    # A local engine is this process and its children; what runs elsewhere is for its runner to cancel. Who calls this function
    # with a stream of their own has their own way with signals.
    local = engine.name in (None, "DirectRunner") and stream is sys.stderr
    stopping = stops_at_once if local else contextlib.nullcontext
    try:
        with stderr_into(log, stream) as own_stream, Progress(run.plan, own_stream), stopping(own_stream):
            run_graph(engine, build)
    except UsageError:
        raise
    except Exception as error:
        told = _last_cause("".join(traceback.format_exception(error)))
        if told.startswith(f"{RuleGuardError.__name__}: "):
            raise RunError(told.partition(": ")[2]) from error
        raise RunError(_failure(log, error)) from error
    log.unlink(missing_ok=True)
    if not run.finished and "no_wait_until_finish" not in given_options(engine.arguments):
        raise RunError(f"{run.folder}: the runner reports success, but the run is not finished; run the same command again")
    return run.finished


def error_log(run: Run) -> Path:
    """Where the traces of a run go: into its folder, or beside the temporary files of this machine where that is elsewhere."""
    if isinstance(run.folder, Path):
        return run.folder / ERROR_LOG
    return Path(tempfile.gettempdir()) / f"interleaf-{run.plan.key}-{ERROR_LOG}"


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


@contextlib.contextmanager
def stderr_into(path: Path, stream: TextIO) -> Iterator[TextIO]:
    """Sends what this process and its workers print to standard error into a file; gives a stream that still reaches the terminal.

    Beam's worker processes print the same trace several times. One message is for people, the rest is for the file.
    """
    if stream is not sys.stderr:
        yield stream
        return
    sys.stderr.flush()
    terminal = os.dup(2)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 2)
    os.close(log)
    try:
        with os.fdopen(os.dup(terminal), "w", buffering=1, encoding=stream.encoding, errors="replace") as own_stream:
            yield own_stream
    finally:
        sys.stderr.flush()
        os.dup2(terminal, 2)
        os.close(terminal)


def _failure(log: Path, error: Exception) -> str:
    """The cause in one line; the whole trace goes to a file of the run folder, before what the workers printed."""
    trace = "".join(traceback.format_exception(error))
    try:
        printed = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        log.write_text(f"{trace}\n{printed}", encoding="utf-8")
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
            return f"{name.rpartition('.')[2]}: {message}"[:600]
    return ""


class Speaker:
    """Writes lines to a stream at once."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, text: Any) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()
