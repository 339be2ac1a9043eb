"""The caps before and after the parse (spec/parser.md, "Limits before the parse")."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transforms.html.limits
from transforms.html import limits as limits_module
from transforms.html.elements import END_TAG_OMITTED
from transforms.html.limits import Exceeded, LimitsConfig, exceeded_limit, parse_within
from transforms.html.nesting_bound import surely_within
from transforms.html.tree import LexborHTMLParser, parse_html

CHECKOUT = Path(transforms.html.limits.__file__).parents[2]
DEFAULT = LimitsConfig()
TOO_DEEP = Exceeded("limits.nesting", 513, 512)


def utf8(html: str) -> bytes:
    return html.encode("utf-8", "surrogatepass")


def attributes(count: int) -> str:
    return " ".join(f"a{n}" for n in range(count))


def quoted(count: int) -> str:
    return "".join(f' b{n}="x"' for n in range(count))


def numbered(template: str, count: int) -> str:
    return "".join(template.replace("%", str(n)) for n in range(count))


@pytest.mark.parametrize(
    ("html", "limits", "expected"),
    [
        ("x" * 10, LimitsConfig(bytes=10), None),
        ("x" * 11, LimitsConfig(bytes=10), Exceeded("limits.bytes", 11, 10)),
        ("漢" * 4, LimitsConfig(bytes=11), Exceeded("limits.bytes", 12, 11)),
        ("漢" * 4, LimitsConfig(bytes=12), None),
        ("\ud800", LimitsConfig(bytes=2), Exceeded("limits.bytes", 3, 2)),
        ("", LimitsConfig(bytes=0), None),
        ("x", LimitsConfig(bytes=0), Exceeded("limits.bytes", 1, 0)),
        ("<b>", LimitsConfig(nesting=0), Exceeded("limits.nesting", 1, 0)),
        ("<p>", LimitsConfig(nesting=0), None),
        ("<svg><style/>", LimitsConfig(nesting=1), None),
        ("<svg><foreignObject><style/>", LimitsConfig(nesting=2), Exceeded("limits.nesting", 3, 2)),
        ("<p a='' b=''>", LimitsConfig(attributes=1), Exceeded("limits.attributes", 2, 1)),
        ('<p a="" b="">', LimitsConfig(attributes=1), Exceeded("limits.attributes", 2, 1)),
        ("<p a>", LimitsConfig(attributes=0), Exceeded("limits.attributes", 1, 0)),
        ("<p>", LimitsConfig(attributes=0), None),
        ("<p><p>", LimitsConfig(nodes=1), Exceeded("limits.nodes", 2, 1)),
        (f"<p {attributes(1000)}>", DEFAULT, None),
        (f"<p {attributes(1001)}>", DEFAULT, Exceeded("limits.attributes", 1001, 1000)),
        (f"</p {attributes(1001)}>", DEFAULT, Exceeded("limits.attributes", 1001, 1000)),
        (f"<script {attributes(1001)}>", DEFAULT, Exceeded("limits.attributes", 1001, 1000)),
        (f"<p{quoted(1000)}>", DEFAULT, None),
        (f"<p{quoted(1001)}>", DEFAULT, Exceeded("limits.attributes", 1001, 1000)),
        (f"<p{quoted(50)}{attributes(951)}>", DEFAULT, Exceeded("limits.attributes", 1001, 1000)),
        ("<p " + " ".join(f"a{n}='>'" for n in range(5000)) + ">", DEFAULT, Exceeded("limits.attributes", 5000, 1000)),
        (f"<p title='{attributes(5000)}'>", DEFAULT, None),
        (f"<p href={'?a=b&' * 5000}>", DEFAULT, None),
        ("<div>" * 20_000 + f"<p {attributes(2000)}>", LimitsConfig(None, None, None, None, None, None), None),
    ],
)
def test_limit_is_inclusive_none_switches_off_and_zero_is_a_bound(
    html: str, limits: LimitsConfig, expected: Exceeded | None
) -> None:
    assert exceeded_limit(utf8(html), limits) == expected


SHALLOW = {
    "512 deep": "<div>" * 512,
    "wide": "<div></div>" * 5000,
    "mixed case": "<DIV><Span></sPAN></div>" * 600,
    "void elements": "<br><img><input><META>" * 600,
    "unclosed items": "<ul>" + "<li>x" * 5000,
    "unclosed paragraphs": "<p>x" * 5000,
    "unclosed cells": "<table>" + "<tr><td>x<th>y" * 2000,
    "unclosed options": "<select>" + "<option>x" * 2000,
    "unclosed terms": "<dl>" + "<dt>x<dd>y" * 2000,
    "unclosed inline elements in items": "<ul>" + "<li><span>x" * 2000,
    "unclosed inline elements in blocks": "<div><span></div>" * 2000,
    "unclosed links": numbered("<a href=%>x", 2000),
    "misnested formatting": "<b><i></b></i>" * 2000,
    "equal formatting closed in turn": "<div><b><b><i><p></b></b></i></div>x" * 2000,
    "formatting around blocks": "<b><div></b></div>" * 2000,
    "comments": "<!-- <div> -->" * 2000,
    "abrupt comments": "<div><!--></div><!---></div>" * 1,
    "one long comment": "<!--" + "<div>" * 2000 + "-->",
    "comment without end": "<!--" + "<div>" * 2000,
    "script": "<script>" + "<div>" * 2000 + "</script>",
    "script without end": "<script>" + "<div>" * 2000,
    "script in a comment in a script": "<script><!--<script></script>" + "<div>" * 2000 + "--></script>",
    "style": "<STYLE>" + "<div>" * 2000 + "</Style >",
    "textarea": "<textarea>" + "<div>" * 2000 + "</textarea>",
    "title": "<title>" + "<div>" * 2000 + "</title>",
    "iframe": "<iframe>" + "<div>" * 2000 + "</iframe>",
    "plaintext": "<plaintext>" + "<div>" * 2000,
    "attribute values": '<p title="' + "<div>" * 2000 + '">',
    "doctype": "<!doctype " + "<div" * 2000 + ">",
    "less-than signs": "1 < 2 <3 << " * 2000,
    "quotes around spaces": ('<a b\n=\t">' + "<div>" * 600 + "\"/c= '" + "<div>" * 600 + "'>") * 2,
    "self-closing shapes": '<svg><path d="x"/><g/><use href=a /></svg>' * 2000,
    "unclosed headings": "<h1>x<h2>y" * 2000,
    "unclosed buttons": "<button>x" * 2000,
    # With an end tag that the quick answer cannot place, so that the full scan is asked.
    "unclosed items in forms": "<form><li></form><form><dt><rt></form><svg><a></svg><div></a></div>" * 600,
}


@pytest.mark.parametrize("name", SHALLOW)
def test_not_deep(name: str) -> None:
    assert exceeded_limit(utf8(SHALLOW[name]), DEFAULT) is None


DEEP = {
    "513 deep": "<div>" * 513,
    "closed in the end": "<div>" * 513 + "</div>" * 513,
    "formatting and blocks": "<b><i><u><div>" * 1000,
    "different formatting in paragraphs": numbered("<p><b class=%>", 600),
    "different formatting in blocks": numbered("<div><b class=%></div>", 600),
    "equal formatting that is opened again": "<div><font color=red>x</div> " * 600,
    "forms close alone": "<form><x></form>" * 600,
    "framesets": "<frameset><button>" * 600,
    "raw text in framesets": "<frameset><style>" * 600,
    "an ordinary end tag and a special element": "<noscript><x><li></noscript>" * 600,
    "a select is a scope": "<form><select></form>" * 600,
    "an end tag that ends SVG": "<svg></p><font><nobr>" * 600,
    "no second SVG in a closed one": "<svg/><x/>" * 600,
    "cells outside a table": "<x><td>" * 600,
    "names of SVG in HTML": "<mi><center></mi>" * 600,
    "unknown elements": numbered("<x-%>", 600),
    "end tags in attribute values": '<div title="</div>">' * 600,
    "end tags after a quoted >": "<div title='></div>'>" * 600,
    "quotes that are none": "<div a=\"'\" b='\"></div>'>" * 600,
    "an equals sign begins a name": ('<a =">' + "<div>" * 200 + '">') * 3,
    "an equals sign after a slash begins a name": ('</a b/=">' + "<div>" * 200 + '">') * 3,
    "a quote in a value without quotes": ('<a b=c=">' + "<div>" * 200 + '">') * 3,
    "a quote after a quoted value": ("<a b='c'=\">" + "<div>" * 200 + '">') * 3,
    "end tags in comments": "<div><!-- </div> -->" * 600,
    "end tags in scripts": "<div><script>'</div>'</script>" * 600,
    "end tags in scripts in scripts": "<div><script><!--<script></script></div>--></script>" * 600,
    "an abrupt comment in a script": "<script><!--><script></script>" + "<div>" * 600,
    "another abrupt comment in a script": "<script><!---><script></script>" + "<div>" * 600,
    "a comment that ends in a script": "<script><!--<script>--></script>" + "<div>" * 600,
    "no script in a script": "<script><!--<scripts></script>" + "<div>" * 600,
    "end tags in titles": "<div><title></div></title>" * 600,
    "end tags in text of SVG": "<svg><![CDATA[></svg>]]>" * 600,
    "start tags in text of MathML": "<math><![CDATA[<body/>]]>" * 600,
    "comments in text of SVG": "<svg><![CDATA[<!--]]><g>" * 300,
    "formatting closed around a block": "<b><div></b>" * 600,
    "ordinary elements do not close special ones": "<span><div></span>" * 600,
    "a cell is a scope": "<div><table><td></div>" * 600,
    "an object is a scope": "<div><object></div>" * 600,
    "items and terms": "<li><dd>" * 600,
    "void elements in SVG": "<svg>" + "<wbr>" * 600,
    "raw text elements in SVG": "<svg><style>" + "<g>" * 600 + "</style>",
    "no self-closing in HTML": "<div/>" * 600,
    "no self-closing in HTML in SVG": "<svg><foreignObject>" + "<x/>" * 600,
    "no self-closing of an unquoted value": "<svg>" + "<g a=b/>" * 600,
    "another letter k": "<lin\u212a>" * 600,
    "another letter s": "<div><\u017fcript></div>" + "<div>" * 600,
    "template": "<template><div>" * 300,
    "after a stray end tag": "</div>" * 5000 + "<div>" * 513,
}


@pytest.mark.parametrize("name", DEEP)
def test_deep(name: str) -> None:
    found = exceeded_limit(utf8(DEEP[name]), DEFAULT)
    assert found is not None
    assert (found.rule, found.threshold) == ("limits.nesting", 512)
    assert found == exceeded_limit(utf8(DEEP[name]), DEFAULT)


def test_value_is_what_was_reached() -> None:
    assert exceeded_limit(utf8("<div>" * 600), DEFAULT) == TOO_DEEP


@pytest.mark.parametrize("around", ["<div>%</div>", "<p>%"])
def test_formatting_that_is_opened_again_in_each_block_counts_as_nodes(around: str) -> None:
    html = around.replace("%", numbered("<b class=%>", 400)) + "<p>x" * 2000
    over = exceeded_limit(utf8(html), LimitsConfig(nodes=100_000))
    assert over is not None
    assert over.rule == "limits.nodes"
    assert len(parse_html(html).tags("*")) > 100_000


@pytest.mark.parametrize(
    ("html", "limits", "exceeded"),
    [
        ("<p><b>x</b>", LimitsConfig(nodes=4), Exceeded("limits.nodes", 5, 4)),
        ("<p><b>x</b>", LimitsConfig(nodes=5), None),
        ("<p><b>x</b>", LimitsConfig(nodes=None), None),
        ("<table><td>", LimitsConfig(nodes=6), Exceeded("limits.nodes", 7, 6)),
        ("", DEFAULT, None),
        ("<div>" * 600, DEFAULT, TOO_DEEP),
        ("x" * 11, LimitsConfig(bytes=10), Exceeded("limits.bytes", 11, 10)),
    ],
)
def test_a_page_is_parsed_unless_its_text_or_its_tree_is_over_a_limit(
    html: str, limits: LimitsConfig, exceeded: Exceeded | None
) -> None:
    parsed = parse_within(utf8(html), limits)
    if exceeded is None:
        assert isinstance(parsed, LexborHTMLParser)
        assert parsed.html == parse_html(html).html
    else:
        assert parsed == exceeded


def test_defaults() -> None:
    assert LimitsConfig(8 * 2**20, 512, 1000, 500_000) == DEFAULT


# ---- the cost table: dropped by a cap, or parsed within a deadline; in its own process, which can be killed

COSTS = {
    "div 2,000": "'<div>' * 2000",
    "div 20,000": "'<div>' * 20000",
    "div just below the cap": "('<div>' * 512 + '<p>x' * 3000)",
    "attributes 4,000": "'<p ' + ' '.join(f'a{n}' for n in range(4000)) + '>'",
    "attributes a million": "'<p ' + ' '.join(f'a{n}' for n in range(1000000)) + '>'",
    "formatting 3,000": "'<b><i><u><div>' * 3000",
    "formatting in paragraphs": "''.join(f'<p><b class={n}>' for n in range(10000))",
    "formatting opened again": "'<div>' + ''.join(f'<b class={n}>' for n in range(500)) + '</div>' + '<p>x' * 300000",
    "two million tags": "'<b></b>' * 1000000",
    "tags without end": "'<a ' * 300000",
    "quotes without end": "'<a b=\"' * 300000",
    "equal signs": "'<a ' + '=a' * 1000000",
    "comments without end": "'<!--' * 300000",
    "scripts without end": "'<script>' * 300000",
    "cdata without end": "'<svg><![CDATA[' * 100000",
    "long names in SVG": "'<svg>' + ''.join(f'<{\"g\" * 4000}{n}>' for n in range(500)) + f'</{\"g\" * 4000}x00>' * 1400",
    "end tags behind a stop": "'<x><table>' + '<y>' * 400 + '</x>' * 500000",
}


@pytest.mark.parametrize("name", COSTS)
def test_cost_table(name: str) -> None:
    code = f"""
