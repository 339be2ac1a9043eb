"""Any split points give the same records, every place reads its record back, and huge claims cost nothing."""

from __future__ import annotations

import gzip
import os
import random
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scripts.bench.warc_builder import SENTINEL_URL, gzip_member, http_response, page, sentinel, stored_member, warc_record
from transforms.archives.streams import GzipMember, StoredFile
from transforms.archives.warc import read_record, read_responses, read_warc
from transforms.records import Page, Response

NOISE = random.Random(7)


def noise_page(size: int, url: str, **record: object) -> bytes:
    return page(NOISE.randbytes(size), url, record_id=f"<{url}>", **record)


def nested_archive(url: str, size: int) -> bytes:
    """A response that is itself a .warc.gz, which deflate keeps as it is."""
    inner = b"".join(gzip_member(noise_page(900, f"http://inner.example/{url[-1]}{i}")) for i in range(size))
    return stored_member(warc_record(http_response(inner, content_type="application/gzip"), url))


def make_parts() -> list[bytes]:
    """Members, damage and oddities, all small, so that split points meet every one of them."""
    good = [gzip_member(noise_page(size, f"http://p.example/{i}")) for i, size in enumerate((5, 300, 2000, 40_000, 700))]
    return [
        *good,
        good[1][:-20] + bytes(12) + good[1][-8:],  # damaged inside
        bytes(3) + good[2][3:],  # damaged magic
        b"\x1f\x8b\x08junk" * 5,
        gzip_member(b""),
        gzip_member(
            page(b"<p>one", "http://s.example/1", record_id="<1>") + page(b"<p>two", "http://s.example/2", record_id="<2>")
        ),
        gzip_member(warc_record(b"a: b", None, warc_type="warcinfo")),
        nested_archive("http://n.example/a", 5),
        nested_archive("http://n.example/b", 90),
        gzip_member(page(b"<p>x", "http://l.example/", length=5)),
        good[4][:-9] + b"\0" + good[4][-8:],
    ]


PARTS = make_parts()


def items_in_ranges(path: str, points: list[int]) -> list[object]:
    bounds = [0, *sorted(points), None]
    return [item for start, stop in pairwise(bounds) for item in read_responses(path, start, stop)]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.data(), order=st.lists(st.integers(0, len(PARTS) - 1), min_size=1, max_size=9), cut=st.sampled_from([0, 0, 1, 8, 30])
)
def test_any_split_points_give_the_same_items(archive, data, order, cut):
    stored = b"".join(PARTS[i] for i in order)
    stored = stored[: len(stored) - cut]
    path = archive(stored)
    bounds = [sum(len(PARTS[i]) for i in order[:k]) for k in range(len(order) + 1)]
    near = st.sampled_from(bounds).flatmap(lambda b: st.integers(b - 2, b + 2)).filter(lambda point: point > 0)
    points = data.draw(st.lists(near | st.integers(1, len(stored)), max_size=6))
    assert items_in_ranges(path, points) == list(read_responses(path))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lengths=st.lists(st.sampled_from([0, 0, 0, -1, 1, -30, 200, 10**10]), min_size=1, max_size=6), data=st.data())
def test_any_split_points_of_a_plain_file_give_the_same_items(archive, lengths, data):
    stored = b"".join(page(b"<p>%d" % i * 9, f"http://p.example/{i}", length=length) for i, length in enumerate(lengths))
    path = archive(stored, sentinel(), name="a.warc")
    points = data.draw(st.lists(st.integers(1, len(stored)), max_size=4))
    whole = list(read_responses(path))
    assert [item.url for item in whole] == [*(f"http://p.example/{i}" for i in range(len(lengths))), SENTINEL_URL]
    assert items_in_ranges(path, points) == whole


def test_archives_inside_archives_are_not_entered(archive):
    path = archive(*PARTS[:3], PARTS[11], PARTS[12], gzip_member(sentinel()))
    size = os.path.getsize(path)
    urls = {item.url for start in range(1, size, 997) for item in read_responses(path, start)}
    assert not any("inner" in url for url in urls)
    assert SENTINEL_URL in urls


def test_every_place_reads_its_record_back(archive):
    path = archive(*PARTS[:5], PARTS[9], PARTS[13], gzip_member(sentinel()))
    responses = list(read_responses(path))
    assert len(responses) == 9
    for response in responses:
        source = response.source
        assert read_record(path, source.offset, source.length, source.record_id) == response


