"""Which engine runs a graph: the names that `--runner` takes and what they resolve to (beam.md section 2)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.errors import UsageError


@dataclass(frozen=True)
class Engine:
    """A resolved runner. name: what Beam is given, None for the local engine. arguments: Beam options. text: said once at start."""

    name: str | None
    arguments: tuple[str, ...]
    text: str


def resolve_runner(runner: str, workers: int | None, beam_arguments: Sequence[str]) -> Engine:
    """`local` is Beam's FnApiRunner, one process a worker; any other name is handed to Beam as it stands.

    Raises:
        UsageError: workers below one, or `--workers` with a runner that has its own option for it.
    """
    if workers is not None and workers < 1:
        raise UsageError(f"--workers {workers}: must be at least 1")
    if runner != "local":
        if workers is not None and runner != "DirectRunner":
            raise UsageError(f"--workers: belongs to --runner local; set the number of workers of {runner} by its own options")
        arguments = [f"--runner={runner}", *beam_arguments]
        if runner == "DirectRunner" and workers is not None:
            arguments += _local_arguments(workers)
        text = f"engine: {runner}"
        if runner == "DirectRunner":
            text += " (picks an engine by network and graph; `--runner local` is the predictable choice)"
        return Engine(runner, tuple(arguments), text)
    count = workers if workers is not None else available_cores()
    mode = "in this process" if count == 1 else f"{count} worker processes"
    return Engine(None, (*_local_arguments(count), *beam_arguments), f"engine: local (FnApiRunner), {mode}")


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_beam_arguments(engine: Engine) -> None:
    """Raises UsageError for an option that neither interleaf nor Beam knows; imports Beam only when there are any to check."""
    ours = 2 if engine.name is None or engine.name == "DirectRunner" else 0
    if len(engine.arguments) <= ours:
        return
    from apache_beam.options.pipeline_options import PipelineOptions

    options = PipelineOptions(list(engine.arguments))
    known = options.get_all_options()
    unknown = [name for name in options.get_all_options(retain_unknown_options=True) if name not in known]
    if unknown:
        raise UsageError(f"--{unknown[0]}: unknown option; `interleaf build --help` lists ours, all others must be Beam's")


def run_graph(engine: Engine, build: Callable[[Any], object]) -> None:
    """Builds and runs a graph and waits for its end. Raises RuntimeError when the runner reports anything but success."""
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions
    from apache_beam.runners.portability.fn_api_runner import FnApiRunner
    from apache_beam.runners.runner import PipelineState

    # Beam's lines are about its inside, or tell in pages what arrives here as an exception.
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
    options = PipelineOptions([*engine.arguments, "--no_save_main_session"])
    pipeline = beam.Pipeline(runner=FnApiRunner() if engine.name is None else engine.name, options=options)
    build(pipeline)
    state = pipeline.run().wait_until_finish()
    if state != PipelineState.DONE:
        raise RuntimeError(f"the runner ended in state {state}")


def _local_arguments(workers: int) -> tuple[str, ...]:
    mode = "in_memory" if workers == 1 else "multi_processing"
    return (f"--direct_running_mode={mode}", f"--direct_num_workers={workers}")
