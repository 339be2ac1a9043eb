"""Image bytes become facts or one status (images.md 8, 10, 12: rows V1 to V4)."""

from __future__ import annotations

import hashlib
import io
import random
import struct
import subprocess
import sys
import warnings
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from transforms.images.gif_frames import count_gif_frames
from transforms.images.validate import ImageFacts, ImageLimits, InvalidImage, validate_image

DEFAULTS = ImageLimits()
ANY_SIZE = ImageLimits(min_side=None, max_aspect=None)
NOISE = Image.frombytes("RGB", (200, 160), random.Random(3).randbytes(200 * 160 * 3))
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")


def encode(image: Image.Image, name: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, name, **options)
    return stream.getvalue()


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def huge_png(width: int, height: int) -> bytes:
    """A PNG with one bit a pixel, all of them black, and small for that."""
    rows = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    data = b"".join(rows.compress(row) for _ in range(height)) + rows.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")


def animation(name: str, frames: int, size: tuple[int, int] = (200, 160)) -> bytes:
    images = [Image.new("RGB", size, (8 * i, 9, 200)) for i in range(frames)]
    return encode(images[0], name, save_all=True, append_images=images[1:], duration=40)


JPEG = encode(NOISE, "JPEG")
HUGE = huge_png(12_000, 12_000)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content_type", [None, "image/x-wrong", "text/html"])
def test_good_images_give_facts_whatever_their_type_says(name, content_type):
    body = encode(NOISE, name)
    mode = "P" if name == "GIF" else "RGB"
    digest = hashlib.sha256(body).hexdigest()
    assert validate_image(body, content_type, DEFAULTS) == ImageFacts(
        digest, len(body), name, mode, 200, 160, 1, None, content_type
    )


