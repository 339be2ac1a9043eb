"""Files -> ranges of bytes, the unit that a worker reads (beam.md section 4)."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.records import InputRange


def plan_ranges(files: Sequence[tuple[str, int]], range_bytes: int) -> list[InputRange]:
    """Cuts files, given as path and size in bytes, into ranges of `range_bytes`, the last of a file being shorter.

    Ranges are numbered over all files in the order of their paths, so the plan depends on nothing but its arguments. A file
    without bytes has no range. Raises ValueError for a range below one byte and for a path that comes twice.

    >>> [(r.index, r.file, r.start, r.stop) for r in plan_ranges([("b", 3), ("a", 5)], 3)]
    [(0, 'a', 0, 3), (1, 'a', 3, 5), (2, 'b', 0, 3)]
    """
    if range_bytes < 1:
        raise ValueError(f"range_bytes is {range_bytes}, but must be at least 1")
    ranges: list[InputRange] = []
    previous = None
    for path, size in sorted(files):
        if path == previous:
            raise ValueError(f"{path} is given twice; its records would be read twice")
        previous = path
        for start in range(0, size, range_bytes):
            ranges.append(InputRange(len(ranges), path, start, min(start + range_bytes, size)))
    return ranges