def test_d14_lengths_at_block_borders_read_back(archive):
    sizes = [64 * 1024 * k + d for k in (1, 2, 4) for d in (-1, 0, 1)] * 12
    members = []
    for i, size in enumerate(sizes):
        overhead = len(stored_member(page(b"", f"http://p.example/{i}")))
        members.append(
            stored_member(page(NOISE.randbytes(max(0, size - overhead - 5 * (size // 65_535))), f"http://p.example/{i}"))
        )
    path = archive(*members)
    responses = list(read_responses(path))
    assert [(r.source.offset, r.source.length) for r in responses] == [
        (sum(map(len, members[:i])), len(m)) for i, m in enumerate(members)
    ]
    for response in responses:
        assert read_record(path, response.source.offset, response.source.length) == response


def test_plain_records_read_back(archive):
    path = archive(
        page(b"<p>a", "http://p.example/a", length=1), page(b"<p>b", "http://p.example/b", length=-1), sentinel(), name="a.warc"
    )
    for response in read_responses(path):
        assert read_record(path, response.source.offset, response.source.length) == response


@pytest.mark.parametrize(("offset", "length"), [(0, 10), (5, 400), (10**9, 10)])
def test_wrong_place_is_a_drop(archive, offset, length):
    path = archive(gzip_member(sentinel()))
    assert read_record(path, offset, length).rule in {"read.truncated", "read.damaged", "read.malformed"}


def test_source_names_the_compressed_place(archive):
    first = gzip_member(page(b"<p>a", "http://p.example/"))
    digest = "WARC-Payload-Digest: sha1:ABC"
    second = gzip_member(warc_record(http_response(b"<p>b"), "http://p.example/b", digest, record_id="<urn:uuid:b>"))
    path = archive(first, second)
    _, response = read_responses(path)
    source = response.source
    assert (source.file, source.offset, source.length, source.record_id, source.digest) == (
        path,
        len(first),
        len(second),
        "<urn:uuid:b>",
        "sha1:ABC",
    )
    assert response.date == "2024-05-06T07:08:09Z"
    assert response.headers == (("content-type", "text/html"),)


def test_opener_is_asked_for_the_file(archive):
    stored = gzip_member(sentinel())
    opened = []

    def opener(path: str):
        opened.append(path)
        return open(archive(stored), "rb")

    assert [item.url for item in read_responses("somewhere://x", opener=opener)] == [SENTINEL_URL]
    assert opened == ["somewhere://x"]


def test_read_warc_selects_pages(archive):
    image = warc_record(http_response(b"\x89PNG\r\n\x1a\n", content_type="image/png"), "http://p.example/i")
    path = archive(gzip_member(sentinel()), gzip_member(image))
    first, second = read_warc(path)
    assert isinstance(first, Page)
    assert (first.url, first.body, first.content_type) == (SENTINEL_URL, b"<p>sentinel</p>", "text/html")
    assert (second.rule, second.url) == ("select.mime", "http://p.example/i")


GIGABYTE = 1024**3


def sparse_plain_archive(path: str, size: int) -> None:
    """A page of `size` zero bytes that takes no room on the disk, then the sentinel."""
    head = http_response(b"")
    record = warc_record(head, "http://p.example/", length=f"{len(head) + size}", end=b"")
    with open(path, "wb") as file:
        file.write(record)
        file.truncate(len(record) + size)
        file.seek(0, 2)
        file.write(b"\r\n\r\n" + sentinel())


def test_d13_sparse_3_gb_record_is_passed_in_constant_memory(tmp_path):
    path = str(tmp_path / "a.warc")
    sparse_plain_archive(path, 3 * GIGABYTE)
    tracemalloc.start()
    drop, response = read_responses(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (drop.rule, drop.value, drop.threshold) == ("read.too_large", 3 * GIGABYTE, 10 * 1024**2)
    assert response.url == SENTINEL_URL
    assert peak < 40 * 1024**2


def test_large_compressed_record_is_passed_in_constant_memory(tmp_path):
    path = tmp_path / "a.warc.gz"
    size = 200 * 1024**2
    head = http_response(b"")
    with open(path, "wb") as file:
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1) as member:
            member.write(warc_record(head, "http://p.example/", length=f"{len(head) + size}", end=b""))
            for _ in range(200):
                member.write(bytes(1024**2))
            member.write(b"\r\n\r\n")
        file.write(gzip_member(sentinel()))
    tracemalloc.start()
    drop, response = read_responses(str(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (drop.rule, drop.value, response.url) == ("read.too_large", size, SENTINEL_URL)
    assert peak < 40 * 1024**2


def test_claim_of_3_gb_costs_no_memory(archive):
    path = archive(gzip_member(page(b"<p>a", "http://p.example/", length=3 * GIGABYTE)), gzip_member(sentinel()))
    tracemalloc.start()
    first, second = read_responses(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (first.body, first.flags, second.url) == (b"<p>a", ("length_mismatch",), SENTINEL_URL)
    assert peak < 4 * 1024**2


def test_real_archives_are_read_whole(shared):
    path = str(shared / "data" / "wcxb" / "dev-00005-of-00006.warc.gz")
    items = list(read_responses(path))
    assert all(isinstance(item, Response) and item.flags == () for item in items)
    size = os.path.getsize(path)
    assert items_in_ranges(path, [size // 3, size // 2]) == items


def test_stored_file_finds_across_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("transforms.archives.streams.BLOCK_BYTES", 4)
    path = tmp_path / "a"
    path.write_bytes(b"....abc..abc")
    with open(path, "rb") as handle:
        file = StoredFile(handle)
        assert [file.find(b"abc", offset) for offset in (0, 4, 5, 10)] == [4, 4, 9, None]


@pytest.mark.parametrize("length", [1, 10_000, "0", None])
def test_false_lengths_in_a_shared_member_cost_linear_work(archive, monkeypatch, length):
    inflated = 0
    fill = GzipMember._fill

    def count(member):
        nonlocal inflated
        data = fill(member)
        inflated += len(data)
        return data

    monkeypatch.setattr(GzipMember, "_fill", count)
    work = []
    for records in (200, 400):
        inflated = 0
        path = archive(gzip_member(b"".join(page(b"<p>%d" % i, length=length) for i in range(records))))
        assert len(list(read_responses(path))) > records // 2
        work.append(inflated)
    assert work[1] < 3 * work[0]
