"""Same input and configuration, same bytes: for any number of workers, any order, any runner of ours, and after any kill."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from run_helpers import ROOT, interleaf, run_build, tree_hash


def test_two_workers_write_the_bytes_of_one(finished: Path, crawl: Path, tmp_path: Path) -> None:
    result = interleaf("build", "--input", str(crawl), "--output", str(tmp_path / "out"), "--workers", "2")
    assert result.returncode == 0, result.stderr
    assert "2 worker processes" in result.stderr
    assert tree_hash(tmp_path / "out") == tree_hash(finished)


def test_the_order_of_the_input_does_not_matter(finished: Path, crawl: Path, tmp_path: Path) -> None:
    files = sorted(map(str, crawl.glob("*.warc.gz")))
    random.Random(3).shuffle(files)
    run_build([*files[::-1], files[0]], tmp_path / "out")
    assert tree_hash(tmp_path / "out") == tree_hash(finished)


def test_a_bundle_that_runs_twice_changes_nothing(finished: Path, crawl: Path, tmp_path: Path) -> None:
    run_build([str(crawl)], tmp_path / "out", beam_arguments=["--direct_runner_bundle_repeat=1"])
    assert tree_hash(tmp_path / "out") == tree_hash(finished)


@pytest.mark.timeout(300)
def test_the_direct_runner_of_beam_writes_the_same(finished: Path, crawl: Path, tmp_path: Path) -> None:
    result = interleaf("build", "--input", str(crawl), "--output", str(tmp_path / "out"), "--runner", "DirectRunner")
    assert result.returncode == 0, result.stderr
    assert "`--runner local` is the predictable choice" in result.stderr
    assert tree_hash(tmp_path / "out") == tree_hash(finished)


@pytest.mark.timeout(300)
def test_a_run_that_is_killed_three_times_ends_with_the_same_bytes(finished: Path, crawl: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    command = [sys.executable, "-m", "pipelines.cli", "build", "--input", str(crawl), "--output", str(output), "--workers", "1"]
    moments = random.Random(7)
    kills = 0
    for stage in ("documents", "outcomes", "scored"):
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL, start_new_session=True
        )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not list((output / "stages" / stage).glob("part-*.json")) and process.poll() is None:
            time.sleep(0.002)
        time.sleep(moments.random() * 0.03)
        if process.poll() is None:
            kill_group(process)
            kills += 1
        process.wait()
    assert kills == 3
    assert not (output / "_SUCCESS").exists()
    status, said = run_build([str(crawl)], output)
    assert status == 0
    assert "resuming an earlier attempt" in said
    assert tree_hash(output) == tree_hash(finished)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL for the process and all that it started."""
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    for child in children:
        try:
            os.kill(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
