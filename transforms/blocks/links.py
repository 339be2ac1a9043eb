"""Resolving a page's references, each once (blocks.md 3.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from transforms.images.candidates import URL_ATTRIBUTES
from transforms.images.inline import InlineConfig, PageReferences
from transforms.images.urls import base_url, resolve_url

# Link targets that lead nowhere outside a browser: the label stays, the link does not.
DEAD_SCHEMES = ("javascript:", "data:", "blob:")

# References that the WHATWG rules leave as they are: a lower-case registered host without port, and only characters that no
# percent-encode set holds. They are most of all references, and this is a tenth of the price.
_PATH = r"/[A-Za-z0-9\-._~!$&()*+,;=:@%/]*(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@%/?]*)?(?:#[A-Za-z0-9\-._~!$&()*+,;=:@%/?]*)?"
_HOST = r"(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}"
_PLAIN_URL = re.compile(rf"https?://{_HOST}{_PATH}")
_PLAIN_PATH = re.compile(_PATH)
_PLAIN_FRAGMENT = re.compile(r"#[A-Za-z0-9\-._~!$&()*+,;=:@%/?]*")
_ORIGIN = re.compile(rf"https?://{_HOST}(?=/)")


class PageUrls:
    """Resolves references of one page against its base and remembers the results.

    inline: which images that stand in the page are used; None for none of them. lazy_attributes: further attributes of an `img`
    that hold a URL or a srcset.
    """

    def __init__(
        self, page_url: str, base_href: str | None, inline: InlineConfig | None = None, lazy_attributes: Sequence[str] = ()
    ) -> None:
        self.base = base_url(page_url, base_href)
        self.image_attributes = (*URL_ATTRIBUTES, *lazy_attributes)
        self.references = None if inline is None else PageReferences(self.base, inline)
        origin = _ORIGIN.match(self.base)
        self._origin = origin[0] if origin and "xn--" not in origin[0] else None
        self._scheme = self.base[: self.base.find(":") + 1]
        self._without_fragment = (resolve_url("", self.base) or self.base).partition("#")[0]
        self._resolved: dict[str, str | None] = {}

    def resolve(self, reference: str) -> str | None:
        """The absolute URL by the WHATWG rules, of any scheme; None when it has none."""
        known = self._resolved
        if reference in known:
            return known[reference]
        url = self._plain(reference)
        if url is None:
            url = resolve_url(reference, self.base)
        known[reference] = url
        return url

    def _plain(self, reference: str) -> str | None:
        """The URL of a reference that needs no parsing, else None."""
        first = reference[:1]
        if first == "#":
            return self._without_fragment + reference if _PLAIN_FRAGMENT.fullmatch(reference) else None
        if first != "/" and first != "h":
            return None
        # A dot segment, plain or encoded, or an international host name may still change.
        if "/." in reference or "%2e" in reference or "%2E" in reference or "xn--" in reference:
            return None
        if first == "h":
            return reference if _PLAIN_URL.fullmatch(reference) else None
        if self._origin is None:
            return None
        if reference.startswith("//"):
            url = self._scheme + reference
            return url if _PLAIN_URL.fullmatch(url) else None
        return self._origin + reference if _PLAIN_PATH.fullmatch(reference) else None

    def fetchable(self, reference: str | None) -> str | None:
        """The absolute URL when it can be fetched over HTTP; an empty reference or one into the page itself is none."""
        if not reference:
            return None
        reference = reference.strip()
        if not reference or reference[0] == "#" or reference[:5].lower() == "data:":
            return None
        url = self.resolve(reference)
        if url is None or not url.startswith(("http:", "https:")):
            return None
        return url

    def link(self, reference: str | None) -> str | None:
        """The absolute target of a link; None for scripts and data."""
        if reference is None:
            return None
        url = self.resolve(reference.strip())
        return None if url is None or url.startswith(DEAD_SCHEMES) else url
