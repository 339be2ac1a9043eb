"""The worked example of obelics.md 4.3, and that one pass gives what the set definition gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.documents.obelics import read_obelics_page
from transforms.html.outline import read_outline
from transforms.html.simplify import Simplified, simplify
from transforms.html.simplify_tags import ObelicsConfig
from transforms.html.simplify_trace import PathOf, merge_by_paths, trace_merging
from transforms.html.tree import parse_html

WORKED_EXAMPLE = """
<html>
<body>
<div>
    this is a test
    <h1>Heading</h1>
    <p>
        p-inner
    </p>
    p-trailing
</div>
</body>
</html>
"""
MERGED = "this is a test\n\nHeading\n\np-inner\n\np-trailing"


def simplified(html: str) -> Simplified:
    return simplify(read_outline(parse_html(html)), ObelicsConfig())


def test_worked_example_step_by_step() -> None:
    steps = list(trace_merging(simplified(WORKED_EXAMPLE), lambda _: True))
    assert [(step.text, " ".join(step.path), step.separators, step.merged) for step in steps] == [
        (" ", "body", (), ""),
        (" this is a test ", "body div", (" ", "\n"), "this is a test"),
        ("Heading", "body div h1", (" ", "\n\n"), "this is a test\n\nHeading"),
        (" ", "body div", (" ", "\n\n"), "this is a test\n\nHeading"),
        (" p-inner ", "body div p", (" ", "\n\n"), "this is a test\n\nHeading\n\np-inner"),
        (" p-trailing ", "body div", (" ", "\n\n"), MERGED),
        (" ", "body", (" ", "\n"), MERGED),
    ]
    page = read_obelics_page(parse_html(WORKED_EXAMPLE), "http://ex.com/", ObelicsConfig())
    assert [node.text for node in page.nodes] == [MERGED]


def test_a_picture_ends_a_text() -> None:
    steps = list(trace_merging(simplified("<p>a<img src=x>b<img>c</p>"), lambda image: image == 3))
    assert [(step.text, step.path[-1], step.separators, step.merged) for step in steps] == [
        ("a", "p", (), "a"),
        (None, "img", (), "a"),
        ("bc", "p", (), "bc"),
    ]


def test_equal_nested_elements_count_once_on_a_path() -> None:
    page = simplified("<div><div> <div>a</div> </div></div><div><div>b</div>c</div>")
    first, second = (element for element, text in enumerate(page.outline.tags) if element in (4, 6))
    assert [step.partition("[")[0] for step in PathOf(page)(first)] == ["body", "div"]
    assert [step.partition("[")[0] for step in PathOf(page)(second)] == ["body", "div", "div"]
    assert [step.partition("[")[0] for step in PathOf(page, unnest=False)(first)] == ["body", "div", "div", "div"]


TAGS = ("div", "p", "span", "b", "h2", "blockquote", "section", "h7", "table", "button", "figure", "form")
PIECES = st.lists(
    st.one_of(
        st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
        st.sampled_from(["<br>", "<br> <br>", "<hr>", "<div><div>", "</div></div>", "<div class=nav>", "<p class=footer>"]),
        st.sampled_from(["a", " ", " b ", "語"]),
    ),
    max_size=30,
).map("".join)


@given(PIECES)
def test_one_pass_merges_as_the_set_definition_does_and_unnesting_changes_nothing(body: str) -> None:
    page = simplified(body)
    nodes = read_obelics_page(parse_html(body), "http://ex.com/", ObelicsConfig()).nodes
    text = "".join(node.text or "" for node in nodes)
    assert merge_by_paths(page, unnest=False) == text
    assert merge_by_paths(page, unnest=True) == text


@given(PIECES)
def test_the_last_step_of_a_trace_has_the_text(body: str) -> None:
    steps = list(trace_merging(simplified(body), lambda _: True))
    nodes = read_obelics_page(parse_html(body), "http://ex.com/", ObelicsConfig()).nodes
    assert (steps[-1].merged if steps else "") == "".join(node.text or "" for node in nodes)
