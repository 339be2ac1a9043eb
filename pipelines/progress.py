"""Progress of a run, read from its folder: the runner tells nothing, the finished shards do (beam.md 2.2)."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from types import TracebackType
from typing import TextIO

from transforms.shards.plan import ShardPlan
from transforms.stored_path import StoredPath, stored_path

FIRST = "documents"
"""The stage that reads the pages."""


class Progress:
    """Prints a line about the current stage every few seconds: shards, pages, rate, time left. Used as a context manager."""

    def __init__(self, plan: ShardPlan, stream: TextIO = sys.stderr, interval: float = 5.0) -> None:
        self._plan = plan
        self._stream = stream
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)
        self._started = time.monotonic()
        # A bit a shard: a set of names would grow to gigabytes with a large crawl.
        self._seen = {stage: bytearray(-(-plan.total(stage) // 8)) for stage in plan.stages}
        self._done: Counter[str] = Counter()
        self._at_start: Counter[str] = Counter()
        self._pages = 0
        self._terminal = stream.isatty()

    def __enter__(self) -> Progress:
        self._look()
        self._at_start = self._done.copy()
        self._pages = 0
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()
        if self._terminal:
            self._stream.write("\r\x1b[K")

    def line(self, now: float) -> str:
        """The line for the furthest stage that has begun."""
        begun = [stage for stage in self._plan.stages if self._done[stage] > self._at_start[stage]] or [FIRST]
        stage = begun[-1]
        done, total = self._done[stage], self._plan.total(stage)
        seconds = now - self._started
        new = done - self._at_start[stage]
        text = f"{stage}: {done} of {total} shards"
        if self._pages and seconds > 0:
            text += f", {self._pages} pages, {self._pages / seconds:.0f} pages/s"
        if stage == FIRST and new:
            text += f", about {_clock((total - done) * seconds / new)} left in this stage"
        return f"{text}, {_clock(seconds)} so far"

    def _watch(self) -> None:
        pause = self._interval
        while not self._stop.wait(1.0 if self._terminal and pause <= self._interval else pause):
            before = time.monotonic()
            self._look()
            now = time.monotonic()
            # Listing the folder of a large run takes long; it may take a twentieth of the time.
            pause = max(self._interval, 20 * (now - before))
            line = self.line(now)
            self._stream.write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")
            self._stream.flush()

    def _look(self) -> None:
        for stage, seen in self._seen.items():
            for path in (stored_path(self._plan.folder) / "stages" / stage).glob("part-*.json"):
                byte, bit = divmod(int(path.name.split("-")[1]), 8)
                if byte >= len(seen) or seen[byte] >> bit & 1:
                    continue
                seen[byte] |= 1 << bit
                self._done[stage] += 1
                if stage == FIRST:
                    self._pages += _pages(path)


def _pages(path: StoredPath) -> int:
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["counts"].get("documents/in", 0))
    except (OSError, ValueError, KeyError):
        return 0  # replaced in this moment by a retry; progress is an estimate


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
