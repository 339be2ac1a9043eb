"""What an archived response says about the image at its URL: its bytes, where it went, or that it was not there (images.md 9).

kind       response
image      status 200, `image/*` by its header or its first bytes
redirect   301, 302, 303, 307, 308 with a Location
error      any other status but 200
revisit    a revisit record whose original is not in the input
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from transforms.archives.select import is_image
from transforms.images.optout import header_directives
from transforms.images.urls import resolve_url, url_key
from transforms.records import Drop, Response, Sighting

REDIRECTS = (301, 302, 303, 307, 308)


def capture_row(response: Response) -> dict[str, Any] | None:
    """The row of `CAPTURES` for a response; None for one that says nothing about an image, such as a page."""
    kind, target = ("image" if is_image(response) else None), None
    if response.status != 200:
        location = next((value for name, value in response.headers if name == "location"), None)
        target = resolve_url(location.strip(), response.url) if response.status in REDIRECTS and location else None
        kind = "redirect" if target is not None else "error"
    if kind is None:
        return None
    return {
        "url_key": url_key(response.url),
        "url": response.url,
        "kind": kind,
        "date": response.date or "",
        "source": asdict(response.source),
        "http_status": response.status,
        "target": target,
        "directives": list(header_directives(response.headers)),
    }


def unresolved_row(drop: Drop) -> dict[str, Any] | None:
    """The row of `CAPTURES` for the drop of a revisit without its original; None where the URL is not known."""
    if drop.url is None:
        return None
    source = {"file": drop.file, "offset": drop.offset, "length": 0, "record_id": drop.target_id, "digest": None}
    return {
        "url_key": url_key(drop.url),
        "url": drop.url,
        "kind": "revisit",
        "date": "",
        "source": source,
        "http_status": None,
        "target": None,
        "directives": [],
    }


def capture_sighting(row: dict[str, Any]) -> Sighting:
    """A row of `CAPTURES` as what it says about the URL."""
    source = {name: row["source"][name] for name in ("file", "offset", "length", "record_id", "digest")}
    names = ("url", "kind", "date", "http_status", "target", "directives")
    return Sighting(**source, **{name: row[name] for name in names})
