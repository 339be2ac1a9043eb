"""A cluster's processes are known by pid and start time, and none survives its end; what jobs tell is read from Spark's own log."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from pipelines.spark_cluster import Cluster, read_cluster, write_cluster
from scripts import spark_cluster
from scripts.spark.jobs import read_application
from scripts.spark.processes import find_process, members, running, stop_cluster

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
# Starts a child that ignores SIGTERM, as a worker of a killed executor might, and tells its pid.
WITH_CHILD = """
import subprocess, sys, time
code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
"""


def cluster_of(folder: Path, **processes: tuple[int, float]) -> None:
    write_cluster(folder, Cluster("spark://127.0.0.1:1", "http://127.0.0.1:1", {}, {}, processes))


def test_a_pid_that_is_anothers_by_now_is_not_ours(tmp_path: Path) -> None:
    with subprocess.Popen(SLEEP) as process:
        started = psutil.Process(process.pid).create_time()
        cluster_of(tmp_path, master=(process.pid, started), worker=(process.pid, started - 100))
        assert list(running(tmp_path)) == ["master"]
        cluster_of(tmp_path, master=(process.pid, started - 100))
        assert stop_cluster(tmp_path) == []
        assert process.poll() is None
        process.kill()
    assert find_process((process.pid, started)) is None
    assert read_cluster(tmp_path) is None


def test_down_ends_all_that_the_cluster_started_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.spark.processes.STOP_SECONDS", 1.0)
    mark = {"SPARK_LOCAL_DIRS": str(tmp_path / "local")}
    worker = subprocess.Popen([sys.executable, "-c", WITH_CHILD], stdout=subprocess.PIPE, text=True, env=mark)
    stranger = subprocess.Popen(SLEEP)
    try:
        assert worker.stdout is not None
        child = int(worker.stdout.readline())
        cluster_of(tmp_path, worker=(worker.pid, psutil.Process(worker.pid).create_time()))
        assert {process.pid for process in members(tmp_path)} == {worker.pid, child}
        (killed,) = stop_cluster(tmp_path)
        assert str(child) in killed
        assert members(tmp_path) == []
        assert worker.wait(5) is not None
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
        worker.stdout.close()


def test_an_application_tells_which_executor_ran_how_many_tasks(tmp_path: Path) -> None:
    def task(executor: str, reason: str) -> dict[str, object]:
        return {"Event": "SparkListenerTaskEnd", "Task Info": {"Executor ID": executor}, "Task End Reason": {"Reason": reason}}

    def removed(executor: str) -> dict[str, object]:
        return {"Event": "SparkListenerExecutorRemoved", "Executor ID": executor, "Removed Reason": "killed"}

    events = [
        {"Event": "SparkListenerApplicationStart", "App ID": "app-1"},
        {"Event": "SparkListenerExecutorAdded", "Executor ID": "0"},
        {"Event": "SparkListenerExecutorAdded", "Executor ID": "1"},
        task("0", "Success"), task("0", "ExceptionFailure"), task("0", "Success"), task("2", "Success"),
        removed("0"),
        {"Event": "SparkListenerApplicationEnd"},
        removed("1"),  # all are, at the end
    ]  # fmt: skip
    log = tmp_path / "log"
    log.write_text("".join(f"{json.dumps(event)}\n" for event in events) + '{"Event": "being wri')
    assert read_application(log).as_dict() == {
        "application": "app-1",
        "ended": True,
        "tasks": {"0": {"Success": 2, "ExceptionFailure": 1}, "1": {}, "2": {"Success": 1}},
        "removed executors": {"0": "killed"},
    }


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["down"], 0, "down"),
        (["status"], 1, "no cluster in"),
        (["up", "--conf", "spark.x"], 2, "--conf is spark.KEY=VALUE"),
        (["up", "--workers", "0"], 2, "--workers"),
        (["sideways"], 2, "invalid choice"),
    ],
)
def test_wrong_use_is_one_message(
    arguments: list[str], status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        result = spark_cluster.main(["--folder", str(tmp_path), *arguments])
    except SystemExit as error:
        result = int(error.code or 0)
    captured = capsys.readouterr()
    assert result == status
    assert said in captured.out + captured.err
