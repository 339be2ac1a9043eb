"""Which `display` a style attribute declares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.html.css_display import declared_display


@pytest.mark.parametrize(
    ("style", "display"),
    [
        ("", None),
        ("display", None),
        ("display:", None),
        ("display:none", "none"),
        (" display : none ; ", "none"),
        ("DISPLAY:NONE", "none"),
        ("color:red;display:none;color:blue", "none"),
        ("display:none;display:block", "block"),
        ("display:none!important;display:block", "none"),
        ("display:none ! /* x */ IMPORTANT ;display:block", "none"),
        ("display:none!important;display:block!important", "block"),
        ("display:none!;display:block", "block"),
        ("display:none foo", None),
        ("display:block;display:nonesuch", "block"),
        ("display:none\\9", None),
        ("display:n\\6fne", "none"),
        ("d\\69splay:none", "none"),
        ("display:n\\00006f ne", "none"),
        ("display:/* no */none", "none"),
        ("/* display:none */", None),
        ("/* display:none", None),
        ("display:none/*", "none"),
        ("content:'; display:none'", None),
        ('content:"\\"; display:none"', None),
        ("content:'broken\n; display:none", "none"),
        ("content:'a;display:none\n;color:red", None),
        ("background:url(a;display:none;)", None),
        ("background:url(it's.png);display:none", "none"),
        ("background:url( 'a;display:none' )", None),
        ("x:{display:none;};display:block", "block"),
        ("x:(;display:none", None),
        ("x:);display:none", "none"),
        (":display:none", None),
        ("-display:none", None),
        ("display-x:none", None),
        ("display:'none'", None),
        ("display:none,none", None),
        ("display:inline flex", "inline flex"),
        ("display:flex inline", "flex inline"),
        ("display:block flow list-item", "block flow list-item"),
        ("display:none;display:block inline", "none"),
        ("display:none;display:table list-item", "none"),
        ("display:none;display:var(--x)", "var ( - - x )"),
        ("display:none;display:inherit", "inherit"),
        ("display:none;display:-webkit-box", "-webkit-box"),
        ("display:none;;;", "none"),
        ("color;display:none", "none"),
    ],
)
def test_declared_display(style: str, display: str | None) -> None:
    found = declared_display(style)
    assert (found or "").replace(" ", "") == (display or "").replace(" ", "")
    assert (found is None) is (display is None)


@given(st.text(alphabet="display:none;!important /*'\"\\(){}[]\n\t9aé\x00", max_size=60))
def test_any_text_is_read(style: str) -> None:
    declared_display(style)
    assert declared_display("display:none;" + "x" * 50_000 + style[:0]) == "none"
