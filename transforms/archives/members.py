"""Where the members of a `.warc.gz` begin, found from the middle of the file (beam.md section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.archives.streams import GzipMember, StoredFile

GZIP_MAGIC = b"\x1f\x8b\x08"
RECORD_MAGIC = b"WARC/"

MAX_STORED_BYTES = 65_535
"""Longest run of bytes that deflate keeps as they are (RFC 1951, 3.2.4)."""
SEARCH_BACK_BYTES = 64 * 1024 * 1024
SEARCH_BLOCK_BYTES = 1024 * 1024


def begins_record(member: GzipMember) -> bool:
    """Whether an unread member holds a WARC record: it inflates, and to a version line."""
    return member.peek(16).lstrip(b"\r\n").startswith(RECORD_MAGIC)


def find_member(file: StoredFile, offset: int) -> int | None:
    """Offset of the first gzip member with a WARC record at or after `offset`, None when there is none."""
    candidate = file.find(GZIP_MAGIC, offset)
    while candidate is not None and not begins_record(GzipMember(file, candidate)):
        candidate = file.find(GZIP_MAGIC, candidate + 1)
    return candidate


def find_first_member(file: StoredFile, start: int) -> int | None:
    """As `find_member`, from a place that nothing is known about: members inside a member do not count.

    An archive may hold a response that is itself a `.warc.gz`, and deflate keeps such bytes as they are. But it breaks them
    every 65,535 bytes, so whole members in a row that reach further are the file's own. Where such a row is shorter, because
    of damage or because it is inside a member, the members before it decide.
    """
    candidate = find_member(file, start)
    while candidate is not None:
        reach = _row_bytes(file, candidate)
        behind = None if reach > MAX_STORED_BYTES else _end_of_enclosing(file, candidate, reach)
        if behind is None:
            return candidate
        candidate = find_member(file, behind)
    return None


def _row_bytes(file: StoredFile, offset: int) -> int:
    """Bytes of the whole members in a row from `offset` on, as far as needed; a row to the end of the file counts as long."""
    place = offset
    while place - offset <= MAX_STORED_BYTES:
        member = GzipMember(file, place)
        member.drain()
        if member.fault == "truncated" or (member.ended and member.end >= file.size):
            return MAX_STORED_BYTES + 1
        if not member.ended:
            break
        place = member.end
    return place - offset


def _end_of_enclosing(file: StoredFile, candidate: int, reach: int) -> int | None:
    """The end of a whole member around `candidate`; None when it is a member of the file.

    reach: bytes of the row that begins at the candidate. Members before it that end there make the row longer.
    """
    budget = SEARCH_BACK_BYTES
    for start in _magics_before(file, candidate):
        place = start
        while place < candidate and budget > 0:
            member = GzipMember(file, place)
            if place == start and not begins_record(member):
                break
            member.drain()
            budget -= member.end - place
            if not member.ended:
                break
            place = member.end
        if budget <= 0 or (place == candidate and candidate - start + reach > MAX_STORED_BYTES):
            return None
        if place > candidate:
            return place
    return None


def _magics_before(file: StoredFile, offset: int) -> Iterator[int]:
    """Places of the gzip magic before `offset`, nearest first, as far back as is searched."""
    stop = offset
    lowest = max(0, offset - SEARCH_BACK_BYTES)
    while stop > lowest:
        begin = max(lowest, stop - SEARCH_BLOCK_BYTES)
        block = file.read(begin, stop - begin + len(GZIP_MAGIC) - 1)
        found = block.rfind(GZIP_MAGIC, 0, stop - begin + len(GZIP_MAGIC) - 1)
        while found >= 0:
            yield begin + found
            found = block.rfind(GZIP_MAGIC, 0, found + len(GZIP_MAGIC) - 1)
        stop = begin
