"""The gate's rules, options and properties (spec/readerable.md)."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.html.readerable import GateConfig, is_probably_readerable, readerable_score
from transforms.html.tree import LexborNode, parse_html

LONG = "x" * 600  # sqrt(600 - 140) = 21.4 passes alone


def passes(html: str, **options: object) -> bool:
    """The answer, after checking that the full score gives the same."""
    answer = is_probably_readerable(parse_html(html), **options)  # type: ignore[arg-type]
    min_score = options.get("min_score")
    score = readerable_score(parse_html(html), **options)  # type: ignore[arg-type]
    assert answer == (score > (20.0 if min_score is None else min_score))  # type: ignore[operator]
    return answer


# ---- the five unit cases, in both modes


@pytest.mark.parametrize(
    ("html", "parity", "strict"),
    [
        pytest.param(f'<div class="comment"><p>{LONG}</p></div>', True, False, id="1 in a comment"),
        pytest.param(f'<div class="comment main-content"><p>{LONG}</p></div>', True, True, id="2 in a comment, main content"),
        pytest.param(f'<p style="display:none">{LONG}</p>' * 2, False, False, id="3 hidden themselves"),
        pytest.param(f'<div style="display:none"><p>{LONG}</p></div>', True, False, id="3b in a hidden wrapper"),
        pytest.param(f"<div><p>{LONG}</p></div>", True, True, id="4 in a div"),
        pytest.param(f"<ul><li><p>{LONG}</p><li><div><p>{LONG}</p></div></ul>", False, False, id="5 in list items"),
        pytest.param("<div>" + f"<p>{'x' * 130}</p>" * 40 + "</div>", False, False, id="4b there is no rule for div > p"),
    ],
)
def test_unit_cases(html: str, parity: bool, strict: bool) -> None:
    assert (passes(html), passes(html, strict_ancestors=True)) == (parity, strict)


# ---- Mozilla's own tables


@pytest.mark.parametrize(
    ("min_content_length", "min_score", "expected"),
    [
        (None, None, [False, False, False, True]),
        (120, 0, [False, True, True, True]),
        (200, 0, [False, False, False, True]),
        (0, 4, [False, True, True, True]),
        (0, 11.5, [False, False, True, True]),
    ],
)
def test_mozilla_option_table(min_content_length: int | None, min_score: float | None, expected: list[bool]) -> None:
    pages = [f"<p>{'hello there ' * count}</p>" for count in (1, 11, 12, 50)]
    answers = [passes(page, min_content_length=min_content_length, min_score=min_score) for page in pages]
    assert answers == expected


@pytest.mark.parametrize("visible", [True, False])
def test_visibility_checker_is_called_once_and_obeyed(visible: bool) -> None:
    seen: list[LexborNode] = []

    def checker(node: LexborNode) -> bool:
        seen.append(node)
        return visible

    html = f"<p hidden>{LONG}<p>short<li><p>{LONG}</p></li><p class=comment>{LONG}"
    assert is_probably_readerable(parse_html(html), visibility_checker=checker) is visible
    # It replaces the built-in test, and is not asked about candidates that another test dropped.
    assert [node.attributes for node in seen] == [{"hidden": None}]


def test_visibility_checker_is_called_once_when_the_page_fails() -> None:
    seen: list[int] = []
    html = f"<article><p>{'y' * 150}</p><div>{'z' * 150}<br></div></article>"

    def checker(node: LexborNode) -> bool:
        seen.append(node.mem_id)
        return True

    tree = parse_html(html)
    assert not is_probably_readerable(tree, visibility_checker=checker, min_score=100)
    assert len(seen) == len(set(seen)) == 3


# ---- what adds to the score


def term(length: int, min_content_length: int = 140) -> float:
    return sqrt(length - min_content_length)


@pytest.mark.parametrize(
    ("html", "score"),
    [
        pytest.param("", 0.0, id="empty document"),
        pytest.param("<frameset><frame></frameset>", 0.0, id="frameset page without body"),
        pytest.param(f"<p>{LONG}</p", term(600), id="cut in the middle of a tag"),
        pytest.param("<p>" + "x" * 140, 0.0, id="exactly long enough adds nothing"),
        pytest.param(f"<pre>{LONG}</pre><article>{LONG}</article>", 2 * term(600), id="pre and article"),
        pytest.param(f"<article>{LONG}<p>{LONG}</p></article>", term(1200) + term(600), id="nested text counts twice"),
        pytest.param(f"<div>{LONG}<br>{LONG}<br></div>", term(1200), id="a div counts once"),
        pytest.param(f"<div><span><br></span>{LONG}</div>", 0.0, id="a br deeper in a div does not count"),
        pytest.param(f"<section>{LONG}<br></section>", 0.0, id="a br in another element does not count"),
        pytest.param(f"<template><p>{LONG}</p></template><p>{LONG}</p>", term(600), id="a template is not reached"),
        pytest.param(f"<p>{LONG}<template>{LONG}</template></p>", term(600), id="nor is its text"),
        pytest.param(f"<p>{'x' * 140}<script>{'y' * 100}</script></p>", term(240), id="text of a script counts"),
        pytest.param(f"<p>{'x' * 140}<i hidden>{'y' * 100}</i></p>", term(240), id="text of a hidden element counts"),
        pytest.param(f"<p>{'x' * 140}<!-- {'y' * 100} --></p>", 0.0, id="a comment does not count"),
        pytest.param("<p>" + "x" * 70 + " " * 30 + "x" * 70, term(170), id="inner white space counts"),
        pytest.param(f"<article><pre>{'z' * 160}</pre></article><p>{LONG}", term(160) + term(160) + term(600), id="document order"),
    ],
)
def test_score(html: str, score: float) -> None:
    tree = parse_html(html)
    before = tree.html
    assert readerable_score(tree) == score
    assert is_probably_readerable(tree) is (score > 20)
    assert tree.html == before


def test_full_score_is_summed_in_candidate_order() -> None:
    lengths = [141, 1000, 173, 400, 157, 999, 142]
    names = ["p", "article", "p", "pre", "p", "p", "pre"]
    html = "".join(f"<{name}>{'x' * length}</{name}>" for name, length in zip(names, lengths, strict=True))
    expected = 0.0
    for length in [*lengths, 151]:
        expected += term(length)
    assert readerable_score(parse_html(f"<div>{'x' * 151}<br></div>" + html)) == expected
    assert readerable_score(parse_html(html + f"<div>{'x' * 151}<br></div>"), min_score=1e9, stop_early=True) == expected


def test_stop_early_gives_a_lower_bound_above_the_threshold_or_the_full_score() -> None:
    tree = parse_html(f"<p>{LONG}</p>" * 9)
    assert 20 < readerable_score(tree, stop_early=True) < readerable_score(tree)
    assert readerable_score(tree, stop_early=True, min_score=1e6) == readerable_score(tree)


def test_a_page_without_survivors_is_not_readerable_even_below_zero() -> None:
    assert not is_probably_readerable(parse_html("<p>short"), min_score=-1)
    assert is_probably_readerable(parse_html("<p>" + "x" * 140), min_score=-1)


# ---- where a naive description goes wrong: each row fails with the naive form


def styled(style: str) -> str:
    return f'<p style="{style}">{LONG}</p>'


NAIVE = [
    pytest.param("<div>" + f"<p>{'x' * 130}</p>" * 40 + "</div>", False, id="divs: no div > p"),
    pytest.param(f"<div><p><br>{'x' * 130}</p>{'y' * 500}</div>", False, id="divs: br as a direct child only"),
    pytest.param(f"<div><b>{LONG}</b><br></div>", True, id="divs: full text content"),
    pytest.param(f"<ul><li><div><p>{LONG}</p></div></ul>", False, id="list rule: any li ancestor"),
    pytest.param(f"<ul><li><pre>{LONG}</pre></ul>", True, id="list rule: for p only"),
    pytest.param(f'<div class="comment"><p>{LONG}</p></div>', True, id="class and id: containers are not inspected"),
    pytest.param(f'<p class="comment">{LONG}</p>', False, id="class and id: own class"),
    pytest.param(f'<p id="sidebar">{LONG}</p>', False, id="class and id: own id"),
    pytest.param(f'<p class="comment" id="main">{LONG}</p>', True, id="class and id: either rescues"),
    pytest.param(f'<p class="MyCOMMENTs">{LONG}</p>', False, id="class and id: part of a word, any case"),
    pytest.param(f'<div style="display:none" hidden><p>{LONG}</p></div>', True, id="visibility: own element only"),
    pytest.param(f"<p>{chr(0x1F600) * 271}</p>", True, id="length: UTF-16 units, 542"),
    pytest.param(f"<p>{chr(0x1F600) * 270}</p>", False, id="length: UTF-16 units, 540"),
    pytest.param(f"<p>{'é' * 300}</p>", False, id="length: not bytes"),
    pytest.param(f"<p>&#xfeff;{'x' * 540}&#xfeff;</p>", False, id="trim: U+FEFF"),
    pytest.param(f"<p>\u2003\u3000{'x' * 540}\u2029\xa0</p>", False, id="trim: Unicode spaces"),
    pytest.param(f"<p>\x1c{'x' * 540}</p>", True, id="trim: not U+001C"),
    pytest.param(f"<p>\x85{'x' * 540}</p>", True, id="trim: not U+0085"),
    pytest.param(f'<p class="\u017fidebar">{LONG}</p>', True, id="patterns: U+017F is no s"),
    pytest.param(f'<p class="remar\u212a">{LONG}</p>', True, id="patterns: U+212A is no k"),
    pytest.param(styled("display:none"), False, id="style: none"),
    pytest.param(styled("DISPLAY : NONE ;"), False, id="style: any case"),
    pytest.param(styled("display:none;display:block"), True, id="style: the last wins"),
    pytest.param(styled("display:none!important;display:block"), False, id="style: important wins"),
    pytest.param(styled("display:none foo"), True, id="style: an invalid value is dropped"),
    pytest.param(styled("display:block;display:none\\9"), True, id="style: the backslash hack is invalid"),
    pytest.param(styled("/* display:none */ color:red"), True, id="style: comments are skipped"),
    pytest.param(styled("content:';display:none;'"), True, id="style: strings are skipped"),
    pytest.param(styled("visibility:hidden"), True, id="style: visibility does not hide"),
    pytest.param(f'<svg><article class="comment">{LONG}</article></svg>', True, id="svg: class is no string"),
    pytest.param(f'<svg><article id="comment">{LONG}</article></svg>', False, id="svg: id is"),
    pytest.param(f'<svg><article aria-hidden="true" class="fallback-image">{LONG}</article></svg>', False, id="svg: class"),
    pytest.param(
        f'<svg><foreignObject><article class="comment">{LONG}</article></foreignObject></svg>', False, id="svg: HTML again inside"
    ),
    pytest.param(f'<math><article style="display:none">{LONG}</article></math>', True, id="math: no style"),
    pytest.param(f'<math><mi><article style="display:none">{LONG}</article></mi></math>', False, id="math: HTML again inside"),
    pytest.param(f'<p aria-hidden="true">{LONG}</p>', False, id="aria-hidden: true"),
    pytest.param(f'<p aria-hidden="TRUE">{LONG}</p>', True, id="aria-hidden: not TRUE"),
    pytest.param(f'<p aria-hidden="">{LONG}</p>', True, id="aria-hidden: not empty"),
    pytest.param(f'<p aria-hidden="true" class="fallback-image">{LONG}</p>', True, id="aria-hidden: fallback image"),
    pytest.param(f'<p hidden="false">{LONG}</p>', False, id="hidden: whatever the value"),
    pytest.param("<p>" + "x" * 541, True, id="threshold: 541"),
    pytest.param("<p>" + "x" * 540, False, id="threshold: strictly greater than the score"),
    pytest.param("<p>" + "x" * 140 + "</p><p>" + "x" * 541, True, id="threshold: the length itself is enough"),
    pytest.param(f"\ufeff<head><title>{LONG}</title><p>short", False, id="BOM: removed"),
]


@pytest.mark.parametrize(("html", "answer"), NAIVE)
def test_reference_behaviour_where_a_naive_description_goes_wrong(html: str, answer: bool) -> None:
    assert passes(html) is answer


def test_minimum_length_is_inclusive() -> None:
    assert is_probably_readerable(parse_html("<p>" + "x" * 140), min_score=-1)
    assert not is_probably_readerable(parse_html("<p>" + "x" * 139), min_score=-1)


# ---- options that are not Mozilla's


@pytest.mark.parametrize(
    ("wrapper", "kept"),
    [
        ('<div class="sidebar">', False),
        ('<div class="sidebar"><section class="content">', False),  # each ancestor rescues only itself
        ('<div class="sidebar main">', True),
        ('<div id="footer"><section>', False),
        ('<a class="related">', True),
        ('<a class="related" hidden>', False),
        ('<div aria-hidden="true">', False),
        ('<div style="display:none">', False),
        ('<svg class="menu"><foreignObject>', True),
        ('<body class="menu">', True),
        ("<body hidden>", True),
        ('<html id="banner" style="display:none"><body class="sidebar">', True),
    ],
)
def test_strict_ancestors(wrapper: str, kept: bool) -> None:
    html = f"{wrapper}<p>{LONG}</p>"
    assert passes(html)
    assert passes(html, strict_ancestors=True) is kept
    # Hidden by the default rule also when a checker is given.
    assert passes(html, strict_ancestors=True, visibility_checker=lambda node: True) is kept


@pytest.mark.parametrize(
    ("text", "scale", "length"),
    [
        pytest.param("漢" * 56, {"Han": 2.5}, 140, id="minimum"),
        ("漢" * 55, {"Han": 2.5}, None),
        ("漢" * 140, None, 140),
        ("ひらカナー" * 20, {"Kana": 1.5}, 150),
        ("한글" * 50, {"Hangul": 2}, 200),
        ("ไทย" * 50, {"Thai": 1.2}, 180),
        ("ລາວ" * 50, {"Lao": 1.2}, 180),
        ("ខ្មែ" * 30, {"Khmer": 1.5}, 180),
        ("မြန်" * 50, {"Myanmar": 2}, 400),
        ("\U00020000" * 60, {"Han": 2.5}, 150),  # one code point of two units
        ("x" * 150, {"Han": 2.5}, 150),
        ("漢x" * 50, {"Han": 2.5}, 175),
        ("漢x" * 100, {"Thai": 2.5}, 200),
        ("  " + "漢" * 60 + "\u3000", {"Han": 2.5}, 150),
    ],
)
def test_script_length_scale(text: str, scale: dict[str, float] | None, length: float | None) -> None:
    score = readerable_score(parse_html(f"<p>{text}</p>"), script_length_scale=scale)
    assert score == (0.0 if length is None else sqrt(length - 140))
    assert is_probably_readerable(parse_html(f"<p>{text}</p>"), script_length_scale=scale, min_score=-1) is (length is not None)


@pytest.mark.parametrize(
    ("scale", "message"), [({"Latin": 2.0}, "'Latin'.*Han"), ({"Han": 0}, "Han.*0"), ({"Han": float("nan")}, "nan")]
)
def test_script_length_scale_names_what_is_wrong(scale: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        is_probably_readerable(parse_html(""), script_length_scale=scale)


def test_config_defaults_are_mozillas() -> None:
    assert GateConfig() == GateConfig(True, 140, 20.0, False, None)


# ---- properties

TEXT = st.sampled_from(["x" * 30, "y" * 90, "z" * 150, "漢" * 200, " ", "w" * 541])
NAMES = st.sampled_from(["p", "div", "article", "pre", "li", "ul", "b", "section", "button", "svg", "td", "object"])
ATTRIBUTES = st.sampled_from(
    ["", "", "", " class=comment", " hidden", ' style="display:none"', " id=main", " class='sidebar content'"]
)


def element(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    parts = st.lists(st.one_of(children, TEXT, st.just("<br>")), max_size=4)
    return st.builds(lambda name, attributes, inner: f"<{name}{attributes}>{''.join(inner)}</{name}>", NAMES, ATTRIBUTES, parts)


HTML = st.lists(st.recursive(TEXT, element, max_leaves=15), max_size=4).map("".join)


@settings(max_examples=150, deadline=None)
@given(HTML, st.sampled_from([0.0, 5.0, 20.0, 60.0]))
def test_answer_equals_full_score_above_threshold(html: str, min_score: float) -> None:
    passes(html, min_score=min_score)
    if is_probably_readerable(parse_html(html), strict_ancestors=True, min_score=min_score):
        assert passes(html, min_score=min_score)


@settings(max_examples=60, deadline=None)
@given(HTML)
def test_comments_change_nothing(html: str) -> None:
    tree = parse_html(html)
    before = readerable_score(tree), readerable_score(tree, strict_ancestors=True)
    for node in tree.css("body, body *"):
        comment = parse_html("<!-- a comment of some length, with words -->").root
        assert comment is not None
        assert comment.prev is not None  # the comment stands before <html>
        node.insert_child(comment.prev)
    assert "a comment of some length" in (tree.html or "")
    assert (readerable_score(tree), readerable_score(tree, strict_ancestors=True)) == before


@settings(max_examples=60, deadline=None)
@given(HTML, st.lists(TEXT, min_size=1, max_size=3))
def test_more_content_never_turns_true_into_false(html: str, more: list[str]) -> None:
    if is_probably_readerable(parse_html(html)):
        tree = parse_html(html)
        body = tree.body
        assert body is not None
        for text in more:
            paragraph = tree.create_node("p")
            paragraph.insert_child(text)
            body.insert_child(paragraph)
        assert is_probably_readerable(tree)
