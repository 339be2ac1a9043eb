"""What becomes of a build on Spark when things break, and whether the same command resumes.

    python -m scripts.bench.spark_faults --input 'crawl/*.warc.gz' [--faults "executor killed" …] [--work FOLDER]

One two-executor cluster for all faults; each has a run folder of its own, which is compared with one of the local runner: `equal`
means all files but stats.json. After a run that stopped, the cause is taken away and the same command given again. Faults of the
disk need root: they mount file systems in the run folder. The state of a job is the job server's; the master says FINISHED of all.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from pipelines.spark_cluster import FOLDER, Cluster
from scripts.bench.runners import ROOT, tree_hash
from scripts.bench.usage import role_of
from scripts.spark.jobs import Application, applications, job_states
from scripts.spark.processes import ClusterSize, members, start_cluster, stop_cluster
from transforms.stored_path import TEMPORARY

TRACE = re.compile("; the (?:whole )?trace ")
"""What follows in a message tells where the trace is."""

DEADLINE = 400.0
"""Seconds that a build may take before it counts as hung."""


@dataclass
class Attempt:
    """One build: where it writes, the folder of the cluster it runs on, how many ran there before, and whether it is over."""

    output: Path
    cluster_folder: Path
    earlier_jobs: int
    over: threading.Event = field(default_factory=threading.Event)

    def wait(self, until: Callable[[], bool]) -> bool:
        """Waits for something to happen in the run; False when the run ended first."""
        while not until():
            if self.over.wait(0.02):
                return False
        return True

    def finished_documents(self) -> int:
        return len(list((self.output / "stages/documents").glob("part-*.json")))

    def at_work(self) -> bool:
        """Whether a document shard is finished and another in the making: a bundle is under way."""
        return self.finished_documents() > 0 and any((self.output / TEMPORARY).glob("documents-*"))

    def application(self) -> Application:
        """The Spark application of this build, without a task before it has begun."""
        known = applications(self.cluster_folder / "events")[self.earlier_jobs :]
        return known[-1] if known else Application("", ended=False)


@dataclass(frozen=True)
class Fault:
    """stops: whether the run must end with an error; otherwise its output must be equal.

    before, after: prepare the folder of the run, and take the cause away. act: brings the fault about while the run goes on, and
    says what it did; empty when the run ended first.
    """

    stops: bool
    act: Callable[[Attempt], str]
    before: Callable[[Path], None] = lambda output: None
    after: Callable[[Path], None] = lambda output: None


def kill_one(role: str) -> Callable[[Attempt], str]:
    def act(attempt: Attempt) -> str:
        if not attempt.wait(attempt.at_work):
            return ""
        named = [(process, command_of(process)) for process in members(attempt.cluster_folder)]
        # One of this job: what a killed executor left behind has no parent of the cluster any more.
        victim = next(process for process, command in named if role_of(command) == role and role_of(command_of(process.parent())))
        victim.kill()
        return f"after {attempt.finished_documents()} document shards"

    return act


def command_of(process: psutil.Process | None) -> str:
    """The command line of a process; empty for none, and for one that has ended."""
    try:
        return "" if process is None else " ".join(process.cmdline())
    except psutil.Error:
        return ""


def block_data(attempt: Attempt) -> str:
    """A file where the folder of the dataset belongs: the stage that writes its shards raises FileExistsError."""
    attempt.wait((attempt.output / "run.yaml").is_file)
    (attempt.output / "data").touch()
    return "in the stage that writes the dataset"


def unblock_data(output: Path) -> None:
    (output / "data").unlink()


def block_data_until_one_failure(attempt: Attempt) -> str:
    said = block_data(attempt)
    failed = attempt.wait(lambda: any(ends["ExceptionFailure"] for ends in attempt.application().tasks.values()))
    unblock_data(attempt.output)
    return said if failed else ""


def mount_small(output: Path) -> None:
    mount(output, "size=512k")


def mount_larger(output: Path) -> None:
    mount(output, "remount,size=1g")


def mount(output: Path, settings: str) -> None:
    output.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", settings, "tmpfs", str(output)], check=True)


def unmount(output: Path) -> None:
    subprocess.run(["umount", str(output)], stderr=subprocess.DEVNULL, check=False)  # most are not mounted


def cover_read_only(attempt: Attempt) -> str:
    """A read-only file system over the folder where shards are begun: the output itself is open for writing while a run lasts."""
    if not attempt.wait(attempt.at_work):
        return ""
    mount(attempt.output / TEMPORARY, "ro")
    return f"after {attempt.finished_documents()} document shards"


def uncover(output: Path) -> None:
    unmount(output / TEMPORARY)


FAULTS: dict[str, Fault] = {
    "executor killed": Fault(False, kill_one("executor")),
    "Python worker killed": Fault(False, kill_one("Python worker")),
    "stage raises once": Fault(False, block_data_until_one_failure),
    "stage raises always": Fault(True, block_data, after=unblock_data),
    "disk full": Fault(True, lambda attempt: "512 KiB in all", mount_small, mount_larger),
    "output turns read-only": Fault(True, cover_read_only, after=uncover),
}


def build(patterns: Sequence[str], output: Path, arguments: Sequence[str], environment: dict[str, str]) -> tuple[int, str, float]:
    """Exit status, what the command said last on its error, and seconds."""
    command = [sys.executable, "-m", "pipelines.cli", "build", "--input", *patterns, "--output", str(output), *arguments]
    started = time.monotonic()
    result = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    said = [line for line in result.stderr.splitlines() if line.startswith("interleaf: ")]
    return result.returncode, said[-1] if said else "", time.monotonic() - started


def run_fault(name: str, patterns: Sequence[str], output: Path, folder: Path, cluster: Cluster, expected: str) -> bool:
    """Runs a build under a fault and prints its row; whether all was as it must be."""
    fault = FAULTS[name]
    fault.before(output)
    arguments, environment = ["--runner=spark"], {FOLDER: str(folder)}
    attempt = Attempt(output, folder, len(applications(folder / "events")))
    said: list[str] = []
    actor = threading.Thread(target=lambda: said.append(fault.act(attempt)), daemon=True)
    known = set(job_states(cluster))
    actor.start()
    try:
        status, message, seconds = build(patterns, output, arguments, environment)
    finally:
        attempt.over.set()
        actor.join(60)
    states = [state for job, state in job_states(cluster).items() if job not in known]
    application = attempt.application()
    failed = sum(count for ends in application.tasks.values() for end, count in ends.items() if end != "Success")
    result = "equal" if status == 0 and tree_hash(output) == expected else f"exit {status}"
    resumed, again, complaint = "", 0.0, ""
    if status:
        fault.after(output)
        code, complaint, again = build(patterns, output, arguments, environment)
        resumed = "equal" if code == 0 and tree_hash(output) == expected else f"exit {code}: {complaint}"
    as_it_must = bool(said and said[0]) and (status == 1 and resumed == "equal" if fault.stops else result == "equal")
    error = re.sub(r"\s+", " ", TRACE.split(message.removeprefix("interleaf: error: the run failed: "))[0])[:200]
    print(
        f"| {name}, {said[0] if said else ''} | {', '.join(states)} | {result} | {seconds:.0f} | {failed} | "
        f"{len(application.removed_executors)} | {error} | {f'{resumed}, {again:.0f} s' if resumed else ''} | "
        f"{'yes' if as_it_must else 'NO'} |",
        flush=True,
    )
    return as_it_must


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", nargs="+", required=True, help="archives")
    parser.add_argument(
        "--faults", nargs="+", choices=FAULTS, default=list(FAULTS), metavar="FAULT", help=f"of: {', '.join(FAULTS)}"
    )
    parser.add_argument("--work", type=Path, help="folder for the runs (default: one that is deleted)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interleaf-faults-") as temporary, ExitStack() as at_end:
        work = (options.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        status, message, _ = build(options.input, work / "expected", ["--workers=1"], {})
        if status:
            print(message, file=sys.stderr)
            return 1
        expected = tree_hash(work / "expected")
        folder = work / "cluster"
        cluster = start_cluster(folder, ClusterSize())
        at_end.callback(stop_cluster, folder)
        print(f"load {os.getloadavg()[0]:.1f}, cores {os.cpu_count()}\n")
        print(
            "| fault | job | result | seconds | tasks that failed or were lost | executors lost | the client's error | "
            "same command again | as it must |\n|---|---|---|--:|--:|--:|---|---|---|"
        )
        sound = True
        for name in options.faults:
            output = work / name.replace(" ", "-")
            at_end.callback(unmount, output)
            at_end.callback(uncover, output)
            sound = run_fault(name, options.input, output, folder, cluster, expected) and sound
        stop_cluster(folder)
        left = members(folder)
        print(f"\nprocesses left after `down`: {len(left)}")
    return int(not sound or bool(left))


if __name__ == "__main__":
    sys.exit(main())
