"""Which engine runs a graph: the names that `--runner` takes and what they resolve to (beam.md section 2)."""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.dataflow import check_dataflow_options
from pipelines.errors import UsageError
from pipelines.presets import PRESETS, given_options, preset_arguments

JOB_SERVER_SECONDS = 20.0
"""How long a job server may take to say which options it knows."""

PORTABLE_RUNNERS = ("PortableRunner", "SparkRunner", "FlinkRunner")
"""Runners of Beam whose options are known in full only to their job server."""


@dataclass(frozen=True)
class Engine:
    """A resolved runner. name: what Beam is given, None for the local engine. arguments: Beam options. text: said once at start.

    given: those of the arguments that the user gave.
    """

    name: str | None
    arguments: tuple[str, ...]
    text: str
    given: tuple[str, ...] = ()


def resolve_runner(runner: str, workers: int | None, beam_arguments: Sequence[str]) -> Engine:
    """`local` is Beam's FnApiRunner, one process a worker; a preset is a runner with options; other names go to Beam as they stand.

    Raises:
        UsageError: workers below one, `--workers` with a runner that has its own option for it, or a preset that lacks something.
    """
    given = tuple(beam_arguments)
    if workers is not None and workers < 1:
        raise UsageError(f"--workers {workers}: must be at least 1")
    if runner == "local":
        count = workers if workers is not None else available_cores()
        mode = "in this process" if count == 1 else f"{count} worker processes"
        return Engine(None, (*_local_arguments(count), *given), f"engine: local (FnApiRunner), {mode}", given)
    if workers is not None and runner != "DirectRunner":
        raise UsageError(f"--workers: belongs to --runner local; set the number of workers of {runner} by its own options")
    if runner in PRESETS:
        name, *options = preset_arguments(runner, beam_arguments)
        text = f"engine: {runner} ({PRESETS[runner].runner}), {shlex.join(options)}"
        return Engine(PRESETS[runner].runner, (name, *options), text, given)
    text = f"engine: {runner}"
    arguments = [f"--runner={runner}", *given]
    if runner == "DirectRunner":
        text += " (picks an engine by network and graph; `--runner local` is the predictable choice)"
        arguments += [] if workers is None else _local_arguments(workers)
    return Engine(runner, tuple(arguments), text, given)


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_beam_arguments(engine: Engine) -> None:
    """Refuses what cannot be right before the work begins; imports Beam only when there is something to check.

    Raises:
        UsageError: an option that nobody knows, or a job server that does not answer.
    """
    options = given_options(engine.arguments)
    endpoint = options.get("job_endpoint", "")
    if not engine.given and not endpoint:
        return
    known = job_server_options(endpoint) if endpoint not in ("", "embed") else set()
    if engine.name in PORTABLE_RUNNERS and not endpoint:
        return  # its job server starts with the job, and only then tells what it knows
    from apache_beam.options.pipeline_options import PipelineOptions

    _quieten_beam()
    parsed = PipelineOptions(list(engine.arguments))
    known |= set(parsed.get_all_options())
    unknown = [name for name in parsed.get_all_options(retain_unknown_options=True) if name not in known]
    if unknown:
        raise UsageError(f"--{unknown[0]}: unknown option; `interleaf build --help` lists ours, all others must be Beam's")
    if engine.name == "DataflowRunner":
        check_dataflow_options(parsed)


def job_server_options(endpoint: str) -> set[str]:
    """The names of the options that a job server takes. Raises UsageError when there is none at HOST:PORT."""
    import grpc
    from apache_beam.portability.api import beam_job_api_pb2, beam_job_api_pb2_grpc

    with grpc.insecure_channel(endpoint) as channel:
        service = beam_job_api_pb2_grpc.JobServiceStub(channel)
        request = beam_job_api_pb2.DescribePipelineOptionsRequest()
        try:
            answer = service.DescribePipelineOptions(request, timeout=JOB_SERVER_SECONDS)
        except grpc.RpcError as error:
            raise UsageError(
                f"--job_endpoint={endpoint}: no job server answers there ({error.code().name}); is it running? For the cluster of "
                "this machine see `python -m scripts.spark_cluster status`"
            ) from None
    return {option.name for option in answer.options}


def run_graph(engine: Engine, build: Callable[[Any], object]) -> Any:
    """Builds and runs a graph, waits for its end and gives Beam's result; RuntimeError when that is anything but success.

    With Beam's option `--no_wait_until_finish` it does not wait.

    Interrupted, it cancels the job: a cluster would go on without us, into files that the next attempt takes for its own.
    """
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
    from apache_beam.runners.portability.fn_api_runner import FnApiRunner
    from apache_beam.runners.runner import PipelineState

    _quieten_beam()
    options = PipelineOptions([*engine.arguments, "--no_save_main_session"])
    pipeline = beam.Pipeline(runner=FnApiRunner() if engine.name is None else engine.name, options=options)
    build(pipeline)
    result = pipeline.run()
    if options.view_as(StandardOptions).no_wait_until_finish:
        return result
    try:
        state = result.wait_until_finish()
    except KeyboardInterrupt:
        result.cancel()
        raise
    if state != PipelineState.DONE:
        raise RuntimeError(f"the runner ended in state {state}")
    return result


def _quieten_beam() -> None:
    """Beam's lines are about its inside, or tell in pages what arrives here as an exception."""
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)


def _local_arguments(workers: int) -> tuple[str, ...]:
    mode = "in_memory" if workers == 1 else "multi_processing"
    return (f"--direct_running_mode={mode}", f"--direct_num_workers={workers}")
