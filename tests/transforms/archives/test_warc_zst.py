"""`.warc.zst`: a frame a record, with or without the dictionary that archives of this kind begin with, read as `.warc.gz` is."""

from __future__ import annotations

import gzip
import random
from itertools import pairwise

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.bench.torture_set import CASES, HTML, HTML_BYTES, IMAGE_BYTES, READ, SENTINEL
from scripts.bench.warc_builder import page, sentinel
from transforms.archives import ReadSettings, plan_input, read_range, read_source
from transforms.archives.settings import ReadLimits
from transforms.archives.warc import read_responses
from transforms.records import Drop, InputRange, Response

LIMITS = ReadLimits(html_bytes=HTML_BYTES, image_bytes=IMAGE_BYTES)
ONLY_GZIP = ("D10", "member", "junk", "line_end", "empty_member")
SHARED = [case for case in CASES if not case.name.startswith(ONLY_GZIP)]


def frame(data: bytes, dictionary: zstandard.ZstdCompressionDict | None = None) -> bytes:
    return zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True).compress(data)


def summary(item: Response | Drop) -> tuple[object, ...] | str:
    return (item.url, item.body, *item.flags) if isinstance(item, Response) else item.rule


@pytest.mark.parametrize("case", SHARED, ids=[case.name for case in SHARED])
def test_faults_in_records_are_named_as_in_gzip(archive, case) -> None:
    path = archive(frame(gzip.decompress(case.before)), frame(sentinel()), name="a.warc.zst")
    assert [summary(item) for item in read_responses(path, limits=LIMITS)] == [*case.expected, SENTINEL]


GOOD = frame(page(HTML))
DAMAGE = [
    ("zeroed_inside", GOOD[:60] + bytes(3) + GOOD[63:], ["read.damaged"]),
    ("zeroed_magic", GOOD + bytes(4) + GOOD[4:], [READ, "read.damaged"]),
    ("first_magic_zeroed", bytes(4) + GOOD[4:], ["read.damaged"]),
    ("wrong_checksum", GOOD[:-4] + bytes(4), ["read.damaged"]),
    ("cut_in_the_middle_of_the_file", GOOD[: len(GOOD) // 2], ["read.damaged"]),
    ("junk_between", GOOD + b"\x28\xb5\x2f\xfd junk" * 5, [READ, "read.damaged"]),
    ("frame_without_record", GOOD + frame(b"<html>"), [READ, "read.damaged"]),
    ("empty_frame", GOOD + frame(b""), [READ]),
]


@pytest.mark.parametrize(("parts", "expected"), [case[1:] for case in DAMAGE], ids=[case[0] for case in DAMAGE])
def test_damage_costs_a_frame_and_the_sentinel_is_read(archive, parts, expected) -> None:
    path = archive(parts, frame(sentinel()), name="a.warc.zst")
    assert [summary(item) for item in read_responses(path)] == [*expected, SENTINEL]


def test_every_cut_of_a_last_frame_is_seen(archive) -> None:
    for size in range(4, len(GOOD)):
        items = list(read_responses(archive(frame(sentinel()), GOOD[:size], name="a.warc.zst")))
        assert [summary(item) for item in items[:1]] == [SENTINEL]
        assert isinstance(items[1], Drop) or "archive_truncated" in items[1].flags, size


def dictionary() -> zstandard.ZstdCompressionDict:
    samples = [page(f"<p>{i} {random.Random(i).random()}".encode() + HTML, f"http://page.example/{i}") for i in range(300)]
    return zstandard.train_dictionary(2000, samples)


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_dictionary_in_front_is_used(archive, is_packed) -> None:
    made = dictionary()
    data = zstandard.compress(made.as_bytes()) if is_packed else made.as_bytes()
    front = b"\x5d\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data
    path = archive(front, frame(page(HTML), made), frame(sentinel(), made), name="a.warc.zst")
    size = len(front) + len(frame(page(HTML), made)) + len(frame(sentinel(), made))
    for range_bytes in (1000, 70, 10**6):
        ranges = list(plan_input([(path, size)], range_bytes))
        items = [item for range_ in ranges for item in read_range(range_)]
        assert [summary(item) for item in items] == [READ, SENTINEL]
        assert all(read_source(item.source) == item for item in items)


def test_a_dictionary_that_is_none_costs_the_records_and_no_exception(archive) -> None:
    front = b"\x5d\x2a\x4d\x18\x09\0\0\0" + b"\x28\xb5\x2f\xfd" + bytes(5)
    path = archive(front, frame(page(HTML), dictionary()), name="a.warc.zst")
    assert [item.rule for item in read_responses(path)] in (["read.not_an_archive"], ["read.damaged"])


RECORDS = b"".join(frame(page(random.Random(i).randbytes(i * 37 % 300), f"http://page.example/{i}")) for i in range(12))


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(1, len(RECORDS) - 1), max_size=6))
def test_any_split_points_give_the_same_records(tmp_path_factory, cuts) -> None:
    path = tmp_path_factory.mktemp("zst") / "a.warc.zst"
    path.write_bytes(RECORDS)
    bounds = [0, *sorted(cuts), len(RECORDS)]
    ranges = [InputRange(i, str(path), *pair) for i, pair in enumerate(pairwise(bounds))]
    items = [item for range_ in ranges for item in read_range(range_, ReadSettings())]
    assert [item.url for item in items] == [f"http://page.example/{i}" for i in range(12)]
    assert items == list(read_range(InputRange(0, str(path), 0, len(RECORDS))))
    places = [(item.source.offset, item.source.length) for item in items if isinstance(item, Response)]
    assert sum(length for _, length in places) == len(RECORDS)
