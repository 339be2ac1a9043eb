"""The measures of an image (filters.md 3)."""

from __future__ import annotations

import re
from math import isfinite
from urllib.parse import unquote

import regex

from transforms.records import ImageRef, Outcome

# A word of the URL's path that marks furniture or pornography.
BANNED_URL_WORDS = frozenset({"logo", "button", "icon", "plugin", "widget", "porn", "xxx", "sex"})

_PATH = re.compile(r"https?://[^/?#]*([^?#]*)", re.IGNORECASE)
# A word ends where letters end and where lower case turns to upper: `/myLogo2.png` has my, logo, png.
_WORD_END = regex.compile(r"(?V1)\P{L}+|(?<=\p{Ll})(?=\p{Lu})")
_DECLARED_SIZE = re.compile(r"\s*\+?(\d+(?:\.\d*)?|\.\d+)\s*(%?)", re.ASCII)
_OK = "ok"
# A declared size of 1 x 1 with the true size in CSS is common; it says nothing.
_LARGEST_PLACEHOLDER = 1


def measure_image(ref: ImageRef, outcome: Outcome | None, nsfw: float | None = None) -> dict[str, float | int | str | None]:
    """The measures of a mentioned image by name; None where one has no value.

    available: 1 if the reference led to bytes that decode, else 0. format, width, height, aspect: of those bytes; pixels and
    width / height. rendered_width, rendered_height: declared size in pixels, a percentage taken of the original, None when it is
    1 or less. url_words: how many words of the URL's path are banned, of the URL the bytes came from if they did.
    nsfw_score: as given; None where no model was asked.
    """
    available = outcome is not None and outcome.status == _OK
    image_format = outcome.format if outcome is not None and available else None
    width = outcome.width if outcome is not None and available else None
    height = outcome.height if outcome is not None and available else None
    url = outcome.url if outcome is not None else next(iter(ref.candidates), ref.href)
    return {
        "available": int(available),
        "format": image_format.lower() if image_format else None,
        "width": width,
        "height": height,
        "rendered_width": _rendered(ref.rendered_width, width),
        "rendered_height": _rendered(ref.rendered_height, height),
        "aspect": width / height if width and height else None,
        "url_words": banned_words(url),
        "nsfw_score": nsfw,
    }


def _rendered(declared: str | None, original: int | None) -> float | None:
    """A declared size in pixels: `300`, `300px`, `50%` of the original; None when it is no size."""
    match = _DECLARED_SIZE.match(declared or "")
    if match is None:
        return None
    size = float(match[1])
    if match[2]:
        if original is None:
            return None
        size = size * original / 100
    return size if isfinite(size) and size > _LARGEST_PLACEHOLDER else None


def banned_words(url: str, banned: frozenset[str] = BANNED_URL_WORDS) -> int | None:
    """How many words of the path are banned; None for a URL without a path of names, such as `data:`.

    A word ends where letters end, and where lower case turns to upper. banned: in lower case.
    """
    match = _PATH.match(url)
    if match is None:
        return None
    return sum(word.lower() in banned for word in _WORD_END.split(unquote(match[1])))
