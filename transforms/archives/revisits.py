"""Revisits and what they repeat, joined over the whole input (field_reports.md D12, images.md 9).

    document shards -> payloads of pages and images that were used, and revisits
        -> by digest, and by the URL and date that a revisit names -> revisit with its original's place

A revisit then is the response of its original under its own URL and date, with the flag `revisit`. Its source is the original's
place, since that is where the bytes stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from transforms.archives.read import read_source
from transforms.archives.settings import ReadSettings
from transforms.archives.warc import unresolved_drop
from transforms.records import REVISIT, Drop, PayloadSighting, RepeatedPayload, Response, Revisit, Source


def payload_key(digest: str | None) -> str | None:
    """The key of a payload; None when it has no digest. Base 32 and hexadecimal, as WARC writers use them, have no case."""
    return (digest or "").strip().lower() or None


def capture_key(url: str, date: str) -> str | None:
    """The key of a response by its URL and date, as revisits name them; None without both."""
    return f"{date.strip()} {url.strip('<> ')}" if url and date else None


def find_originals(sightings: Iterable[PayloadSighting], *, by_digest: bool = True) -> Iterator[RepeatedPayload]:
    """All sightings under one key -> its revisits. Of several originals the earliest counts, ties by place.

    by_digest: the key is a digest; else it is a URL with a date, and of two digests that differ neither repeats the other.
    """
    originals: list[PayloadSighting] = []
    revisits: list[PayloadSighting] = []
    for seen in sightings:
        (revisits if seen.is_revisit else originals).append(seen)
    originals.sort(key=lambda seen: (seen.date, seen.file, seen.offset, seen.record_id or ""))
    undigested = next((seen for seen in originals if payload_key(seen.digest) is None), None)
    first = originals[0] if originals else None
    for seen in revisits:
        original = first if by_digest or payload_key(seen.digest) is None else undigested
        found = RepeatedPayload(seen.url, seen.date, seen.file, seen.offset, seen.record_id, seen.digest, by_digest=by_digest)
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
    """The responses of revisits, in the order of their places. A revisit may come once for each way it was looked for.

    A Drop, `read.revisit_unresolved`, for each one without an original, and `read.revisit_repeated` for a record that stands in
    the input twice: URL, date and original are all that tells one from another.
    """
    read: set[tuple[object, ...]] = set()
    best: dict[tuple[str, int, str, str], RepeatedPayload] = {}
    for revisit in revisits:
        place = (revisit.file, revisit.offset, revisit.record_id or "", revisit.url)
        if place not in best or _is_better(revisit, best[place]):
            best[place] = revisit
    for _, revisit in sorted(best.items()):
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
        original = Source(revisit.original_file, revisit.original_offset, revisit.original_length, revisit.original_record_id)
        item = read_source(original, settings)
        if isinstance(item, Response):
            item = replace(item, url=revisit.url, date=revisit.date or None, flags=(*item.flags, REVISIT))
        yield item


def _is_better(found: RepeatedPayload, other: RepeatedPayload) -> bool:
    """Whether the first of two answers for one revisit counts: one with an original, and rather by the digest."""
    return (found.original_file is not None, found.by_digest) > (other.original_file is not None, other.by_digest)
