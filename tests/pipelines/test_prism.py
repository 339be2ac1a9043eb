"""The job on Prism, Beam's runner in Go: a second opinion on the graph, with its own order of bundles (beam.md section 11)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from run_helpers import interleaf, tree_hash

from pipelines.errors import UsageError
from pipelines.presets import find_prism

pytestmark = pytest.mark.prism


@pytest.fixture
def prism() -> list[str]:
    """Options for a run on Prism; without the binary the test is skipped."""
    try:
        find_prism({})
    except UsageError as error:
        pytest.skip(str(error))
    return ["--runner", "prism"]


def test_prism_writes_the_bytes_of_the_local_runner(finished: Path, crawl: Path, tmp_path: Path, prism: list[str]) -> None:
    result = interleaf("build", "--input", str(crawl), "--output", str(tmp_path / "out"), *prism)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("engine: prism (PrismRunner)") == 1
    assert tree_hash(tmp_path / "out") == tree_hash(finished)


def test_prism_chooses_main_content_again_as_the_local_runner(retunable: Path, tmp_path: Path, prism: list[str]) -> None:
    threshold = ["--set", "extract.main_content.threshold=0.9"]
    for name, options in {"local": ["--workers", "1"], "prism": prism}.items():
        result = interleaf("retune", str(retunable), "--output", str(tmp_path / name), *threshold, *options)
        assert result.returncode == 0, result.stderr
    assert tree_hash(tmp_path / "prism") == tree_hash(tmp_path / "local")


def test_a_failure_on_prism_ends_the_command_with_its_error(finished: Path, crawl: Path, tmp_path: Path, prism: list[str]) -> None:
    output = tmp_path / "out"
    shutil.copytree(finished, output)
    # A file where the images belong: the worker cannot write its shard.
    shutil.rmtree(output / "images")
    (output / "_SUCCESS").unlink()
    (output / "images").touch()
    result = interleaf("build", "--input", str(crawl), "--output", str(output), *prism)
    assert result.returncode == 1
    assert f"FileExistsError: [Errno 17] File exists: '{output}/images'" in result.stderr