STATUSES = [
    # V1
    (b"", "empty_body"),
    (b"<!DOCTYPE html><title>404</title>", "not_an_image"),
    (b"not found", "not_an_image"),
    (b"%PDF-1.7", "not_an_image"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "unsupported_format"),
    (b"<?xml version='1.0'?>\n<!-- x -->\n<svg>", "unsupported_format"),
    (b"<html><body><p>no picture</p>", "not_an_image"),
    (encode(NOISE.resize((32, 32)), "ICO"), "unsupported_format"),
    (encode(NOISE, "BMP"), "unsupported_format"),
    (encode(NOISE, "TIFF"), "unsupported_format"),
    (encode(NOISE, "JPEG2000"), "unsupported_format"),
    # V2
    (encode(Image.new("RGB", (1, 1)), "GIF"), "too_small"),
    (encode(Image.new("RGB", (3000, 300)), "PNG"), "bad_aspect"),
    (encode(Image.new("RGB", (300, 3000)), "PNG"), "bad_aspect"),
    (huge_png(21_000, 200), "too_many_pixels"),
    (animation("GIF", 4), "ok"),
    # V3
    *((encode(NOISE, name)[: size // part], None) for name in FORMATS for size in [len(encode(NOISE, name))] for part in (2, 10)),
    (JPEG[:-45], "truncated_image"),
    (b"\x89PNG\r\n\x1a\n" + bytes(90), None),
    (JPEG[:300] + random.Random(1).randbytes(5000), None),
]


@pytest.mark.parametrize(("body", "status"), STATUSES)
def test_statuses(body, status):
    result = validate_image(body, "image/jpeg", DEFAULTS)
    if status == "ok":
        assert isinstance(result, ImageFacts)
    else:
        assert isinstance(result, InvalidImage)
        assert result.status == status or (status is None and result.status in {"truncated_image", "decode_error"})


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("image", [NOISE, Image.linear_gradient("L").resize((200, 160))], ids=["noise", "smooth"])
def test_no_cut_image_is_ok(name, image):
    body = encode(image, name)
    trailer = 1 if name == "GIF" else 0  # all of a GIF is there without its last byte
    sizes = {*range(1, len(body) - trailer, max(1, len(body) // 60)), *range(len(body) - 30, len(body) - trailer)}
    assert [size for size in sorted(sizes) if isinstance(validate_image(body[:size], None, ANY_SIZE), ImageFacts)] == []


def test_short_body_is_told_by_the_declared_length():
    assert validate_image(JPEG, None, DEFAULTS, len(JPEG) + 1) == InvalidImage(
        "short_body", "fewer bytes than declared", len(JPEG), len(JPEG) + 1
    )
    assert isinstance(validate_image(JPEG, None, DEFAULTS, len(JPEG)), ImageFacts)
    assert isinstance(validate_image(JPEG, None, DEFAULTS, 3), ImageFacts)


CAPS = [
    ("max_pixels", 200 * 160, 200 * 160 - 1, "too_many_pixels"),
    ("max_side", 200, 199, "too_many_pixels"),
    ("min_side", 160, 161, "too_small"),
    ("max_aspect", 1.25, 1.24, "bad_aspect"),
    ("max_frames", 3, 2, "too_many_frames"),
]


@pytest.mark.parametrize(("cap", "allowed", "refused", "status"), CAPS)
@pytest.mark.parametrize("name", ["GIF", "WEBP", "PNG"])
def test_a_bound_is_allowed_and_none_switches_off(name, cap, allowed, refused, status):
    body = animation(name, 3)
    no_caps = {"max_pixels": None, "min_side": None, "max_side": None, "max_aspect": None, "max_frames": None}
    assert isinstance(validate_image(body, None, ImageLimits(**no_caps)), ImageFacts)
    assert isinstance(validate_image(body, None, ImageLimits(**{**no_caps, cap: allowed})), ImageFacts)
    result = validate_image(body, None, ImageLimits(**{**no_caps, cap: refused}))
    assert isinstance(result, InvalidImage)
    assert (result.status, result.threshold) == (status, refused)
    assert result.value is not None
    assert result.value < refused if cap == "min_side" else result.value > refused


def test_zero_is_a_bound():
    assert validate_image(JPEG, None, ImageLimits(max_pixels=0)).status == "too_many_pixels"


def test_formats_are_an_explicit_list():
    assert validate_image(encode(NOISE, "GIF"), None, ImageLimits(formats=("JPEG",))).status == "unsupported_format"


def test_v2_bomb_is_refused_by_its_header(monkeypatch):
    assert len(HUGE) < 40_000
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda self: pytest.fail("decoded"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = validate_image(HUGE, None, DEFAULTS)
    assert (result.status, result.value, result.threshold) == ("too_many_pixels", 144_000_000, 100_000_000)
    assert caught == []


def test_bomb_beyond_pillows_own_limit_is_refused_as_well():
    result = validate_image(huge_png(20_000, 20_000), None, ImageLimits(max_pixels=None))
    assert (result.status, result.value) == ("too_many_pixels", 400_000_000)


def test_large_but_allowed_image_passes_even_where_warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        facts = validate_image(huge_png(10_000, 9500), None, DEFAULTS)
    assert (facts.width, facts.height, facts.mode) == (10_000, 9500, "1")


def test_v4_grey_of_16_bits():
    body = encode(Image.new("I;16", (200, 160), 40_000), "PNG")
    facts = validate_image(body, "image/png", DEFAULTS)
    assert (facts.mode, facts.bytes, facts.sha256) == ("I;16", len(body), hashlib.sha256(body).hexdigest())


@pytest.mark.parametrize(("orientation", "expected"), [(6, 6), (1, 1), (9, None), (0, None)])
def test_v4_orientation_is_recorded_not_applied(orientation, expected):
    exif = Image.Exif()
    exif[274] = orientation
    facts = validate_image(encode(NOISE.resize((60, 40)), "JPEG", exif=exif), None, ANY_SIZE)
    assert (facts.width, facts.height, facts.orientation) == (60, 40, expected)


def test_broken_exif_costs_no_picture():
    broken = b"Exif\0\0MM\0*" + b"\xff" * 40
    facts = validate_image(encode(NOISE, "JPEG", exif=broken), None, DEFAULTS)
    assert (facts.format, facts.orientation) == ("JPEG", None)


@pytest.mark.parametrize("name", ["GIF", "WEBP", "PNG", "AVIF"])
def test_v4_frames_are_counted(name):
    facts = validate_image(animation(name, 3), None, DEFAULTS)
    assert facts.frames == 3


def test_several_pictures_in_a_jpeg_are_one_picture():
    facts = validate_image(encode(NOISE, "MPO", save_all=True, append_images=[NOISE]), None, DEFAULTS)
    assert (facts.format, facts.frames) == ("JPEG", 1)


def test_gif_frames_are_counted_without_decoding():
    body = animation("GIF", 30)
    assert count_gif_frames(body, None) == (30, True)
    assert count_gif_frames(body, 5) == (6, True)
    assert count_gif_frames(body[:-1], None) == (30, True)
    assert count_gif_frames(body[:-20], None)[1] is False


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(FORMATS), st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=6)), max_size=4), st.integers(0, 10**6)
)
def test_no_bytes_raise(name, patches, size):
    body = bytearray(SMALL[name])
    for place, data in patches:
        place %= len(body)
        body[place : place + len(data)] = data
    result = validate_image(bytes(body)[: size % (len(body) + 1) or len(body)], None, ANY_SIZE)
    assert isinstance(result, (ImageFacts, InvalidImage))


SMALL = {name: encode(NOISE.resize((24, 16)), name) for name in FORMATS}


def test_pillow_is_loaded_late_and_its_settings_stay():
    code = (
        "import sys; from transforms.images.validate import *; assert 'PIL' not in sys.modules\n"
        f"r = validate_image({encode(NOISE.resize((4, 4)), 'PNG')!r}, None, ImageLimits())\n"
        "from PIL import Image, ImageFile\n"
        "assert (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES) == (89478485, False)\n"
        "print(r.status)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "too_small"
