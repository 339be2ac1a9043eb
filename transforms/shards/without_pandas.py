"""Arrow without pandas: `pyarrow.array` imports it to ask whether it is given one of its arrays, for 0.15 CPU s a process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

import pyarrow as pa


class _PandasIsAbsent(MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def leave_pandas_out() -> None:
    """Makes Arrow take pandas for absent in this process, unless it is loaded already. Conversions to pandas still load it.

    `pyarrow.array` asks once and remembers; series that it is given later are to it what any sequence is.
    """
    if "pandas" in sys.modules:
        return
    finder = _PandasIsAbsent()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([], pa.null())
    finally:
        sys.meta_path.remove(finder)
