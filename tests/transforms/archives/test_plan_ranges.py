"""Files become ranges that cover every byte once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.archives.ranges import plan_ranges
from transforms.records import InputRange


def test_ranges_are_numbered_over_files_in_path_order():
    assert list(plan_ranges([("a", 25), ("b", 10), ("empty", 0)], 10)) == [
        InputRange(0, "a", 0, 10),
        InputRange(1, "a", 10, 20),
        InputRange(2, "a", 20, 25),
        InputRange(3, "b", 0, 10),
    ]


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 500)), st.integers(1, 100))
def test_ranges_cover_each_file_once(files, range_bytes):
    ranges = list(plan_ranges(sorted(files.items()), range_bytes))
    assert [r.index for r in ranges] == list(range(len(ranges)))
    for path, size in files.items():
        own = [r for r in ranges if r.file == path]
        bounds = [0, *(r.stop for r in own)]
        assert [r.start for r in own] == bounds[:-1]
        assert bounds[-1] == size
        assert all(1 <= r.stop - r.start <= range_bytes for r in own)


@pytest.mark.parametrize(
    ("files", "range_bytes", "message"),
    [
        ([("a", 1)], 0, "at least 1"),
        ([("a", 1), ("a", 2)], 5, "given twice"),
        ([("b", 1), ("a", 2)], 5, "order of their paths"),
    ],
)
def test_refuses(files, range_bytes, message):
    with pytest.raises(ValueError, match=message):
        list(plan_ranges(files, range_bytes))
