"""What an image's attributes and file name declare about it (obelics.md 5.3)."""

from __future__ import annotations

import re
from urllib.parse import unquote

_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
_SEPARATORS = re.compile(r"[_\-+.\s]+")
_SIZES = re.compile(r"(?<!\d)\d{1,5}[xX]\d{1,5}(?!\d)")
_DIGITS = re.compile(r"\d+")
_HASH = re.compile(r"[0-9a-f]{16,}|[0-9a-f]{8}(?: [0-9a-f]{4}){3} [0-9a-f]{12}", re.IGNORECASE)
FEWEST_LETTERS = 2


def formatted_filename(url: str) -> str | None:
    """The file name of an image as words, or None when it says nothing: too few letters, a hash, or a query in it.

    >>> formatted_filename("https://e.x/i/Chocolate_Bark-300x200.jpg"), formatted_filename("https://e.x/caf%C3%A9%20bar.png")
    ('Chocolate Bark', 'café bar')
    """
    name = unquote(url.partition("#")[0].partition("?")[0].rpartition("/")[2])
    if "?" in name or "=" in name:
        return None
    words = _SIZES.sub(" ", _SEPARATORS.sub(" ", _EXTENSION.sub("", name))).strip()
    if _HASH.fullmatch(words):
        return None
    words = " ".join(_DIGITS.sub(" ", words).split())
    return words if sum(map(str.isalpha, words)) >= FEWEST_LETTERS else None


def rendered_size(value: str | None) -> str | None:
    """A declared size as whole pixels (`"300"`) or a percentage (`"50%"`); None when it is neither.

    >>> rendered_size("300.7px"), rendered_size("50%"), rendered_size("auto"), rendered_size("2em")
    ('300', '50%', '100%', None)
    """
    if value is None:
        return None
    text = value.strip().strip("\"'<>").rstrip(";").strip().lower()
    if text in ("auto", "full-width"):
        return "100%"
    percent = text.endswith("%")
    number = text[:-1] if percent else text.removesuffix("px")
    number = number.strip()
    # At most seven digits: no screen is wider, and float() of a long digit string would overflow to infinity.
    if not number.isascii() or not number.replace(".", "", 1).isdigit() or len(number.partition(".")[0]) > 7:
        return None
    size = float(number)
    if size <= 0 or (not percent and int(size) == 0):
        return None
    return f"{size:g}%" if percent else str(int(size))
