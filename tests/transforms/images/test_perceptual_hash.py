"""Images that look alike have near hashes (images.md 8)."""

from __future__ import annotations

import io
import random

import pytest
from PIL import Image

from transforms.images.perceptual_hash import perceptual_hash
from transforms.images.validate import ImageFacts, ImageLimits, validate_image

SCENE = Image.frombytes("L", (12, 9), random.Random(7).randbytes(108)).resize((480, 360), Image.Resampling.BICUBIC).convert("RGB")
OTHER = Image.frombytes("L", (12, 9), random.Random(8).randbytes(108)).resize((480, 360), Image.Resampling.BICUBIC).convert("RGB")


def again(image: Image.Image, name: str, **options: object) -> Image.Image:
    stream = io.BytesIO()
    image.save(stream, name, **options)
    found = Image.open(stream)
    found.load()
    return found


def distance(first: Image.Image, second: Image.Image) -> int:
    return (int(perceptual_hash(first), 16) ^ int(perceptual_hash(second), 16)).bit_count()


@pytest.mark.parametrize(
    "image",
    [
        again(SCENE, "PNG"),
        again(SCENE, "JPEG", quality=40),
        again(SCENE, "WEBP", quality=40),
        again(SCENE.resize((150, 113)), "PNG"),
        SCENE.convert("L"),
        SCENE.convert("RGBA"),
        again(SCENE.quantize(64), "GIF"),
        SCENE.convert("L").convert("I").point(lambda value: value * 256).convert("I;16"),
        SCENE.convert("CMYK"),
    ],
    ids=lambda image: f"{image.format} {image.mode} {image.size}",
)
def test_the_same_picture_is_near_whatever_its_size_format_and_depth(image: Image.Image) -> None:
    assert distance(SCENE, image) <= 4


def test_another_picture_is_far() -> None:
    assert distance(SCENE, OTHER) > 20


def test_transparency_is_white() -> None:
    clear = Image.new("RGBA", (90, 80), (0, 0, 0, 0))
    clear.paste((0, 0, 0, 255), (45, 0, 90, 80))
    solid = Image.new("RGB", (90, 80), "white")
    solid.paste("black", (45, 0, 90, 80))
    assert perceptual_hash(clear) == perceptual_hash(solid) == "00" * 8
    assert perceptual_hash(solid.transpose(Image.Transpose.FLIP_LEFT_RIGHT)) != "00" * 8


def test_it_is_made_on_demand() -> None:
    stream = io.BytesIO()
    SCENE.save(stream, "PNG")
    limits = ImageLimits()
    plain = validate_image(stream.getvalue(), None, limits)
    hashed = validate_image(stream.getvalue(), None, limits, with_perceptual_hash=True)
    assert isinstance(plain, ImageFacts)
    assert isinstance(hashed, ImageFacts)
    assert plain.perceptual_hash is None
    assert hashed.perceptual_hash == perceptual_hash(SCENE)
