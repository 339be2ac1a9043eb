"""`interleaf-beam-boot`: what a portable runner starts in place of a container, once a Python worker (beam.md 9.1).

A runner (Spark, Flink, Prism) or Beam's worker pool calls it with the endpoints of Beam's container contract. It asks the runner
for the options of the job and becomes Beam's worker. It installs nothing: interleaf, Beam and the Python minor version of this
machine must be those of the machine that submits the job.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence

DIRECTORY = "INTERLEAF_DIRECTORY"
"""Environment variable with the folder that the job was submitted from: relative paths of a run are meant from there."""

LOG = "INTERLEAF_WORKER_LOG"
"""Environment variable with a file that takes what workers print; what they log goes to the runner."""

PROVISION_SECONDS = 60.0
"""How long the runner may take to answer; it has just started this program, so silence means that it is gone."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Replaces this process by Beam's worker. Raises SystemExit with a message when the folder of the job is not here."""
    parser = argparse.ArgumentParser(prog="interleaf-beam-boot", description=__doc__)
    parser.add_argument("--id", required=True, help="name of the worker")
    parser.add_argument("--provision_endpoint", required=True, help="HOST:PORT that tells the options of the job")
    parser.add_argument("--control_endpoint", default="", help="HOST:PORT that gives the work, unless the former names another")
    parser.add_argument("--logging_endpoint", default="", help="HOST:PORT that takes log lines, unless the former names another")
    # The contract has endpoints for files to fetch as well, and may grow; nothing here fetches files.
    options, _ = parser.parse_known_args(arguments)
    worker = options.id.strip("'")  # Prism passes the shell's quotes along, though no shell takes them off
    _redirect_output(os.environ.get(LOG))
    if directory := os.environ.get(DIRECTORY):
        try:
            os.chdir(directory)
        except OSError as error:
            raise SystemExit(
                f"interleaf-beam-boot: {directory}: {error.strerror}; the folder that a job is submitted from must be on each node "
                "under the same path"
            ) from None
    settings = worker_environment(worker, options.provision_endpoint, options.control_endpoint, options.logging_endpoint)
    command = [sys.executable, "-m", "apache_beam.runners.worker.sdk_worker_main"]
    os.execve(sys.executable, command, {**os.environ, **settings})


def worker_environment(worker: str, provision: str, control: str = "", logging: str = "") -> Mapping[str, str]:
    """The environment variables that Beam's worker reads, from what the runner provides.

    Endpoints are HOST:PORT. Raises grpc.RpcError when the runner does not answer.
    """
    import grpc
    from apache_beam.portability.api import beam_provision_api_pb2, beam_provision_api_pb2_grpc, endpoints_pb2
    from google.protobuf import json_format, text_format

    with grpc.insecure_channel(provision) as channel:
        service = beam_provision_api_pb2_grpc.ProvisionServiceStub(channel)
        request = beam_provision_api_pb2.GetProvisionInfoRequest()
        # A runner with many workers tells them apart by this header.
        answer = service.GetProvisionInfo(request, metadata=[("worker_id", worker)], timeout=PROVISION_SECONDS)
    info = answer.info

    def descriptor(url: str) -> str:
        return str(text_format.MessageToString(endpoints_pb2.ApiServiceDescriptor(url=url)))

    return {
        "WORKER_ID": worker,
        "PIPELINE_OPTIONS": json_format.MessageToJson(info.pipeline_options),
        "CONTROL_API_SERVICE_DESCRIPTOR": descriptor(info.control_endpoint.url or control),
        "LOGGING_API_SERVICE_DESCRIPTOR": descriptor(info.logging_endpoint.url or logging),
        "RUNNER_CAPABILITIES": " ".join(info.runner_capabilities),
    }


def _redirect_output(log: str | None) -> None:
    """Sends standard output and error into `log`; without one, output goes where errors go.

    A worker pool leaves the worker a pipe for its output that nobody reads.
    """
    if log is None:
        os.dup2(2, 1)
        return
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


if __name__ == "__main__":
    main()
