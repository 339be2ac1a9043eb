"""Sizes in bytes as people write them: `8MiB`, `64 KB`, `1000`."""

from __future__ import annotations

import re

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}


def parse_size(text: str) -> int:
    """Bytes of a size. Raises ValueError with the allowed forms.

    >>> parse_size("8MiB")
    8388608
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].upper() not in _UNITS:
        raise ValueError(f"{text!r} is not a size; write a number with B, KB, MB, GB, KiB, MiB or GiB, e.g. 8MiB")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def format_size(size: float) -> str:
    """A size for people, three digits at most.

    >>> format_size(8_400_000)
    '8.0 MiB'
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
