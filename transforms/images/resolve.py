"""Which archived response answers an image URL, and what its bytes are worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from transforms.archives.warc import read_record
from transforms.images.validate import ImageLimits, InvalidImage, validate_image
from transforms.records import Drop, Outcome, Sighting, WantedImage


def want_image(url_key: bytes, sightings: Iterable[Sighting]) -> WantedImage | None:
    """All mentions and captures of one URL as one row; None for a URL that no document mentions.

    Of several captures the earliest counts, ties by digest, file and offset: the choice does not depend on arrival.
    """
    shards, urls, captures = set(), set(), []
    for seen in sightings:
        if seen.shard is not None:
            shards.add(seen.shard)
            urls.add(seen.url)
        else:
            captures.append((seen.date or "", seen.digest or "", seen.file or "", seen.offset, seen.length, seen.record_id or ""))
    if not shards:
        return None
    wanted = WantedImage(url_key, min(urls), sorted(shards))
    if not captures:
        return wanted
    _, _, file, offset, length, record_id = min(captures)
    return replace(wanted, file=file, offset=offset, length=length, record_id=record_id or None)


def resolve_image(wanted: WantedImage, limits: ImageLimits) -> Outcome:
    """Reads the archived response and validates its body (images.md section 8); every failure is a status."""
    outcome = Outcome(
        wanted.url_key,
        wanted.url,
        "not_in_archive",
        wanted.shards,
        file=wanted.file,
        offset=wanted.offset,
        length=wanted.length,
        record_id=wanted.record_id,
    )
    if wanted.file is None or wanted.offset is None or wanted.length is None:
        return outcome
    response = read_record(wanted.file, wanted.offset, wanted.length, wanted.record_id)
    if isinstance(response, Drop):
        return replace(outcome, status="short_body", detail=f"{response.rule} {response.detail or ''}".strip())
    facts = validate_image(response.body, response.content_type, limits)
    if isinstance(facts, InvalidImage):
        return replace(outcome, status=facts.status, detail=facts.detail, value=facts.value, threshold=facts.threshold)
    return replace(
        outcome,
        status="ok",
        sha256=facts.sha256,
        format=facts.format,
        width=facts.width,
        height=facts.height,
        bytes=facts.bytes,
        frames=facts.frames,
        mode=facts.mode,
        orientation=facts.orientation,
    )
