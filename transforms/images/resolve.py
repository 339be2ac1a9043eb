"""What the bytes of a wanted image are worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

from transforms.archives.warc import read_record
from transforms.images.inline import inline_type, is_inline
from transforms.images.prepare import StoredImageConfig, prepare_image
from transforms.images.validate import ImageFacts, InvalidImage
from transforms.records import INLINE, Drop, Outcome, Response, WantedImage

TRUNCATED = "warc_truncated"
"""The flag of an image that was cut: so says the crawler, the end of the archive, or its HTTP length (images.md 9)."""

ReadInline = Callable[[str, int, int], bytes]
"""File of the run, offset and length -> bytes."""

PLACEHOLDER_SIDE = 2
"""An image in a page whose shorter side is no longer than this many pixels keeps the place for another (images.md 3.1)."""

_CUT_FLAGS = frozenset({TRUNCATED, "archive_truncated", "maybe_truncated"})


def resolve_image(wanted: WantedImage, config: StoredImageConfig, read_inline: ReadInline) -> tuple[Outcome, bytes]:
    """Reads the archived response, or the image in a page, and validates it (images.md section 8); every failure is a status.

    The second result are the bytes to store; empty for an outcome that is not ok. read_inline: reads images that stand in pages.
    """
    outcome = pending_outcome(wanted)
    if wanted.status is not None or wanted.file is None or wanted.offset is None or wanted.length is None:
        return outcome, b""
    if is_inline(wanted.url):
        body = read_inline(wanted.file, wanted.offset, wanted.length)
        facts, stored = prepare_image(body, inline_type(wanted.url), config)
        if isinstance(facts, InvalidImage) and facts.status == "too_small" and (facts.value or 0) <= PLACEHOLDER_SIDE:
            facts = replace(facts, status="placeholder", threshold=PLACEHOLDER_SIDE + 1)
    else:
        response = read_record(wanted.file, wanted.offset, wanted.length, wanted.record_id)
        if isinstance(response, Drop):
            return replace(outcome, status="short_body", detail=f"{response.rule} {response.detail or ''}".strip()), b""
        flags = (TRUNCATED,) if _CUT_FLAGS & set(response.flags) else ()
        outcome = replace(outcome, content_type=response.content_type, flags=(*outcome.flags, *flags))
        facts, stored = prepare_image(response.body, response.content_type, config, declared_length(response))
    return with_facts(outcome, facts), stored if isinstance(facts, ImageFacts) else b""


def pending_outcome(wanted: WantedImage) -> Outcome:
    """What is known of a wanted image before anybody looks at its bytes."""
    source = None
    if wanted.file is not None or wanted.trail:
        source = INLINE if is_inline(wanted.url) else "archive"
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
        flags=tuple(wanted.flags),
    )


def with_facts(outcome: Outcome, facts: ImageFacts | InvalidImage) -> Outcome:
    """An outcome whose bytes were looked at."""
    if isinstance(facts, InvalidImage):
        return replace(outcome, status=facts.status, detail=facts.detail, value=facts.value, threshold=facts.threshold)
    values = {f.name: getattr(facts, f.name) for f in fields(facts)}
    return replace(outcome, status="ok", **{**values, "flags": (*outcome.flags, *facts.flags)})


def declared_length(response: Response) -> int | None:
    """The length that a response states for the bytes of its body; None where it has none, or for the bytes of a coding."""
    headers = dict(response.headers)
    length = (headers.get("content-length") or "").strip()
    is_coded = (headers.get("content-encoding") or "identity").strip().lower() != "identity" or "transfer-encoding" in headers
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 and not is_coded else None
