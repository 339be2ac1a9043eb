"""Starts and stops the processes of a one-machine Spark cluster: master, workers, Beam's job server (beam.md 9.3).

All ports are free ones, Spark's own listen on 127.0.0.1 only. Every process is stopped by its pid.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from pipelines.presets import JAVA_17, SURVIVE_DEAD_WORKER
from pipelines.spark_cluster import CLUSTER_FILE, EMPTY_JAR, Cluster, read_cluster, write_cluster
from pipelines.worker_boot import LOG
from scripts.spark.class_path import MAIN_CLASS, find_java, find_spark_home, make_class_path

LOOPBACK = "127.0.0.1"
START_SECONDS = 180.0
"""Limit for each process to answer; 20 to 40 s in all on a busy machine of two cores."""

STOP_SECONDS = 20.0
"""What a process has to end after SIGTERM before it is killed."""

SCRATCH = ("artifacts", "events", "local", "logs", "work")
"""What a cluster writes below its folder; removed when the next one starts, so that logs outlive the cluster."""

LOGGING = """\
rootLogger.level=warn
rootLogger.appenderRef.console.ref=console
appender.console.type=Console
appender.console.name=console
appender.console.target=SYSTEM_ERR
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d{HH:mm:ss} %p %c{1}: %m%n%ex
logger.beam.name=org.apache.beam.runners.spark
logger.beam.level=info
"""


@dataclass(frozen=True)
class ClusterSize:
    """How large a cluster is. Memory is the heap of the executor in MiB; a worker has one executor with one core for each core.

    properties: further settings of Spark, which win over ours.
    """

    workers: int = 2
    cores: int = 1
    executor_memory: int = 768
    properties: Mapping[str, str] = field(default_factory=dict)


class StartError(Exception):
    """A process of the cluster did not start; the text says which, and where its log is."""


def start_cluster(folder: Path, size: ClusterSize) -> Cluster:
    """Starts a cluster and waits until it takes jobs; what has started is stopped again when something does not.

    Raises:
        SparkUnavailableError: Java, pyspark or the class path is not to be had.
        StartError: a process ended or did not answer in time, or there is a cluster in the folder already.
    """
    if running(folder):
        raise StartError(f"{folder}: a cluster is up already; `python -m scripts.spark_cluster down` stops it")
    java, spark_home, class_path = find_java(), find_spark_home(), make_class_path()
    for name in SCRATCH:
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    log_settings = folder / "log4j2.properties"
    log_settings.write_text(LOGGING, encoding="utf-8")
    starter = _Starter(folder, spark_home, log_settings)
    try:
        return starter.start(java, class_path, size)
    except BaseException:
        stop_cluster(folder)
        raise


class _Starter:
    """Starts one process after the other and notes each in the cluster file at once, so that none is ever lost."""

    def __init__(self, folder: Path, spark_home: Path, log_settings: Path) -> None:
        self._folder = folder
        self._spark_home = spark_home
        self._logging = f"-Dlog4j2.configurationFile={log_settings.as_uri()}"
        self._environment = {
            **os.environ,
            "SPARK_HOME": str(spark_home),
            "SPARK_LOCAL_IP": LOOPBACK,
            **_mark(folder),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": self._logging,
        }
        master, status, job, self._artifact = (free_port() for _ in range(4))
        self._job_port, self._master_port, self._status_port = job, master, status
        self._cluster = Cluster(
            master_url=f"spark://{LOOPBACK}:{master}",
            status_url=f"http://{LOOPBACK}:{status}",
            options={"job_endpoint": f"{LOOPBACK}:{job}"},
            environment={LOG: str(folder / "logs/python-workers.log")},
        )

    def start(self, java: str, class_path: Path, size: ClusterSize) -> Cluster:
        spark_class = str(self._spark_home / "bin/spark-class")
        options = {**self._cluster.options, "files_to_stage": str(class_path / EMPTY_JAR)}
        self._cluster = replace(self._cluster, options=options)
        master = ["--host", LOOPBACK, "--port", str(self._master_port), "--webui-port", str(self._status_port)]
        self._spawn("master", [spark_class, "org.apache.spark.deploy.master.Master", *master])
        self._wait("master", lambda: master_state(self._cluster).get("status") == "ALIVE")
        for number in range(1, size.workers + 1):
            worker = [
                "--host", LOOPBACK, "--webui-port", "0", "--cores", str(size.cores),
                "--memory", f"{size.cores * size.executor_memory}m", "--work-dir", str(self._folder / "work" / str(number)),
            ]  # fmt: skip
            command = [spark_class, "org.apache.spark.deploy.worker.Worker", *worker, self._cluster.master_url]
            self._spawn(f"worker-{number}", command)
        self._wait("workers", lambda: master_state(self._cluster).get("aliveworkers") == size.workers)
        properties = self._properties(class_path, size)
        server = [
            f"--spark-master-url={self._cluster.master_url}", f"--job-host={LOOPBACK}", f"--job-port={self._job_port}",
            f"--artifact-port={self._artifact}", "--expansion-port=-1", f"--artifacts-dir={self._folder / 'artifacts'}",
        ]  # fmt: skip
        # Beam's jars first, as on the executors: of what both ship, Beam needs the newer.
        jars = f"{class_path}/*:{self._spark_home / 'jars'}/*"
        flags = ["-Xmx512m", self._logging, *JAVA_17, *(f"-D{name}={value}" for name, value in properties.items())]
        self._spawn("job-server", [java, *flags, "-cp", jars, MAIN_CLASS, *server])
        self._wait("job server", lambda: answers(self._job_port))
        return self._cluster

    def _properties(self, class_path: Path, size: ClusterSize) -> dict[str, str]:
        cores = size.workers * size.cores
        return {
            "spark.driver.host": LOOPBACK,
            "spark.driver.bindAddress": LOOPBACK,
            "spark.ui.enabled": "false",
            # One executor a core: each has one Python worker.
            "spark.executor.cores": "1",
            "spark.cores.max": str(cores),
            "spark.executor.memory": f"{size.executor_memory}m",
            "spark.executor.extraClassPath": f"{class_path}/*",
            "spark.executor.extraJavaOptions": self._logging,
            # Tasks after a shuffle; without it as many as there are cores at that moment.
            "spark.default.parallelism": str(4 * cores),
            **SURVIVE_DEAD_WORKER,
            # All executors share this one host: it must not be given up for the faults of one of them.
            "spark.excludeOnFailure.task.maxTaskAttemptsPerNode": "3",
            "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode": "1000",
            "spark.excludeOnFailure.application.maxFailedExecutorsPerNode": "1000",
            # A task that failed on each executor waits so long for a new one.
            "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout": "45s",
            # Which executor ran which task, in lines of JSON.
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": (self._folder / "events").as_uri(),
            **size.properties,
        }

    def _spawn(self, name: str, command: Sequence[str]) -> None:
        with open(self._folder / "logs" / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment, cwd=self._folder,
                start_new_session=True,
            )  # fmt: skip
        started = psutil.Process(process.pid).create_time()
        self._cluster = replace(self._cluster, processes={**self._cluster.processes, name: (process.pid, started)})
        write_cluster(self._folder, self._cluster)

    def _wait(self, what: str, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            ended = [name for name, known in self._cluster.processes.items() if find_process(known) is None]
            if ended or time.monotonic() > deadline:
                why = f"{', '.join(ended)} ended" if ended else f"no answer within {START_SECONDS:.0f} s"
                raise StartError(f"the Spark {what} did not start: {why}; logs are in {self._folder / 'logs'}")
            time.sleep(0.2)


def stop_cluster(folder: Path) -> list[str]:
    """Stops all processes of a folder's cluster and what they started; returns the names of those that had to be killed."""
    cluster = read_cluster(folder)
    if cluster is None:
        return []
    order = sorted(cluster.processes, key=lambda name: (name != "job-server", name == "master", name))
    top = {name: process for name in order if (process := find_process(cluster.processes[name])) is not None}
    killed: list[str] = []
    for name, process in top.items():
        _signal(process.terminate)
        killed += _kill_slow({name: process})
    # Executors end with their worker, Python workers with their executor.
    killed += _kill_slow({f"{process.name()} {process.pid}": process for process in members(folder)})
    (folder / CLUSTER_FILE).unlink(missing_ok=True)
    return killed


