"""Which archived answer an image URL has: the nearest capture, behind redirects if need be (images.md 9). Nobody is asked."""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Iterable
from dataclasses import replace
from math import inf

from transforms.images.optout import OptOutConfig, find_refusal
from transforms.images.urls import FETCHABLE_SCHEMES, url_key
from transforms.records import Sighting, WantedImage

MAX_REDIRECTS = 5

# A body is what was asked for; the others only tell why there is none. The first kind that a URL has counts.
KIND_ORDER = ("image", "redirect", "revisit", "error")

_DATE = re.compile(r"(\d{4})(?:-?(\d\d)(?:-?(\d\d)(?:[T ]?(\d\d):?(\d\d):?(\d\d))?)?)?")


def look_up(wanted: WantedImage, captures: Iterable[Sighting], optout: OptOutConfig) -> tuple[WantedImage, str | None]:
    """What the captures of one URL say about a wanted image, and the URL to look at next when that is a redirect.

    The first result has a status or a place, or both, unless there is a second one. captures: of `wanted.url`, or of the last of
    `wanted.trail`.
    """
    if wanted.status is not None:
        return wanted, None
    best = min(captures, key=lambda capture: _preference(capture, wanted.date), default=None)
    if best is None:
        status = "archived_redirect_unresolved" if wanted.trail else "not_in_archive"
        return replace(wanted, status=status, detail=_missing_target(wanted)), None
    place = {name: getattr(best, name) for name in ("file", "offset", "length", "record_id", "digest")}
    found = replace(wanted, **place, captured=best.date or None)
    refusal = find_refusal(best.directives, optout)
    if refusal is not None:
        return replace(found, status="optout_header", detail=refusal), None
    if best.kind == "redirect" and best.target is not None:
        return _follow(wanted, best.target)
    if best.kind == "revisit":
        return replace(found, status="revisit_unresolved", detail=f"{best.file}, offset {best.offset}"), None
    if best.kind == "error":
        detail = f"status {best.http_status}, captured {best.date or 'at an unknown time'}"
        return replace(found, status="archived_http_error", detail=detail, value=best.http_status), None
    return found, None


def _follow(wanted: WantedImage, target: str) -> tuple[WantedImage, str | None]:
    """One hop on, or why it is not made."""
    if not target.startswith(FETCHABLE_SCHEMES):
        return replace(wanted, status="redirect_refused", detail=f"leads to {target[:200]}"), None
    if url_key(target) in map(url_key, (wanted.url, *wanted.trail)):
        return replace(wanted, status="archived_redirect_unresolved", detail=f"a circle: leads back to {target}"), None
    if len(wanted.trail) == MAX_REDIRECTS:
        detail = f"leads on to {target}"
        return replace(
            wanted, status="archived_redirect_unresolved", detail=detail, value=MAX_REDIRECTS + 1, threshold=MAX_REDIRECTS
        ), None
    return replace(wanted, trail=(*wanted.trail, target)), target


def _missing_target(wanted: WantedImage) -> str | None:
    return f"leads to {wanted.trail[-1]}, which no archive holds" if wanted.trail else None


def _preference(capture: Sighting, date: str | None) -> tuple[int, float, str, str, str, int, str, str]:
    """Sorts captures: by kind, then the nearest in time to the page; the rest only makes the choice free of their order."""
    seconds, page_seconds = seconds_of(capture.date), seconds_of(date)
    distance = inf if seconds is None or page_seconds is None else abs(seconds - page_seconds)
    ties = (capture.date or "", capture.file or "", capture.offset or 0, capture.record_id or "", capture.target or "")
    return KIND_ORDER.index(capture.kind), distance, capture.digest or "", *ties


def seconds_of(date: str | None) -> int | None:
    """Seconds since 1970 of a date in UTC, as WARC and CDX files write it; None for anything else.

    >>> seconds_of("2024-01-02T00:00:01Z") == seconds_of("20240102000001") == 1704153601
    True
    """
    match = _DATE.match(date or "")
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups())
    try:
        return timegm((year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0))
    except ValueError:  # month 13
        return None
