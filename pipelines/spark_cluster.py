"""Where a Spark cluster of this machine and the class path of its job server are found (beam.md 9.1, 9.3).

`scripts/spark_cluster.py` makes both; `--runner spark` finds them here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pipelines.errors import UsageError

BEAM_SPARK_VERSION = "2.70.0"
"""Version of `beam-runners-spark-3`, the newest that the source of our tests serves; works with the Beam of this package."""

BEAM_JOB_SERVICE_VERSION = "2.65.0"
"""Version of `beam-runners-java-job-service`, likewise."""

SPARK_VERSION = "3.5.0"
"""Version of Spark that runner is compiled against, and so of pyspark; another one fails with an `InvalidClassException`."""

FOLDER = "INTERLEAF_SPARK_CLUSTER"
"""Environment variable with the folder of the cluster, where there are several."""

CLUSTER_FILE = "cluster.json"
THIN_JAR, EMPTY_JAR = "launch/job-server.jar", "launch/empty.jar"
"""In the class path folder: a jar that only names the others, for `java -jar`; and one with nothing, for `--files_to_stage`."""


@dataclass(frozen=True)
class Cluster:
    """A running cluster. options: Beam options for a job on it. environment: variables for its Python workers.

    processes: by name the pid and the start time in seconds, which together name a process for good.
    """

    master_url: str
    status_url: str
    options: Mapping[str, str]
    environment: Mapping[str, str]
    processes: Mapping[str, tuple[int, float]] = field(default_factory=dict)


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/interleaf`, or `~/.cache/interleaf`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "interleaf"


def class_path_folder() -> Path:
    """The folder with the jars of the job server, named by their versions."""
    name = f"spark-{SPARK_VERSION}-beam-{BEAM_SPARK_VERSION}-job-service-{BEAM_JOB_SERVICE_VERSION}"
    return cache_folder() / "jars" / name


def cluster_folder() -> Path:
    """The folder of this machine's cluster: its file, logs and scratch space."""
    return Path(os.environ.get(FOLDER) or cache_folder() / "spark-cluster")


def read_cluster(folder: Path) -> Cluster | None:
    """The cluster of a folder, None when there is none. Raises UsageError for a file that is not one of ours."""
    path = folder / CLUSTER_FILE
    try:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        processes = {name: (int(pid), float(started)) for name, (pid, started) in stored.pop("processes").items()}
        return Cluster(**stored, processes=processes)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: not the file of a cluster ({error}); delete it, or name another folder with ${FOLDER}") from None


def write_cluster(folder: Path, cluster: Cluster) -> None:
    """Stores a cluster for `read_cluster`; a reader sees the old file or the new one."""
    temporary = folder / f".{CLUSTER_FILE}"
    temporary.write_text(json.dumps(asdict(cluster), indent=1) + "\n", encoding="utf-8")
    temporary.replace(folder / CLUSTER_FILE)
