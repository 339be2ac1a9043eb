"""The rules for the parser (spec/parser.md). An upgrade of selectolax shows here what changed."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transforms.html.tree
from transforms.html.limits import LimitsConfig, exceeded_limit
from transforms.html.readerable import readerable_score
from transforms.html.tree import parse_html

CHECKOUT = Path(transforms.html.tree.__file__).parents[2]


def test_version_is_the_pinned_one() -> None:
    assert version("selectolax") == "1.0.2"


def test_only_this_module_imports_the_parser() -> None:
    importing = set()
    for package in ("transforms", "filters", "pipelines"):
        for path in sorted((CHECKOUT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if any(name.split(".")[0] == "selectolax" for name in names):
                    importing.add(path.relative_to(CHECKOUT).as_posix())
    assert importing == {"transforms/html/tree.py"}


@pytest.mark.parametrize("given_value", [b"<p>x", bytearray(b"<p>x"), memoryview(b"<p>x"), None])
def test_takes_decoded_text_only(given_value: object) -> None:
    with pytest.raises(TypeError, match=type(given_value).__name__):
        parse_html(given_value)  # type: ignore[arg-type]


def test_leading_byte_order_mark_is_removed() -> None:
    tree = parse_html("\ufeff<head><title>t</title></head><body>x")
    assert tree.html == "<html><head><title>t</title></head><body>x</body></html>"


def test_selected_option_is_not_repeated() -> None:
    tree = parse_html("<select><button><selectedcontent></selectedcontent></button><option selected>one</option></select>")
    assert tree.text().count("one") == 1


def test_noscript_is_markup_and_an_image_in_it_ends_the_head() -> None:
    tree = parse_html('<head><noscript><img src="i.png"></noscript><link rel="canonical" href="/c"></head><body>x')
    assert len(tree.css("body > img")) == 1
    assert len(parse_html('<body><noscript><img src="i.png"></noscript>').css("noscript > img")) == 1
    assert tree.css_first("head link") is None
    assert tree.css_first("link[rel=canonical]") is not None


@pytest.mark.parametrize(
    ("html", "body"),
    [
        ("", True),
        (" ", True),
        ("<frameset><frame></frameset>", False),
        ("<p>cut <b in a t", True),
        ("<!doctype html>", True),
        ("\x00", True),
    ],
)
def test_odd_pages_give_a_tree(html: str, body: bool) -> None:
    assert (parse_html(html).body is not None) is body


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=300) | st.text(alphabet="<>/!-='\" abpdivlstyle&;\x00é", max_size=200).map(str.encode))
def test_any_bytes_give_a_tree(body: bytes) -> None:
    text = body.decode("utf-8", "replace")
    assert exceeded_limit(text.encode(), LimitsConfig()) is None
    tree = parse_html(text)
    assert tree.html is not None
    readerable_score(tree)


# ---- what the rules rely on; each would be news in an upgrade


def test_identity_is_the_memory_id() -> None:
    first, second = parse_html("<p>x</p><p>x</p>").css("p")
    assert first == second
    assert first.mem_id != second.mem_id
    assert first.parent is not None
    assert second.parent is not None
    assert first.parent.mem_id == second.parent.mem_id


def test_attribute_without_value_is_none_and_empty_is_empty() -> None:
    assert parse_html('<p a b="">').tags("p")[0].attributes == {"a": None, "b": ""}


def test_traverse_yields_comments_and_nodes_without_tag() -> None:
    body = parse_html("<body>t<!-- c --><?php x ?><b>u</b>").body
    assert body is not None
    assert {node.tag for node in body.traverse(include_text=True)} >= {"body", "-text", "-comment", "b"}


def test_selectors_and_tags_do_not_enter_a_template_but_serialisation_does() -> None:
    tree = parse_html("<template><p>x</p></template>")
    assert (tree.css("p"), tree.tags("p"), "<p>x</p>" in (tree.html or "")) == ([], [], True)


def test_a_selector_list_yields_an_element_once_per_alternative() -> None:
    tree = parse_html("<p class=a>x")
    assert (len(tree.css("p, .a")), len(tree.css(":is(p, .a)"))) == (2, 1)


def test_stripped_text_joins_without_a_space() -> None:
    body = parse_html("a <b> b</b> c").body
    assert body is not None
    assert (body.text(strip=True), body.text()) == ("abc", "a  b c")


def in_subprocess(code: str) -> int:
    """The exit status of a piece of Python in its own process."""
    return subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, timeout=60, check=False).returncode


@pytest.mark.parametrize(
    ("walk", "ends_well"),
    [("list(tree.body.traverse())", True), ("tree.body.traverse()", False)],
    ids=["collected", "while walking"],
)
def test_the_tree_is_changed_only_after_a_walk(walk: str, ends_well: bool) -> None:
    status = in_subprocess(
        f"""
from transforms.html.tree import parse_html
tree = parse_html("<div><p>x<b>y</b></p><p>z</p></div>" * 50)
for node in {walk}:
    if node.tag == "p":
        node.decompose()
"""
    )
    assert (status == 0) is ends_well
