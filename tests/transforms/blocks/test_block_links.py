"""Resolving a page's references."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from transforms.blocks.links import PageUrls
from transforms.images.urls import resolve_url

BASES = ("https://e.x/d/p?q=1#f", "http://www.example.org/a/", "https://e.x", "https://xn--bcher-kva.ch/a", "http://127.0.0.1:80/a")
PIECES = st.sampled_from(
    [
        "/", "//", ".", "..", "a", "B", "%2e", "%2E", "%", "%zz", "?", "#", "&", "=", ":", "@", "é", " ", "'", '"', "|", "^", "{",
        "http:", "https:", "https://", "http://", "ftp://", "e.x", "www.a-b.org", "xn--a", "EXAMPLE.ORG", "1.2", "0x7f.1", "_", "~",
        ":80", ":443", "\\", "\t", "[", "(", ")", "*", "+", ",", ";", "!", "$", "<", "`",
    ]
)  # fmt: skip


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from(BASES), st.lists(PIECES, max_size=7).map("".join))
@example("https://e.x/d/p", "/a/%2e%2e/b")
@example("https://e.x/d/p", "https://e.x/./a")
@example("https://e.x/d/p", "https://e.x?a/b")
def test_the_short_way_gives_what_the_parser_gives(base: str, reference: str) -> None:
    assert PageUrls(base, None).resolve(reference) == resolve_url(reference, base)


@pytest.mark.parametrize(
    ("base_href", "resolved"),
    [(None, "https://e.x/d/n"), ("/lib/", "https://e.x/lib/n"), ("//o.x/", "https://o.x/n"), ("data:x", "https://e.x/d/n")],
)
def test_base_href(base_href: str | None, resolved: str) -> None:
    assert PageUrls("https://e.x/d/p", base_href).resolve("n") == resolved


@pytest.mark.parametrize(
    ("reference", "fetchable"),
    [
        (" a.png ", "https://e.x/d/a.png"),
        ("//i.x/z", "https://i.x/z"),
        ("https://u:p@i.x/z", "https://i.x/z"),
        ("", None),
        (" ", None),
        (None, None),
        ("#a", None),
        ("DATA:image/png,x", None),
        ("blob:https://e.x/1", None),
        ("javascript:x", None),
        ("about:blank", None),
        ("ftp://e.x/a", None),
        ("http://[", None),
    ],
)
def test_what_can_be_fetched(reference: str | None, fetchable: str | None) -> None:
    assert PageUrls("https://e.x/d/p", None).fetchable(reference) == fetchable
