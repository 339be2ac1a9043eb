"""What owners say, and when it is a refusal (images.md section 6, row N11)."""

from __future__ import annotations

import pytest

from transforms.images.optout import OptOutConfig, find_refusal, header_directives, meta_directives

REFUSED_BY = [
    ("noai", "noai"),
    ("NoImageAI", "noimageai"),
    ("noml", "noml"),
    ("noindex", "noindex"),
    ("noimageindex", "noimageindex"),
    ("none", "none"),
    ("all, nofollow,noai", "noai"),
    ("interleaf: noai", "noai"),
    ("Interleaf : noai", "noai"),
    ("*: noai", "noai"),
    ("otherbot: nofollow, interleaf: noai", "noai"),
    ("unavailable_after: 25 Jun 2030 15:00:00 PST, noai", "noai"),
    ("unavailable_after: Fri, 25 Jun 2030 15:00:00 GMT, noai", "noai"),
    ("unavailable_after: Friday, 25-Jun-30 15:00:00 UTC, noai", "noai"),
    ("unavailable_after: 2030-06-25T15:00:00+02:00, noai", "noai"),
    ("max-snippet: 20, max-image-preview: large, noai", "noai"),
    ("", None),
    ("all", None),
    ("nofollow, noarchive, nosnippet", None),
    ("max-image-preview:none", None),
    ("unavailable_after: Fri, 25 Jun 2030 15:00:00 GMT", None),
    ("noaim, xnoai, no ai", None),
    ("otherbot: noindex, noai", None),
    ("otherbot : noindex", None),
    ("interleaf: nofollow, otherbot: noai", None),
    ("interleafbot: noai", None),
]


@pytest.mark.parametrize(("value", "directive"), REFUSED_BY)
def test_a_header_refuses_when_it_says_so_to_everyone_or_to_us(value: str, directive: str | None) -> None:
    lines = header_directives([("content-type", "noai"), ("x-robots-tag", value)])
    assert find_refusal(lines, OptOutConfig()) == (f'{directive} in "x-robots-tag: {value}"' if directive else None)


def test_each_header_line_has_its_own_agent() -> None:
    lines = header_directives([("x-robots-tag", "otherbot: noai"), ("x-robots-tag", "noindex")])
    assert find_refusal(lines, OptOutConfig()) == 'noindex in "x-robots-tag: noindex"'


@pytest.mark.parametrize(
    ("name", "content", "is_refused"),
    [
        ("robots", "noai, noimageai", True),
        ("ROBOTS", "index,\n follow, NOAI", True),
        ("interleaf", "noindex", True),
        ("googlebot", "noindex", False),
        ("robots", "index, follow", False),
        ("description", "noai", False),
    ],
)
def test_a_page_refuses_in_its_meta_elements(name: str, content: str, is_refused: bool) -> None:
    assert (find_refusal(meta_directives([(name, content)]), OptOutConfig()) is not None) == is_refused


@pytest.mark.parametrize("lines", [header_directives([("tdm-reservation", "1")]), meta_directives([("tdm-reservation", " 1 ")])])
def test_a_reservation_of_text_and_data_mining_is_recorded_and_heeded_on_demand(lines: tuple[str, ...]) -> None:
    assert len(lines) == 1
    assert find_refusal(lines, OptOutConfig()) is None
    assert find_refusal(lines, OptOutConfig(tdm=True)) == f'tdm-reservation in "{lines[0]}"'
    assert find_refusal(header_directives([("tdm-reservation", "0")]), OptOutConfig(tdm=True)) is None


def test_settings_decide_which_words_refuse_and_whether_any_does() -> None:
    assert find_refusal(["x-robots-tag: noai"], OptOutConfig(enabled=False)) is None
    assert find_refusal(["x-robots-tag: noindex"], OptOutConfig(directives=("noai",))) is None


def test_what_is_recorded_has_bounds() -> None:
    lines = header_directives([("x-robots-tag", "x, " * 100_000)] * 1000)
    assert sum(map(len, lines)) <= 80_000
