"""Beam's worker pool with our boot program, for runners that ask another process for their workers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from run_helpers import ROOT


def boot_program(folder: Path) -> Path:
    """A program that is `interleaf-beam-boot` of this checkout, installed or not."""
    program = folder / "boot"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m pipelines.worker_boot "$@"\n')
    program.chmod(0o755)
    return program


@contextmanager
def worker_pool(folder: Path) -> Iterator[str]:
    """A worker pool of Beam's, workers started by our boot program; gives its HOST:PORT. All processes have ended afterwards."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    command = [
        sys.executable, "-m", "apache_beam.runners.worker.worker_pool_main",
        f"--service_port={port}", f"--container_executable={boot_program(folder)}",
    ]  # fmt: skip
    environment = {**os.environ, "INTERLEAF_WORKER_LOG": str(folder / "workers.log"), "INTERLEAF_DIRECTORY": str(folder)}
    with open(folder / "pool.log", "wb") as log:
        pool = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    try:
        deadline = time.monotonic() + 120
        while not answers(port):
            assert pool.poll() is None, (folder / "pool.log").read_text()
            assert time.monotonic() < deadline, "the worker pool does not answer"
            time.sleep(0.1)
        yield f"localhost:{port}"
    finally:
        pool.send_signal(2)  # its own way to end: it stops its workers first
        pool.wait(30)


def answers(port: int) -> bool:
    """Whether something listens on a port of this machine."""
    with socket.socket() as connection:
        connection.settimeout(1)
        return connection.connect_ex(("127.0.0.1", port)) == 0
