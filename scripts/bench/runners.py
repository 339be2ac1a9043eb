"""The same build on several engines: is the output equal, and what does each cost?

    python -m scripts.bench.runners --input 'crawl/*.warc.gz' [--engines local-1 local-2 embedded spark prism] [--work FOLDER]

`embedded` is Beam's portable protocol without Java: an embedded job server, a worker pool, our boot program. `spark` starts the
cluster of scripts/spark_cluster.py for itself and stops it; what the cluster costs while the job runs is counted. The hash is that
of all files of a run but stats.json, which holds times. CPU seconds and memory are sampled, see scripts/bench/usage.py.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from pipelines.spark_cluster import FOLDER, Cluster
from scripts.bench.usage import Usage, Watch
from scripts.spark.jobs import applications, job_states
from scripts.spark.processes import ClusterSize, master_state, running, start_cluster, stop_cluster
from scripts.worker_pool import worker_pool

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Measured:
    """A build that ended well. seconds: on the clock. tree: hash of its output. facts: what the engine says of it."""

    seconds: float
    tree: str
    usage: dict[str, Usage]
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Started:
    """What an engine needs for a job, while it is up."""

    arguments: Sequence[str]
    roots: Callable[[], Sequence[psutil.Process]] = list
    environment: dict[str, str] = field(default_factory=dict)
    facts: Callable[[], dict[str, Any]] = dict


@contextmanager
def local(workers: int) -> Iterator[Started]:
    yield Started(["--workers", str(workers)])


@contextmanager
def embedded(folder: Path) -> Iterator[Started]:
    with worker_pool(folder) as (endpoint, pid):
        arguments = ["--runner=PortableRunner", "--job_endpoint=embed", "--environment_type=EXTERNAL"]
        yield Started([*arguments, f"--environment_config={endpoint}"], lambda: [psutil.Process(pid)])


@contextmanager
def prism() -> Iterator[Started]:
    yield Started(["--runner=prism"])


@contextmanager
def spark(folder: Path) -> Iterator[Started]:
    cluster = start_cluster(folder, ClusterSize())
    try:
        yield Started(
            ["--runner=spark"],
            lambda: list(running(folder).values()),
            {FOLDER: str(folder)},
            lambda: spark_facts(folder, cluster),
        )
    finally:
        stop_cluster(folder)


def spark_facts(folder: Path, cluster: Cluster) -> dict[str, Any]:
    """The master's view of applications, the tasks of each executor, the states of jobs."""
    deadline = time.monotonic() + 30
    while master_state(cluster).get("activeapps") and time.monotonic() < deadline:
        time.sleep(0.2)
    state = master_state(cluster)
    return {
        "master": {name: state[name] for name in ("aliveworkers", "cores", "completedapps")},
        "applications": [application.as_dict() for application in applications(folder / "events")],
        "jobs": job_states(cluster),
    }


def engine(name: str, folder: Path) -> Any:
    """The context manager of an engine by its name."""
    if name.startswith("local-"):
        return local(int(name.removeprefix("local-")))
    return prism() if name == "prism" else {"embedded": embedded, "spark": spark}[name](folder)


def build(patterns: Sequence[str], output: Path, started: Started) -> tuple[float, dict[str, Usage]]:
    """Seconds and usage of one build. Raises CalledProcessError when it fails."""
    command = [sys.executable, "-m", "pipelines.cli", "build", "--input", *patterns, "--output", str(output), *started.arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **started.environment}
    before = time.monotonic()
    process = subprocess.Popen(command, env=environment)
    with Watch(lambda: [psutil.Process(process.pid), *started.roots()] if process.poll() is None else started.roots()) as watch:
        status = process.wait()
        seconds = time.monotonic() - before
    if status:
        raise subprocess.CalledProcessError(status, command)
    return seconds, watch.by_role()


def tree_hash(run: Path) -> str:
    """One hash of all files of a run and their names, but for stats.json."""
    digest = hashlib.sha256()
    for path in sorted(path for path in run.rglob("*") if path.is_file() and path.name != "stats.json"):
        digest.update(f"{path.relative_to(run)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", nargs="+", required=True, help="archives")
    parser.add_argument("--engines", nargs="+", default=["local-1", "local-2", "embedded", "spark", "prism"])
    parser.add_argument("--work", type=Path, help="folder for the runs and what engines tell (default: one that is deleted)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interleaf-runners-") as temporary:
        work = (options.work or Path(temporary)).resolve()
        results: dict[str, Measured] = {}
        for name in options.engines:
            folder = work / f"{name}-engine"
            folder.mkdir(parents=True, exist_ok=True)
            with engine(name, folder) as started:
                seconds, usage = build(options.input, work / name, started)
                results[name] = Measured(seconds, tree_hash(work / name), usage, started.facts())
            if results[name].facts:
                (folder / "facts.json").write_text(json.dumps(results[name].facts, indent=1) + "\n", encoding="utf-8")
        print_table(results)
    return int(len({result.tree for result in results.values()}) > 1)


def print_table(results: dict[str, Measured]) -> None:
    """Two tables in Markdown: the engines, and the processes of each."""
    print(f"\nload {os.getloadavg()[0]:.1f}, cores {os.cpu_count()}\n")
    print("| engine | seconds | CPU s | hash of the output | tasks by executor |\n|---|--:|--:|---|---|")
    for name, result in results.items():
        cpu = sum(usage.cpu_seconds for usage in result.usage.values())
        tasks = result.facts.get("applications", [{}])[-1].get("tasks", {})
        by_executor = ", ".join(f"{executor}: {sum(ends.values())}" for executor, ends in tasks.items())
        print(f"| {name} | {result.seconds:.0f} | {cpu:.0f} | `{result.tree[:16]}` | {by_executor} |")
    print("\n| engine | process | number | CPU s | peak MiB of one |\n|---|---|--:|--:|--:|")
    for name, result in results.items():
        for role, usage in sorted(result.usage.items()):
            print(f"| {name} | {role} | {usage.processes} | {usage.cpu_seconds:.1f} | {usage.peak / 2**20:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
