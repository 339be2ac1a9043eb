"""Functions for a child process of `IsolatedExtractor` that do what a page must never do; the page's URL says which."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import re
import resource
import signal
import socket
import sys
import time
from pathlib import Path

from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document, page_drop
from transforms.documents.isolate_protocol import LENGTH
from transforms.records import Document, Drop, Page

HOST = "http://fault.test/"
MEBIBYTE = 2**20
TEA = "/tea-leaves.html"

hoard: list[bytes] = []


def plant(page: Page, config: ExtractConfig, keep_blocks: bool = True) -> Document | Drop:
    """`extract_document`, after the fault that the URL names."""
    fault = page.url.removeprefix(HOST)
    if fault != page.url:
        info = FAULTS[fault]()
        if info is not None:
            return page_drop(page, "info", detail=info)
    document = extract_document(page, config, keep_blocks)
    if fault == "huge_answer":
        return dataclasses.replace(document, title="x" * 50 * MEBIBYTE)
    return document


def crash_on_tea(page: Page, config: ExtractConfig, keep_blocks: bool = True) -> Document | Drop:
    """`extract_document`, with one page of the demo crawl that always ends the process."""
    if page.url.endswith(TEA):
        os.abort()
    return extract_document(page, config, keep_blocks)


def kill_self(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(60)


def answer_half() -> None:
    os.write(int(sys.argv[1]), LENGTH.pack(1000) + b"half")
    os._exit(0)


def bomb() -> None:
    while True:
        hoard.append(b"x" * (4 * MEBIBYTE))


def run_out_of_memory() -> None:
    raise MemoryError


def fail() -> None:
    raise ValueError("no such block: 'é'")


def leave_a_trap() -> None:
    hoard.append(b"")


def step_into_the_trap() -> None:
    if hoard:
        ctypes.string_at(0)


def keep_memory() -> None:
    hoard.append(b"x" * (120 * MEBIBYTE))


def name_process() -> str:
    return str(os.getpid())


def list_belongings() -> str:
    """What of the parent is here: modules, and the sockets among the first hundred descriptors."""
    sockets = 0
    for descriptor in range(100):
        try:
            socket.socket(fileno=os.dup(descriptor)).close()
        except OSError:
            continue
        sockets += 1
    core = resource.getrlimit(resource.RLIMIT_CORE)[0]
    badness = Path("/proc/self/oom_score_adj").read_text(encoding="ascii").strip()
    needless = [name for name in ("apache_beam", "grpc", "pyarrow", "warcio") if name in sys.modules]
    return f"{sockets} sockets, imported {needless}, core files {core}, badness {badness}"


FAULTS = {
    "segfault": lambda: ctypes.string_at(0) and None,
    "killed": lambda: kill_self(signal.SIGKILL),
    "realtime_signal": lambda: kill_self(40),
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
    "exit_3": lambda: os._exit(3),
    "half_answer": answer_half,
    "stopped": lambda: kill_self(signal.SIGSTOP),
    "sleep": lambda: time.sleep(600),
    "nap": lambda: time.sleep(0.6),
    "native_loop": lambda: re.match("(a*)*b", "a" * 60) and None,
    "bomb": bomb,
    "spike": lambda: len(b"x" * (400 * MEBIBYTE)) and None,
    "native_bomb": lambda: len(b"x" * (3000 * MEBIBYTE)) and None,
    "memory_error": run_out_of_memory,
    "huge_answer": lambda: None,
    "fail": fail,
    "trap": leave_a_trap,
    "trapped": step_into_the_trap,
    "keep_memory": keep_memory,
    "process": name_process,
    "belongings": list_belongings,
}
