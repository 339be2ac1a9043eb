"""What the names of `--runner` resolve to, and what is told when something for them is missing."""

from __future__ import annotations

import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from apache_beam.portability.api import beam_job_api_pb2, beam_job_api_pb2_grpc
from run_helpers import interleaf

from pipelines import presets, spark_cluster
from pipelines.errors import UsageError
from pipelines.presets import PRESETS, describe_presets, given_options
from pipelines.runners import check_beam_arguments, resolve_runner
from pipelines.spark_cluster import Cluster, class_path_folder, read_cluster, write_cluster


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has our boot program and Prism, and an empty cache; gives the folder of its programs."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("python", "interleaf-beam-boot", "prism"):
        (programs / name).touch(mode=0o755)
    monkeypatch.setattr(presets.sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("GOBIN", "GOPATH", spark_cluster.FOLDER):
        monkeypatch.delenv(name, raising=False)
    return programs


@pytest.fixture
def cluster(machine: Path) -> Cluster:
    found = Cluster(
        "spark://127.0.0.1:7", "http://127.0.0.1:8", {"job_endpoint": "127.0.0.1:9", "files_to_stage": "/e.jar"}, {"LOG": "/log"},
        {"master": (1, 2.5)},
    )  # fmt: skip
    folder = spark_cluster.cluster_folder()
    folder.mkdir(parents=True)
    write_cluster(folder, found)
    return found


def options_of(runner: str, *arguments: str) -> dict[str, str]:
    return given_options(resolve_runner(runner, None, arguments).arguments)


def test_options_are_read_as_beam_reads_them() -> None:
    assert given_options(["--a=1", "--b", "2", "--a=3=4", "stray", "--c"]) == {"a": "3=4", "b": "2", "c": ""}


def test_spark_finds_the_cluster_of_this_machine(machine: Path, cluster: Cluster) -> None:
    options = options_of("spark")
    assert json.loads(options.pop("environment_config")) == {
        "command": str(machine / "interleaf-beam-boot"),
        "env": {"INTERLEAF_DIRECTORY": os.getcwd(), "LOG": "/log"},
    }
    assert options == {
        "runner": "SparkRunner",
        "environment_type": "PROCESS",
        "environment_cache_millis": "3600000",
        "storage_level": "MEMORY_AND_DISK",
        "job_endpoint": "127.0.0.1:9",
        "files_to_stage": "/e.jar",
    }


def test_a_cluster_is_stored_whole(cluster: Cluster) -> None:
    assert read_cluster(spark_cluster.cluster_folder()) == cluster


def test_a_job_server_of_the_users_is_taken_without_looking_for_another(machine: Path) -> None:
    options = options_of("spark", "--job_endpoint", "far:8099")
    assert options["job_endpoint"] == "far:8099"
    assert "files_to_stage" not in options


def test_a_master_of_the_users_gets_a_job_server_with_our_class_path(machine: Path) -> None:
    folder = class_path_folder()
    (folder / "launch").mkdir(parents=True)
    (folder / spark_cluster.THIN_JAR).touch()
    engine = resolve_runner("spark", None, ["--spark_master_url=spark://far:7077"])
    options = given_options(engine.arguments)
    assert options["spark_job_server_jar"] == str(folder / "launch/job-server.jar")
    assert options["files_to_stage"] == str(folder / "launch/empty.jar")
    assert "job_endpoint" not in options
    flags = [a.partition("=")[2] for a in engine.arguments if a.startswith("--job_server_jvm_properties=")]
    assert "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED" in flags
    assert f"-Dspark.executor.extraClassPath={folder}/*" in flags
    assert "-Dspark.excludeOnFailure.killExcludedExecutors=true" in flags


def test_a_jar_of_the_users_brings_its_own_class_path(machine: Path) -> None:
    engine = resolve_runner("spark", None, ["--spark_master_url=spark://far:7077", "--spark_job_server_jar=/official.jar"])
    assert "files_to_stage" not in given_options(engine.arguments)
    assert not any("extraClassPath" in argument for argument in engine.arguments)
    assert any("--add-opens" in argument for argument in engine.arguments)


@pytest.mark.parametrize("runner", PRESETS)
def test_what_is_given_wins_over_every_default(runner: str, machine: Path, cluster: Cluster) -> None:
    own = [f"--{name}=own" for name in (*PRESETS[runner].defaults, *PRESETS[runner].needs, "job_endpoint", "prism_location")]
    assert set(options_of(runner, *own).values()) <= {"own", PRESETS[runner].runner, "/e.jar"}


@pytest.mark.parametrize("runner", PRESETS)
def test_other_options_go_along(runner: str, machine: Path, cluster: Cluster) -> None:
    needed = [f"--{name}=x" for name in PRESETS[runner].needs]
    assert resolve_runner(runner, None, [*needed, "--x=1", "--flag"]).arguments[-2:] == ("--x=1", "--flag")


@pytest.mark.parametrize("kind", ["DOCKER", "EXTERNAL", "LOOPBACK"])
def test_workers_of_another_kind_need_no_boot_program(kind: str, machine: Path) -> None:
    (machine / "interleaf-beam-boot").unlink()
    assert "environment_config" not in options_of("flink", f"--environment_type={kind}")


def test_prism_is_found_on_the_path_or_where_go_puts_it(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert options_of("prism")["prism_location"] == str(machine / "prism")
    (machine / "prism").unlink()
    (tmp_path / "go/bin").mkdir(parents=True)
    (tmp_path / "go/bin/prism").touch(mode=0o755)
    monkeypatch.setenv("GOPATH", str(tmp_path / "go"))
    assert options_of("prism")["prism_location"] == str(tmp_path / "go/bin/prism")


@pytest.mark.parametrize(
    ("runner", "arguments", "absent", "parts"),
    [
        ("spark", [], "", ["no cluster in", "scripts.spark_cluster up", "--spark_master_url"]),
        ("spark", ["--spark_master_url=spark://far:7077"], "", ["scripts.spark_cluster jars", "--spark_job_server_jar"]),
        ("spark", ["--job_endpoint=h:1"], "interleaf-beam-boot", ["interleaf-beam-boot", "--environment_config"]),
        ("prism", [], "prism", ["go install github.com/apache/beam/sdks/v2/go/cmd/prism@v2.", "--prism_location"]),
        ("dataflow", ["--project=p"], "", ["--region, --temp_location, --sdk_container_image"]),
    ],
)
def test_what_a_preset_lacks_is_told_with_the_remedy(
    machine: Path, runner: str, arguments: list[str], absent: str, parts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if absent:
        (machine / absent).unlink()
        monkeypatch.setenv("HOME", str(machine))
    with pytest.raises(UsageError) as raised:
        resolve_runner(runner, None, arguments)
    for part in parts:
        assert part in str(raised.value)


def test_a_damaged_cluster_file_is_named(cluster: Cluster) -> None:
    path = spark_cluster.cluster_folder() / "cluster.json"
    path.write_text('{"processes": {}}')
    with pytest.raises(UsageError, match=str(path)):
        resolve_runner("spark", None, [])


@pytest.mark.parametrize("runner", PRESETS)
def test_a_preset_says_once_all_that_it_resolved_to(runner: str, machine: Path, cluster: Cluster) -> None:
    engine = resolve_runner(runner, None, [f"--{name}=x" for name in PRESETS[runner].needs])
    assert "\n" not in engine.text
    assert runner in engine.text
    assert PRESETS[runner].runner in engine.text
    for name in given_options(engine.arguments[1:]):
        assert f"--{name}=" in engine.text


def test_help_names_every_preset_with_its_defaults() -> None:
    text = describe_presets()
    for name, preset in PRESETS.items():
        assert name in text
        for option, value in preset.defaults.items():
            assert f"--{option}={value}" in text


class JobServer(beam_job_api_pb2_grpc.JobServiceServicer):  # type: ignore[misc]
    """A job server that knows one option of its own."""

    def DescribePipelineOptions(self, request, context):  # type: ignore[no-untyped-def]  # noqa: N802
        option = beam_job_api_pb2.PipelineOptionDescriptor(name="storage_level")
        return beam_job_api_pb2.DescribePipelineOptionsResponse(options=[option])


def test_an_option_is_checked_against_the_job_server_too() -> None:
    server = grpc.server(ThreadPoolExecutor(2))
    beam_job_api_pb2_grpc.add_JobServiceServicer_to_server(JobServer(), server)
    endpoint = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        arguments = [f"--job_endpoint={endpoint}", "--environment_type=LOOPBACK", "--storage_level=X"]
        check_beam_arguments(resolve_runner("PortableRunner", None, arguments))
        with pytest.raises(UsageError, match="--no_such_option: unknown option"):
            check_beam_arguments(resolve_runner("PortableRunner", None, [*arguments, "--no_such_option=1"]))
    finally:
        server.stop(None)


def test_a_job_server_that_does_not_answer_is_told_before_the_work(tmp_path: Path, crawl: Path) -> None:
    with socket.socket() as taken:  # a port without a listener
        taken.bind(("127.0.0.1", 0))
        endpoint = f"127.0.0.1:{taken.getsockname()[1]}"
        command = ["build", "--input", str(crawl), "--output", str(tmp_path / "out"), "--runner", "PortableRunner"]
        result = interleaf(*command, f"--job_endpoint={endpoint}")
    assert result.returncode == 2
    assert f"{endpoint}: no job server answers" in result.stderr
    assert not (tmp_path / "out").exists()
