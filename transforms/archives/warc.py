"""WARC files -> responses and pages (beam.md section 4, field_reports.md rows D).

warcio parses the headers. What stands around it here keeps one bad record from costing more than itself:

    reader of a range   owns every gzip member that starts in it; behind damage it goes on at the next member with a record
    reader of a member  owns the records in it, mostly one; a length that is false is mended from where the record really ends
    reader of a record  keeps at most the cap of a body, undoes its codings, and flags what does not add up

Rules: `read.not_an_archive`, `read.damaged` (a place that cannot be inflated, or is no record), `read.truncated` (nothing readable
before the file's end), `read.malformed` (a record without what it must have), `read.too_large`, `read.revisit_unresolved`.

Flags: `length_mismatch` (the record's length is false), `encoding_mismatch` (a coding that the HTTP header names and the body
lacks), `archive_truncated` (the file ends inside the record), `warc_truncated` (so says the crawler), `maybe_truncated` (so says
the evidence: shorter than its HTTP length, a coding that breaks off, or cut at a round size before `</html>`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from transforms.archives.members import (
    RECORD_MAGIC,
    ZSTD_DICTIONARY_MAGIC,
    MemberKind,
    begins_record,
    find_first_member,
    find_member,
    member_kinds,
)
from transforms.archives.record_reader import RecordReader
from transforms.archives.select import STAGE, SelectConfig, select_page
from transforms.archives.settings import ReadLimits
from transforms.archives.streams import PlainFile, RecordStream, StoredFile
from transforms.files import Opener, open_file
from transforms.records import Drop, Page, Response, Revisit

UNRESOLVED = "read.revisit_unresolved"
"""The rule of a revisit whose original is not in the input."""

MAX_SPOILED_BYTES = 4 * 1024 * 1024 * 1024


def read_warc(path: str, start: int = 0, stop: int | None = None) -> Iterator[Page | Drop]:
    """The pages of a WARC file by the default selection, and a Drop for every response that is none.

    path, start, stop: as for `read_responses`.
    """
    config = SelectConfig()
    for item in read_responses(path, start, stop):
        yield select_page(item, config) if isinstance(item, Response) else item


def read_responses(
    path: str, start: int = 0, stop: int | None = None, *, limits: ReadLimits | None = None, opener: Opener = open_file
) -> Iterator[Response | Drop]:
    """As `read_records`, a revisit being a Drop: nothing but the whole input can tell what it repeats."""
    for item in read_records(path, start, stop, limits=limits, opener=opener):
        yield unresolved_drop(item) if isinstance(item, Revisit) else item


def read_records(
    path: str, start: int = 0, stop: int | None = None, *, limits: ReadLimits | None = None, opener: Opener = open_file
) -> Iterator[Response | Revisit | Drop]:
    """Every archived response and revisit that starts in `[start, stop)` of a `.warc`, `.warc.gz` or `.warc.zst`, in file order.

    start, stop: offsets in the file as stored, so compressed bytes for the latter; any choice of split points gives the same items.
    Records of the types response and resource become a Response, those of the type revisit a Revisit, or a Drop where they
    cannot; records of other types are passed over. Records that share a gzip member all have its offset and length, and belong
    to the range in which it starts; `read_record` finds one of them by its record id. A plain file is always walked from its
    head, header by header, since a body can hold whatever looks like a record.

    opener: gives a seekable binary file for `path`, without decompression. Errors of opening and reading it are raised.
    """
    with opener(path) as handle:
        reader = RecordReader(path, limits or ReadLimits())
        file = StoredFile(handle)
        kind = _archive_kind(file)
        if isinstance(kind, MemberKind):
            yield from _read_members(file, start, stop, reader, kind)
        elif kind == "plain":
            yield from _read_plain(file, start, stop, reader)
        elif start == 0 and file.size:
            detail = f"{path}: {file.size} bytes without one WARC record; a file must be .warc, .warc.gz or .warc.zst"
            yield reader.drop("read.not_an_archive", 0, detail=detail)


def read_record(
    path: str,
    offset: int,
    length: int,
    record_id: str | None = None,
    *,
    limits: ReadLimits | None = None,
    opener: Opener = open_file,
) -> Response | Drop:
    """Reads the record at a place again, as `Source` states it.

    record_id: which of the records that share the place; without it the first response there. A Drop says why there is none.
    """
    with opener(path) as handle:
        reader = RecordReader(path, limits or ReadLimits())
        file = StoredFile(handle, end=offset + length)
        magic = file.read(offset, 4)
        kind = next((kind for kind in member_kinds(file) if magic.startswith(kind.magic)), None)
        stream: RecordStream = kind.open(file, offset) if kind is not None else PlainFile(file, offset)
        for item in reader.read_stream(stream):
            found = item.target_id if isinstance(item, Drop) else item.source.record_id
            if record_id is None or found == record_id:
                return unresolved_drop(item) if isinstance(item, Revisit) else item
        return reader.drop("read.damaged", offset, detail=f"no response {record_id or ''} in {length} bytes at {offset} of {path}")


def unresolved_drop(revisit: Revisit) -> Drop:
    """The Drop of a revisit whose original is not there."""
    source = revisit.source
    target = source.record_id or f"{source.file}:{source.offset}"
    detail = f"repeats {source.digest or 'a payload without digest'}"
    return Drop(STAGE, UNRESOLVED, "record", target, revisit.url, detail=detail, file=source.file, offset=source.offset)


def _archive_kind(file: StoredFile) -> MemberKind | Literal["plain"] | None:
    """The kind of its members, `plain`, or None for a file without any record. A damaged head does not hide the rest."""
    head = file.read(0, 16)
    if head.lstrip(b"\r\n").startswith(RECORD_MAGIC):
        return "plain"
    for kind in member_kinds(file):
        if find_member(file, 0, kind) is not None:
            return kind
    return "plain" if PlainFile(file).read_to_record_start(0)[2] else None


def _read_members(
    file: StoredFile, start: int, stop: int | None, reader: RecordReader, kind: MemberKind
) -> Iterator[Response | Revisit | Drop]:
    """The members that start in the range. A gap, where no record begins, belongs to the member before it."""
    if start > 0:
        offset = find_first_member(file, start, kind)
    else:
        offset = 0 if file.read(0, 4) != ZSTD_DICTIONARY_MAGIC else find_member(file, 0, kind)
    spoiled_bytes = 0
    while offset is not None and offset < file.size:
        member = kind.open(file, offset)
        if begins_record(member):
            if stop is not None and offset >= stop:
                return
            yield from reader.read_stream(member)
        elif not member.ended:
            rule = "read.truncated" if member.fault == "truncated" else "read.damaged"
            yield reader.drop(rule, offset, detail=member.detail)
            member.fault = "damaged"
        elif not member.at_end:
            yield reader.drop("read.damaged", offset, detail="member without a WARC record")
        if not member.fault:
            offset = member.end
            continue
        # Members may begin anywhere in what could not be read, unless a file is made to waste time with that.
        spoiled_bytes += member.end - offset
        offset = find_member(file, offset + 1 if spoiled_bytes <= MAX_SPOILED_BYTES else max(offset + 1, member.end), kind)


def _read_plain(file: StoredFile, start: int, stop: int | None, reader: RecordReader) -> Iterator[Response | Revisit | Drop]:
    yield from reader.read_stream(PlainFile(file), start, stop)
