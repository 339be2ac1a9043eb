"""Page -> Document in a child process that may be killed (spec/parser.md, "A killable worker is the backstop").

A running parse cannot be interrupted and native code can crash. So pages are extracted in a process of their own, one page at a
time, with a deadline and a memory limit. When it dies or is over a limit it is ended, the page at work becomes a Drop, and the
next page gets a new process:

    fault                                          rule of the drop
    a signal, an exit                              isolation.crash
    still at work after `seconds`                  isolation.seconds
    more resident memory than `memory`             isolation.memory
    an answer of more than `reply` bytes           isolation.reply

A fault in a process that has served other pages before may be theirs. Therefore the page is tried once more in a fresh process,
and only what happens there counts: what becomes of a page depends on that page alone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import weakref
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import psutil

from transforms.documents.config import ExtractConfig
from transforms.documents.extract import page_drop
from transforms.documents.isolate_protocol import (
    LENGTH,
    ExtractionError,
    OutOfMemory,
    Raised,
    Ready,
    Setup,
    TooLarge,
    decode,
    encode,
)
from transforms.records import Document, Drop, Page
from transforms.sizes import format_size

FUNCTION = "transforms.documents.extract:extract_document"

START_SECONDS = 120.0
"""Until the child has loaded its models; it takes under half a second, but the disk and the processor may be busy."""

LOOK_SECONDS = 0.02
"""Between two looks at the memory of a child at work. Most pages are done before the first."""

ALARM_SECONDS = 5.0
"""How much later than the deadline the kernel ends a child whose parent does not: it was killed itself."""

EXIT_SECONDS = 5.0
"""For a process that was killed, or has closed its socket, to be gone."""

CHUNK = 2**20

_START = "import sys; sys.path[:] = sys.argv[2:]; from transforms.documents.isolate_worker import main; main(int(sys.argv[1]))"


@dataclass(frozen=True, slots=True)
class IsolationLimits:
    """What one page may cost; None switches a limit off.

    seconds: on the clock. memory: bytes that the child holds in RAM at most, of which its code and models take about 100 MiB.
    reply: bytes of the answer, which the parent has to hold as well.
    """

    seconds: float | None = 30.0
    memory: int | None = 2 * 2**30
    reply: int | None = 256 * 2**20


class WorkerStartError(RuntimeError):
    """No child could be started: a broken environment, nothing about a page."""


class IsolatedExtractor:
    """`extract_document` in a child process, which is started at the first page and after each fault.

    keep_blocks: without it a document comes without its `blocks`, which are much of what has to be made and sent. function:
    `module:name` of what extracts. One thread at a time; one page is at work at a time. `close`, or the end of a `with`, ends the
    process; so does the end of this one.
    """

    def __init__(
        self,
        config: ExtractConfig,
        limits: IsolationLimits | None = None,
        *,
        keep_blocks: bool = False,
        function: str = FUNCTION,
    ) -> None:
        self._limits = limits or IsolationLimits()
        alarm = None if self._limits.seconds is None else self._limits.seconds + ALARM_SECONDS
        self._setup = Setup(function, config, keep_blocks, alarm, self._limits.reply)
        self._worker: _Worker | None = None
        self._ended_cpu_seconds = 0.0

    def extract(self, page: Page) -> Document | Drop:
        """What `extract_document` gives for the page, or the Drop of its fault.

        Raises:
            ExtractionError: the function raised; the child goes on.
            WorkerStartError: no child could be started.
        """
        while True:
            fresh = self._worker is None
            try:
                return self._ask(page)
            except _PageFaultError as fault:
                if fresh:
                    return page_drop(page, fault.rule, fault.value, fault.threshold, str(fault))

    @property
    def cpu_seconds(self) -> float:
        """Of all children so far, their start included."""
        return self._ended_cpu_seconds + (0.0 if self._worker is None else self._worker.cpu_seconds())

    def close(self) -> None:
        """Ends the child; the next page starts another."""
        if self._worker is not None:
            worker, self._worker = self._worker, None
            self._ended_cpu_seconds += worker.cpu_seconds()
            worker.end()

    def __enter__(self) -> IsolatedExtractor:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def _ask(self, page: Page) -> Document | Drop:
        if self._worker is None:
            self._worker = _Worker(self._setup, self._limits)
        try:
            answer = self._worker.ask(page)
        except BaseException:
            self.close()  # it may still be at work on this page, and would answer to the next
            raise
        if isinstance(answer, Raised):
            raise ExtractionError(answer.text) from RuntimeError(f"in the extracting process:\n{answer.trace}")
        return answer


class _PageFaultError(Exception):
    """What a page did to its process; the fields are those of a Drop, the text its detail."""

    def __init__(self, rule: str, detail: str, value: float | None = None, threshold: float | None = None) -> None:
        super().__init__(detail)
        self.rule, self.value, self.threshold = rule, value, threshold


class _Worker:
    """A child process and the socket to it."""

    def __init__(self, setup: Setup, limits: IsolationLimits) -> None:
        self._limits = limits
        try:
            self._process, self._socket = _start_process()
        except OSError as error:
            raise WorkerStartError(f"no page can be extracted: no process can be started: {error}") from error
        self._statistics = psutil.Process(self._process.pid)
        self._cpu_seconds = 0.0
        self.end = weakref.finalize(self, _end, self._process, self._socket)
        try:
            self._start(setup)
        except BaseException:
            self.end()
            raise

    def ask(self, page: Page) -> Document | Drop | Raised:
        """Raises _PageFaultError, after which this worker cannot be used any more."""
        answer = self._exchange(page, self._limits.seconds, self._limits.memory)
        if isinstance(answer, OutOfMemory):
            raise self._out_of_memory()
        if isinstance(answer, TooLarge):
            text = "bytes of the extracting process's answer"
            raise _PageFaultError("isolation.reply", text, answer.bytes, self._limits.reply)
        result: Document | Drop | Raised = answer
        return result

    def cpu_seconds(self) -> float:
        """Of the child so far; what was last known when it is gone."""
        with contextlib.suppress(psutil.NoSuchProcess):
            times = self._statistics.cpu_times()
            self._cpu_seconds = float(times.user + times.system)
        return self._cpu_seconds

    def _start(self, setup: Setup) -> None:
        try:
            ready = self._exchange(setup, START_SECONDS, None)
        except _PageFaultError as fault:
            raise WorkerStartError(f"no page can be extracted: {fault}, before its first page; see standard error") from None
        assert isinstance(ready, Ready), ready
        memory = self._limits.memory
        if memory is not None and (held := peak_memory(self._statistics)) > memory:
            raise WorkerStartError(
                f"limits.memory: {format_size(memory)} is not allowed; allowed: more than the {format_size(held)} "
                "that the extracting process holds before its first page, or null"
            )

    def _exchange(self, message: object, seconds: float | None, memory: int | None) -> Any:
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            self._socket.settimeout(None if seconds is None else max(seconds, LOOK_SECONDS))  # 0 would mean not to wait at all
            self._socket.sendall(encode(message))
            header = self._receive(LENGTH.size, deadline, memory)
            answer = self._receive(LENGTH.unpack(header)[0], deadline, memory)
        except TimeoutError:
            text = f"the extracting process was still at work after {seconds:g} s"
            raise _PageFaultError("isolation.seconds", text, seconds, seconds) from None
        except ConnectionError:
            raise _PageFaultError("isolation.crash", f"the extracting process {self._exit()}") from None
        self._check_memory(memory)
        return decode(answer)

    def _receive(self, size: int, deadline: float | None, memory: int | None) -> bytearray:
        """So many bytes. Raises TimeoutError at the deadline, ConnectionError when the child is gone."""
        received = bytearray()
        while len(received) < size:
            left = LOOK_SECONDS if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(min(left, LOOK_SECONDS))
            try:
                chunk = self._socket.recv(min(size - len(received), CHUNK))
            except TimeoutError:
                self._check_memory(memory)
                continue
            if not chunk:
                raise ConnectionError
            received += chunk
        return received

    def _check_memory(self, memory: int | None) -> None:
        # The peak since the start, so that no moment between two looks decides; before this page it was below the limit. No limit
        # of the kernel's: an allocation that it refuses ends in a parse error, as a broken page does, or in a crash.
        if memory is not None and peak_memory(self._statistics) > memory:
            raise self._out_of_memory()

    def _out_of_memory(self) -> _PageFaultError:
        limit = self._limits.memory
        return _PageFaultError("isolation.memory", "the extracting process ran out of memory", limit, limit)

    def _exit(self) -> str:
        """How the child ended, for people: `was ended by SIGSEGV`."""
        self.cpu_seconds()  # while there is a process to ask
        try:
            status = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its connection"
        if status >= 0:
            return f"exited with status {status}"
        names = {number.value: number.name for number in signal.Signals}
        return f"was ended by {names.get(-status, f'signal {-status}')}"


def peak_memory(process: psutil.Process) -> int:
    """Bytes that a process has held in RAM at most; where the system does not tell, what it holds now. 0 when it is gone."""
    # Read for every page, so in the cheapest way.
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{process.pid}/status", "rb", buffering=0) as status:
        return int(status.read().partition(b"VmHWM:")[2].split(maxsplit=1)[0]) * 1024
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _start_process() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A child and our end of the socket to it. No fork: a copy of this process would hold its sockets and its threads' locks."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(True)  # a default timeout that some library has set (Beam's of Google does) would be the child's as well
    command = [sys.executable, "-c", _START, str(theirs.fileno()), *(entry or os.getcwd() for entry in sys.path)]
    with theirs:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(theirs.fileno(),))
        except OSError:
            ours.close()
            raise
    return process, ours


def _end(process: subprocess.Popen[bytes], connection: socket.socket) -> None:
    connection.close()
    process.kill()
    # A process that waits for a device cannot be killed before the device answers; nobody waits for that.
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(EXIT_SECONDS)
