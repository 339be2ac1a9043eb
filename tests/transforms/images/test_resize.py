"""The resize modes of img2dataset, without what they would destroy (images.md 5.5; section 12, row N22)."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from transforms.images.network.downloader import FetcherError
from transforms.images.resize import ResizeConfig, load_resizer, resize_image

NOISE = Image.frombytes("RGB", (400, 200), random.Random(3).randbytes(400 * 200 * 3))


def encode(image: Image.Image, name: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, name, **options)
    return stream.getvalue()


def opened(body: bytes | None) -> Image.Image:
    assert body is not None
    return Image.open(io.BytesIO(body))


PNG = encode(NOISE, "PNG")


@pytest.mark.parametrize(
    ("mode", "size"),
    [
        ("border", (256, 256)),
        ("keep_ratio", (512, 256)),
        ("keep_ratio_largest", (256, 128)),
        ("center_crop", (256, 256)),
        ("no", (400, 200)),
    ],
)
@pytest.mark.parametrize("format_", ["jpg", "png", "webp"])
def test_modes_and_formats(mode: str, size: tuple[int, int], format_: str) -> None:
    config = ResizeConfig(mode=mode, format=format_, quality=6)  # type: ignore[arg-type]
    image = opened(resize_image(PNG, "RGB", 1, config))
    assert (image.size, image.format) == (size, {"jpg": "JPEG"}.get(format_, format_.upper()))


def test_a_border_is_white_and_smaller_images_keep_their_size_on_demand() -> None:
    config = ResizeConfig(mode="border", format="png", quality=1)
    assert opened(resize_image(PNG, "RGB", 1, config)).getpixel((0, 0)) == (255, 255, 255)
    small = ResizeConfig(mode="keep_ratio", size=900, only_if_bigger=True)
    assert opened(resize_image(PNG, "RGB", 1, small)).size == (400, 200)


FRAMES = [Image.new("RGB", (200, 160), (8 * i, 9, 200)) for i in range(3)]
KEPT = [
    (encode(Image.new("I;16", (300, 300), 40_000), "PNG"), "I;16", 1),
    (encode(FRAMES[0], "GIF", save_all=True, append_images=FRAMES[1:]), "P", 3),
    (encode(FRAMES[0], "WEBP", save_all=True, append_images=FRAMES[1:]), "RGB", 3),
    (b"no image at all", "RGB", 1),
]


@pytest.mark.parametrize(("body", "mode", "frames"), KEPT)
def test_what_would_be_destroyed_or_cannot_be_read_is_left_as_it_is(body: bytes, mode: str, frames: int) -> None:
    assert resize_image(body, mode, frames, ResizeConfig(mode="no")) is None


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_all_modes_of_eight_bits_are_resized(mode: str) -> None:
    body = encode(NOISE.convert("RGBA").convert(mode) if mode != "RGB" else NOISE, "PNG")
    assert opened(resize_image(body, mode, 1, ResizeConfig(mode="keep_ratio"))).size == (512, 256)


def test_n22_the_output_of_the_process_is_left_alone_by_eight_threads() -> None:
    def descriptors() -> list[tuple[int, int]]:
        return [(status.st_dev, status.st_ino) for status in map(os.fstat, (1, 2))]

    before = descriptors()
    config = ResizeConfig(mode="center_crop", size=32)
    with ThreadPoolExecutor(8) as pool:
        bodies = list(pool.map(lambda _: resize_image(PNG, "RGB", 1, config), range(64)))
    assert descriptors() == before
    assert len(set(bodies)) == 1


def test_another_img2dataset_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    load_resizer.cache_clear()
    monkeypatch.setattr("transforms.images.network.downloader.why_unavailable", lambda: "img2dataset is 2.0.0")
    with pytest.raises(FetcherError, match=r"images.resize.mode: img2dataset is 2.0.0; or set it to none"):
        load_resizer()
    monkeypatch.undo()
    from img2dataset import resizer

    monkeypatch.delattr(resizer, "SuppressStdoutStderr")
    with pytest.raises(FetcherError, match="has no SuppressStdoutStderr"):
        load_resizer()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"size": 0}, "size: 0 is not allowed"),
        ({"mode": "no", "format": "png", "quality": 95}, "quality: 95 is not allowed with format png; allowed: 0 to 9"),
        ({"mode": "no", "quality": 101}, "allowed: 0 to 100"),
    ],
)
def test_wrong_settings_are_told(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ResizeConfig(**fields)  # type: ignore[arg-type]


def test_the_package_is_loaded_late() -> None:
    code = "import sys, transforms.images.resize; sys.exit('img2dataset' in sys.modules or 'cv2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
