"""Is this an image, and which one? Bytes -> facts or a status (images.md sections 8, 10 and 11).

Cheap before dear: the header, the caps on what it states, and only then the pixels. The bytes are never changed. Pillow's
settings are never changed either; its own limit of pixels stays behind ours.
"""

from __future__ import annotations

import hashlib
import io
import re
import threading
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from transforms.archives.sniff import SVG_ROOT, sniff_signature
from transforms.images.gif_frames import count_gif_frames
from transforms.images.perceptual_hash import perceptual_hash

if TYPE_CHECKING:
    from PIL import Image

FORMATS = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/webp": "WEBP",
    "image/gif": "GIF",
    "image/avif": "AVIF",
}
"""Signature -> Pillow's name, of all formats that can be accepted."""

PNG_END = b"\0\0\0\0IEND\xaeB`\x82"
SVG_BYTES = 4096
ORIENTATION_TAG = 274
DETAIL_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Caps of images.md section 11; a bound itself is allowed, None switches a cap off."""

    formats: tuple[str, ...] = field(
        default=("JPEG", "PNG", "WEBP", "GIF", "AVIF"),
        metadata={"help": "formats that are stored, found in the bytes; names as Pillow has them"},
    )
    max_pixels: int | None = field(default=100_000_000, metadata={"help": "width times height"})
    min_side: int | None = field(default=150, metadata={"help": "least width and height, pixels"})
    max_side: int | None = field(default=20_000, metadata={"help": "greatest width and height, pixels"})
    max_aspect: float | None = field(default=2.0, metadata={"help": "longer side over shorter side"})
    max_frames: int | None = field(default=1000, metadata={"help": "frames of an animation"})


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What is known of an image that decodes. sha256: of the bytes, in hexadecimal. bytes: their number.

    mode: Pillow's name of the pixel format. width, height: as stored, before any rotation. frames: 1 unless animated.
    orientation: of EXIF, 1 to 8, recorded and not applied. content_type: the header as sent, recorded and not believed.
    perceptual_hash: of the first frame, where it is asked for. source_sha256: of the bytes as received, where others are stored.
    flags: findings.
    """

    sha256: str
    bytes: int
    format: str
    mode: str
    width: int
    height: int
    frames: int = 1
    orientation: int | None = None
    content_type: str | None = None
    perceptual_hash: str | None = None
    source_sha256: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InvalidImage:
    """Why bytes are no image for us: a status of images.md section 10, and for a cap what was measured and its limit."""

    status: str
    detail: str
    value: float | None = None
    threshold: float | None = None


def validate_image(
    body: bytes,
    content_type: str | None,
    limits: ImageLimits,
    declared_length: int | None = None,
    *,
    with_perceptual_hash: bool = False,
) -> ImageFacts | InvalidImage:
    """Validates the bytes of one image; no input raises.

    content_type: HTTP header, only recorded. declared_length: HTTP length of the bytes as given, None when not known.
    """
    if not body:
        return InvalidImage("empty_body", "no bytes", 0)
    if declared_length is not None and len(body) < declared_length:
        return InvalidImage("short_body", "fewer bytes than declared", len(body), declared_length)
    signature = sniff_signature(body) or ""
    if FORMATS.get(signature) not in limits.formats:
        return _refuse_format(body, signature, limits)
    return _validate_format(body, content_type, FORMATS[signature], limits, with_perceptual_hash)


def _refuse_format(body: bytes, signature: str, limits: ImageLimits) -> InvalidImage:
    allowed = ", ".join(limits.formats)
    if not signature and SVG_ROOT.search(body[:SVG_BYTES]) and body.lstrip(b"\xef\xbb\xbf\t\n\f\r ").startswith(b"<"):
        signature = "image/svg+xml"
    if signature.startswith("image/"):
        return InvalidImage("unsupported_format", f"{signature}; accepted are {allowed}")
    return InvalidImage("not_an_image", f"{signature or 'begins with'} {body[:16]!r}")


