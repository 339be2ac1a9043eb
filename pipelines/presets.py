"""What `spark`, `flink`, `prism` and `dataflow` stand for as `--runner` (beam.md 9.2, 11, 12).

A preset is a runner of Beam with defaults for its options. An option that is given wins over its default, all others go along.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.errors import UsageError
from pipelines.spark_cluster import EMPTY_JAR, THIN_JAR, class_path_folder, cluster_folder, read_cluster
from pipelines.worker_boot import DIRECTORY

BOOT_PROGRAM = "interleaf-beam-boot"

Given = Mapping[str, str]
"""Options of the command line by name, without dashes; a flag has the value ""."""


@dataclass(frozen=True)
class Preset:
    """runner: Beam's name. about: one line for people. defaults: by option. needs: options without which there is no start.

    find: further arguments that depend on what was given and on what there is on this machine.
    """

    runner: str
    about: str
    defaults: Mapping[str, str]
    needs: tuple[str, ...] = ()
    find: Callable[[Given], list[str]] = lambda given: []


def given_options(beam_arguments: Sequence[str]) -> dict[str, str]:
    """The options in a list of arguments, written `--name=value`, `--name value` or `--name`; of two equal ones the last.

    >>> given_options(["--a=1", "--b", "2", "--c"])
    {'a': '1', 'b': '2', 'c': ''}
    """
    options: dict[str, str] = {}
    name = ""
    for argument in beam_arguments:
        if argument.startswith("--"):
            name, equals, value = argument[2:].partition("=")
            options[name] = value
            name = "" if equals else name
        elif name:
            options[name], name = argument, ""
    return options


def boot_program() -> str:
    """The path of our boot program on this machine. Raises UsageError without one."""
    beside_python = Path(sys.executable).parent / BOOT_PROGRAM
    program = str(beside_python) if beside_python.is_file() else shutil.which(BOOT_PROGRAM)
    if program is None:
        raise UsageError(
            f"{BOOT_PROGRAM}: neither beside {sys.executable} nor on the PATH; install interleaf again (pip), or name the program "
            'with --environment_config=\'{"command": "…"}\''
        )
    return program


def worker_environment(given: Given, variables: Mapping[str, str] | None = None) -> list[str]:
    """The environment option for workers that our boot program starts; nothing where another kind of worker was asked for.

    Workers run in the current folder, so that relative paths mean what they mean here.
    """
    if given.get("environment_type", "PROCESS") != "PROCESS" or "environment_config" in given:
        return []
    config = {"command": boot_program(), "env": {DIRECTORY: os.getcwd(), **(variables or {})}}
    return [f"--environment_config={json.dumps(config)}"]


def find_spark(given: Given) -> list[str]:
    """A job server that is given, one for the master that is given, or that of this machine's cluster (scripts/spark.md)."""
    if given.get("job_endpoint"):
        return worker_environment(given)
    if given.get("spark_master_url"):
        return [*own_job_server(given), *worker_environment(given)]
    folder = cluster_folder()
    cluster = read_cluster(folder)
    if cluster is None:
        raise UsageError(
            f"--runner spark: no cluster in {folder}; start one with `python -m scripts.spark_cluster up`, or name yours with "
            "--spark_master_url=spark://HOST:PORT or --job_endpoint=HOST:PORT (scripts/spark.md)"
        )
    options = [f"--{name}={value}" for name, value in cluster.options.items() if name not in given]
    return [*options, *worker_environment(given, cluster.environment)]


JAVA_17 = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("sun.nio.ch", "java.nio", "java.util", "java.lang.invoke")
]
"""What Spark 3.5 reaches into; its own launchers say so, a job server must be told."""

SURVIVE_DEAD_WORKER = {"spark.excludeOnFailure.enabled": "true", "spark.excludeOnFailure.killExcludedExecutors": "true"}
"""With a cached environment each retry meets the dead Python worker again, unless its executor is replaced (beam.md 9.5)."""


