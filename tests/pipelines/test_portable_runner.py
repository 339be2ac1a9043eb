"""The job on Beam's portable protocol without Java: embedded job endpoint, worker pool, our boot program (beam.md section 10)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_helpers import interleaf, tree_hash

from scripts.worker_pool import worker_pool


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with worker_pool(tmp_path_factory.mktemp("pool")) as (endpoint, _):
        yield endpoint


def portable(pool: str) -> list[str]:
    return ["--runner", "PortableRunner", "--job_endpoint=embed", "--environment_type=EXTERNAL", f"--environment_config={pool}"]


def test_the_portable_protocol_writes_the_bytes_of_the_local_runner(finished: Path, crawl: Path, tmp_path: Path, pool: str) -> None:
    result = interleaf("build", "--input", str(crawl), "--output", str(tmp_path / "out"), *portable(pool))
    assert result.returncode == 0, result.stderr
    assert tree_hash(tmp_path / "out") == tree_hash(finished)


def test_a_worker_that_fails_ends_the_command_with_its_error_and_the_same_command_resumes(
    finished: Path, crawl: Path, tmp_path: Path, pool: str
) -> None:
    output = tmp_path / "out"
    shutil.copytree(finished, output)
    # A file where the images belong: the worker cannot write its shard.
    shutil.rmtree(output / "images")
    (output / "_SUCCESS").unlink()
    (output / "images").touch()
    command = ["build", "--input", str(crawl), "--output", str(output), *portable(pool)]
    result = interleaf(*command)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert f"FileExistsError: [Errno 17] File exists: '{output}/images'" in result.stderr
    assert "store_shard" in (output / "error.log").read_text()
    (output / "images").unlink()
    result = interleaf(*command)
    assert result.returncode == 0, result.stderr
    assert tree_hash(output) == tree_hash(finished)
