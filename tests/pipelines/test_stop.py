"""Runs that are told to stop, or that find no room: they end at once, say how to go on, and the same command goes on."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from run_helpers import ROOT, tree_hash

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def build_command(crawl: Path, output: Path) -> list[str]:
    return [sys.executable, "-m", "pipelines.cli", "build", "--input", str(crawl), "--output", str(output), "--workers", "1"]


@pytest.mark.timeout(240)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_told_to_stop_ends_with_all_its_processes_and_resumes(
    number: signal.Signals, finished: Path, crawl: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    command = build_command(crawl, output)
    process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, start_new_session=True)
    family: list[psutil.Process] = []
    deadline = time.monotonic() + 120
    # The extracting process is there while documents are made.
    while time.monotonic() < deadline and process.poll() is None and not family:
        family = psutil.Process(process.pid).children(recursive=True)
        time.sleep(0.01)
    assert family
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert said.strip().endswith("interleaf: stopped; the same command resumes")
    _, alive = psutil.wait_procs(family, timeout=30)
    assert alive == []
    assert not (output / "_SUCCESS").exists()
    result = subprocess.run(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    assert tree_hash(output) == tree_hash(finished)


@pytest.mark.timeout(240)
def test_a_disk_without_room_ends_the_run_with_the_cause_and_the_same_command_resumes(
    finished: Path, crawl: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    command = build_command(crawl, output)

    def little_room() -> None:
        # No file may grow beyond this: the system refuses the write, as it does when the disk is full.
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    result = subprocess.run(
        command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, timeout=120, check=False, preexec_fn=little_room
    )
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "File too large" in result.stderr
    assert "the same command resumes" in result.stderr
    assert not (output / "_SUCCESS").exists()
    result = subprocess.run(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    assert tree_hash(output) == tree_hash(finished)


def test_a_finished_run_loses_the_log_of_an_end_between_its_last_file_and_its_last_words(
    finished: Path, crawl: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished, tmp_path / "out")
    (tmp_path / "out/error.log").touch()
    subprocess.run(build_command(crawl, tmp_path / "out"), env=ENVIRONMENT, check=True, stderr=subprocess.PIPE, timeout=120)
    assert tree_hash(tmp_path / "out") == tree_hash(finished)
