"""Beam's worker pool with our boot program, for tests and measurements of runners that ask another process for their workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from pipelines.presets import boot_program
from pipelines.worker_boot import LOG
from scripts.spark.processes import answers, free_port

START_SECONDS = 120.0


@contextmanager
def worker_pool(folder: Path) -> Iterator[tuple[str, int]]:
    """A worker pool whose workers run in the current folder; gives its HOST:PORT and pid. All its processes end with the context.

    folder: takes the logs. Raises RuntimeError when the pool does not start.
    """
    port = free_port()
    command = [
        sys.executable, "-m", "apache_beam.runners.worker.worker_pool_main",
        f"--service_port={port}", f"--container_executable={boot_program()}",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), LOG: str(folder / "workers.log")}
    with open(folder / "pool.log", "wb") as log:
        pool = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not answers(port):
            if pool.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the worker pool did not start; its log is {folder / 'pool.log'}")
            time.sleep(0.1)
        yield f"localhost:{port}", pool.pid
    finally:
        workers = psutil.Process(pool.pid).children(recursive=True) if pool.poll() is None else []
        pool.send_signal(signal.SIGINT)  # its own way to end: it stops its workers first
        try:
            pool.wait(10)
        except subprocess.TimeoutExpired:  # who starts this in the background of a shell hands down that SIGINT is ignored
            pool.kill()
            pool.wait()
        for worker in workers:
            with suppress(psutil.NoSuchProcess):
                worker.kill()
