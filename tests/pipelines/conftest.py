"""The demo crawl and a finished run of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_helpers import run_build

from scripts.make_demo_crawl import make_demo_crawl


@pytest.fixture(scope="session")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archives of the demo crawl."""
    folder = tmp_path_factory.mktemp("crawl")
    make_demo_crawl(folder)
    return folder


@pytest.fixture(scope="session")
def finished(crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the demo crawl, made in this process; tests must not change it."""
    folder = tmp_path_factory.mktemp("runs") / "out"
    assert run_build([str(crawl)], folder)[0] == 0
    return folder


@pytest.fixture(scope="session")
def retunable(crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the demo crawl that has stored what it did not choose, with blocks; tests must not change it."""
    folder = tmp_path_factory.mktemp("retunable") / "out"
    overrides = ["extract.main_content.retunable=true", "output.blocks=true"]
    assert run_build([str(crawl)], folder, overrides=overrides)[0] == 0
    return folder
