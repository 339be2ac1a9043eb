"""Revisits and what they repeat, joined over the whole input by the digest of the payload (field_reports.md D12, images.md 9).

    document shards -> payloads of pages and images that were used, and revisits -> by digest -> revisit with its original's place

A revisit then is the response of its original under its own URL and date, with the flag `revisit`. Its source is the original's
place, since that is where the bytes stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from transforms.archives.read import ReadSettings, read_source
from transforms.archives.warc import unresolved_drop
from transforms.records import REVISIT, Drop, PayloadSighting, RepeatedPayload, Response, Revisit, Source


def payload_key(digest: str | None) -> str | None:
    """The key of a payload; None when it has no digest. Base 32 and hexadecimal, as WARC writers use them, have no case."""
    return (digest or "").strip().lower() or None


def find_originals(sightings: Iterable[PayloadSighting]) -> Iterator[RepeatedPayload]:
    """All sightings of one payload -> its revisits. Of several originals the earliest counts, ties by place."""
    originals: list[PayloadSighting] = []
    revisits: list[PayloadSighting] = []
    for seen in sightings:
        (revisits if seen.is_revisit else originals).append(seen)
    original = min(originals, key=lambda seen: (seen.date, seen.file, seen.offset, seen.record_id or ""), default=None)
    for seen in revisits:
        found = RepeatedPayload(seen.url, seen.date, seen.file, seen.offset, seen.record_id, seen.digest)
        if original is not None:
            found = replace(
                found,
                original_file=original.file,
                original_offset=original.offset,
                original_length=original.length,
                original_record_id=original.record_id,
            )
        yield found


def read_repeated(revisits: Iterable[RepeatedPayload], settings: ReadSettings | None = None) -> Iterator[Response | Drop]:
    """The responses of revisits, in the order of their places.

    A Drop, `read.revisit_unresolved`, for each one without an original, and `read.revisit_repeated` for a record that stands in
    the input twice: URL, date and original are all that tells one from another.
    """
    read: set[tuple[object, ...]] = set()
    for revisit in sorted(revisits, key=lambda r: (r.file, r.offset, r.record_id or "", r.url)):
        source = Source(revisit.file, revisit.offset, 0, revisit.record_id, revisit.digest)
        unresolved = unresolved_drop(Revisit(revisit.url, source, revisit.date))
        if revisit.original_file is None:
            yield unresolved
            continue
        identity = (revisit.url, revisit.date, revisit.original_file, revisit.original_offset, revisit.original_record_id)
        if identity in read:
            yield replace(unresolved, rule="read.revisit_repeated")
            continue
        read.add(identity)
        place = Source(revisit.original_file, revisit.original_offset, revisit.original_length, revisit.original_record_id)
        item = read_source(place, settings)
        if isinstance(item, Response):
            item = replace(item, url=revisit.url, date=revisit.date or None, flags=(*item.flags, REVISIT))
        yield item
