"""Counts of work that no machine's load changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def operations(work: Callable[[], Any]) -> int:
    """Function calls that work makes, of Python and of C."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls
