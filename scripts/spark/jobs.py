"""What became of the jobs of a cluster: their own states, and which executor ran how many tasks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipelines.spark_cluster import Cluster

JOB_SERVER_SECONDS = 20.0
RUNNING = ".inprogress"
"""What the name of a log ends with while its application runs."""


@dataclass(frozen=True)
class Application:
    """A Spark application, which is one job. tasks: by executor, then by how they ended ("Success", "ExceptionFailure", …)."""

    name: str
    ended: bool
    tasks: dict[str, Counter[str]] = field(default_factory=dict)
    removed_executors: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        return {
            "application": self.name,
            "ended": self.ended,
            "tasks": {executor: dict(ends) for executor, ends in sorted(self.tasks.items())},
            "removed executors": self.removed_executors,
        }


def job_states(cluster: Cluster) -> dict[str, str]:
    """The state of each job by its name, from the job server: DONE, FAILED, … Raises grpc.RpcError when it does not answer."""
    import grpc
    from apache_beam.portability.api import beam_job_api_pb2, beam_job_api_pb2_grpc

    with grpc.insecure_channel(cluster.options["job_endpoint"]) as channel:
        service = beam_job_api_pb2_grpc.JobServiceStub(channel)
        jobs = service.GetJobs(beam_job_api_pb2.GetJobsRequest(), timeout=JOB_SERVER_SECONDS).job_info
    return {job.job_id: beam_job_api_pb2.JobState.Enum.Name(job.state) for job in jobs}


def applications(events: Path) -> list[Application]:
    """The applications that a folder of event logs tells of, in the order of their start."""
    found = []
    for path in sorted(events.iterdir()):  # named by the time of their start
        try:
            found.append(read_application(path))
        except FileNotFoundError:  # it ended in this moment, and its log has another name
            found.append(read_application(path.with_name(path.name.removesuffix(RUNNING))))
    return found


def read_application(log: Path) -> Application:
    """One application from Spark's event log, which may still be written to."""
    name, ended = "", False
    tasks: dict[str, Counter[str]] = {}
    removed: dict[str, str] = {}
    for event in _events(log):
        kind = event["Event"]
        if kind == "SparkListenerApplicationStart":
            name = event["App ID"]
        elif kind == "SparkListenerApplicationEnd":
            ended = True
        elif kind == "SparkListenerExecutorAdded":
            tasks.setdefault(event["Executor ID"], Counter())
        elif kind == "SparkListenerExecutorRemoved" and not ended:
            removed[event["Executor ID"]] = event["Removed Reason"]
        elif kind == "SparkListenerTaskEnd":
            tasks.setdefault(event["Task Info"]["Executor ID"], Counter())[event["Task End Reason"]["Reason"]] += 1
    return Application(name, ended, tasks, removed)


def _events(log: Path) -> Iterator[dict[str, Any]]:
    with open(log, encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):
                return  # being written
            yield json.loads(line)
