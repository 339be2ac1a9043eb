"""What the bytes of a wanted image are worth."""

from __future__ import annotations

from dataclasses import fields, replace

from transforms.archives.warc import read_record
from transforms.images.validate import ImageFacts, ImageLimits, InvalidImage, validate_image
from transforms.records import Drop, Outcome, Response, WantedImage

TRUNCATED = "warc_truncated"
"""The flag of an image that was cut: so says the crawler, the end of the archive, or its HTTP length (images.md 9)."""

_CUT_FLAGS = frozenset({TRUNCATED, "archive_truncated", "maybe_truncated"})


def resolve_image(wanted: WantedImage, limits: ImageLimits) -> Outcome:
    """Reads the archived response and validates its body (images.md section 8); every failure is a status."""
    outcome = pending_outcome(wanted)
    if wanted.status is not None or wanted.file is None or wanted.offset is None or wanted.length is None:
        return outcome
    response = read_record(wanted.file, wanted.offset, wanted.length, wanted.record_id)
    if isinstance(response, Drop):
        return replace(outcome, status="short_body", detail=f"{response.rule} {response.detail or ''}".strip())
    flags = (TRUNCATED,) if _CUT_FLAGS & set(response.flags) else ()
    outcome = replace(outcome, content_type=response.content_type, flags=flags)
    return with_facts(outcome, validate_image(response.body, response.content_type, limits, declared_length(response)))


def pending_outcome(wanted: WantedImage) -> Outcome:
    """What is known of a wanted image before anybody looks at its bytes."""
    source = "archive" if wanted.file is not None or wanted.trail else None
    return Outcome(
        wanted.url_key,
        wanted.url,
        wanted.status or "not_in_archive",
        wanted.shards,
        detail=wanted.detail,
        value=wanted.value,
        threshold=wanted.threshold,
        source=source,
        final_url=wanted.trail[-1] if wanted.trail else None,
        hops=len(wanted.trail) or None,
        date=wanted.captured,
        file=wanted.file,
        offset=wanted.offset,
        length=wanted.length,
        record_id=wanted.record_id,
    )


def with_facts(outcome: Outcome, facts: ImageFacts | InvalidImage) -> Outcome:
    """An outcome whose bytes were looked at."""
    if isinstance(facts, InvalidImage):
        return replace(outcome, status=facts.status, detail=facts.detail, value=facts.value, threshold=facts.threshold)
    return replace(outcome, status="ok", **{f.name: getattr(facts, f.name) for f in fields(facts)})


def declared_length(response: Response) -> int | None:
    """The length that a response states for the bytes of its body; None where it has none, or for the bytes of a coding."""
    headers = dict(response.headers)
    length = (headers.get("content-length") or "").strip()
    is_coded = (headers.get("content-encoding") or "identity").strip().lower() != "identity" or "transfer-encoding" in headers
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 and not is_coded else None
