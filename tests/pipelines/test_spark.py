"""The job on a real Spark cluster of two executors on this machine (beam.md section 9)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_helpers import interleaf, run_build, tree_hash

from pipelines.spark_cluster import FOLDER, read_cluster
from scripts.spark.class_path import SparkUnavailableError
from scripts.spark.jobs import applications, job_states
from scripts.spark.processes import ClusterSize, master_state, members, start_cluster, stop_cluster

REQUIRED = "INTERLEAF_REQUIRE_SPARK"
SECONDS = 400.0
"""Limit of one job; forty to ninety seconds are usual, most of it the start of executors and Python."""

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]


# An executor that is replaced takes its shuffle files with it, and Spark may end the job with their loss rather than with the error
# that began it (scripts/spark.md). Replacements are what `scripts.bench.spark_faults` is for.
NO_REPLACEMENTS = {"spark.excludeOnFailure.enabled": "false"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a running cluster. Where Java, Maven or the jars are missing, tests are skipped with one line that says so."""
    folder = tmp_path_factory.mktemp("spark")
    try:
        start_cluster(folder, ClusterSize(properties=NO_REPLACEMENTS))
    except SparkUnavailableError as error:
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{REQUIRED}=1, and there is no Spark: {error}")
        pytest.skip(f"no Spark: {error}")
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(FOLDER, str(folder))
            yield folder
    finally:
        stop_cluster(folder)
    assert members(folder) == []


def jobs_of(folder: Path) -> dict[str, str]:
    """Each job's own state, by its name: the master says FINISHED of every application that ended."""
    cluster = read_cluster(folder)
    assert cluster is not None
    assert all(application["state"] == "FINISHED" for application in master_state(cluster)["completedapps"])
    return job_states(cluster)


def test_spark_writes_the_bytes_of_the_local_runner_on_two_executors(
    finished: Path, crawl: Path, tmp_path: Path, cluster: Path
) -> None:
    # A relative output: the workers run in the folder of the command.
    result = interleaf("build", "--input", str(crawl), "--output", "out", "--runner", "spark", timeout=SECONDS, folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("engine: spark (SparkRunner)") == 1
    assert tree_hash(tmp_path / "out") == tree_hash(finished)
    assert set(jobs_of(cluster).values()) == {"DONE"}
    tasks = applications(cluster / "events")[-1].tasks
    assert len(tasks) == 2
    assert all(set(ends) == {"Success"} for ends in tasks.values())


def test_spark_chooses_main_content_again_as_the_local_runner(retunable: Path, tmp_path: Path, cluster: Path) -> None:
    threshold = ["--set", "extract.main_content.threshold=0.9"]
    for name, options in {"local": ["--workers", "1"], "spark": ["--runner", "spark"]}.items():
        result = interleaf("retune", str(retunable), "--output", str(tmp_path / name), *threshold, *options, timeout=SECONDS)
        assert result.returncode == 0, result.stderr
    assert tree_hash(tmp_path / "spark") == tree_hash(tmp_path / "local")
    assert set(jobs_of(cluster).values()) == {"DONE"}


def test_a_failure_on_spark_ends_the_command_with_its_error_and_any_runner_resumes(
    finished: Path, crawl: Path, tmp_path: Path, cluster: Path
) -> None:
    output = tmp_path / "out"
    shutil.copytree(finished, output)
    # A file where the images belong: the worker cannot write its shard.
    shutil.rmtree(output / "images")
    (output / "_SUCCESS").unlink()
    (output / "images").touch()
    before = jobs_of(cluster)
    result = interleaf("build", "--input", str(crawl), "--output", str(output), "--runner", "spark", timeout=SECONDS)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert f"FileExistsError: [Errno 17] File exists: '{output}/images'" in result.stderr
    assert [state for name, state in jobs_of(cluster).items() if name not in before] == ["FAILED"]
    (output / "images").unlink()
    assert run_build([str(crawl)], output)[0] == 0
    assert tree_hash(output) == tree_hash(finished)
