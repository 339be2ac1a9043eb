"""What may become of an image URL: the closed list of images.md section 10."""

from __future__ import annotations

from typing import Literal

StatusClass = Literal["ok", "skip", "missing", "policy", "transient", "permanent", "invalid"]

_STATUSES: tuple[tuple[StatusClass, str], ...] = (
    ("ok", "ok"),
    ("skip", "bad_url scheme_not_allowed placeholder rule_extension rule_hint rule_word too_many_in_page too_common"),
    ("missing", "not_in_archive revisit_unresolved archived_redirect_unresolved archived_http_error"),
    ("policy", "blocked_address robots_disallow optout_header optout_page"),
    ("transient", "robots_unreachable dns_temporary connect_error connect_timeout read_timeout connection_reset"),
    ("transient", "fetch_deadline http_408 http_429 http_5xx retry_later host_down short_body"),
    ("permanent", "dns_error tls_error http_4xx http_other too_many_redirects redirect_refused too_large"),
    ("invalid", "empty_body not_an_image unsupported_format"),
    ("invalid", "too_many_pixels too_small bad_aspect too_many_frames truncated_image decode_error hash_mismatch"),
)

STATUS_CLASSES: dict[str, StatusClass] = {name: kind for kind, names in _STATUSES for name in names.split()}
"""Every status and its class. A status that is not here is a bug."""

RETRIED_IN_RUN = frozenset(
    {
        "dns_temporary", "connect_error", "connect_timeout", "read_timeout", "connection_reset", "http_408", "http_429", "http_5xx",
        "short_body",
    }
)  # fmt: skip
"""Transient statuses after which a run asks again by itself."""

REFUSALS = frozenset({"robots_disallow", "optout_header", "optout_page"})
"""Refused by the owner: no other candidate of the same image is tried (images.md 3.1, 6)."""
