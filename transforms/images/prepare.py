"""Received bytes -> the bytes that are stored and what is known of them, the same for every source (images.md 5.5, 8)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from transforms.images.resize import FORMATS, SKIPPED, ResizeConfig, resize_image
from transforms.images.validate import ImageFacts, ImageLimits, InvalidImage, open_header, validate_image


@dataclass(frozen=True)
class StoredImageConfig:
    """What a stored image may be, and what is done with its bytes."""

    limits: ImageLimits = field(default_factory=ImageLimits, metadata={"help": "what a stored image may be"})
    perceptual_hash: bool = field(default=False, metadata={"help": "record a hash that is near for images that look alike"})
    resize: ResizeConfig = field(
        default_factory=ResizeConfig, metadata={"help": "images made smaller or larger, and encoded anew, as img2dataset does it"}
    )


def prepare_image(
    body: bytes, content_type: str | None, config: StoredImageConfig, declared_length: int | None = None
) -> tuple[ImageFacts | InvalidImage, bytes]:
    """Validates received bytes and gives what is to be stored: they themselves, unless a resize mode is on.

    Facts are those of the stored bytes, but `content_type`, `orientation` and `perceptual_hash` of the received ones.
    """
    facts = validate_image(body, content_type, config.limits, declared_length, with_perceptual_hash=config.perceptual_hash)
    if isinstance(facts, InvalidImage) or config.resize.mode == "none":
        return facts, body
    resized = resize_image(body, facts.mode, facts.frames, config.resize)
    if resized is None:
        return replace(facts, flags=(*facts.flags, SKIPPED)), body
    name = FORMATS[config.resize.format]
    with open_header(resized, name) as image:
        stored = replace(
            facts,
            sha256=hashlib.sha256(resized).hexdigest(),
            source_sha256=facts.sha256,
            bytes=len(resized),
            format=name,
            mode=image.mode,
            width=image.width,
            height=image.height,
        )
    return stored, resized
