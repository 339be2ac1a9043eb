"""Runs as tests need them: in this process, as a command, and compared by their bytes."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pipelines.build import build_dataset
from scripts.bench.kills import tree_hash

__all__ = ["ROOT", "interleaf", "run_build", "tree_hash"]

ROOT = Path(__file__).resolve().parents[2]


def run_build(patterns: Sequence[str], output: Path, *, overrides: Sequence[str] = (), **options: object) -> tuple[int, str]:
    """`interleaf build` in this process with one worker; exit status and what it said. Errors are raised."""
    stream = io.StringIO()
    settings = {"workers": 1, "runner": "local", **options}
    status = build_dataset(
        config="default",
        overrides=overrides,
        patterns=patterns,
        output=str(output),
        stream=stream,
        **settings,  # type: ignore[arg-type]
    )
    return status, stream.getvalue()


def interleaf(*arguments: str, timeout: float = 240, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, from a folder."""
    return subprocess.run(
        [sys.executable, "-m", "pipelines.cli", *arguments],
        capture_output=True, text=True, timeout=timeout, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
