"""The child process of `transforms.documents.isolate`: takes pages from a socket, answers with what became of each.

It imports no Beam, holds no file of its parent but the socket, and ends with it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib
import resource
import signal
import socket
import traceback
from pathlib import Path
from typing import IO

from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document
from transforms.documents.isolate_protocol import (
    LENGTH,
    OutOfMemory,
    Raised,
    Ready,
    Reply,
    Setup,
    TooLarge,
    decode,
    describe_error,
    encode,
)
from transforms.garbage import collect_rarely
from transforms.records import Document, Drop, Page, Source

FIRST_TO_GO = 500
"""Added to the process's badness when the machine runs out of memory: a page is lost rather than the run."""

SAMPLE = b"<article><p>The ferryman keeps a log in which every crossing has one line, with the hour and the wind.</p></article>"


def main(descriptor: int) -> None:
    """Serves the socket of this number until the parent closes its end."""
    _prepare_process()
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rb") as requests:
        try:
            setup = decode(_read(requests))
            module, _, name = setup.function.partition(":")
            function = getattr(importlib.import_module(module), name)
            warm_up()
            connection.sendall(encode(Ready()))
            while message := _read(requests):
                if setup.alarm is not None:
                    signal.setitimer(signal.ITIMER_REAL, setup.alarm)
                answer = _answer(function, decode(message), setup)
                del message
                connection.sendall(answer)
                signal.setitimer(signal.ITIMER_REAL, 0)
        except (BrokenPipeError, ConnectionResetError):
            return  # the parent is gone, and nobody waits for an answer


def _prepare_process() -> None:
    # The parent decides what an interrupt means; it reaches every process of the terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # If the parent is killed while a page runs in circles in native code, only the kernel can end this process.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    # Crashes are expected here; a core file of each would fill the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Linux has this file; elsewhere the operating system's own choice stands.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(FIRST_TO_GO), encoding="ascii")


def warm_up() -> None:
    """Loads all that is loaded at first use, so that no page pays for it; then the garbage collector need not look at it again."""
    config = ExtractConfig()
    ungated = dataclasses.replace(config, gate=dataclasses.replace(config.gate, enabled=False))
    extract_document(Page("http://localhost/", SAMPLE, "text/html", Source("", 0, 0)), ungated)
    gc.collect()
    collect_rarely()


def _answer(function: object, page: Page, setup: Setup) -> bytes:
    """The encoded answer to a page."""
    try:
        answer = encode(_extract(function, page, setup))
    except MemoryError:
        return encode(OutOfMemory())
    size = len(answer) - LENGTH.size
    return encode(TooLarge(size)) if setup.reply is not None and size > setup.reply else answer


def _extract(function: object, page: Page, setup: Setup) -> Reply:
    assert callable(function), setup.function
    try:
        result: Document | Drop = function(page, setup.config, setup.keep_blocks)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  it is raised again in the parent
        return Raised(describe_error(error), "".join(traceback.format_exception(error)))
    return result


def _read(requests: IO[bytes]) -> bytes:
    """The next message; empty when the parent has closed its end, be it in the middle of one."""
    header = requests.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return b""
    (size,) = LENGTH.unpack(header)
    message = requests.read(size)
    return message if len(message) == size else b""