def own_job_server(given: Given) -> list[str]:
    """Options for a job server that Beam starts here for a cluster of the user's. With our class path, it is on the nodes too."""
    if "spark_job_server_jar" in given:
        jars, properties = [], dict(SURVIVE_DEAD_WORKER)
    else:
        folder = class_path_folder()
        if not (folder / THIN_JAR).is_file():
            raise UsageError(
                "--runner spark --spark_master_url: no job server; make its class path with `python -m scripts.spark_cluster "
                "jars`, or name the official jar of your Beam and Spark with --spark_job_server_jar=FILE (scripts/spark.md)"
            )
        jars = [f"--spark_job_server_jar={folder / THIN_JAR}"]
        jars += [] if "files_to_stage" in given else [f"--files_to_stage={folder / EMPTY_JAR}"]
        properties = {**SURVIVE_DEAD_WORKER, "spark.executor.extraClassPath": f"{folder}/*"}
    flags = [*JAVA_17, *(f"-D{name}={value}" for name, value in properties.items())]
    return [*jars, *(f"--job_server_jvm_properties={flag}" for flag in flags)]


def find_prism(given: Given) -> list[str]:
    """The Prism binary on this machine: on the PATH, or where `go install` puts it."""
    if given.get("job_endpoint") or "prism_location" in given:
        return worker_environment(given)
    go_folder = os.environ.get("GOBIN") or os.path.join(os.environ.get("GOPATH") or Path.home() / "go", "bin")
    location = shutil.which("prism") or shutil.which("prism", path=go_folder)
    if location is None:
        from importlib.metadata import version

        raise UsageError(
            f"--runner prism: no program `prism`, neither on the PATH nor in {go_folder}; name it with --prism_location=FILE, "
            f"or get it with `go install github.com/apache/beam/sdks/v2/go/cmd/prism@v{version('apache-beam')}`"
        )
    return [f"--prism_location={location}", *worker_environment(given)]


PRESETS: dict[str, Preset] = {
    "spark": Preset(
        "SparkRunner",
        "Spark 3.5: the cluster of scripts/spark_cluster.py, or --spark_master_url, or --job_endpoint",
        {
            # Each executor starts its own worker; a pool that two executors share hangs (beam.md 9.4).
            "environment_type": "PROCESS",
            # Longer than a job; without it every Spark task starts a Python of its own.
            "environment_cache_millis": "3600000",
            # What does not fit in memory is not computed again.
            "storage_level": "MEMORY_AND_DISK",
        },
        find=find_spark,
    ),
    "flink": Preset(
        "FlinkRunner",
        "Flink, not run by us: --flink_master or --job_endpoint",
        {"environment_type": "PROCESS", "environment_cache_millis": "3600000"},
        find=worker_environment,
    ),
    "prism": Preset(
        "PrismRunner",
        "Beam's Prism on this machine; no retries",
        # A crash of a worker is not one of this command.
        {"environment_type": "PROCESS", "prism_log_level": "error"},
        find=find_prism,
    ),
    "dataflow": Preset(
        "DataflowRunner",
        "Dataflow: the container image holds interleaf",
        # Twelve threads by default, each with pages in memory (beam.md 12).
        {"sdk_location": "container", "machine_type": "n2-standard-4", "number_of_worker_harness_threads": "4"},
        needs=("project", "region", "temp_location", "sdk_container_image"),
    ),
}
"""Presets by name. `local` is none: it is Beam's FnApiRunner, which has no name for `--runner` of its own."""


def preset_arguments(name: str, beam_arguments: Sequence[str]) -> list[str]:
    """All arguments for Beam that a preset and the given ones amount to.

    Raises:
        UsageError: something is missing that the preset cannot do without.
    """
    preset, given = PRESETS[name], given_options(beam_arguments)
    missing = [f"--{option}" for option in preset.needs if option not in given]
    if missing:
        raise UsageError(f"--runner {name}: needs {', '.join(missing)}")
    defaults = [f"--{option}={value}" for option, value in preset.defaults.items() if option not in given]
    return [f"--runner={preset.runner}", *defaults, *preset.find(given), *beam_arguments]


def describe_presets() -> str:
    """The presets with their defaults, as text for `--help`."""
    lines = ["  local     (default) Beam's FnApiRunner on this machine, one process for each of --workers N"]
    for name, preset in PRESETS.items():
        lines.append(f"  {name:<10}{preset.about}")
        lines.append(f"            {preset.runner} {' '.join(f'--{option}={value}' for option, value in preset.defaults.items())}")
        if preset.needs:
            lines.append(f"            needs {', '.join(f'--{option}' for option in preset.needs)}")
    return "\n".join(lines)
