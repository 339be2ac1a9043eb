"""URLs as browsers resolve them (images.md 3.2, 3.3)."""

from __future__ import annotations

import hashlib

import ada_url

FETCHABLE_SCHEMES = ("http:", "https:")


def resolve_url(reference: str, base: str) -> str | None:
    """The absolute URL of `reference` by the WHATWG rules, or None when it has no meaning.

    The fragment stays, userinfo is cut. `base` must be absolute.

    >>> resolve_url("../q", "https://e.x/d/p")
    'https://e.x/q'
    """
    try:
        url = ada_url.URL(reference, base)
    except ValueError:
        return None
    if url.username or url.password:
        url.username = ""
        url.password = ""
    return str(url.href)


def fetchable_url(reference: str, base: str) -> str | None:
    """As `resolve_url`, but only `http` and `https` URLs with a host; for `data:`, `blob:`, `javascript:` and the like None."""
    url = resolve_url(reference.strip(), base)
    return url if url is not None and url.startswith(FETCHABLE_SCHEMES) else None


def base_url(page_url: str, base_href: str | None) -> str:
    """The URL that references of a page resolve against: the first `<base href>`, itself resolved, else the page's own."""
    if base_href is None:
        return page_url
    return fetchable_url(base_href, page_url) or page_url


def url_key(url: str) -> bytes:
    """The key of an image URL: first 16 bytes of sha256 over the serialised URL without its fragment. Queries are left alone."""
    return hashlib.sha256(url.split("#", 1)[0].encode("utf-8", "surrogatepass")).digest()[:16]


def host_of(url: str) -> str:
    """The host of an absolute URL, without port; empty when there is none."""
    try:
        return str(ada_url.URL(url).hostname)
    except ValueError:
        return ""
