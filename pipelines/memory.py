"""How much memory a process and its descendants hold."""

from __future__ import annotations

import os
import threading
from types import TracebackType

import psutil


def tree_memory(pid: int) -> int:
    """Proportional set size of a process and its descendants, in bytes: pages that processes share count once."""
    total = 0
    try:
        root = psutil.Process(pid)
        processes = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for member in processes:
        try:
            total += member.memory_full_info().pss
        except psutil.Error:
            continue  # ended between the two looks
    return total


class MemoryWatch:
    """Looks at the memory of this process and its descendants while the context is open. peak: the most it saw, in bytes."""

    def __init__(self, interval: float = 0.2) -> None:
        self.peak = 0
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()
        self.look()

    def look(self) -> None:
        """One look more, now."""
        self.peak = max(self.peak, tree_memory(os.getpid()))

    def _watch(self) -> None:
        while not self._stop.wait(self._interval):
            self.look()
