"""Faults reported to comparable projects, rows of field_reports.md that concern blocks. Each test is named after its row."""

from __future__ import annotations

from block_shapes import blocks_of, riches, shapes

from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import page_blocks
from transforms.html.tree import parse_html
from transforms.images.candidates import download_order

PROSE = "<p>" + "A long paragraph of plain words. " * 20 + "</p>"


def test_a1_no_word_is_cut_where_an_inline_element_ends() -> None:
    assert [block.text for block in blocks_of("<p><strong>J</strong>ohn</p><p>Doe</p>")] == ["John", "Doe"]


def test_a3_form_choices_give_no_text() -> None:
    assert shapes("<p>a</p><select><option>b<option selected>c</select>") == ["paragraph(p) a"]


def test_a7_tail_and_heading_stay_apart_and_in_order() -> None:
    assert shapes("<p>First</p>Tail one<div><h4>Heading</h4>x</div>") == [
        "paragraph(p) First",
        "paragraph(body) Tail one",
        "heading(h4; L4) Heading",
        "paragraph(div) x",
    ]


def test_a9_a_table_of_very_many_rows_is_read_once() -> None:
    rows = 20_000
    (block,) = blocks_of("<table><tr><th>h" + "<tr><td>x" * rows)
    assert block.rows is not None
    assert len(block.rows) == rows + 1


def test_b2_items_with_spans_between_long_paragraphs() -> None:
    blocks = blocks_of(f"<article>{PROSE}<ul><li><span>one</span><li><span>two</span></ul>{PROSE}</article>")
    assert [(block.kind, block.text) for block in blocks[1:3]] == [("list-item", "one"), ("list-item", "two")]


def test_b3_a_table_with_links_is_kept_beside_a_like_one() -> None:
    def table(cell: str) -> str:
        head = "<tr>" + "<th>h</th>" * 3 + "</tr>"
        return f"<table>{head}" + "".join(f"<tr><td>{row}</td><td>{cell}</td><td>{cell}</td></tr>" for row in range(5)) + "</table>"

    html = PROSE + table("a") + PROSE + table("<a href=/x>b</a>")
    assert sum(block.kind == "table" for block in blocks_of(html, "document")) == 2


def test_b4_bold_text_in_a_cell_is_there_in_both_forms() -> None:
    block = blocks_of("<table><tr><th>n</th></tr><tr><td><p><b>Vessel Q7</b></p></td></tr></table>")[0]
    assert (block.rows, block.rich_rows) == ([["n"], ["Vessel Q7"]], [["n"], ["**Vessel Q7**"]])


def test_b5_indentation_in_code_is_verbatim() -> None:
    assert blocks_of("<pre><code>def f():\n    return 1\n</code></pre>")[0].text == "def f():\n    return 1"


def test_b6_inline_code_stays_in_its_line() -> None:
    html = "<p>Call <code>eager</code> and <code>lazy</code></p>"
    assert ([block.text for block in blocks_of(html)], riches(html)) == (["Call eager and lazy"], ["Call `eager` and `lazy`"])


def test_b7_a_senseless_span_is_capped() -> None:
    (block,) = blocks_of('<table><tr><th>h</th></tr><tr><td colspan="4294967295">x</td></tr></table>')
    assert block.rows is not None
    assert max(map(len, block.rows)) <= 1000


def test_b8_closed_details_are_kept() -> None:
    html = "".join(f"<details><summary>S{n}</summary><table><tr><th>{n}</th></tr></table></details>" for n in range(3))
    assert [block.kind for block in blocks_of(html)] == ["paragraph", "table"] * 3


def test_b9_every_section_has_its_heading() -> None:
    blocks = blocks_of("".join(f"<section><h2>H{n}</h2><p>a{n}</p><p>b{n}</p></section>" for n in range(8)), "document")
    assert sum(block.kind == "heading" for block in blocks) == 8


def test_e1_the_noscript_twin_and_the_lazy_image_are_one() -> None:
    blocks = blocks_of("<noscript><img src=a></noscript><img data-src=a>")
    assert [block.href for block in blocks] == ["https://e.x/d/a"]


def test_e3_a_placeholder_is_never_the_picture() -> None:
    page = page_blocks(
        parse_html('<img src="data:image/gif;base64,R0" data-src=a><img src="data:image/gif;base64,R0">'), "https://e.x/"
    )
    assert [block.href for block in page.blocks] == ["https://e.x/a"]
    assert page.removed == {"inline_image": 1}


def test_e4_a_small_lazy_variant_does_not_replace_a_large_source() -> None:
    (block,) = blocks_of("<img src=-1x-1.png data-src=60x-1.png>")
    assert download_order(block.candidates or []) == ("https://e.x/d/-1x-1.png", "https://e.x/d/60x-1.png")


def test_e5_a_protocol_relative_source_has_the_scheme_of_the_page() -> None:
    (block,) = blocks_of('<img src="//cdn.example.org/x">')
    assert block.href == "https://cdn.example.org/x"
    assert deduplicate([block]).kept == (block,)
