"""Data tables, layout tables, grids and their markup (blocks.md 4.6)."""

from __future__ import annotations

import pytest
from block_shapes import blocks_of, shapes

TWO_BY_TWO = "<tr><td>{}</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>"


def table(inner: str) -> str:
    return f"<table>{inner}</table>"


DECISIONS = [
    ("a caption", "<caption>C</caption><tr><td>a</td></tr>", True),
    ("a thead", "<thead><tr><td>a</td></tr></thead>", True),
    ("a th in an own row", "<tr><th>a</th></tr>", True),
    (
        "a th of a nested table is not its own",
        "<tr><td><table><tr><th>a</th></tr></table></td><td>b</td></tr><tr><td>c</td></tr>",
        False,
    ),
    ("marked outranks nested", "<tr><th>h</th></tr><tr><td><table><tr><td>a</td></tr></table></td></tr>", True),
    ("nested", TWO_BY_TWO.format("<table><tr><td>x</td></tr></table>"), False),
    ("one row", "<tr><td>a</td><td>b</td></tr>", False),
    ("one column", "<tr><td>a</td></tr><tr><td>b</td></tr>", False),
    ("two by two", TWO_BY_TWO.format("a"), True),
    ("one blank row of five", "<tr><td>a<td>b</tr>" * 4 + "<tr><td><td></tr>", True),
    ("one blank row of four", "<tr><td>a<td>b</tr>" * 3 + "<tr><td><td></tr>", False),
    ("two cells of five filled", "<tr><td>a<td><td></tr><tr><td>b<td></tr>", True),
    ("two cells of six filled", "<tr><td>a<td><td></tr><tr><td>b<td><td></tr>", False),
    ("one page-like cell of four", TWO_BY_TWO.format("<h3>a</h3>"), True),
    ("two of four", "<tr><td><h2>a</h2></td><td>b</td></tr><tr><td><form>c</form></td><td>d</td></tr>", False),
    ("single paragraphs and divs are no evidence", "<tr><td><p>a</p></td><td><div>b</div></td></tr>" * 2, True),
    ("two paragraphs are", "<tr><td><p>a</p><p>b</p></td><td>c</td></tr>" * 2, False),
    ("200 characters are", f"<tr><td>{'x' * 200}</td><td>c</td></tr>" * 2, False),
    ("199 are not", f"<tr><td>{'x' * 199}</td><td>c</td></tr>" * 2, True),
]


@pytest.mark.parametrize(("rule", "inner", "is_data"), DECISIONS, ids=[case[0] for case in DECISIONS])
def test_data_or_layout(rule: str, inner: str, is_data: bool) -> None:
    first = blocks_of(table(inner))[0]
    assert (first.xpath == "/html/body/table") is is_data, rule


GRIDS = [
    ("row order", "<tfoot><tr><td>f</tr></tfoot><tr><td>b</tr><thead><tr><td>h</tr></thead>", [["h"], ["b"], ["f"]]),
    ("rows without text go", "<tr><th>a</th></tr><tr><td></td></tr><tr><td>b</td></tr>", [["a"], ["b"]]),
    ("cells are flattened with spaces", "<tr><th><ul><li>a<li>b</ul><p>c</p>d<br>e<pre>f\ng</pre></th></tr>", [["a b c d e f g"]]),
    (
        "spans repeat the value",
        "<tr><th rowspan=2>A</th><th colspan=2>Y</th></tr><tr><th>H</th><th>I</th></tr><tr><td>N</td><td>3</td><td>4</td></tr>",
        [["A", "Y H", "Y I"], ["N", "3", "4"]],
    ),
    ("a row span ends with its group", "<tr><td rowspan=3>k</td><td>a</td></tr><tr><td>b</td></tr>", [["k", "a"], ["k", "b"]]),
    (
        "and does not reach into the next",
        "<thead><tr><th rowspan=2>h</th><th>i</th></tr></thead><tr><td>a</td><td>b</td></tr>",
        [["h", "i"], ["a", "b"]],
    ),
    (
        "a percent span counts as 1",
        "<tr><th>a</th><th>b</th></tr><tr><td colspan='50%'>x</td><td>y</td></tr>",
        [["a", "b"], ["x", "y"]],
    ),
    ("a span of 0 counts as 1", "<tr><th colspan=0>a</th><th>b</th></tr>", [["a", "b"]]),
    (
        "a gap beside a row span is empty",
        "<tr><th>a</th><th>b</th><th rowspan=2>c</th></tr><tr><td>x</td></tr>",
        [["a", "b", "c"], ["x", "", "c"]],
    ),
    (
        "leading rows of th collapse",
        "<tr><th>a</th><th>b</th></tr><tr><th>a</th><th>c</th></tr><tr><td>1</td><td>2</td></tr>",
        [["a", "b c"], ["1", "2"]],
    ),
    ("a thead of two rows too", "<thead><tr><td>a</tr><tr><td>b</tr></thead><tr><td>1</tr>", [["a b"], ["1"]]),
    ("only the table's own rows", "<tr><th>O</th></tr><tr><td>in<table><tr><th>I</th></tr></table></td></tr>", [["O"], ["in"]]),
]


