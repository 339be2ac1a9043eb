"""Why a request brought no body, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """A status of images.md section 10 and its reason. value, threshold: of the limit that it is about.

    http_status: where a server answered. retry_after: seconds that it asks to wait. on_kept_connection: a connection that was kept
    open ended before any answer, as it does when the server gives it up in the same moment; the next one is a new one. No header
    or URL of a server stands in `detail` but what the status is about.
    """

    status: str
    detail: str
    value: float | None = None
    threshold: float | None = None
    http_status: int | None = None
    retry_after: float | None = None
    on_kept_connection: bool = False
