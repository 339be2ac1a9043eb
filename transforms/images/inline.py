"""Images that stand in the page itself, as `data:` URLs, and references that are no URL to look up (images.md 3.1, 3.2).

An image in the page is named by its bytes (RFC 6920): `ni:///sha-256;HASH?ct=image/png`. So a name is short whatever it stands for,
the same image has the same name in all pages, and the bytes need not travel with it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote_to_bytes

from transforms.images.urls import FETCHABLE_SCHEMES, resolve_url
from transforms.records import InlineImage, Node

NAME = "ni:///sha-256;"
MAX_REFERENCE = 200
"""Characters of a rejected reference that are kept."""

_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,60}")
_SPACE = re.compile(rb"[\t\n\f\r ]+")


@dataclass(frozen=True)
class InlineConfig:
    """Which images that stand in the page itself are used, where an image has no other source; null switches a bound off."""

    min_bytes: int | None = field(default=1024, metadata={"help": "a smaller one is a placeholder"})
    max_bytes: int | None = field(default=2**20, metadata={"help": "a larger one is too_large"})


class PageReferences:
    """The references of a page's images that nobody can fetch: images in the page by their names, and rejected ones by status."""

    def __init__(self, base: str, config: InlineConfig) -> None:
        self._base = base
        self._config = config
        self.inline: dict[str, InlineImage] = {}
        self.rejected: dict[str, str] = {}

    def settle(self, references: Iterable[str]) -> str | None:
        """The name of the first image in the page among the references of one image; all others before it are rejected."""
        for reference in references:
            reference = reference.strip()
            if not reference or reference.startswith("#"):
                continue
            if reference[:5].lower() == "data:":
                name = self._inline(reference)
                if name is not None:
                    return name
            else:
                url = resolve_url(reference, self._base)
                if url is None or not url.startswith(FETCHABLE_SCHEMES):
                    self.rejected[(url or reference)[:MAX_REFERENCE]] = "bad_url" if url is None else "scheme_not_allowed"
        return None

    def rejections(self) -> tuple[tuple[str, str], ...]:
        """Each rejected reference with its status, in order."""
        return tuple(sorted(self.rejected.items()))

    def images(self) -> tuple[InlineImage, ...]:
        """The images in the page, by name."""
        return tuple(self.inline[url] for url in sorted(self.inline))

    def _inline(self, reference: str) -> str | None:
        least, most = self._config.min_bytes, self._config.max_bytes
        found = None if most is not None and len(reference) > 4 * most + MAX_REFERENCE else read_data_url(reference)
        if found is None or (most is not None and len(found.body) > most):
            is_large = most is not None and len(reference) > most
            self.rejected[reference[:MAX_REFERENCE]] = "too_large" if is_large else "bad_url"
            return None
        if least is not None and len(found.body) < least:
            self.rejected[found.url] = "placeholder"
            return None
        self.inline[found.url] = found
        return found.url


def shown_images(images: Sequence[InlineImage], nodes: Iterable[Node]) -> tuple[InlineImage, ...]:
    """Those of a page's own images that nodes show."""
    if not images:
        return ()
    shown = {url for node in nodes if node.image is not None for url in node.image.candidates}
    return tuple(image for image in images if image.url in shown)


def read_data_url(reference: str) -> InlineImage | None:
    """The body of a `data:` URL (RFC 2397); None when it has none, or its base 64 is none.

    >>> read_data_url("data:image/gif;base64,R0lG%0AOA").body
    b'GIF8'
    """
    head, comma, data = reference.partition(",")
    if not comma:
        return None
    media_type, *parameters = [part.strip().lower() for part in head[len("data:") :].split(";")]
    body = unquote_to_bytes(data)
    if "base64" in parameters:
        digits = _SPACE.sub(b"", body).rstrip(b"=")
        try:
            body = base64.b64decode(digits + b"=" * (-len(digits) % 4), validate=True)
        except binascii.Error:
            return None
    content_type = media_type if _MEDIA_TYPE.fullmatch(media_type) else ""
    digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()
    return InlineImage(f"{NAME}{digest}" + (f"?ct={quote(content_type, safe='/')}" if content_type else ""), content_type, body)


def inline_type(url: str) -> str | None:
    """The content type in the name of an image that stands in a page; None for one without."""
    return url.partition("?ct=")[2] or None


def is_inline(url: str) -> bool:
    """Whether a URL is the name of an image that stands in a page."""
    return url.startswith(NAME)
