"""Reading order with and without geometry (blocks.md 9), and what measured places change elsewhere (3.3, 4.5, 7, 10)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from block_shapes import BASE, blocks_of
from hypothesis import given, settings
from hypothesis import strategies as st
from operation_count import operations

from transforms.blocks import extract_blocks
from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import PageBlocks, page_blocks
from transforms.blocks.openers import unopened_containers
from transforms.blocks.order import Measured, apply_geometry, order_blocks
from transforms.blocks.paths import Paths
from transforms.html.tree import parse_html
from transforms.records import Block

Rectangle = tuple[float, float, float, float]


def block(name: str, rect: Rectangle | None, path: str | None = None, **fields: Any) -> Block:
    """A block named by its text; one whose name begins with `#` is a picture."""
    kind, text = ("image", "") if name.startswith("#") else ("paragraph", name)
    return Block(kind, text, "p", path or f"/html/body/{name}", 0, alt=name, rect=rect, **fields)  # type: ignore[arg-type]


def order(blocks: list[Block], rtl: bool = False) -> str:
    return " ".join(one.text or one.alt or "" for one in order_blocks(blocks, rtl=rtl).blocks)


def page(text: str, **rects: Rectangle | None) -> list[Block]:
    """Blocks in the order of text."""
    return [block(name, rects.get(name.lstrip("#"))) for name in text.split()]


TWO_COLUMNS = {"L1": (0, 0, 300, 20), "R1": (400, 0, 300, 20), "L2": (0, 24, 300, 20), "R2": (400, 24, 300, 20)}
# Twelve lines of 20 pixels in two columns 100 pixels apart, 4 between lines.
LINES = {f"{side}{n}": (x, 24.0 * n, 300, 20) for side, x in (("l", 0), ("r", 400)) for n in range(6)}
BANDS = {name: (x, y + 24 * (name[1] > "1"), w, h) for name, (x, y, w, h) in LINES.items() if name[1] < "4"}
# 24 lines in two columns, with two boxes over both columns among them.
STRADDLED: dict[str, Rectangle] = {
    **{f"{side}{n}": (x, 24.0 * (n + (n > 9) + (n > 19)), 300, 20) for side, x in (("l", 0), ("r", 400)) for n in range(24)},
    "S": (0, 240, 700, 20),
    "T": (0, 504, 700, 20),
}
BAND_EDGES = ((0, 10), (10, 20), (20, 24))
ROWS_OF_BANDS = "".join(
    " ".join(f"l{n} r{n}" for n in range(*band)) + over for band, over in zip(BAND_EDGES, (" S ", " T ", ""), strict=True)
)
COLUMNS_OF_BANDS = " ".join(
    " ".join([*(f"l{n}" for n in range(*band)), *(f"r{n}" for n in range(*band)), *over])
    for band, over in zip(BAND_EDGES, ("S", "T", ""), strict=True)
)
BY_ROW = " ".join(f"l{n} r{n}" for n in range(6))
BY_COLUMN = " ".join([*(f"l{n}" for n in range(6)), *(f"r{n}" for n in range(6))])


def below_headlines(gap: float) -> dict[str, Rectangle]:
    """Two columns under two headlines, which are too many to stretch over both."""
    columns = {name: (x, y + 42 + gap, w, h) for name, (x, y, w, h) in TWO_COLUMNS.items()}
    return {"H1": (0, 0, 700, 20), "H2": (0, 22, 700, 20), **columns}


def below_a_gap_of_100(row_gap: float) -> dict[str, Rectangle]:
    """Two columns 97 pixels apart."""
    columns = {"L1": (0, 120), "R1": (397, 120), "L2": (0, 140 + row_gap), "R2": (397, 140 + row_gap)}
    return {"H": (0, 0, 697, 20), **{name: (x, y, 300, 20) for name, (x, y) in columns.items()}}


def small_columns(gap: float) -> dict[str, Rectangle]:
    return {"L1": (0, 0, 10, 4), "R1": (10 + gap, 0, 10, 4), "L2": (0, 5, 10, 4), "R2": (10 + gap, 5, 10, 4)}


CASES: list[tuple[str, str, dict[str, Rectangle], bool, str]] = [
    ("two columns", "L1 R1 L2 R2", TWO_COLUMNS, False, "L1 L2 R1 R2"),
    ("two columns from right to left", "L1 R1 L2 R2", TWO_COLUMNS, True, "R1 R2 L1 L2"),
    (
        "rows before columns where the row gap is wider",
        "L1 R1 L2 R2",
        {"L1": (0, 0, 300, 20), "R1": (320, 0, 300, 20), "L2": (0, 60, 300, 20), "R2": (320, 60, 300, 20)},
        False,
        "L1 R1 L2 R2",
    ),
    (
        "a tie goes to rows",
        "L1 L2 R1 R2",
        {"L1": (0, 0, 300, 20), "R1": (340, 0, 300, 20), "L2": (0, 60, 300, 20), "R2": (340, 60, 300, 20)},
        False,
        "L1 R1 L2 R2",
    ),
    ("gaps of 95 % of the widest are cut at once", "H L1 R1 L2 R2", below_a_gap_of_100(95), False, "H L1 R1 L2 R2"),
    ("narrower ones are not", "H L1 R1 L2 R2", below_a_gap_of_100(94.9), False, "H L1 L2 R1 R2"),
    ("a row gap of 0.6 units is one", "H1 H2 L1 R1 L2 R2", below_headlines(12), False, "H1 H2 L1 L2 R1 R2"),
    ("a row gap of less is none", "H1 H2 L1 R1 L2 R2", below_headlines(11.9), False, "H1 H2 L1 R1 L2 R2"),
    (
        "a column gap of less than a unit is none",
        "R1 R2 L1 L2",
        {"L1": (0, 0, 100, 20), "R1": (119, 0, 100, 20), "L2": (0, 22, 100, 20), "R2": (119, 22, 100, 20)},
        False,
        "L1 R1 L2 R2",
    ),
    (
        "a column gap of a unit is one",
        "R1 R2 L1 L2",
        {"L1": (0, 0, 100, 20), "R1": (120, 0, 100, 20), "L2": (0, 22, 100, 20), "R2": (120, 22, 100, 20)},
        False,
        "L1 L2 R1 R2",
    ),
    ("no gap is under 8 pixels, however small the unit", "L1 R1 L2 R2", small_columns(7.9), False, "L1 R1 L2 R2"),
    ("8 pixels are enough", "L1 R1 L2 R2", small_columns(8), False, "L1 L2 R1 R2"),
    ("rails are not cut on", f"{BY_ROW} |", {**LINES, "|": (340, 0, 10, 164)}, False, f"| {BY_COLUMN}"),
    (
        "backdrops are not cut on",
        f"{BY_ROW} #bg",
        {**LINES, "bg": (0, 0, 700, 200)},
        False,
        f"#bg {BY_COLUMN}",
    ),
    (
        "a backdrop has no text",
        f"{BY_ROW} bg",
        {**LINES, "bg": (0, 0, 700, 200)},
        False,
        "l0 l1 l2 l3 r0 r1 r2 r3 bg l4 l5 r4 r5",
    ),
    (
        "a headline over both columns does not join them, nor cut what is below it off",
        f"{BY_ROW} H",
        {**{name: (x, y + 24, w, h) for name, (x, y, w, h) in LINES.items()}, "H": (0, 0, 700, 22)},
        False,
        f"H {BY_COLUMN}",
    ),
    (
        "a straddler splits its region into bands",
        "l0 r0 l1 r1 S l2 r2 l3 r3",
        {**BANDS, "S": (0, 48, 700, 20)},
        False,
        "l0 l1 r0 r1 S l2 l3 r2 r3",
    ),
    (
        "bands from right to left",
        "l0 r0 l1 r1 S l2 r2 l3 r3",
        {**BANDS, "S": (0, 48, 700, 20)},
        True,
        "r0 r1 l0 l1 S r2 r3 l2 l3",
    ),
    ("two straddlers of 49 are too many", ROWS_OF_BANDS[:-4], STRADDLED, False, ROWS_OF_BANDS[:-4]),
    ("two of 50 are not", ROWS_OF_BANDS, STRADDLED, False, COLUMNS_OF_BANDS),
    (
        "two boxes a side at least",
        "H b a c",
        {"H": (0, 0, 700, 20), "a": (0, 44, 300, 20), "b": (400, 22, 300, 20), "c": (400, 44, 300, 20)},
        False,
        "H b a c",
    ),
    (
        "three boxes are too few for a straddled column",
        "H a b",
        {"H": (0, 0, 700, 20), "a": (0, 22, 300, 20), "b": (400, 22, 300, 20)},
        False,
        "H a b",
    ),
    (
        "without a gap rows are what overlaps their first box by half",
        "d c b a",
        {"a": (0, 0, 50, 20), "b": (52, 10, 50, 20), "c": (104, 11, 50, 20), "d": (0, 20, 50, 20)},
        False,
        "a b d c",
    ),
    (
        "and are read along the line",
        "c b a",
        {"a": (0, 4, 50, 20), "b": (52, 0, 50, 20), "c": (104, 2, 50, 20)},
        True,
        "c b a",
    ),
]


@pytest.mark.parametrize(("rule", "source", "rects", "rtl", "read"), CASES, ids=[case[0] for case in CASES])
def test_geometric_order(rule: str, source: str, rects: dict[str, Rectangle], rtl: bool, read: str) -> None:
    blocks = page(source, **rects)
    assert order(blocks, rtl) == read
    assert order_blocks(blocks, rtl=rtl).reading_order == "geometric"


@pytest.mark.parametrize(("headlines", "read"), [(23, "L1 L2 R1 R2"), (24, "L1 R1 L2 R2")])
def test_cuts_go_24_deep(headlines: int, read: str) -> None:
    """Each headline is cut off by a gap narrower than the one before; what is left after that is two columns."""
    top = 0.0
    blocks: list[Block] = []
    for number in range(headlines):
        blocks.append(block(f"h{number}", (0, top, 220, 10)))
        top += 10 + 30 * 1.1 ** (headlines - number)
    columns = {"L1": (0, 0), "R1": (120, 0), "L2": (0, 15), "R2": (120, 15)}
    blocks += [block(name, (x, top + y, 100, 10)) for name, (x, y) in columns.items()]
    assert order(blocks).endswith(f" {read}")


@pytest.mark.parametrize(
    ("rule", "measured", "label", "read"),
    [
        ("nothing is measured", "", "source", "a b c d e"),
        ("a fifth is", "e", "source", "a b c d e"),
        ("two fifths are: others follow the one before them", "b d", "anchored", "a d e b c"),
        ("leading ones come first", "c e", "anchored", "a b e c d"),
        ("all are", "a b c d e", "geometric", "e d c b a"),
    ],
)
def test_how_much_is_measured_decides(rule: str, measured: str, label: str, read: str) -> None:
    """The measured ones stand upside down."""
    blocks = page("a b c d e", **{name: (0, 1000 - 100.0 * ord(name), 50, 20) for name in measured.split()})
    assert order_blocks(blocks).reading_order == label, rule
    assert order(blocks) == read


def test_three_tenths_are_enough() -> None:
    blocks = page("a b c d e f g h i j", **{name: (0, 1000 - 100.0 * ord(name), 50, 20) for name in "abc"})
    assert order_blocks(blocks).reading_order == "anchored"
    assert order_blocks(blocks[1:]).reading_order == "source"


def cards(count: int, lines: int, others: int) -> list[Block]:
    """Cards side by side, 10 pixels apart, with lines 30 pixels below each other: rows of lines come before columns."""
    found = [
        block(f"c{card}.{line}", (110.0 * card, 50.0 * line, 100, 20), f"/html/body/ul/li[{card + 1}]/p[{line + 1}]")
        for card in range(count)
        for line in range(lines)
    ]
    return found + [block(f"o{n}", (0, 1000 + 22.0 * n, 500, 20), f"/html/body/p[{n + 1}]") for n in range(others)]


@pytest.mark.parametrize(
    ("rule", "blocks", "are_read_whole"),
    [
        ("three cards of two blocks", cards(3, 2, 4), True),
        ("two cards are no repetition", cards(2, 2, 6), False),
        ("a card has two blocks", [*cards(2, 2, 6), block("c9", (220, 0, 100, 20), "/html/body/ul/li[3]/p")], False),
        ("a card is at most a fifth of the page", cards(3, 2, 3), False),
    ],
)
def test_repeated_cards_are_read_as_one(rule: str, blocks: list[Block], are_read_whole: bool) -> None:
    read = order(blocks)
    assert read.startswith("c0.0 c0.1 c1.0 c1.1") is are_read_whole, rule
    assert read.startswith("c0.0 c1.0") is not are_read_whole


def test_a_float_is_read_as_one() -> None:
    texts = [("f1", (0, 0, 100, 20)), ("f2", (0, 50, 100, 20)), ("t1", (110, 0, 300, 20)), ("t2", (110, 50, 300, 20))]
    paths = {"f": "/html/body/div", "t": "/html/body"}
    apart = [block(name, rect, f"{paths[name[0]]}/{name}") for name, rect in texts]
    assert order(apart) == "f1 t1 f2 t2"
    floated = [replace(one, float_of="/html/body/div") if one.text[0] == "f" else one for one in apart]
    assert order(floated) == "f1 f2 t1 t2"


HTML = "<div><p>a</p><div><p>b</p></div></div><hr><p>c</p><hr>"
GEOMETRY = {
    "/html/body/div": Measured(floated=True),
    "/html/body/div/div": Measured(floated=True),
    "/html/body/div/p": Measured((0, 100, 50, 20)),
    "/html/body/div/div/p": Measured((0, 130, 50, 20)),
    "/html/body/hr[1]": Measured((0, 60, 50, 0)),
    "/html/body/p": Measured((0, 0, 50, 20)),
}


def test_geometry_is_applied_to_blocks() -> None:
    assert [(b.text, b.rect, b.float_of, b.dom_index) for b in extract_blocks(HTML, BASE, stage="blocks", geometry=GEOMETRY)] == [
        ("a", (0, 100, 50, 20), "/html/body/div", 0),
        ("b", (0, 130, 50, 20), "/html/body/div", 1),
        ("", (0, 60, 50, 0), None, 2),
        ("c", (0, 0, 50, 20), None, 3),
    ]
    assert [b.text for b in extract_blocks(HTML, BASE, geometry=GEOMETRY)] == ["c", "", "a", "b"]
    assert [b.text for b in extract_blocks(HTML, BASE)] == ["a", "b", "", "c", ""]
    assert {b.rect for b in extract_blocks(HTML, BASE)} == {None}


def test_a_page_from_right_to_left_is_ordered_so() -> None:
    html = "<html dir={}><p>L1</p><p>R1</p><p>L2</p><p>R2</p>"
    geometry = {f"/html/body/p[{n}]": Measured(rect) for n, rect in enumerate(TWO_COLUMNS.values(), start=1)}
    read = [[b.text for b in extract_blocks(html.format(direction), BASE, geometry=geometry)] for direction in ("ltr", "rtl")]
    assert read == [["L1", "L2", "R1", "R2"], ["R1", "R2", "L1", "L2"]]


@pytest.mark.parametrize("rect", [(0, 0, 0, 0), (0, float("nan"), 9, 9), (0, 0, float("inf"), 9), (0, 0, -5, 9)])
def test_what_is_no_box_is_not_measured(rect: Rectangle) -> None:
    (placed,) = apply_geometry(blocks_of("<p>a</p>"), {"/html/body/p": Measured(rect)}).blocks
    assert placed.rect is None


@pytest.mark.parametrize(
    ("rule", "html", "marks", "texts", "removed"),
    [
        ("clipped text goes", "<p>a b</p><p>c</p>", {"/p[1]": Measured(clipped=True)}, ["c"], {"clipped": 2}),
        ("with all in it", "<div><p>a</p></div><p>c</p>", {"/div": Measured(clipped=True)}, ["c"], {"clipped": 1}),
        ("a hidden twin goes", "<p>a</p><p>a</p>", {"/p[1]": Measured(hidden=True)}, ["a"], {"hidden-twin": 1}),
        ("a hidden block without a twin stays", "<p>a</p><p>b</p>", {"/p[1]": Measured(hidden=True)}, ["a", "b"], {}),
        ("a twin elsewhere is none", "<p>a</p><div><p>a</p></div>", {"/p": Measured(hidden=True)}, ["a", "a"], {}),
        (
            "hidden twins of each other stay",
            "<p>a</p><p>a</p>",
            {"/p[1]": Measured(hidden=True), "/p[2]": Measured(hidden=True)},
            ["a", "a"],
            {},
        ),
    ],
)
def test_marks_of_a_renderer(rule: str, html: str, marks: dict[str, Measured], texts: list[str], removed: dict[str, int]) -> None:
    geometry = {f"/html/body{path}": measured for path, measured in marks.items()}
    placed = apply_geometry(blocks_of(html), geometry)
    assert ([b.text for b in placed.blocks], placed.removed) == (texts, removed), rule
    assert apply_geometry(blocks_of(html), geometry, include_hidden_text=True).removed == {}


PANEL = "<div data-unseen id=p class='q r'><p>a b</p><section id=s><img src=i.png></section></div>"


def as_rendered(html: str) -> tuple[PageBlocks, dict[str, Measured]]:
    """A page, and what a renderer says of it that displays nothing of elements with `data-unseen`."""
    page = page_blocks(parse_html(html), BASE)
    paths, flat = Paths(page.flat), page.flat
    unseen = [range(element, flat.ends[element]) for element, found in enumerate(flat.attributes) if "data-unseen" in found]
    return page, {paths.of(element): Measured(hidden=True) for inside in unseen for element in inside}


@pytest.mark.parametrize(
    ("rule", "html", "is_opened"),
    [
        ("nothing opens it", PANEL, False),
        ("a control points at it", f"<button aria-controls='o p'>c</button>{PANEL}", True),
        ("into it", f"<button aria-controls=s>c</button>{PANEL}", True),
        ("by selectors", f"<button data-bs-target='.r'>c</button>{PANEL}", True),
        ("a label does", f"<label for=s>c</label>{PANEL}", True),
        ("a fragment link does", f"<a href='#p'>c</a>{PANEL}", True),
        ("a link to a page does not", f"<a href='/p#p'>c</a>{PANEL}", False),
        ("nor does one that looks like a class", f"<a href='.r'>c</a>{PANEL}", False),
        ("what points elsewhere does not", f"<a href='#t'>c</a><b id=t></b>{PANEL}", False),
        ("what is in it does not", PANEL.replace("<p>", "<p><a href='#s'></a>"), False),
        ("what is in another hidden one does", f"<div data-unseen><a href='#p'></a></div>{PANEL}", True),
        ("so does one of two", f"<a href='#p'>c</a>{PANEL.replace('<p>', '<p><a href=#p></a>')}", True),
        ("of equal ids the first counts", f"<a href='#p'>c</a><i id=p></i>{PANEL}", False),
        ("a tab panel", PANEL.replace("<div", "<div role=tabpanel"), True),
        ("a menu in it", PANEL.replace("<section", "<section role='x MENU'"), True),
        ("a dialog is neither", PANEL.replace("<div", "<div role=dialog"), False),
        ("it lies in details", f"<details>{PANEL}</details>", True),
        ("details in it open nothing", PANEL.replace("<p>", "<details></details><p>"), False),
        ("nor details before it", f"<details></details>{PANEL}", False),
        ("a page that is hidden as a whole is not judged", f"<body data-unseen>{PANEL}", True),
    ],
)
def test_a_hidden_container_goes_if_nothing_opens_it(rule: str, html: str, is_opened: bool) -> None:
    page, geometry = as_rendered(html)
    placed = apply_geometry(page.blocks, geometry, page.flat)
    shown = [(block.kind, block.text) for block in placed.blocks if block.text != "c"]
    assert shown == ([("paragraph", "a b"), ("image", "")] if is_opened else []), rule
    assert placed.removed == ({} if is_opened else {"unopened": 2}), rule
    assert apply_geometry(page.blocks, geometry, page.flat, include_hidden_text=True).removed == {}


def test_what_opens_what_is_found_in_linear_time() -> None:
    def work(count: int) -> Callable[[], Any]:
        page, geometry = as_rendered("<div data-unseen class=r>a</div><button data-target='.r'>c</button>" * count)
        return lambda: unopened_containers(page.flat, geometry)

    assert operations(work(400)) <= 5 * operations(work(100))


def test_unopened_containers_are_left_out_of_a_page_with_geometry() -> None:
    html = f"<p>c</p>{PANEL}"
    _, geometry = as_rendered(html)
    assert [block.text for block in extract_blocks(html, BASE, geometry=geometry)] == ["c"]
    assert [block.text for block in extract_blocks(html, BASE)] == ["c", "a b", ""]


HERE, THERE = (0.0, 0.0, 50.0, 20.0), (0.0, 90.0, 50.0, 20.0)


@pytest.mark.parametrize(
    ("rule", "first", "second", "kept", "rules"),
    [
        ("both measured apart stay", HERE, THERE, [0, 1], []),
        ("even where one outranks the other", HERE, THERE, [0, 1], []),
        ("both measured at one place are one", HERE, (0.0, 0.0, 70.0, 70.0), [0], ["dedup.repeat"]),
        ("the measured one stays", None, HERE, [1], ["dedup.unmeasured"]),
        ("the earlier one if it is that", HERE, None, [0], ["dedup.repeat"]),
        ("without measures the earlier one", None, None, [0], ["dedup.repeat"]),
    ],
)
def test_repeats_respect_measured_places(
    rule: str, first: Rectangle | None, second: Rectangle | None, kept: list[int], rules: list[str]
) -> None:
    region = "nav" if "outranks" in rule else None
    blocks = [block("a", first, "/1", region=region), block("a", second, "/2")]
    found = deduplicate(blocks)
    assert [blocks.index(one) for one in found.kept] == kept, rule
    assert [repeat.rule for repeat in found.repeats] == rules


@pytest.mark.parametrize(("first", "second"), [(HERE, None), (HERE, HERE), (None, HERE)])
def test_a_measured_table_is_no_provisional_repeat(first: Rectangle | None, second: Rectangle | None) -> None:
    tables = [Block("table", "t", "table", f"/{n}", n, rect=rect) for n, rect in enumerate((first, second))]
    blocks = [block("a", None), tables[0], block("b", None), tables[1]]
    assert len(deduplicate(blocks).kept) == 3


BLOCKS = st.lists(
    st.builds(
        block,
        st.sampled_from(["a", "b", "#c"]),
        st.none() | st.tuples(*[st.integers(0, 300).map(float)] * 2, *[st.integers(0, 200).map(float)] * 2),
        st.sampled_from(["/p", "/ul/li[1]/p", "/ul/li[2]/p", "/ul/li[3]/p", "/ul/li[3]/b", "/i/li[1]"]),
        float_of=st.sampled_from([None, "/ul"]),
    ),
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(BLOCKS, st.booleans())
def test_order_is_a_permutation(blocks: list[Block], rtl: bool) -> None:
    blocks = [b if b.xpath.startswith("/ul") else block(b.alt or "", b.rect, b.xpath) for b in blocks]
    ordered = order_blocks(blocks, rtl=rtl)
    assert sorted(map(id, ordered.blocks)) == sorted(map(id, blocks))
    assert order_blocks(blocks, rtl=rtl) == ordered


def test_blocks_that_disagree_about_a_float_are_ordered_all_the_same() -> None:
    cards = [block("a", None, f"/ul/li[{n}]/p") for n in (1, 1, 3, 3)]
    others = [block("d", HERE), *[block("e", None)] * 3]
    blocks = [*cards, block("b", HERE, "/ul/li[2]/p"), block("c", HERE, "/ul/li[2]/p", float_of="/ul"), *others]
    assert order_blocks(blocks).reading_order == "anchored"


CHANCE = random.Random(5)
SHAPES: dict[str, Callable[[int], Rectangle]] = {
    "a column": lambda n: (0, 30.0 * n, 100, 20),
    "a grid": lambda n: (120.0 * (n % 10), 40.0 * (n // 10), 100, 20),
    "a diagonal": lambda n: (120.0 * n, 40.0 * n, 100, 20),
    "ever wider gaps": lambda n: (0, 40.0 * n + 0.05 * n * n, 100, 20),
    "chance": lambda n: (CHANCE.random() * 1000, CHANCE.random() * 9000, 200, 20),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("kind", ["", "#"])
def test_work_grows_little_faster_than_the_page(name: str, kind: str) -> None:
    def work(count: int) -> Callable[[], Any]:
        blocks = [block(f"{kind}b{n}", SHAPES[name](n), f"/html/body/div/p[{n + 1}]") for n in range(count)]
        return lambda: order_blocks(blocks)

    small, large = operations(work(400)), operations(work(1600))
    assert large <= 6 * small
