"""Where the members of a `.warc.gz` or the frames of a `.warc.zst` begin, found from the middle of the file (beam.md section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from transforms.archives.streams import GzipMember, Member, StoredFile, ZstdMember

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"  # a skippable frame that `.warc.zst` files may begin with
MAX_DICTIONARY_BYTES = 16 * 1024 * 1024
RECORD_MAGIC = b"WARC/"

SEARCH_BACK_BYTES = 64 * 1024 * 1024
SEARCH_BLOCK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class MemberKind:
    """What a file's members are. magic: how each begins. max_stored_bytes: the longest run of bytes that is kept as it is."""

    magic: bytes
    max_stored_bytes: int
    open: Callable[[StoredFile, int], Member]


GZIP_MEMBERS = MemberKind(GZIP_MAGIC, 65_535, GzipMember)  # RFC 1951, 3.2.4


def member_kinds(file: StoredFile) -> tuple[MemberKind, MemberKind]:
    """The kinds of members that a file may have, the likelier one by its first bytes first."""
    zstd = MemberKind(ZSTD_MAGIC, 128 * 1024, partial(ZstdMember, dictionary=_zstd_dictionary(file)))  # RFC 8878, 3.1.1.2.4
    return (zstd, GZIP_MEMBERS) if file.read(0, 4) in (ZSTD_MAGIC, ZSTD_DICTIONARY_MAGIC) else (GZIP_MEMBERS, zstd)


def _zstd_dictionary(file: StoredFile) -> Any:
    """The dictionary that a `.warc.zst` begins with, itself compressed or not; None where none can be read."""
    if file.read(0, 4) != ZSTD_DICTIONARY_MAGIC:
        return None
    import zstandard

    data = file.read(8, min(int.from_bytes(file.read(4, 4), "little"), MAX_DICTIONARY_BYTES))
    if data.startswith(ZSTD_MAGIC):
        try:
            data = zstandard.ZstdDecompressor(max_window_size=MAX_DICTIONARY_BYTES).stream_reader(data).read(MAX_DICTIONARY_BYTES)
        except zstandard.ZstdError:
            return None
    return zstandard.ZstdCompressionDict(data)


def begins_record(member: Member) -> bool:
    """Whether an unread member holds a WARC record: it inflates, and to a version line."""
    return member.peek(16).lstrip(b"\r\n").startswith(RECORD_MAGIC)


def find_member(file: StoredFile, offset: int, kind: MemberKind = GZIP_MEMBERS) -> int | None:
    """Offset of the first member with a WARC record at or after `offset`, None when there is none."""
    candidate = file.find(kind.magic, offset)
    while candidate is not None and not begins_record(kind.open(file, candidate)):
        candidate = file.find(kind.magic, candidate + 1)
    return candidate


def find_first_member(file: StoredFile, start: int, kind: MemberKind = GZIP_MEMBERS) -> int | None:
    """As `find_member`, from a place that nothing is known about: members inside a member do not count.

    An archive may hold a response that is itself a `.warc.gz`, and deflate keeps such bytes as they are. But it breaks them
    every 65,535 bytes, so whole members in a row that reach further are the file's own. Where such a row is shorter, because
    of damage or because it is inside a member, the members before it decide.
    """
    candidate = find_member(file, start, kind)
    while candidate is not None:
        reach = _row_bytes(file, candidate, kind)
        behind = None if reach > kind.max_stored_bytes else _end_of_enclosing(file, candidate, reach, kind)
        if behind is None:
            return candidate
        candidate = find_member(file, behind, kind)
    return None


def _row_bytes(file: StoredFile, offset: int, kind: MemberKind) -> int:
    """Bytes of the whole members in a row from `offset` on, as far as needed; a row to the end of the file counts as long."""
    place = offset
    while place - offset <= kind.max_stored_bytes:
        member = kind.open(file, place)
        member.drain()
        if member.fault == "truncated" or (member.ended and member.end >= file.size):
            return kind.max_stored_bytes + 1
        if not member.ended:
            break
        place = member.end
    return place - offset


def _end_of_enclosing(file: StoredFile, candidate: int, reach: int, kind: MemberKind) -> int | None:
    """The end of a whole member around `candidate`; None when it is a member of the file.

    reach: bytes of the row that begins at the candidate. Members before it that end there make the row longer.
    """
    budget = SEARCH_BACK_BYTES
    for start in _magics_before(file, candidate, kind.magic):
        place = start
        while place < candidate and budget > 0:
            member = kind.open(file, place)
            if place == start and not begins_record(member):
                break
            member.drain()
            budget -= member.end - place
            if not member.ended:
                break
            place = member.end
        if budget <= 0 or (place == candidate and candidate - start + reach > kind.max_stored_bytes):
            return None
        if place > candidate:
            return place
    return None


def _magics_before(file: StoredFile, offset: int, magic: bytes) -> Iterator[int]:
    """Places of the magic before `offset`, nearest first, as far back as is searched."""
    stop = offset
    lowest = max(0, offset - SEARCH_BACK_BYTES)
    while stop > lowest:
        begin = max(lowest, stop - SEARCH_BLOCK_BYTES)
        block = file.read(begin, stop - begin + len(magic) - 1)
        found = block.rfind(magic, 0, stop - begin + len(magic) - 1)
        while found >= 0:
            yield begin + found
            found = block.rfind(magic, 0, found + len(magic) - 1)
        stop = begin