def running(folder: Path) -> dict[str, psutil.Process]:
    """The processes of a folder's cluster that are alive, by name."""
    cluster = read_cluster(folder)
    known = {} if cluster is None else cluster.processes
    return {name: process for name, identity in known.items() if (process := find_process(identity)) is not None}


def members(folder: Path) -> list[psutil.Process]:
    """All processes that belong to a folder's cluster, also those whose parent is gone: they carry its scratch folder with them."""
    ((variable, value),) = _mark(folder).items()
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(variable) == value and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue  # ended in this moment, or another user's
    return found


def find_process(identity: tuple[int, float]) -> psutil.Process | None:
    """The process of a pid and a start time, if it is alive: a pid alone may be another's by now."""
    pid, started = identity
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - started) < 0.5
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.NoSuchProcess:
        return None


def master_state(cluster: Cluster) -> dict[str, Any]:
    """What the master says of itself, its workers and applications; empty when it does not answer.

    Its FINISHED says that an application ended, not that it succeeded: jobs that failed have it too.
    """
    try:
        with urllib.request.urlopen(f"{cluster.status_url}/json/", timeout=5) as answer:
            state: dict[str, Any] = json.load(answer)
            return state
    except OSError:
        return {}


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as chosen:
        chosen.bind((LOOPBACK, 0))
        return int(chosen.getsockname()[1])


def answers(port: int) -> bool:
    """Whether something listens on a port of this machine."""
    with socket.socket() as connection:
        connection.settimeout(1)
        return connection.connect_ex((LOOPBACK, port)) == 0


def _mark(folder: Path) -> dict[str, str]:
    """The environment variable that all processes of a cluster inherit from one another."""
    return {"SPARK_LOCAL_DIRS": str(folder / "local")}


def _kill_slow(processes: Mapping[str, psutil.Process]) -> list[str]:
    _, alive = psutil.wait_procs(list(processes.values()), timeout=STOP_SECONDS)
    for process in alive:
        _signal(process.kill)
    psutil.wait_procs(alive, timeout=STOP_SECONDS)
    return [name for name, process in processes.items() if process in alive]


def _signal(send: Callable[[], None]) -> None:
    try:
        send()
    except psutil.NoSuchProcess:
        return