def _validate_format(
    body: bytes, content_type: str | None, name: str, limits: ImageLimits, with_perceptual_hash: bool
) -> ImageFacts | InvalidImage:
    from PIL import Image

    frames: int | None = None
    if name == "GIF":
        frames, is_whole = count_gif_frames(body, limits.max_frames)
        if not is_whole:
            return InvalidImage("truncated_image", f"GIF ends inside block {frames}")
    elif (missing := _missing_end(body, name)) is not None:
        return InvalidImage("truncated_image", missing, len(body))
    try:
        image = open_header(body, name)
        if frames is None:
            # A JPEG with further pictures behind it, such as a gain map, is one picture.
            frames = 1 if name == "JPEG" else int(getattr(image, "n_frames", 1))
    except Image.DecompressionBombError as error:
        pixels = re.search(r"\d+", str(error))
        return InvalidImage("too_many_pixels", str(error), float(pixels[0]) if pixels else None, limits.max_pixels)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  a decoder may raise anything on hostile bytes; each is a status
        return InvalidImage(_decode_status(error), _words(error))
    with image:
        exceeded = _check_caps(image.width, image.height, frames, limits)
        if exceeded is not None:
            return exceeded
        mode = image.mode
        try:
            image.load()
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001  as above
            return InvalidImage(_decode_status(error), _words(error))
        return ImageFacts(
            hashlib.sha256(body).hexdigest(),
            len(body),
            name,
            mode,
            image.width,
            image.height,
            frames,
            _read_orientation(image),
            content_type,
            perceptual_hash(image) if with_perceptual_hash else None,
        )


_OPENING = threading.Lock()


def open_header(body: bytes, name: str) -> Image.Image:
    """Opens by one format. Pillow warns above its own number of pixels, which our cap has to judge alone.

    Python's warning filters are global, hence the lock; only the header is read under it.
    """
    from PIL import Image

    with _OPENING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Image.open(io.BytesIO(body), formats=[name])


def _check_caps(width: int, height: int, frames: int, limits: ImageLimits) -> InvalidImage | None:
    """The first cap that the header goes beyond."""
    longer, shorter = max(width, height), min(width, height)
    checks: tuple[tuple[str, float, float | None, bool], ...] = (
        ("too_many_pixels", width * height, limits.max_pixels, False),
        ("too_many_pixels", longer, limits.max_side, False),
        ("too_small", shorter, limits.min_side, True),
        ("bad_aspect", longer / max(shorter, 1), limits.max_aspect, False),
        ("too_many_frames", frames, limits.max_frames, False),
    )
    for status, value, threshold, is_minimum in checks:
        if threshold is not None and (value < threshold if is_minimum else value > threshold):
            return InvalidImage(status, f"{width}x{height}, {frames} frames", value, threshold)
    return None


def _read_orientation(image: Image.Image) -> int | None:
    """EXIF orientation; None when there is none, and when the block around it is broken, which costs no picture."""
    try:
        orientation = image.getexif().get(ORIENTATION_TAG)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  as for the decoder
        return None
    return orientation if isinstance(orientation, int) and 1 <= orientation <= 8 else None


def _missing_end(body: bytes, name: str) -> str | None:
    """What shows that a file ends early although a decoder may be content with it, None for nothing."""
    if name == "WEBP" and len(body) < 8 + int.from_bytes(body[4:8], "little"):
        return "fewer bytes than the WebP header states"
    if name == "PNG" and PNG_END not in body:
        return "PNG without its end chunk"
    return None


def _decode_status(error: Exception) -> str:
    """`truncated_image` for bytes that end early, `decode_error` for those that make no sense."""
    text = str(error).lower()
    is_short = isinstance(error, EOFError) or "truncated" in text or "premature" in text or "not enough" in text
    return "truncated_image" if is_short else "decode_error"


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:DETAIL_CHARACTERS]
