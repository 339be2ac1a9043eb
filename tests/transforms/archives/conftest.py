"""Fixtures of the archive tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., str]:
    """Writes parts one behind the other into a file and gives its path."""

    def write(*parts: bytes, name: str = "a.warc.gz") -> str:
        path = tmp_path / name
        path.write_bytes(b"".join(parts))
        return str(path)

    return write
