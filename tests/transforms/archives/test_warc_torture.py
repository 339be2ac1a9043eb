"""Hostile archives: every fault is named, and the sentinel behind it is read (field_reports.md, claim 6 and rows D)."""

from __future__ import annotations

import gzip
import random

import pytest

from scripts.bench.torture_set import CASES, HTML, HTML_BYTES, IMAGE_BYTES, MEMBER, SENTINEL, URL, cut_page, wrong_checksum
from scripts.bench.warc_builder import gzip_member, page, sentinel, stored_member
from transforms.archives.settings import ReadLimits
from transforms.archives.warc import read_responses
from transforms.records import Response

LIMITS = ReadLimits(html_bytes=HTML_BYTES, image_bytes=IMAGE_BYTES)


def summary(item: object) -> tuple[object, ...] | str:
    return (item.url, item.body, *item.flags) if isinstance(item, Response) else item.rule  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_fault_is_named_and_sentinel_is_read(archive, case):
    path = archive(case.archive)
    assert [summary(item) for item in read_responses(path, limits=LIMITS)] == [*case.expected, SENTINEL]


ONLY_GZIP = ("D10", "member", "junk", "line_end", "empty_member", "D9_version_line_without_end")
PLAIN_CASES = [case for case in CASES if not case.name.startswith(ONLY_GZIP)]


@pytest.mark.parametrize("case", PLAIN_CASES, ids=[case.name for case in PLAIN_CASES])
def test_plain_file_gives_the_same(archive, case):
    path = archive(gzip.decompress(case.before), sentinel(), name="a.warc")
    assert [summary(item) for item in read_responses(path, limits=LIMITS)] == [*case.expected, SENTINEL]


def test_the_set_is_as_large_as_it_should_be():
    assert len({case.name for case in CASES}) == len(CASES) >= 40


def test_damage_in_a_shared_member_keeps_the_records_long_before_it(archive):
    bodies = [random.Random(i).randbytes(4000) for i in range(60)]
    path = archive(wrong_checksum(b"".join(map(page, bodies))), gzip_member(sentinel()))
    items = [summary(item) for item in read_responses(path)]
    pages = items[:-2]
    assert len(pages) > 40
    assert pages == [(URL, body) for body in bodies[: len(pages)]]
    assert items[-2:] == ["read.damaged", SENTINEL]


@pytest.mark.parametrize("stored", [stored_member, gzip_member])
@pytest.mark.parametrize("keep", [0.3, 0.6, 0.9, 0.999])
def test_cut_last_member_is_flagged_or_dropped(archive, stored, keep):
    body = HTML + bytes(i * 7919 % 251 for i in range(2000))
    member = stored(page(body))
    path = archive(gzip_member(sentinel()), member[: int(len(member) * keep)])
    first, last = read_responses(path)
    assert summary(first) == SENTINEL
    if isinstance(last, Response):
        assert body.startswith(last.body)
        assert last.body
        assert last.flags == ("archive_truncated",)
    else:
        assert last.rule == "read.truncated"


def test_every_cut_of_a_last_member_is_seen(archive):
    member = stored_member(page(HTML))
    outcomes = set()
    for size in range(1, len(member)):
        items = list(read_responses(archive(gzip_member(sentinel()), member[:size])))
        assert len(items) == 2, size
        last = summary(items[1])
        outcomes.add(last if isinstance(last, str) else last[2:])
    assert outcomes == {"read.truncated", ("archive_truncated",)}


def test_cut_plain_file_is_flagged(archive):
    path = archive(sentinel(), page(HTML)[: -len(HTML)], name="a.warc")
    assert [summary(item) for item in read_responses(path)] == [SENTINEL, (URL, HTML[:4], "archive_truncated")]


def test_d11_round_size_without_end_tag_may_be_truncated(archive):
    size = 1024 * 1024
    path = archive(*(gzip_member(cut_page(n, end=end)) for n, end in ((size, b""), (size, b"</html>"), (size + 1, b""))))
    assert [item.flags for item in read_responses(path)] == [("maybe_truncated",), (), ()]


def test_drop_names_place_value_and_threshold(archive):
    path = archive(MEMBER, gzip_member(cut_page(4567)))
    _, drop = read_responses(path, limits=LIMITS)
    assert (drop.stage, drop.rule, drop.target_kind, drop.target_id) == ("read", "read.too_large", "record", "<urn:uuid:1>")
    assert (drop.url, drop.value, drop.threshold, drop.file, drop.offset) == (URL, 4567, 4000, path, len(MEMBER))


@pytest.mark.parametrize(
    ("content", "rules"),
    [
        (b"", []),
        (b"%PDF-1.7 and so on", ["read.not_an_archive"]),
        (gzip_member(b"<html>"), ["read.not_an_archive"]),
        (bytes(range(256)) * 3000, ["read.not_an_archive"]),
        (gzip_member(b"WARC/1.0"), ["read.malformed"]),
        (b"WARC/1.0\r\n\r\n", ["read.malformed"]),
    ],
)
def test_files_without_records(archive, content, rules):
    path = archive(content)
    assert [item.rule for item in read_responses(path)] == rules
    assert list(read_responses(path, 3)) == []
