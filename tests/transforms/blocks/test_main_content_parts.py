"""The parts of main content: counts in every script, elements, trees, thresholds, names (main_content.md 3, 4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operation_count import operations

from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import page_blocks, word_counts
from transforms.blocks.main_content.characters import count_texts
from transforms.blocks.main_content.decide import decide, expected_best_f1
from transforms.blocks.main_content.features import COLUMNS, GROUPS, measure_rows
from transforms.blocks.main_content.model import MOST_LEAVES, read_trees
from transforms.blocks.main_content.outline import Outline
from transforms.blocks.main_content.page_facts import page_type_columns, read_linked_data
from transforms.blocks.main_content.tokens import TokenScores, name_tokens, telling_values, value_names
from transforms.blocks.main_content.view import PageView, rows_of, view_page
from transforms.html.tree import parse_html

URL = "https://e.x/d/p"


def view(html: str, url: str = URL) -> PageView:
    page = page_blocks(parse_html(html), url)
    deduplicated = deduplicate(page.blocks)
    return view_page(page, rows_of(deduplicated.kept), url, len(deduplicated.repeats))


def column(html: str, name: str) -> list[float]:
    matrix = measure_rows(view(html), TokenScores({}))
    return [round(float(value), 3) for value in matrix[COLUMNS.index(name)]]


@pytest.mark.parametrize(
    ("text", "words", "sentence_ends", "ends_sentence"),
    [
        ("Rain fell. It cost 3.50 in all!", 8, 2, 1),
        ("no end here", 3, 0, 0),
        ("He said “stop.”", 3, 1, 1),
        ("今日は雨。明日は晴れ。", 2 + 9 / 2, 2, 1),
        ("ฝนตกหนักมาก", 1 + 11 / 2, 0, 0),
        ("नमस्ते दुनिया। कैसे हो?", 4, 2, 1),
        ("ما هذا؟ هذا كتاب۔", 4, 2, 1),
        ("𝒳 and 𠀀", 3 + 1 / 2, 0, 0),
        ("", 0, 0, 0),
    ],
)
def test_words_and_sentences_are_counted_in_every_script(text: str, words: float, sentence_ends: int, ends_sentence: int) -> None:
    counts = count_texts(["before.", text, "After"])
    assert (counts.words[1], counts.sentence_ends[1], counts.ends_sentence[1]) == (words, sentence_ends, ends_sentence)


@given(st.lists(st.text(max_size=30), max_size=6))
@settings(max_examples=60, deadline=None)
def test_counts_of_a_text_do_not_depend_on_its_neighbours(texts: list[str]) -> None:
    together = count_texts(texts)
    for number, text in enumerate(texts):
        alone = count_texts([text])
        assert [getattr(together, name)[number] for name in vars(together)] == [getattr(alone, name)[0] for name in vars(alone)]


@given(st.lists(st.text(st.sampled_from("aZ1.한글ㅎ今日はฝน\u1c5a\x1c \u3000\u2028\n"), max_size=12), max_size=6))
@settings(max_examples=60, deadline=None)
def test_spaced_words_are_those_that_blocks_are_counted_in(texts: list[str]) -> None:
    assert count_texts(texts).spaced_words.tolist() == word_counts(texts)


def test_links_and_bold_are_shares_of_the_characters() -> None:
    html = "<p>four<a href=/a>link</a></p><p><b>bold</b></p><div><a href=/b><p>inside</p></a></div><p><a>no link</a></p>"
    assert column(html, "link_share") == [0.5, 0.0, 1.0, 0.0]
    assert column(html, "bold_share") == [0.0, 1.0, 0.0, 0.0]
    assert column(html, "in_link") == [0.0, 0.0, 1.0, 0.0]


def test_a_container_is_the_element_around_a_block_or_its_own_where_it_holds_more() -> None:
    seen = view("<div><p>a</p><p>b</p></div><section>c<p>d</p></section>")
    outline = seen.outline
    assert [outline.tags[position] for position in outline.container] == ["div", "div", "section", "section"]


def test_sums_over_an_element_are_those_of_its_blocks() -> None:
    seen = view("<main><p>one two</p><div><p>three</p><p>four five six</p></div></main><p>seven</p>")
    words = {seen.outline.tags[e]: seen.in_elements[0][e] for e in range(seen.outline.above_root)}
    assert words["main"] == 6
    assert words["div"] == 4
    assert words["html"] == 7


def nested_outline(depth: int) -> Outline:
    """The elements around one text: body, `depth` sections, p."""
    return view("<section>" * depth + "<p>text</p>").outline


def test_what_is_marked_is_found_on_the_way_up() -> None:
    outline = nested_outline(40)
    marked = np.array([tag == "section" for tag in outline.tags])
    marked[5:30] = False
    nearest = outline.nearest(marked)
    walked = []
    for position in [*range(outline.above_root), outline.above_root]:
        while position < outline.above_root and not marked[position]:
            position = int(outline.parent[position])
        walked.append(position)
    assert nearest.tolist() == walked


BRANCHES = "<section><div><p>a</p></div><div><p>b<b>c</b></p><section><p>d</p></section></div></section><section><p>e</p></section>"


@pytest.mark.parametrize("tag", ["body", "section", "div", "p", "table"])
def test_marked_elements_are_counted_on_the_way_up(tag: str) -> None:
    for outline in (view(BRANCHES).outline, nested_outline(40)):
        marked = np.array([own == tag for own in outline.tags])
        counted = [0.0] * (outline.above_root + 1)
        for position in range(outline.above_root):
            counted[position] = counted[outline.parent[position]] + marked[position]
        assert outline.number_around(marked).tolist() == counted


def test_the_depth_of_an_element_is_one_more_than_its_parents() -> None:
    for outline in (view(BRANCHES).outline, nested_outline(40)):
        assert outline.depth[:-1].tolist() == (outline.depth[outline.parent[:-1]] + 1).tolist()
        assert outline.depth[-1] == 0


def test_entries_are_siblings_of_one_look() -> None:
    entries = "".join(f"<div class=card><p>Item {n} of the list</p><p>second line of {n}</p></div>" for n in range(4))
    found = column(f"<div>{entries}</div><div class=other><p>Alone here</p></div>", "entry_likes")
    assert found[:8] == [round(float(np.log1p(4)), 3)] * 8
    assert found[8] == -1.0


def test_a_heading_measures_the_section_after_it() -> None:
    html = "<h2>First</h2><p>a b c</p><p>d</p><h3>Second</h3><p>e</p>"
    assert column(html, "heading_distance") == [0, 1, 2, 0, 1]
    assert column(html, "heading_before_level") == [2, 2, 2, 3, 3]
    assert column("<p>none</p>", "heading_distance") == [300]


def test_the_title_is_found_in_any_script() -> None:
    html = "<title>雨の日の散歩 | 暮らしの年鑑</title><p>首页</p><h1>雨の日の散歩</h1><p>文章</p>"
    assert column(html, "blocks_from_title") == [-1, 0, 1]


@pytest.mark.parametrize(
    ("title", "heading", "overlap"),
    [
        ("Rain-fall: twice_told!", "rain (FALL) twice_told", 1.0),
        ("Rain & fall", "rain in April", 0.25),
        ("Größe – XL", "grösse größe xl", 0.667),
        ("Rain", "Snow", 0.0),
    ],
)
def test_a_heading_is_compared_with_the_title_by_words(title: str, heading: str, overlap: float) -> None:
    assert column(f"<title>{title}</title><h1>{heading}</h1>", "title_overlap") == [overlap]


def test_text_that_the_page_states_as_data_is_recognised() -> None:
    told = "the quick brown fox jumps over the lazy dog and runs far away into the dark green wood"
    html = f"""<script type="application/ld+json">{{"@type": "Article", "articleBody": "{told}"}}</script>
        <p>Something else entirely, said here</p><p>{told}</p>"""
    first, second = column(html, "in_linked_data")
    assert first == 0
    assert second > 0.8


def test_broken_or_odd_data_says_nothing() -> None:
    scripts = ["{not json", "[" * 100_000, "null", '{"@type": 3}', "<!-- {} -->"]
    assert read_linked_data(scripts).types == frozenset()
    assert read_linked_data(['{"@graph": [{"@type": ["NewsArticle", "Thing"], "headline": "H"}]}']).headline == "H"


@pytest.mark.parametrize("script", ["{}", " {}\n", "<!-- {} -->", "//<![CDATA[\n{}\n//]]>\n", "/*<![CDATA[*/{}/*]]>*/", "{}-->"])
def test_data_is_read_with_and_without_comment_marks_around_it(script: str) -> None:
    assert read_linked_data([script.replace("{}", '{"headline": "H"}')]).headline == "H"


@pytest.mark.parametrize("url", ["", "http://[broken", "https://e.x/" + "a/" * 5000, "no scheme"])
def test_any_url_has_columns(url: str) -> None:
    assert len(page_type_columns(url, {}, read_linked_data([]))) == 22


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("siteFooter-nav", ["=sitefooter-nav", "site", "footer", "nav"]),
        ("x", ["=x"]),
        ("entry_content", ["=entry_content", "entry", "content"]),
        ("a" * 50, []),
    ],
)
def test_names_are_split_where_authors_join_words(name: str, tokens: list[str]) -> None:
    assert name_tokens(name) == tokens


def test_only_the_first_names_count_and_no_long_ones() -> None:
    assert value_names(" ".join(f"c{n}" for n in range(50))) == [f"c{n}" for n in range(12)]
    assert value_names("b" * 201 + " short") == ["short"]
    assert telling_values("p", {"aria-label": "unread", "title": "unread", "id": "read", "class": None}) == ["read"]
    assert telling_values("nav", {"aria-label": "Main menu"}) == ["Main menu"]


def test_scores_of_names_reach_the_blocks_below() -> None:
    seen = view("<div class=footer><p>a</p><div class=text><p>b</p></div></div>")
    matrix = measure_rows(seen, TokenScores({"=footer": -3.0, "footer": -1.0, "text": 2.0}))
    named = {name: matrix[COLUMNS.index(name)].tolist() for name in ("token_least", "token_most", "token_nearest", "token_count")}
    assert named == {
        "token_least": [-2.0, -2.0], "token_most": [-2.0, 2.0], "token_nearest": [-2.0, 2.0], "token_count": [1.0, 2.0],
    }  # fmt: skip


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[str, list[object]], object]:
    """A stored tree, and the same as nested pairs."""
    columns: list[object] = []
    thresholds: list[object] = []
    left: list[object] = []
    leaves: list[object] = []

    def grow(depth: int) -> object:
        if depth == 0 or draw(st.booleans()):
            leaves.append(float(len(leaves)))
            return len(leaves) - 1
        column, threshold = draw(st.integers(0, 2)), float(draw(st.integers(-2, 2)))
        number = len(columns)
        columns.append(column)
        thresholds.append(threshold)
        left.append(None)
        first = len(leaves)
        low = grow(depth - 1)
        left[number] = (first, len(leaves))
        return (column, threshold, low, grow(depth - 1))

    nested = grow(5)
    return {"columns": columns, "thresholds": thresholds, "left": left, "leaves": leaves}, nested


@given(trees(), st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=20))
@settings(max_examples=80, deadline=None)
def test_stored_trees_give_what_walking_them_gives(
    tree: tuple[dict[str, list[object]], object], rows: list[tuple[int, ...]]
) -> None:
    stored, nested = tree

    def walk(node: object, row: tuple[int, ...]) -> float:
        while isinstance(node, tuple):
            column, threshold, low, high = node
            node = low if row[column] <= threshold else high
        assert isinstance(node, int)
        return float(node)

    read = read_trees([stored])
    assert read.leaves.shape == (1, MOST_LEAVES)
    matrix = np.array(rows, np.float32).T
    assert read.total(matrix, 0, 1).tolist() == [walk(nested, row) for row in rows]


@pytest.mark.parametrize(
    ("probabilities", "words", "threshold"),
    [
        ([0.98, 0.97, 0.01], [100, 100, 20], 0.6316),
        ([0.3, 0.3], [10, 10], 0.2),
        ([1.0], [50], 0.65),
        ([0.0, 0.0], [5, 5], 0.2),
    ],
)
def test_clear_pages_have_a_strict_threshold(probabilities: list[float], words: list[float], threshold: float) -> None:
    assert decide(np.array(probabilities), np.array(words, float)).threshold == pytest.approx(threshold, abs=1e-4)


def test_a_given_threshold_holds_for_every_page() -> None:
    assert decide(np.array([0.9]), np.array([5.0]), 0.0).threshold == 0.0


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50)), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_the_expected_f1_is_that_of_the_best_set_of_blocks(blocks: list[tuple[int, int]]) -> None:
    p, words = np.array([b[0] / 100 for b in blocks]), np.array([float(b[1]) for b in blocks])
    total = float(p @ words)
    best = 0.0
    for chosen in range(1, 1 << len(blocks)):
        inside = np.array([bool(chosen >> n & 1) for n in range(len(blocks))])
        if total > 0:
            best = max(best, float(2 * (p * words)[inside].sum() / (words[inside].sum() + total)))
    assert expected_best_f1(p, words) == pytest.approx(best)


def test_every_column_has_a_name_of_its_own_and_a_number_for_every_row() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS)
    seen = view("<h1>T</h1><p>One.</p><ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3<td>4</table><pre>x</pre>")
    for group in GROUPS:
        assert group.measure(seen).shape in ((len(group.columns), size) for size in (1, seen.size)), group.name


def test_cost_grows_with_the_page_and_no_faster() -> None:
    def work(blocks: int) -> int:
        cards = (f"<h3>Item {n}</h3><p>Text {n} of it.</p><a href=/{n}>more {n}</a>" for n in range(blocks))
        html = "".join(f"<div class='card n{n % 7}'>{card}</div>" for n, card in enumerate(cards))
        page = page_blocks(parse_html(f"<title>Items</title>{html}"), URL)
        kept = deduplicate(page.blocks)
        return operations(lambda: measure_rows(view_page(page, rows_of(kept.kept), URL, len(kept.repeats)), TokenScores({})))

    work(100)
    assert work(7000) < 12 * work(700)