@pytest.mark.parametrize(("rule", "inner", "rows"), GRIDS, ids=[case[0] for case in GRIDS])
def test_grid(rule: str, inner: str, rows: list[list[str]]) -> None:
    block = blocks_of(table(inner))[0]
    assert block.rows == rows
    assert block.text == "\n".join(" | ".join(row) for row in rows)


def test_caption_comes_first_in_the_text_only() -> None:
    block = blocks_of(table("<caption>C<br>D</caption><tr><td>1</td><td>2</td></tr>"))[0]
    assert (block.text, block.rows) == ("C D\n1 | 2", [["1", "2"]])


def test_a_second_caption_is_not_lost() -> None:
    block = blocks_of(table("<caption>C</caption><caption>D</caption><tr><td colspan=2>1</td></tr>"))[0]
    assert block.text == "C D\n1 | 1"
    assert (block.table_html or "").startswith("<table><caption>C<br>D</caption>")


def test_rich_rows_only_where_they_differ() -> None:
    rich, plain = blocks_of(table("<tr><th>a</th><th><a href=/z>z</a></th></tr>") + table("<tr><th>b</th></tr>"))
    assert (rich.rich_rows, plain.rich_rows) == ([["a", "[z](https://e.x/z)"]], None)


def test_a_span_beyond_all_sense_allocates_nothing() -> None:
    """B7: capped at 1,000, and spans of a table that would grow out of proportion count as 1."""
    block = blocks_of(table('<tr><td colspan="4294967295">x</td><th>y</th></tr>'))[0]
    assert block.rows == [["x"] * 1000 + ["y"]]
    many = blocks_of(table("<tr>" + "<th colspan=1000 rowspan=1000>x</th>" * 200 + "</tr>" + "<tr><td>y</td></tr>" * 1000))[0]
    assert many.rows is not None
    assert sum(map(len, many.rows)) == 1200
    long = blocks_of(table(f"<tr><th colspan=1000>{'x' * 5000}</th></tr>"))[0]
    assert long.rows == [["x" * 5000]]


MERGED = "<tr><th colspan=2>h<sup>2</sup></th></tr><tr><td>{}</td><td>b</td></tr>"


@pytest.mark.parametrize(
    ("cell", "html"),
    [
        ("a", "a"),
        ("a<br>b", "a<br>b"),
        ("<p>a</p><p>b</p>", "a<br>b"),
        ("<b>a</b> &lt;i>", "a &lt;i&gt;"),
        ("<a href='/x?a&b' class=c>a</a>", '<a href="https://e.x/x?a&amp;b">a</a>'),
        ("<a href='javascript:x'>a</a>", "<a>a</a>"),
        ("<script>x</script>a<img src=i.png>", "a"),
        ("a<table><tr><th>N</th></tr></table>", "a"),
    ],
)
def test_markup_of_a_table_with_merged_cells(cell: str, html: str) -> None:
    block = blocks_of(table(MERGED.format(cell)))[0]
    assert block.table_html == (
        f'<table><tbody><tr><th colspan="2">h<sup>2</sup></th></tr><tr><td>{html}</td><td>b</td></tr></tbody></table>'
    )


def test_markup_keeps_sections_and_caption() -> None:
    block = blocks_of(table("<caption>C</caption><thead><tr><th rowspan=1>a</th></tr></thead><tr><td colspan=2>b</td></tr>"))[0]
    assert block.table_html == (
        '<table><caption>C</caption><thead><tr><th>a</th></tr></thead><tbody><tr><td colspan="2">b</td></tr></tbody></table>'
    )


@pytest.mark.parametrize("inner", [TWO_BY_TWO.format("a"), MERGED.format("x" * 200_000), "<tr><th colspan=1>a</th></tr>"])
def test_no_markup_without_merged_cells_or_beyond_the_limit(inner: str) -> None:
    assert blocks_of(table(inner))[0].table_html is None


def test_nested_tables_images_and_embeds_follow_the_table_in_order() -> None:
    inner = (
        "<tr><th>O<img src=1.png alt=one></th></tr><tr><td>x<table><tr><th>I<img src=2.png alt=two></th></tr></table>"
        "<img src=3.png alt=three></td></tr>"
    )
    assert shapes(f"<div>a{table(inner)}b</div>") == [
        "paragraph(div) a",
        "table(table) O\nx",
        "image(img) one",
        "table(table) I",
        "image(img) two",
        "image(img) three",
        "paragraph(div) b",
    ]


def test_a_layout_table_is_transparent() -> None:
    html = "<table><tr><td>a<br><br>b</td><td><ul><li>c</ul></td></tr></table>"
    assert shapes(html) == ["paragraph(td) a", "paragraph(td) b", "list-item(li; L1) c"]
