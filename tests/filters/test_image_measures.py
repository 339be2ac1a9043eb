"""Measures and verdicts of an image (filters.md 3)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.measures import measure_image
from filters.rules import first_failure, judge
from transforms.records import ImageRef, Outcome

URL = "https://example.org/photos/lake.jpg"


def reference(url: str = URL, width: str | None = None, height: str | None = None) -> ImageRef:
    return ImageRef(href=url, candidates=(url,), rendered_width=width, rendered_height=height)


def found(url: str = URL, image_format: str = "jpeg", width: int = 800, height: int = 600) -> Outcome:
    return Outcome(url_key=b"", url=url, status="ok", format=image_format, width=width, height=height)


def test_measures_of_an_image() -> None:
    assert measure_image(reference(width="400", height="50%"), found()) == {
        "available": 1,
        "format": "jpeg",
        "width": 800,
        "height": 600,
        "rendered_width": 400.0,
        "rendered_height": 300.0,
        "aspect": 800 / 600,
        "url_words": 0,
        "nsfw_score": None,
    }


@pytest.mark.parametrize(
    "outcome", [None, Outcome(b"", URL, "not_in_archive"), Outcome(b"", URL, "truncated", format="jpeg", width=800, height=600)]
)
def test_an_image_without_bytes_that_decode_is_not_available(outcome: Outcome | None) -> None:
    measures = measure_image(reference(width="400"), outcome)
    assert measures == {
        "available": 0,
        "format": None,
        "width": None,
        "height": None,
        "rendered_width": 400.0,
        "rendered_height": None,
        "aspect": None,
        "url_words": 0,
        "nsfw_score": None,
    }
    verdicts = judge("image", measures, {})
    failure = first_failure(verdicts)
    assert failure is not None
    assert failure.rule == "image.available"
    assert {v.rule: v.reason for v in verdicts if v.verdict == "skip"} == dict.fromkeys(
        ("image.format", "image.width", "image.height", "image.rendered_height", "image.aspect"), "not_available"
    ) | {"image.nsfw": "off"}


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (None, None),
        ("", None),
        ("300", 300.0),
        (" 300px ", 300.0),
        ("1.5", 1.5),
        (".5", None),
        ("300.5", 300.5),
        ("25%", 200.0),
        ("12.5 %", 100.0),
        ("1", None),  # 1 and less say nothing
        ("0", None),
        ("1.01", 1.01),
        ("0.1%", None),
        ("auto", None),
        ("-300", None),
        ("9" * 400, None),
        ("٣٠٠", None),
    ],
)
def test_declared_sizes(declared: str | None, expected: float | None) -> None:
    measures = measure_image(reference(width=declared, height=declared), found(width=800, height=800))
    assert measures["rendered_width"] == measures["rendered_height"] == expected


def test_a_percentage_needs_the_original() -> None:
    assert measure_image(reference(width="50%"), None)["rendered_width"] is None


@pytest.mark.parametrize(
    ("url", "count"),
    [
        ("https://e.org/img/Logo.png", 1),
        ("https://e.org/essex/siliconvalley/catalogo.jpg", 0),
        ("https://e.org/myLogo2.png", 1),
        ("https://e.org/site-logo_button.PNG", 2),
        ("https://e.org/LOGO.png", 1),
        ("https://e.org/logos.png", 0),
        ("https://e.org/favicon.png", 0),
        ("https://logo.org/a.png", 0),  # never the host
        ("https://e.org:80/icon", 1),
        ("https://e.org/a.png?icon=1", 0),
        ("https://e.org/a.png#icon", 0),
        ("https://e.org?icon", 0),
        ("https://e.org/a%2Flogo.png", 1),
        ("https://e.org/l%6Fgo.png", 1),
        ("https://e.org/catálogo-xxxl.png", 0),
        ("https://e.org/élogo.png", 0),
        ("https://e.org/xxx/sex/porn/widget/plugin", 5),
        ("data:image/png;base64,logo/icon+sex", None),
        ("", None),
    ],
)
def test_banned_words_are_whole_words_of_the_path(url: str, count: int | None) -> None:
    assert measure_image(reference(url), None)["url_words"] == count
    assert measure_image(reference(), found(url))["url_words"] == count


def test_without_candidates_the_identity_is_looked_at() -> None:
    assert measure_image(ImageRef(href="https://e.org/logo.png", candidates=()), None)["url_words"] == 1


@pytest.mark.parametrize(
    ("outcome", "rule"),
    [
        (found(), None),
        (found(image_format="PNG"), None),
        (found(image_format="gif"), "image.format"),
        (found(width=149), "image.width"),
        (found(height=20_001, width=20_000), "image.height"),
        (found(width=1201), "image.aspect"),
        (found("https://e.org/icon.jpg"), "image.url_words"),
    ],
)
def test_default_verdicts(outcome: Outcome, rule: str | None) -> None:
    failure = first_failure(judge("image", measure_image(reference(), outcome), {}))
    assert (failure and failure.rule) == rule


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.one_of(st.none(), st.text(max_size=12)), st.integers(0, 10**9), st.integers(0, 10**9))
def test_never_raises(url: str, declared: str | None, width: int, height: int) -> None:
    judge("image", measure_image(reference(url, declared, declared), found(url, "jpeg", width, height)), {})
