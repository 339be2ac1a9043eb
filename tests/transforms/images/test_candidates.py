"""Image candidates: srcset, what is collected, what is tried first (images.md 3.1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.images.candidates import collect_candidates, download_order, parse_srcset
from transforms.records import Candidate


@pytest.mark.parametrize(
    ("srcset", "parsed"),
    [
        ("", []),
        (" , ,", []),
        ("a.jpg", [("a.jpg", None)]),
        ("a.jpg 1x, b.jpg 2x", [("a.jpg", "1x"), ("b.jpg", "2x")]),
        ("a.jpg 300w,b.jpg 600w", [("a.jpg", "300w"), ("b.jpg", "600w")]),
        ("a.jpg, b.jpg 2x", [("a.jpg", None), ("b.jpg", "2x")]),
        ("a,b.jpg 2x", [("a,b.jpg", "2x")]),
        ("/w_1,h_2/a.jpg 1x, /w_3,h_4/b.jpg 2x", [("/w_1,h_2/a.jpg", "1x"), ("/w_3,h_4/b.jpg", "2x")]),
        ("a.jpg,, b.jpg", [("a.jpg", None), ("b.jpg", None)]),
        ("a.jpg\n\t1.5x ,\nb.jpg", [("a.jpg", "1.5x"), ("b.jpg", None)]),
        ("data:image/png;base64,AA 1x, b.jpg 2x", [("data:image/png;base64,AA", "1x"), ("b.jpg", "2x")]),
        ("a.jpg 100w 50h, b.jpg 1x", [("a.jpg", "100w 50h"), ("b.jpg", "1x")]),
        ("a.jpg 50h, b.jpg 1x", [("b.jpg", "1x")]),
        ("a.jpg 0w, b.jpg 1x", [("b.jpg", "1x")]),
        ("a.jpg 1x 2x, b.jpg 1x", [("b.jpg", "1x")]),
        ("a.jpg 100w 1x, b.jpg 1x", [("b.jpg", "1x")]),
        ("a.jpg -1x, b.jpg 1x", [("b.jpg", "1x")]),
        ("a.jpg 2q, b.jpg 1x", [("b.jpg", "1x")]),
        ("a.jpg 1e1x", [("a.jpg", "1e1x")]),
        ("a.jpg foo(1x, 2x), b.jpg 1x", [("b.jpg", "1x")]),
        ("a.jpg (1x, b.jpg 2x", []),
        ("é.jpg 1x", [("é.jpg", "1x")]),
        ("a\u00a0b.jpg 1x", [("a\u00a0b.jpg", "1x")]),
    ],
)
def test_srcset_is_read_as_the_standard_says(srcset: str, parsed: list[tuple[str, str | None]]) -> None:
    assert parse_srcset(srcset) == parsed


def reference_parse(text: str) -> list[tuple[str, str]]:
    """The steps of the standard, one character at a time; descriptors not checked."""
    space = " \t\n\f\r"
    found, position = [], 0
    while True:
        while position < len(text) and text[position] in space + ",":
            position += 1
        if position >= len(text):
            return found
        start = position
        while position < len(text) and text[position] not in space:
            position += 1
        url, descriptors, in_parens = text[start:position], "", False
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            while position < len(text):
                character = text[position]
                position += 1
                if character == "," and not in_parens:
                    break
                in_parens = (in_parens or character == "(") and character != ")"
                descriptors += character
        found.append((url, " ".join(descriptors.split())))


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet="ab,() \n1x2w", max_size=25))
def test_srcset_agrees_with_the_steps_of_the_standard(srcset: str) -> None:
    valid = [(url, text or None) for url, text in reference_parse(srcset) if not text or parse_srcset(f"u {text}")]
    assert parse_srcset(srcset) == valid


def resolve(reference: str | None) -> str | None:
    return f"https://e.x/{reference}" if reference and not reference.startswith("data:") else None


def test_candidates_are_distinct_and_keep_the_first_descriptor() -> None:
    images = [{"src": "a", "srcset": "a 1x, b 2x, a 3x"}, {"src": "b", "data-src": "c"}]
    assert collect_candidates(images, [{"srcset": "d 9w", "media": "print"}], resolve) == [
        {"url": "https://e.x/a", "descriptor": "1x", "from": "img"},
        {"url": "https://e.x/b", "descriptor": "2x", "from": "img"},
        {"url": "https://e.x/d", "descriptor": "9w", "from": "source", "media": "print"},
        {"url": "https://e.x/c", "descriptor": None, "from": "img"},
    ]


def test_a_lazy_attribute_may_be_a_switch_or_hold_a_srcset() -> None:
    images = [{"src": "a.png", "data-lazy": "true", "data-src": " Lazy ", "data-original": "b.png 100w, c.png 200w"}]
    assert [found["url"] for found in collect_candidates(images, [], resolve)] == [f"https://e.x/{n}.png" for n in "abc"]
    assert [found["url"] for found in collect_candidates([{"src": "1"}], [], resolve)] == ["https://e.x/1"]


def candidates(text: str) -> list[Candidate]:
    """`URL[ DESCRIPTOR]` after comma and space; `>` begins one of a `source` of type image/webp, `>!` of image/jxl."""
    found: list[Candidate] = []
    for one in text.split(", "):
        url, _, descriptor = one.lstrip(">!").partition(" ")
        candidate: Candidate = {"url": url, "descriptor": descriptor or None, "from": "source" if one[0] == ">" else "img"}
        if one[0] == ">":
            candidate["type"] = "image/jxl" if one[1] == "!" else "image/webp; a=b"
        found.append(candidate)
    return found


@pytest.mark.parametrize(
    ("given_", "settings_", "order"),
    [
        ("s, m 400w, l 900w", {}, "l m s"),
        ("s, a 1x, b 2x", {}, "b a s"),
        ("s, a 1x, b 2x, l 900w", {}, "l b a s"),
        ("s, a 1x, b 2x, l 900w", {"width": "500"}, "b l a s"),
        ("s, a 1x, b 2x, l 900w", {"width": "50%"}, "l b a s"),
        ("s, lazy", {}, "lazy s"),
        ("s, lazy, other", {}, "lazy other s"),
        ("s, >w 800w, l 400w", {}, "w l s"),
        ("s, >!x 1600w, >w 800w", {}, "w s x"),
        ("s, >!x 1600w", {"accepted_types": frozenset({"image/jxl"})}, "x s"),
        ("s, t 100w", {}, "s t"),
        ("s, t 100w", {"min_side": 100}, "t s"),
        ("s, t 100w", {"min_side": None}, "t s"),
        ("/a/s.png, /b/x-60x40.jpg", {}, "/a/s.png /b/x-60x40.jpg"),
        ("/a/s.png, /60x60/b.jpg", {}, "/60x60/b.jpg /a/s.png"),
        ("-1x-1.png, 60x-1.png", {}, "-1x-1.png 60x-1.png"),
        ("s-300x300.jpg, l-800x600.jpg", {}, "l-800x600.jpg s-300x300.jpg"),
        ("a 900w, b 900w", {}, "a b"),
    ],
)
def test_download_order(given_: str, settings_: dict[str, Any], order: str) -> None:
    assert download_order(candidates(given_), **settings_) == tuple(order.split())


def test_no_candidates_give_no_order() -> None:
    assert download_order([]) == ()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from([None, "1x", "2x", "100w", "900w"])), max_size=6))
def test_every_candidate_is_tried_once(pairs: list[tuple[str, str | None]]) -> None:
    given_: list[Candidate] = [
        {"url": f"https://e.x/{url}", "descriptor": what, "from": "img"} for url, what in dict(pairs).items()
    ]
    assert sorted(download_order(given_)) == sorted(candidate["url"] for candidate in given_)
