"""Where a text names persons or machines: spans, marked and not removed, by a finder that the configuration names.

    "Write to bob@example.org"  ->  PiiSpan("email", 9, 24)

A finder is any function from a text to (kind, start, stop) of each find. `datatrove` is the one of that library: e-mail addresses
and public IP addresses. Names, telephone numbers and the like are found by none that we know to be right in many languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module, metadata
from typing import NamedTuple

DATATROVE = "datatrove"
# Longest parts of an address (RFC 5321, 4.5.3.1), each with one character of surroundings. Beyond them no address reaches, so that
# a text is searched near its @ only: the library's pattern takes quadratic time on a long run of words and dots without one.
LOCAL_PART, DOMAIN = 65, 256

_AT = re.compile("@")
# Public ones are in 2000::/3 (RFC 4291, 2.4).
_IPV6_LIKE = re.compile(r"(?<![\w:.])[23][0-9A-Fa-f]{3}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{0,30}(?![\w:])")


class PiiSpan(NamedTuple):
    """kind: `email`, `ip`, or what the finder calls it. start, stop: code points of the text, half-open."""

    kind: str
    start: int
    stop: int


Finder = Callable[[str], Iterable[tuple[str, int, int]]]


def find_pii(text: str, finder: str) -> list[PiiSpan]:
    """The spans that the finder of this name (`load_finder`) gives, in the order of the text."""
    return sorted((PiiSpan(*found) for found in load_finder(finder)(text)), key=lambda span: (span.start, span.stop, span.kind))


@cache
def load_finder(name: str) -> Finder:
    """The finder `datatrove`, or the function that `MODULE:FUNCTION` names. Raises ValueError when it cannot be had."""
    if name == DATATROVE:
        return _datatrove_finder()
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise ValueError(f"pii: {name!r} is not allowed; allowed: null, {DATATROVE}, or MODULE:FUNCTION")
    try:
        found: Finder = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"pii: {name}: {error}; MODULE must be importable and have FUNCTION") from error
    return found


def finder_versions(name: str | None) -> dict[str, str]:
    """The version of the library that finds, as far as it is known."""
    return {f"{DATATROVE} (pii)": metadata.version(DATATROVE)} if name == DATATROVE else {}


def _datatrove_finder() -> Finder:
    try:
        from datatrove.pipeline.formatters.pii import PIIFormatter, public_ip_validator
    except ImportError as error:
        raise ValueError(f"pii: the library {DATATROVE} is not installed: {error}. Remedy: pip install 'interleaf[pii]'") from error
    formatter = PIIFormatter()
    email, ip = formatter.emails_replacer.regex, formatter.ip_replacer.regex

    def find(text: str) -> Iterator[tuple[str, int, int]]:
        for start, stop in _around(text):
            yield from (("email", *match.span()) for match in email.finditer(text, start, stop))
        for match in ip.finditer(text):
            if not _is_part_of_number(text, *match.span()) and public_ip_validator(match[0]):
                yield ("ip", *match.span())
        for match in _IPV6_LIKE.finditer(text):
            if public_ip_validator(match[0]):
                yield ("ip", *match.span())

    return find


def _around(text: str) -> Iterator[tuple[int, int]]:
    """The pieces of a text that lie near an @; those that overlap are one."""
    start = stop = -1
    for match in _AT.finditer(text):
        at = match.start()
        if start >= 0 and at - LOCAL_PART > stop:
            yield start, stop
            start = -1
        if start < 0:
            start = max(0, at - LOCAL_PART)
        stop = at + DOMAIN
    if start >= 0:
        yield start, stop


def _is_part_of_number(text: str, start: int, stop: int) -> bool:
    """Whether four numbers between dots go on at either end, as in 1.2.3.4.5; a dot that ends a sentence is nothing."""
    before, after = text[max(0, start - 2) : start], text[stop : stop + 2]
    return (
        before[-1:].isdigit()
        or after[:1].isdigit()
        or (before[-1:] == "." and before[:1].isdigit())
        or (after[:1] == "." and after[1:].isdigit())
    )
