"""A revisit is the response it repeats, under its own URL and date, wherever in the input that stands (field_reports.md D12)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.bench.warc_builder import gzip_member, http_response, warc_record
from transforms.archives import read_source
from transforms.archives.revisits import find_originals, payload_key, read_repeated
from transforms.archives.warc import read_records, read_responses
from transforms.records import Drop, PayloadSighting, RepeatedPayload, Response, Revisit

BODY = b"<p>as before"


def original(url: str = "http://a.example/", digest: str = "sha1:AAAA", record_id: str = "<urn:uuid:o>") -> bytes:
    headers = (f"WARC-Payload-Digest: {digest}",)
    return gzip_member(warc_record(http_response(BODY), url, *headers, record_id=record_id))


def revisit(url: str | None, digest: str | None = "sha1:AAAA", record_id: str = "<urn:uuid:r>", content: bytes = b"") -> bytes:
    headers = ["WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "WARC-Refers-To: <urn:uuid:o>"]
    headers += [f"WARC-Payload-Digest: {digest}"] if digest else []
    return gzip_member(warc_record(content, url, *headers, warc_type="revisit", record_id=record_id))


def seen(item: Response | Revisit) -> PayloadSighting:
    source = item.source
    place = (source.file, source.offset, source.length, source.record_id, source.digest)
    return PayloadSighting(isinstance(item, Revisit), item.url, item.date or "", *place)


def test_a_revisit_is_a_record_of_its_own_kind(archive) -> None:
    path = archive(revisit("http://a.example/x", content=http_response(b"")), original())
    record, response = read_records(path)
    assert isinstance(record, Revisit)
    assert (record.url, record.date, record.source.digest) == ("http://a.example/x", "2024-05-06T07:08:09Z", "sha1:AAAA")
    assert (record.source.offset, record.source.record_id) == (0, "<urn:uuid:r>")
    assert isinstance(response, Response)


def test_alone_it_is_a_drop(archive) -> None:
    path = archive(revisit("http://a.example/x"))
    (drop,) = read_responses(path)
    (record,) = read_records(path)
    assert isinstance(drop, Drop)
    assert (drop.rule, drop.url, drop.target_id) == ("read.revisit_unresolved", "http://a.example/x", "<urn:uuid:r>")
    assert read_source(record.source) == drop


def test_it_becomes_the_response_it_repeats(tmp_path: Path) -> None:
    a, b = tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"
    a.write_bytes(original("http://other.example/", record_id="<urn:uuid:x>", digest="sha1:BBBB") + original())
    b.write_bytes(revisit("http://b.example/"))
    items = [item for path in (a, b) for item in read_records(str(path))]
    (repeated,) = find_originals([seen(item) for item in items if payload_key(item.source.digest) == "sha1:aaaa"])
    (response,) = read_repeated([repeated])
    assert isinstance(response, Response)
    assert (response.url, response.body, response.flags) == ("http://b.example/", BODY, ("revisit",))
    assert response.source == items[1].source


@pytest.mark.parametrize(
    ("digest", "key"), [("sha1:ABcd", "sha1:abcd"), (" sha1:abcd ", "sha1:abcd"), ("", None), (" ", None), (None, None)]
)
def test_keys_of_payloads(digest: str | None, key: str | None) -> None:
    assert payload_key(digest) == key


def sighting(date: str, file: str = "f", offset: int = 0, *, is_revisit: bool = False) -> PayloadSighting:
    return PayloadSighting(is_revisit, f"http://{file}/", date, file, offset, 1, f"<{offset}>", "sha1:A")


def test_the_earliest_original_counts_in_any_order() -> None:
    sightings = [
        sighting("2024-03", "r", is_revisit=True), sighting("2024-02", "a"), sighting("2024-01", "c"), sighting("2024-01", "b", 9),
        sighting("2024-01", "b", 7), sighting("2023", "s", is_revisit=True),
    ]  # fmt: skip
    for order in (sightings, sightings[::-1]):
        found = {r.file: (r.original_file, r.original_offset, r.original_record_id) for r in find_originals(order)}
        assert found == {"r": ("b", 7, "<7>"), "s": ("b", 7, "<7>")}


def test_by_url_and_date_it_is_found_where_digests_do_not_contradict_each_other() -> None:
    def of(offset: int, digest: str | None, *, is_revisit: bool = False) -> PayloadSighting:
        return PayloadSighting(is_revisit, "http://a/", "2024", "f", offset, 1, None, digest)

    originals = [of(1, "sha1:A"), of(2, None)]
    revisits = [of(3, None, is_revisit=True), of(4, "sha1:A", is_revisit=True), of(5, "sha1:B", is_revisit=True)]
    found = {r.offset: r.original_offset for r in find_originals([*revisits, *originals], by_digest=False)}
    assert found == {3: 1, 4: 2, 5: 2}
    (alone,) = find_originals([revisits[2], originals[0]], by_digest=False)
    assert alone.original_file is None


def test_of_two_answers_the_one_with_an_original_counts_and_rather_that_by_digest(archive) -> None:
    path = archive(original() + original("http://b.example/", record_id="<urn:uuid:p>"))
    first, second = read_records(path)
    places = [(s.file, s.offset, s.length, s.record_id) for s in (first.source, second.source)]
    revisit_ = ("http://r/", "2024", "f", 1, "<1>", "sha1:A")
    none, by_digest = RepeatedPayload(*revisit_), RepeatedPayload(*revisit_, *places[0])
    by_capture = RepeatedPayload(*revisit_, *places[1], by_digest=False)
    for answers, source in (([by_capture, by_digest], first.source), ([none, by_capture], second.source)):
        for order in (answers, answers[::-1]):
            (item,) = read_repeated(order)
            assert isinstance(item, Response)
            assert item.source == source


def test_without_an_original_it_is_a_drop_and_a_record_given_twice_is_read_once(archive) -> None:
    path = archive(original())
    (response,) = read_records(path)
    place = (path, response.source.offset, response.source.length, "<urn:uuid:o>")
    unresolved = RepeatedPayload("http://u/", "2024", "f", 1, "<1>", "sha1:A")
    places = (("1", 2), ("1", 3), ("2", 4))
    resolved = [RepeatedPayload("http://r/", date, "f", offset, "<2>", "sha1:A", *place) for date, offset in places]
    first, second, third, fourth = read_repeated([*resolved, unresolved])
    assert [item.rule for item in (first, third) if isinstance(item, Drop)] == ["read.revisit_unresolved", "read.revisit_repeated"]
    assert [item.date for item in (second, fourth) if isinstance(item, Response)] == ["1", "2"]


def test_an_original_that_changed_since_is_a_drop(archive) -> None:
    path = archive(original()[:40])
    (item,) = read_repeated([RepeatedPayload("http://r/", "", "f", 1, "<1>", "sha1:A", path, 0, 200, "<urn:uuid:o>")])
    assert isinstance(item, Drop)
