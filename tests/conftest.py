"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with specs, oracles and real pages beside the checkout; the test is skipped where it is absent."""
    if not (SHARED / "design.md").is_file():
        pytest.skip("needs the folder `shared` beside the checkout (real pages and reference results)")
    return SHARED
