"""Images resized and encoded anew as `img2dataset` does it, for those who ask for that (images.md 5.5).

Its class `Resizer` is used as it is, but for what silences output: that redirects the descriptors 1 and 2 of the whole process, and
with several threads leaves them redirected. What it would destroy is stored as received: 16-bit samples, and all frames but the
first of an animation. Transparency is laid over white, EXIF is lost.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
from dataclasses import dataclass, field
from typing import Any, Literal

SUPPRESSOR = "SuppressStdoutStderr"
SKIPPED = "resize_skipped"
"""The flag of an image that is stored as received although a resize mode is on."""

FORMATS = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP"}
QUALITIES = {"jpg": (0, 100), "png": (0, 9), "webp": (0, 100)}
EIGHT_BITS = frozenset({"1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr"})
"""Pillow's modes whose samples have no more than eight bits."""


@dataclass(frozen=True)
class ResizeConfig:
    """How stored images are made smaller or larger, and encoded anew."""

    mode: Literal["none", "no", "border", "keep_ratio", "keep_ratio_largest", "center_crop"] = field(
        default="none",
        metadata={"help": "none: bytes stay as received; the others are modes of img2dataset (no: encode only)"},
    )
    size: int = field(default=256, metadata={"help": "pixels of the side that the mode is about"})
    only_if_bigger: bool = field(default=False, metadata={"help": "leaves the size of smaller images"})
    format: Literal["jpg", "png", "webp"] = field(default="jpg", metadata={"help": "what images are encoded as"})
    quality: int = field(default=95, metadata={"help": "0 to 100; for png 0 to 9, the effort of compression"})

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size: {self.size} is not allowed; allowed: at least 1 pixel")
        least, most = QUALITIES[self.format]
        if self.mode != "none" and not least <= self.quality <= most:
            raise ValueError(f"quality: {self.quality} is not allowed with format {self.format}; allowed: {least} to {most}")


def resize_image(body: bytes, mode: str, frames: int, config: ResizeConfig) -> bytes | None:
    """The image encoded anew; None where that would destroy it or cannot be done, and the body has to stay as it is.

    mode, frames: of a body that was validated, as in `ImageFacts`.

    Raises:
        FetcherError: img2dataset is not there, or is not the version that this was written for.
    """
    if frames > 1 or mode not in EIGHT_BITS:
        return None
    resized, *_, error = _resizer(config)(io.BytesIO(body))
    return None if error is not None or not resized else bytes(resized)


@functools.cache
def _resizer(config: ResizeConfig) -> Any:
    return load_resizer().Resizer(
        config.size,
        config.mode,
        config.only_if_bigger,
        encode_format=config.format,
        encode_quality=config.quality,
    )


@functools.cache
def load_resizer() -> Any:
    """The module `img2dataset.resizer` with its suppressor taken out, tested once a process."""
    from transforms.images.network.downloader import ENVIRONMENT, FetcherError, why_unavailable

    reason = why_unavailable()
    if reason is not None:
        raise FetcherError(f"images.resize.mode: {reason}; or set it to none")
    os.environ.update(ENVIRONMENT)
    from img2dataset import resizer

    if not hasattr(resizer, SUPPRESSOR):
        raise FetcherError(f"img2dataset.resizer has no {SUPPRESSOR}; nothing is resized where it would take the process's output")
    setattr(resizer, SUPPRESSOR, contextlib.nullcontext)
    before = _descriptors()
    resizer.Resizer(1, "no", False)(io.BytesIO(b""))
    if _descriptors() != before:
        raise FetcherError("img2dataset.resizer redirects the output of the process; nothing is resized with it")
    return resizer


def _descriptors() -> list[tuple[int, int]]:
    """What the descriptors 1 and 2 are; empty for one that is closed."""
    found = []
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            status = os.fstat(descriptor)
            found.append((status.st_dev, status.st_ino))
    return found
