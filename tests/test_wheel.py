"""Without the checkout: the wheel alone, in an empty folder, makes a dataset."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts.make_demo_crawl import make_demo_crawl

ROOT = Path(__file__).resolve().parents[1]
PACKAGED = ("configs", "filters", "pipelines", "transforms")
FILES = ("LICENSE", "NOTICE", "README.md", "pyproject.toml", "setup.py")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds, as an installation has it."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    # A copy, because the build leaves files in its source, and a later one would pack them.
    for package in PACKAGED:
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(source)], check=True, timeout=120)
    [wheel] = folder.glob("interleaf-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def test_the_wheel_holds_configurations_models_and_lists_and_no_tests(installed: Path) -> None:
    def files(folder: str) -> set[str]:
        return {path.name for path in (ROOT / folder).iterdir() if path.is_file()}

    for folder in ("configs", "configs/models", "filters/lists"):
        assert {path.name for path in (installed / folder).iterdir() if path.is_file()} == files(folder)
    assert {path.name for path in installed.iterdir() if path.suffix != ".dist-info"} == set(PACKAGED)


def test_the_wheel_builds_a_dataset_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    make_demo_crawl(tmp_path / "crawl")
    program = (
        "import sys, pipelines.cli as cli\n"
        f"assert cli.__file__.startswith({str(installed)!r}), cli.__file__\n"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    result = subprocess.run(
        [sys.executable, "-c", program, "build", "--config", "demo", "--input", "crawl", "--output", "out", "--workers", "1"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out" / "_SUCCESS").is_file()
    assert list((tmp_path / "out" / "data").glob("*.parquet"))
