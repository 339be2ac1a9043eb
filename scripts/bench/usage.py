"""CPU seconds and peak memory of processes, by what they are for."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

import psutil

ROLES = (
    ("client", "pipelines.cli"),
    ("spark master", "deploy.master.Master"),
    ("spark worker", "deploy.worker.Worker"),
    ("job server", "SparkJobServerDriver"),
    ("executor", "CoarseGrainedExecutorBackend"),
    ("prism", "prism --"),
    ("worker pool", "worker_pool_main"),
    ("Python worker", "sdk_worker_main"),
    ("Python worker", "pipelines.worker_boot"),
    ("Python worker", "interleaf-beam-boot"),
    ("page extractor", "isolate"),
)
"""What a process is for, by a part of its command line; the first that fits."""


@dataclass
class Usage:
    """Of all processes of a role: how many there were, CPU seconds together, and the largest resident set of one in bytes."""

    processes: int = 0
    cpu_seconds: float = 0.0
    peak: int = 0


class Watch:
    """Looks at processes and all below them several times a second, while its context lasts.

    roots: gives the processes to look at, anew each time. What a process spends after the last look at it is missed.
    """

    def __init__(self, roots: Callable[[], Sequence[psutil.Process]], interval: float = 0.25) -> None:
        self._roots = roots
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._seen: dict[tuple[int, float], tuple[str, float, float, int]] = {}

    def __enter__(self) -> Watch:
        self._look()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()
        self._look()

    def by_role(self) -> dict[str, Usage]:
        """Usage by role; CPU seconds are those since the first look."""
        found: dict[str, Usage] = defaultdict(Usage)
        for role, first, last, peak in self._seen.values():
            usage = found[role]
            usage.processes += 1
            usage.cpu_seconds += last - first
            usage.peak = max(usage.peak, peak)
        return dict(found)

    def _run(self) -> None:
        while not self._stop.wait(self._interval):
            self._look()

    def _look(self) -> None:
        initial = not self._seen
        for process in family(self._roots()):
            try:
                with process.oneshot():
                    identity = (process.pid, process.create_time())
                    times, memory, command = process.cpu_times(), process.memory_info().rss, " ".join(process.cmdline())
            except psutil.Error:
                continue  # ended between the two looks
            seconds = times.user + times.system
            role, first, _, peak = self._seen.get(identity, ("", seconds if initial else 0.0, 0.0, 0))
            # A process takes on its role when it becomes another program.
            self._seen[identity] = (role_of(command) or role or "other", first, seconds, max(peak, memory))


def family(roots: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Processes and all below them."""
    found = {}
    for root in roots:
        try:
            found.update({process.pid: process for process in (root, *root.children(recursive=True))})
        except psutil.NoSuchProcess:
            continue
    return list(found.values())


def role_of(command: str) -> str:
    """The role of a command line; empty for one that has none."""
    return next((role for role, part in ROLES if part in command), "")
