"""What is stored of received bytes (images.md 5.5, 8)."""

from __future__ import annotations

import hashlib
import io
import random
from dataclasses import replace

import pytest
from PIL import Image

from transforms.images.prepare import StoredImageConfig, prepare_image
from transforms.images.resize import ResizeConfig
from transforms.images.validate import ImageFacts, InvalidImage, validate_image

NOISE = Image.frombytes("RGB", (400, 200), random.Random(3).randbytes(400 * 200 * 3))
RESIZED = StoredImageConfig(resize=ResizeConfig(mode="keep_ratio", size=100, format="webp", quality=80))


def encode(image: Image.Image, name: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, name, **options)
    return stream.getvalue()


EXIF = Image.Exif()
EXIF[274] = 6
ROTATED = encode(NOISE, "JPEG", exif=EXIF)
DEEP = encode(Image.new("I;16", (200, 160), 40_000), "PNG")


def test_received_bytes_are_stored_as_they_are() -> None:
    config = StoredImageConfig()
    assert prepare_image(ROTATED, "image/jpeg", config) == (validate_image(ROTATED, "image/jpeg", config.limits), ROTATED)


def test_a_resized_image_is_known_by_both_its_bytes_and_the_received_ones() -> None:
    facts, stored = prepare_image(ROTATED, "image/jpeg", replace(RESIZED, perceptual_hash=True))
    plain, _ = prepare_image(ROTATED, "image/jpeg", StoredImageConfig(perceptual_hash=True))
    assert isinstance(facts, ImageFacts)
    assert isinstance(plain, ImageFacts)
    assert facts == ImageFacts(
        hashlib.sha256(stored).hexdigest(), len(stored), "WEBP", "RGB", 200, 100, 1, 6, "image/jpeg", plain.perceptual_hash,
        hashlib.sha256(ROTATED).hexdigest(),
    )  # fmt: skip
    assert Image.open(io.BytesIO(stored)).size == (200, 100)


def test_what_would_be_destroyed_is_stored_as_received_and_flagged() -> None:
    facts, stored = prepare_image(DEEP, None, RESIZED)
    assert isinstance(facts, ImageFacts)
    assert (facts.flags, facts.source_sha256, facts.mode, stored) == (("resize_skipped",), None, "I;16", DEEP)


@pytest.mark.parametrize(("body", "status"), [(b"", "empty_body"), (ROTATED[:-99], "truncated_image")])
def test_only_valid_images_are_resized(body: bytes, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transforms.images.prepare.resize_image", lambda *_: pytest.fail("resized"))
    facts, _ = prepare_image(body, None, RESIZED)
    assert isinstance(facts, InvalidImage)
    assert facts.status == status
