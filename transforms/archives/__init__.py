"""Archives and tables of crawled pages: every format that is read, behind one entry (design.md, `input`).

The readers are imported when they are asked for: a process that only decodes pages (`encoding`) needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transforms.archives.read import plan_file, plan_input, read_range, read_source
    from transforms.archives.settings import ReadSettings
    from transforms.archives.tables import TableConfig
    from transforms.files import InputError

__all__ = ["InputError", "ReadSettings", "TableConfig", "plan_file", "plan_input", "read_range", "read_source"]

_ELSEWHERE = {
    "InputError": "transforms.files",
    "ReadSettings": "transforms.archives.settings",
    "TableConfig": "transforms.archives.tables",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ELSEWHERE.get(name, "transforms.archives.read")), name)
