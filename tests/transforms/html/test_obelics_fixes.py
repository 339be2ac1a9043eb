"""Each fault of the reference that obelics.md 7 names: what it does, what we do, and that the parity report can tell why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from operation_count import operations

from scripts.bench.obelics_alignment import read_ours, reference_tokens
from scripts.bench.obelics_fixes import Evidence, explain, find_differences
from transforms.documents.obelics import read_obelics_page
from transforms.html.simplify_tags import ObelicsConfig
from transforms.html.tree import parse_html
from transforms.images.declared import formatted_filename, rendered_size

URL = "http://ex.com/blog/post/1.html"
MARK = ObelicsConfig().boundary_text
LONG = "many words of a page " * 9


@dataclass(frozen=True)
class Fix:
    """before: what the reference makes of the page, images as I(source as written). after: what we make, images resolved."""

    id: str
    html: str
    before: list[str]
    after: list[str]


FIXES = [
    Fix("majority-guard", f"<form><p>{LONG}</p></form>", [], [LONG.strip()]),
    Fix("majority-guard", "<body class='home footer'><p>text</p>", [], ["text"]),
    Fix("figure-picture", "<p>a</p><figure>cap<img src=/a></figure>", ["a"], ["a\n\ncap", "I(http://ex.com/a)"]),
    Fix("figure-picture", "<p>a</p><picture><img src=/a></picture>", ["a"], ["a", "I(http://ex.com/a)"]),
    Fix("url-chars", "a<img src='/x y,z.jpg'>", ["a"], ["a", "I(http://ex.com/x%20y,z.jpg)"]),
    Fix("url-chars", "a<img srcset='/a 1x, /b 2x'>", ["a"], ["a", "I(http://ex.com/b)"]),
    Fix("lazy-first", "a<img src='data:,' data-lazy='/a b'>", ["a"], ["a", "I(http://ex.com/a%20b)"]),
    Fix("url-resolve", "a<img src='data:x'>", ["a", "I(data:x)"], ["a"]),
    Fix("url-valid", "a<img src='http://a_b.com:80/x'>", ["a"], ["a", "I(http://a_b.com/x)"]),
    Fix("br-forms", "hello<BR>world", ["helloworld"], ["hello\nworld"]),
    Fix("br-forms", "hello<br class=x>world", ["helloworld"], ["hello\nworld"]),
    Fix("gap", "left<hr>right", ["leftright"], ["left\nright"]),
    Fix("gap", "a <button>B</button><div></div> b", ["a b"], ["a\nb"]),
    Fix("class-token", "<p>some text</p><div class='nav main'>menu</div>", ["some text\n\nmenu"], ["some text"]),
    Fix("class-token", "<p>a</p><div class=update-box>News</div>", ["a"], ["a\n\nNews"]),
    Fix("class-token", "<p>a</p><div title=menu>News</div>", ["a"], ["a\n\nNews"]),
    Fix("comment-parse", "<script>a='<!--'</script><p>kept words</p><!-- z -->", [], ["kept words"]),
    Fix("boundary", "<p>one <a class=more-link>x</a></p><p>two</p>", [f"one {MARK}\n\ntwo"], [f"one\n\n{MARK}\n\ntwo"]),
    Fix("unicode-space", "<p>a&nbsp;b so&shy;ft</p>", ["a\xa0b so\xadft"], ["a b soft"]),
    Fix("newline-cap", "<p>a<br><br><br><br>b</p>", ["a\n\n\n\nb"], ["a\n\nb"]),
    Fix("parser", "<p>a</>b</p>", ["a</>b"], ["ab"]),
]


def nodes(html: str) -> list[str]:
    page = read_obelics_page(parse_html(html), URL, ObelicsConfig())
    return [f"I({node.image.href})" if node.image else node.text or "" for node in page.nodes]


def as_row(node: str) -> dict[str, Any]:
    if node.startswith("I("):
        return {"kind": "image", "text": None, "unformatted_src": node[2:-1]}
    return {"kind": "text", "text": node, "unformatted_src": None}


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: f"{fix.id}: {fix.html[:30]}")
def test_the_fault_is_gone(fix: Fix) -> None:
    assert nodes(fix.html) == fix.after != fix.before


@pytest.mark.parametrize("fix", [fix for fix in FIXES if fix.id != "parser"], ids=lambda fix: f"{fix.id}: {fix.html[:30]}")
def test_the_report_names_the_fix_by_evidence(fix: Fix) -> None:
    reading = read_ours(fix.html, parse_html(fix.html), URL)
    found = list(find_differences(reading, reference_tokens([as_row(node) for node in fix.before])))
    assert found
    assert {explain(Evidence(reading), difference) for difference in found} == {fix.id}


@pytest.mark.parametrize("fix", [f for f in FIXES if "<img" not in f.html], ids=lambda fix: f"{fix.id}: {fix.html[:30]}")
def test_equal_readings_have_no_difference(fix: Fix) -> None:
    reading = read_ours(fix.html, parse_html(fix.html), URL)
    page = read_obelics_page(parse_html(fix.html), URL, ObelicsConfig())
    rows = [as_row((node.text or "").replace(MARK, " ")) for node in page.nodes]
    assert [d for d in find_differences(reading, reference_tokens(rows)) if d.kind != "separator"] == []


@pytest.mark.parametrize(
    ("html", "before"),
    [
        ("<p>one two</p>", ["one two three"]),
        ("<p>one two three</p>", ["one two"]),
        ("<p>one</p><p>two</p>", ["one two"]),
        ("<p>one<img src=/a></p>", ["one"]),
        ("<p>one</p>", ["one", "I(/a)"]),
        ("<p>one</p><form>two</form>", ["one\n\ntwo"]),
        ("<div class=box>one two</div>", ["one"]),
    ],
)
def test_a_difference_without_evidence_stays_unexplained(html: str, before: list[str]) -> None:
    reading = read_ours(html, parse_html(html), URL)
    found = list(find_differences(reading, reference_tokens([as_row(node) for node in before])))
    assert [explain(Evidence(reading), difference) for difference in found] == [None] * max(len(found), 1)


def test_never_silent() -> None:
    """One bad attribute costs the attribute, and a page that is nothing but faults still has its text."""
    assert nodes("<p>a<img src='http://[' width=1e999 height=-- alt='\ud83d'>b<!-- (?s --></p>") == ["ab"]


def test_deep_tree() -> None:
    deep = "<div><b>" * 200
    assert nodes(f"{deep}text") == ["text"]
    tree = parse_html("<div>" * 2_000 + "text")
    assert [node.text for node in read_obelics_page(tree, URL, ObelicsConfig()).nodes] == ["text"]


def test_in_band() -> None:
    """Markers of the reference are plain text to us, and a line break in an alternative text leaves none."""
    page = read_obelics_page(parse_html("<p>#BR_TAG# a<br>b</p><img src=/a alt='x<br>y'>"), URL, ObelicsConfig())
    assert page.nodes[0].text == "#BR_TAG# a\nb"
    assert page.nodes[1].image is not None
    assert page.nodes[1].image.alt == "x<br>y"


def test_source_spaces() -> None:
    page = read_obelics_page(parse_html("<p>a  \n\n b</p><img src='/a  b.jpg' width=' 7 '>"), URL, ObelicsConfig())
    assert page.nodes[0].text == "a b"
    assert page.nodes[1].image is not None
    assert page.nodes[1].image.unformatted_src == "/a  b.jpg"


def test_filename_and_size() -> None:
    assert formatted_filename("http://e.x/0123456789abcdef.jpg") is None
    assert formatted_filename("http://e.x/caf%C3%A9.v2.jpg") == "café v"
    assert (rendered_size("1.5px"), rendered_size("1e400")) == ("1", None)


def test_order() -> None:
    assert nodes("".join(f"<img src=/{n}>" for n in range(9))) == [f"I(http://ex.com/{n})" for n in range(9)]


def test_linear() -> None:
    """Four times the page is four times the work: never the sixteenfold of a square."""

    def work(count: int) -> int:
        tree = parse_html("<div class=footer>x</div><p>y</p>" * count)
        return operations(lambda: read_obelics_page(tree, URL, ObelicsConfig()))

    assert work(4_000) < 5 * work(1_000)
