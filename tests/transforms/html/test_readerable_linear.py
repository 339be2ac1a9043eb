"""The gate's work is linear in the page (spec/readerable.md, "Linear in page size").

Work is counted, not timed: how often a subtree's text is read, weighted by the size of that subtree, and how many nodes the walks
in Python visit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.html import nested_text, readerable
from transforms.html.readerable import is_probably_readerable, readerable_score
from transforms.html.tree import parse_html

NESTED = "<i>x</i>"


class Counting:
    """A node, or a tree, that adds the work asked of it to a shared count."""

    def __init__(self, inner: Any, work: dict[str, int]) -> None:
        self._inner, self._work = inner, work

    def __getattr__(self, name: str) -> Any:
        self._work["steps"] += 1
        value = getattr(self._inner, name)
        return Counting(value, self._work) if name in ("parent", "root") and value is not None else value

    def text(self) -> str:
        # In C, one step a node of the subtree.
        self._work["text"] += sum(1 for _ in self._inner.traverse(include_text=True))
        return str(self._inner.text())

    def tags(self, name: str) -> list[Counting]:
        return [Counting(node, self._work) for node in self._inner.tags(name)]

    def css(self, selector: str) -> list[Counting]:
        return [Counting(node, self._work) for node in self._inner.css(selector)]

    def traverse(self, include_text: bool) -> Any:
        for node in self._inner.traverse(include_text=include_text):
            self._work["steps"] += 1
            yield Counting(node, self._work)


def work(html: str, judge: Callable[..., Any] = is_probably_readerable, **options: Any) -> int:
    counts = {"steps": 0, "text": 0}
    judge(Counting(parse_html(html), counts), **options)
    return counts["steps"] + counts["text"]


FAMILIES: dict[str, Callable[[int], str]] = {
    "flat short p": lambda n: "<p>short</p>" * n,
    "long p in li": lambda n: "<ul>" + f"<li><p>{'x' * 200}</p></li>" * n + "</ul>",
    "div with br": lambda n: f"<div>{'x' * 50}<br></div>" * n,
    "one div with many br": lambda n: "<div>" + "x<br>" * n + "</div>",
    "hidden p": lambda n: f"<p hidden>{'x' * 200}</p>" * n,
    "nested article": lambda n: "<article>" * 256 + NESTED * n,
    "nested div with br": lambda n: "<div><br>" * 256 + NESTED * n,
    "nested both": lambda n: "<div><br><article>" * 250 + NESTED * n,
    "nested p": lambda n: "<p><object>" * 256 + NESTED * n,
}


@pytest.mark.parametrize("judge", [is_probably_readerable, readerable_score])
@pytest.mark.parametrize("family", FAMILIES)
def test_work_doubles_when_the_page_does(family: str, judge: Callable[..., Any]) -> None:
    small, large = (work(FAMILIES[family](n), judge, min_score=1e9, strict_ancestors=True) for n in (1500, 3000))
    assert large <= 2.5 * small


@pytest.mark.parametrize("family", [name for name in FAMILIES if name.startswith("nested")])
def test_nested_candidates_cost_a_few_walks_of_the_page(family: str) -> None:
    html = FAMILIES[family](3000)
    size = sum(1 for _ in parse_html(html).root.traverse(include_text=True))  # type: ignore[union-attr]
    # One walk a candidate would be 256 times the size.
    assert work(html, min_score=1e9) < 30 * size


@pytest.mark.parametrize(
    "html",
    [
        "<article>" * 40 + "  ab <i>c</i>\u3000" + "</article>" * 40 + "d",
        "".join(f"<article> {'x' * n} " for n in range(40)) + "".join(f"y{' ' * n}</article>" for n in range(40)),
        "<article>" * 30 + "\U0001f600" * 90 + "<article> </article><article></article>" * 9,
        "<div>a<br>" * 30 + "<article>bb" * 30 + "<!-- c --><script>dd</script><template>eee</template> ",
        "<svg><article>" * 20 + "<![CDATA[ text ]]>&amp;",
        "<p>a<object>" * 30 + "<p>b",
    ],
)
def test_lengths_in_one_walk_equal_those_of_each_text(html: str) -> None:
    tree = parse_html(html)
    nodes = tree.css("article, div, p")
    lengths = nested_text.trimmed_lengths(tree, nodes, readerable.TRIMMED, readerable.utf16_length)
    assert lengths == {node.mem_id: readerable.utf16_length(node.text().strip(readerable.TRIMMED)) for node in nodes}


TAGS = st.sampled_from(["p", "div", "b", "article", "table", "td", "svg", "br", "body", "script", "!--c--", "?x?"])
TEXTS = st.sampled_from(["a", " ", "\u3000\n", " 漢 ", "\U0001f600", "<template>t</template>"])
PIECES = st.one_of(TAGS.map("<{}>".format), TAGS.map("</{}>".format), TEXTS)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join), st.sampled_from(["*", "p", "div, b", "article, td", "br, svg"]))
def test_lengths_in_one_walk_equal_those_of_each_text_in_any_tree(html: str, selector: str) -> None:
    tree = parse_html(html)
    nodes = tree.css(selector)
    lengths = nested_text.trimmed_lengths(tree, nodes, readerable.TRIMMED, readerable.utf16_length)
    assert lengths == {node.mem_id: readerable.utf16_length(node.text().strip(readerable.TRIMMED)) for node in nodes}


@pytest.mark.parametrize("around", [4, 40])
def test_nesting_does_not_change_the_score(around: int, monkeypatch: pytest.MonkeyPatch) -> None:
    html = "".join(f"<article>{'x' * 9 * n}<p>{'y' * 30 * n}</p>" for n in range(around)) + "<div>z<br>" * around + "x" * 99
    scale = {"Han": 2.3}
    scores = [readerable_score(parse_html(html)), readerable_score(parse_html(html + "漢" * 99), script_length_scale=scale)]
    monkeypatch.setattr(readerable, "nest_deeply", lambda nodes: False)
    assert scores == [readerable_score(parse_html(html)), readerable_score(parse_html(html + "漢" * 99), script_length_scale=scale)]


@pytest.mark.parametrize(("depth", "deep"), [(8, False), (18, True), (200, True)])
def test_deep_nesting_is_seen(depth: int, deep: bool) -> None:
    fillers = "<article></article>" * 7
    for html in ("<article>" * depth, ("<article>" + fillers) * depth):
        assert nested_text.nest_deeply(parse_html(html).css("article")) is deep
    assert not nested_text.nest_deeply(parse_html("<article></article>" * 100).css("article"))
