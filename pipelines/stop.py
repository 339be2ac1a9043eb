"""Ends a run within seconds when it is told to stop: by Ctrl-C (SIGINT) or by a scheduler (SIGTERM)."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import TextIO

STOPPED = "stopped; the same command resumes"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def stops_at_once(stream: TextIO) -> Iterator[None]:
    """While it is open, either signal ends this process and all that it started, with the exit status 128 + signal.

    Files of a run are written under other names and renamed when they are whole, so there is nothing to clean up; waiting for
    Beam's workers to finish what they are at can take longer than a scheduler waits. Python has signals in the main thread only;
    elsewhere this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def stop(number: int, _frame: FrameType | None) -> None:
        end_children()
        # The stream may be in use by the line of progress that was interrupted, so it is not written through its buffer.
        os.write(stream.fileno(), f"\ninterleaf: {STOPPED}\n".encode())
        os._exit(128 + number)

    for number in _SIGNALS:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_children() -> None:
    """SIGKILL to every process that this one started, and to theirs."""
    import psutil

    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