import json
from transforms.html.limits import LimitsConfig, exceeded_limit
from transforms.html.tree import LexborHTMLParser, parse_html
html = {COSTS[name]}
over = exceeded_limit(html.encode(), LimitsConfig())
print(json.dumps(over.rule if over else len(parse_html(html).tags("p")) >= 0))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, timeout=30, check=True)
    assert json.loads(done.stdout) in (True, "limits.nesting", "limits.attributes", "limits.nodes")


@pytest.mark.parametrize(
    "family",
    [
        lambda n: "<x><table>" + "<y>" * 400 + "</x>" * n,
        lambda n: "<p><button>" + "<y>" * 400 + "<hr>" * n,
        lambda n: "<div>" + "<b>" * 400 + "</div><p>x" * n,
    ],
)
def test_elements_looked_at_are_bounded_per_tag(family: Callable[[int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    original = limits_module.OpenElements._innermost_first

    def counting(self: object) -> object:
        nonlocal looked
        for place in original(self):  # type: ignore[arg-type]
            looked += 1
            yield place

    monkeypatch.setattr(limits_module.OpenElements, "_innermost_first", counting)
    monkeypatch.setattr(limits_module, "surely_within", lambda *arguments: False)
    html = family(3000)
    exceeded_limit(utf8(html), LimitsConfig(nodes=None))
    assert looked <= 64 * html.count("<")


# ---- against the parser itself

TEXT_NAMES = ["title", "style", "script"]
HTML_NAMES = ["div", "p", "span", "b", "a", "li", "ul", "dd", "dt", "h1", "h2", "br", "form", "font", "button", "object", "X-y"]
TABLE_NAMES = ["table", "td", "tr", "template", "select", "option"]
FOREIGN_NAMES = ["svg", "g", "foreignObject", "math", "mi", "wbr"]
NAMES = st.sampled_from([*TEXT_NAMES, *HTML_NAMES, *TABLE_NAMES, *FOREIGN_NAMES])
ATTRIBUTES = st.sampled_from(
    ["", "", "", " a=1", " a='>' b", "/", ' c="</div>"/', ' d=">" e="<b>"', ' f="" g="', ' h="x"" />', ' ="', ' i=j="', ' k = "']
)
PIECES = st.one_of(
    st.builds(lambda name, attribute: f"<{name}{attribute}>", NAMES, ATTRIBUTES),
    st.builds(lambda name: f"</{name}>", NAMES),
    st.sampled_from(["x", " ", "<!--", "<!-->", "-->", "<![CDATA[", "]]>", "<", "'", '"', ">"]),
)


def counted_depth(html: str) -> int:
    """The most elements around one another in the parsed tree, without those whose end tag may be omitted."""
    deepest = 0
    for node in parse_html(html).css("*"):
        depth = 0
        walked = node
        while walked is not None:
            depth += walked.tag not in END_TAG_OMITTED and walked.tag != "-document"
            walked = walked.parent  # type: ignore[assignment]
        deepest = max(deepest, depth)
    return deepest


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=10), st.just(30))
def test_markup_never_looks_flatter_than_it_is_parsed(pieces: list[str], repeated: int) -> None:
    html = "".join(pieces) * repeated
    depth = counted_depth(html)
    # The tree has a few elements that no tag stands for, once: those of a table around a cell, what a parser opens again.
    if depth > 12:
        assert exceeded_limit(utf8(html), LimitsConfig(nesting=depth - 12)) is not None


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=14), st.integers(1, 12), st.integers(0, 30), st.integers(0, 20))
def test_the_quick_answer_is_never_wrong(pieces: list[str], repeated: int, nesting: int, missing: int) -> None:
    html = utf8("".join(pieces) * repeated)
    html = html[: max(len(html) - missing, 0)]  # a page may end anywhere
    if surely_within(html, nesting, 70, 10_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(limits_module, "surely_within", lambda *arguments: False)
            assert exceeded_limit(html, LimitsConfig(nesting=nesting, attributes=70, nodes=10_000)) is None


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=8), st.integers(1, 40))
def test_a_page_that_is_surely_within_the_limit_of_nodes_needs_no_count(pieces: list[str], repeated: int) -> None:
    html = "".join(pieces) * repeated
    nodes = len(parse_html(html).tags("*"))
    assert not surely_within(utf8(html), None, 1000, nodes - 1)


