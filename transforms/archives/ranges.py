"""Files -> ranges, the unit that a worker reads (beam.md section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from transforms.records import InputFormat, InputRange

FilePlan: TypeAlias = tuple[InputFormat, list[tuple[int, int]]]
"""A file's format, and its half-open ranges in the unit of that format."""


def plan_ranges(
    files: Iterable[tuple[str, int]], range_bytes: int, plan_file: Callable[[str, int], FilePlan] | None = None
) -> Iterator[InputRange]:
    """Cuts files, given as path and size in bytes, into ranges of `range_bytes`, the last of a file being shorter.

    Ranges are numbered over all files, which come in the order of their paths, so the plan depends on nothing but its arguments;
    nothing is held of what was given out. A file without bytes has no range. plan_file: how a file is cut; every file is taken for
    WARC without. Raises ValueError for a range below one byte, for a path that comes twice and for one out of order.

    >>> [(r.index, r.file, r.start, r.stop) for r in plan_ranges([("a", 5), ("b", 3)], 3)]
    [(0, 'a', 0, 3), (1, 'a', 3, 5), (2, 'b', 0, 3)]
    """
    if range_bytes < 1:
        raise ValueError(f"range_bytes is {range_bytes}, but must be at least 1")
    index = 0
    previous = None
    for path, size in files:
        if path == previous:
            raise ValueError(f"{path} is given twice; its records would be read twice")
        if previous is not None and path < previous:
            raise ValueError(f"{path} comes after {previous}; files must come in the order of their paths")
        previous = path
        if size == 0:
            continue
        format_, pieces = plan_file(path, size) if plan_file is not None else ("warc", cut_bytes(size, range_bytes))
        for start, stop in pieces:
            yield InputRange(index, path, start, stop, format_)
            index += 1


def cut_bytes(size: int, range_bytes: int) -> list[tuple[int, int]]:
    """Ranges of `range_bytes` bytes, the last being shorter."""
    return [(start, min(start + range_bytes, size)) for start in range(0, size, range_bytes)]


def join_neighbours(sizes: Sequence[int], range_bytes: int) -> list[tuple[int, int]]:
    """Parts of a file that cannot be cut, joined until they have `range_bytes` together: half-open ranges of part numbers.

    >>> join_neighbours([3, 3, 3, 9, 1], 5)
    [(0, 2), (2, 4), (4, 5)]
    """
    ranges: list[tuple[int, int]] = []
    begin = joined = 0
    for index, size in enumerate(sizes):
        joined += size
        if joined >= range_bytes or index == len(sizes) - 1:
            ranges.append((begin, index + 1))
            begin, joined = index + 1, 0
    return ranges
