"""Markdown and plain text (blocks.md 12)."""

from __future__ import annotations

from typing import Any

import pytest
from block_shapes import blocks_of

from transforms.blocks.markdown import escape_opener, escape_prices, plain_text, render_markdown
from transforms.records import Block


def markdown(html: str, **switches: Any) -> str:
    return render_markdown(blocks_of(html), **switches)


CASES = [
    ("nothing", "", ""),
    ("heading", "<h2>a<br>b</h2>", "## a b\n"),
    ("paragraphs", "<p>a<br>b</p><p>c</p>", "a\\\nb\n\nc\n"),
    ("rich text", "<p><b>a</b> <a href=/x>b</a></p>", "**a** [b](https://e.x/x)\n"),
    ("list", "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n    - c\n- d\n"),
    ("ordered list", "<ol start=9><li>a<li>b<br>c</ol>", "9. a\n10. b\n    c\n"),
    ("lines of an item are aligned", "<ul><li>a<br>b</ul>", "- a\n  b\n"),
    ("continuation", "<ul><li><p>a</p><p>b<br>c</p></ul>", "- a\n\n    b\\\n    c\n"),
    ("a skipped level is no code", "<ul><ul><ul><li>a</ul></ul></ul>", "- a\n"),
    ("nor is a level after other blocks", "<ul><li>a<pre>x</pre><ul><li>b</ul></ul>", "- a\n\n```\nx\n```\n\n- b\n"),
    ("nor a continuation after them", "<ul><li>a<pre>x</pre>b</ul>", "- a\n\n```\nx\n```\n\nb\n"),
    (
        "definitions",
        "<dl><dt>a<dd>b<br>c<dt>d<dt><b>e</b><dd><p>f</p><p>g</p></dl>",
        "**a**\n: b\n  c\n\n**d**\n\n**e**\n: f\n\n  g\n",
    ),
    ("table", "<table><tr><th>a|b<th>c</tr><tr><td>d</tr></table>", "| a\\|b | c |\n| --- | --- |\n| d |  |\n"),
    ("rich table", "<table><tr><th><b>a</b></tr></table>", "| **a** |\n| --- |\n"),
    ("table caption", "<table><caption>C</caption><tr><td>a</tr></table>", "C\n\n| a |\n| --- |\n"),
    (
        "merged cells",
        "<table><tr><th colspan=2>a</tr></table>",
        '<table><tbody><tr><th colspan="2">a</th></tr></tbody></table>\n',
    ),
    ("code", "<pre class=language-c>a  b\n</pre>", "```c\na  b\n```\n"),
    ("the fence is longer than any in the code", "<pre>a\n````\nb</pre>", "`````\na\n````\nb\n`````\n"),
    ("quote", "<blockquote>a<br>b</blockquote>", "> a\\\n> b\n"),
    (
        "quotes around",
        "<blockquote><p>a</p><ul><li>b</ul><blockquote>c</blockquote></blockquote>",
        "> a\n\n> - b\n\n> > c\n",
    ),
    ("image", "<img src=/i.png alt='a]b'>", "![a\\]b](https://e.x/i.png)\n"),
    ("linked image", "<a href=/p><img src=/i.png alt=a></a>", "[![a](https://e.x/i.png)](https://e.x/p)\n"),
    ("caption", "<figure><figcaption>c</figcaption></figure>", "*c*\n"),
    ("media", "<iframe src=/v></iframe>", "*[iframe: https://e.x/v, not transcribed]*\n"),
    ("rules stand between blocks only", "<hr><p>a</p><hr><hr><p>b</p><hr>", "a\n\n---\n\nb\n"),
    ("prices", "<p>from $5 to $6</p>", "from \\$5 to \\$6\n"),
    ("line openers", "<p># a<br>1. b<br>> c</p>", "\\# a\\\n1\\. b\\\n\\> c\n"),
]


@pytest.mark.parametrize(("rule", "html", "expected"), CASES, ids=[case[0] for case in CASES])
def test_markdown_of(rule: str, html: str, expected: str) -> None:
    assert markdown(html) == expected