@pytest.mark.parametrize(
    ("html", "sure"),
    [
        ("<br><img><input>" * 600, True),
        ("<ul><li>x<li>y</ul>" * 600, True),
        ("<table><tr><td>x<th>y</table>" * 600, True),
        ("<svg><path></svg><p>" * 600, True),
        ("<svg><g><path></g></svg><div></div>" * 600, True),
        ("<svg><title></title></svg><div></div>" * 600, True),
        ("<style><!--<script></style>" * 600, True),
        ("<script><!--<b></script>" * 600, True),
        ("<script>'<script'<!-- </script>" * 600, True),
        ("<script><!--<script></script>" + "<div>" * 600 + "--></script>", True),
        ("<script><!--<script></script>--></script>" + "<div>" * 600, False),
        ("<div><svg></div><path></svg>", False),
        ("<svg><g/><path></g></svg>", False),
        ("<svg><p></svg>", False),
        ("<svg><img></svg>", False),
        ("<svg><a><path></a></svg>", False),
        ("<![CDATA[<p>]]>", True),
        ("<svg><![CDATA[<p>]]></svg>", False),
    ],
)
def test_the_quick_answer_is_given_where_it_is_certain(html: str, sure: bool) -> None:
    assert surely_within(utf8(html), 512, 1000, 500_000) is sure


def test_the_quick_answer_needs_no_limit() -> None:
    html = utf8("<div>" * 100_000 + f"<p {attributes(5000)}>")
    assert surely_within(html, None, None, None)
    assert not surely_within(html, 100_000, None, None)
    assert surely_within(html, 100_001, 5000, None)
    assert not surely_within(html, 100_001, 4999, None)


def test_real_pages_are_within_the_limits(shared: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator

    pages = []
    with (shared / "data/wcxb/dev-00000-of-00006.warc.gz").open("rb") as archive:
        for record in ArchiveIterator(archive):
            if record.rec_type == "response":
                pages.append(record.content_stream().read())
    assert len(pages) > 100
    limits = LimitsConfig(nesting=100, attributes=200, nodes=100_000)
    assert [found for html in pages if (found := exceeded_limit(html, limits))] == []
    # What the quick answer cannot vouch for costs fifty times as much.
    assert sum(surely_within(html, DEFAULT.nesting, DEFAULT.attributes, DEFAULT.nodes) for html in pages) > 0.97 * len(pages)