PAGE = (
    "<h5>t</h5><p>a <a href=/x_(y)>b*</a></p><a href=/p><img src=/i.png alt=I></a>"
    "<table><tr><th><a href=/z>z</a></tr></table><video src=/v>f*</video>"
)


@pytest.mark.parametrize(
    ("switches", "part", "present"),
    [
        ({}, "![I]", True),
        ({"include_images": False}, "![I]", False),
        ({}, "| --- |", True),
        ({"include_tables": False}, "| --- |", False),
        ({}, "[b*](https://e.x/x_(y))", True),
        ({"include_links": False}, "a b*\n", True),
        ({"include_links": False}, "](https://e.x/p)", False),
        ({"include_links": False}, "![I](https://e.x/i.png)\n", True),
        ({"include_links": False}, "| z |", True),
        ({"heading_offset": -2}, "### t", True),
        ({"heading_offset": 9}, "###### t", True),
        ({"heading_offset": -9}, "# t", True),
        ({"escape_text": True}, "f\\*", True),
        ({"escape_text": True}, "[b*](", True),
        ({}, "f*", True),
        ({"only_main": True}, "f*", False),
        (
            {"front_matter": {"title": 'A "b"', "url": "https://e.x"}},
            '---\ntitle: "A \\"b\\""\nurl: "https://e.x"\n---\n\n##',
            True,
        ),
    ],
)
def test_switches(switches: dict[str, Any], part: str, present: bool) -> None:
    assert (part in markdown(PAGE, **switches)) is present


def test_only_main_leaves_out_excluded_blocks() -> None:
    blocks = [Block("paragraph", "a", "p", "/a", 0, excluded="outside-main"), Block("paragraph", "b", "p", "/b", 1)]
    assert (render_markdown(blocks), render_markdown(blocks, only_main=True)) == ("a\n\nb\n", "b\n")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("$5", "\\$5"),
        ("\\$5", "\\$5"),
        ("a $x$ b", "a $x$ b"),
        ("$2^n$ costs $5", "$2^n$ costs \\$5"),
        ("$5 and $6", "\\$5 and \\$6"),
        ("$1" + "_" * 250 + "$", "\\$1" + "_" * 250 + "$"),
        ("$1_\n$2", "\\$1_\n\\$2"),
        ("US$", "US$"),
    ],
)
def test_prices_are_escaped_and_formulas_are_not(text: str, escaped: str) -> None:
    assert escape_prices(text) == escaped


@pytest.mark.parametrize(
    ("line", "escaped"),
    [
        ("# a", "\\# a"),
        ("#a", "#a"),
        ("####### a", "####### a"),
        ("> a", "\\> a"),
        ("- a", "\\- a"),
        ("-a", "-a"),
        ("---", "\\---"),
        ("- - -", "\\- - -"),
        ("+ a", "\\+ a"),
        ("* a", "\\* a"),
        ("*a*", "*a*"),
        ("***", "\\***"),
        ("===", "\\==="),
        ("12. a", "12\\. a"),
        ("12) a", "12\\) a"),
        ("12.5", "12.5"),
        ("1234567890. a", "1234567890. a"),
        ("```", "\\```"),
        ("```` a ````", "```` a ````"),
        ("~~~", "\\~~~"),
        ("a", "a"),
        ("", ""),
    ],
)
def test_what_would_open_a_block_is_escaped(line: str, escaped: str) -> None:
    assert escape_opener(line) == escaped


def test_a_ragged_table_is_not_padded_out_of_proportion() -> None:
    rows = [["x"] * 5000, *[["y"]] * 5000]
    block = Block("table", "", "table", "/t", 0, rows=rows)
    assert len(render_markdown([block])) < 100_000


def test_plain_text_is_the_texts() -> None:
    assert plain_text(blocks_of("<h1>a</h1><img src=i alt=x><hr><iframe src=v></iframe><ul><li>b</ul>")) == "a\n\nb"
