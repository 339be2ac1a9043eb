"""Properties of every page: no input is too deep, too wide or too odd. Words are counted in `test_word_conservation`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from block_shapes import BASE, blocks_of
from hypothesis import given, settings
from hypothesis import strategies as st
from operation_count import operations

from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import page_blocks
from transforms.blocks.markdown import render_markdown
from transforms.html.tree import parse_html


def test_pages_of_the_readability_tests_give_blocks(shared: Path) -> None:
    with gzip.open(shared / "data" / "mozilla" / "test_pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    for page in pages:
        html = next(value for name, value in page.items() if "html" in name or "source" in name)
        blocks = blocks_of(html, "document")
        assert blocks
        assert render_markdown(blocks)


TAGS = """div p span b a ul ol li dl dt dd table tr td th caption h2 blockquote pre figure figcaption section nav aside form
    button label br hr img video object svg text noscript template slot script select option math mi code x-y details
    summary center""".split()  # noqa: SIM905
ATTRIBUTES = (
    "", " class=sr-only", " hidden", " href=/x", " href=#", " src=i.png", " data-src=j.png", " colspan=2", " rowspan=3",
    " role=dialog", " shadowrootmode=open", " slot=s", " name=s", " width=1", " style='display:none'", " class=cm-editor",
)  # fmt: skip
NODES = st.recursive(
    st.sampled_from(["alpha", " ", "\n", "beta gamma", "<br>", "<!-- -->", "<img src=k alt=k>", "日本", "&nbsp;", "$5", "`"]),
    lambda inner: st.builds(
        lambda tag, attributes, children: f"<{tag}{attributes}>{''.join(children)}</{tag}>",
        st.sampled_from(TAGS),
        st.sampled_from(ATTRIBUTES),
        st.lists(inner, max_size=4),
    ),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(NODES, max_size=4).map("".join))
def test_any_markup_gives_sound_blocks(html: str) -> None:
    blocks = blocks_of(html)
    assert [block.dom_index for block in blocks] == list(range(len(blocks)))
    for block in blocks:
        assert block.text or block.kind in ("image", "media", "rule")
        assert block.text == block.text.strip() or block.kind == "code"
        assert block.xpath.startswith("/html/body")
        assert block.rich_text != block.text
        assert "\x1c" not in block.text + (block.rich_text or "") + (block.table_html or "")
    assert blocks_of(html) == blocks
    markdown = render_markdown(deduplicate(blocks).kept)
    assert markdown == "" or (markdown.endswith("\n") and markdown.strip() == markdown[:-1])


DEPTH = 510
DEEP = (
    "div",
    "b",
    "ul><li",
    "blockquote",
    "table><tr><td",
    "object",
    "figure",
    "x-y",
    "a-a><template shadowrootmode=open",
    "section",
    "dl><dd",
)


@pytest.mark.parametrize("opening", DEEP)
def test_depth_costs_no_stack(opening: str) -> None:
    names = opening.split("><")
    depth = DEPTH // len(names)
    html = f"<{opening}>" * depth + "word<img src=i alt=image>"
    blocks = blocks_of(html)
    assert sum(block.text.split().count("word") for block in blocks) == 1
    assert render_markdown(deduplicate(blocks).kept)


WIDE: dict[str, Callable[[int], str]] = {
    "paragraphs": lambda n: "<p>a b c</p>" * n,
    "orphan runs": lambda n: "<div>" + "a<p>b</p>" * n + "</div>",
    "runs in one link": lambda n: "<div><a href=/x>" + "a<p>b</p>" * n + "</a></div>",
    "list items": lambda n: "<ol>" + "<li>a" * n + "</ol>",
    "sibling lists": lambda n: "<ul><li>a</ul>" * n,
    "list items of many parts": lambda n: "<ul><li>" + "<p>a</p>" * n + "</ul>",
    "rows": lambda n: "<table>" + "<tr><th>a<td>b" * n + "</table>",
    "layout rows": lambda n: "<table>" + "<tr><td>a" * n + "</table>",
    "columns": lambda n: "<table><tr>" + "<th>a" * n + "</table>",
    "tables in a table": lambda n: "<table><tr><th>" + "a<table><tr><th>b</table>" * n + "</table>",
    "tables": lambda n: "<table><tr><th>a</table>" * n,
    "spans": lambda n: "<table>" + "<tr><th colspan=3 rowspan=2>a<td>b" * n + "</table>",
    "images of a paragraph": lambda n: "<p>" + "a<br><img src=i.png alt=b><br>" * n + "</p>",
    "images": lambda n: "<img src=i.png alt=a>" * n,
    "one srcset": lambda n: "<img srcset='" + ", ".join(f"/{i}.png {i + 1}w" for i in range(n)) + "'>",
    "sources of a picture": lambda n: "<picture>" + "<source srcset=a.png>" * n + "<img src=i.png></picture>",
    "noscript twins": lambda n: "<img data-src=i.png><noscript><img src=i.png></noscript>" * n,
    "quotes": lambda n: "<blockquote>a</blockquote>" * n,
    "code": lambda n: "<div><div>css</div><pre><code class=language-css>a</code></pre></div>" * n,
    "code of one parent": lambda n: "<div>" + "<pre>a</pre>" * n + "</div>",
    "headings with tables": lambda n: "<h2>a<table><tr><th>b</table></h2>" * n,
    "marks": lambda n: "<p>" + "<b>a</b><a href=/x>b</a> " * n + "</p>",
    "widgets": lambda n: "<div class=related-posts>a</div>" * n,
    "fallbacks": lambda n: "<video src=v>a</video>" * n,
    "formulas": lambda n: "<p>" + "<math><mi>n</mi></math><img src=i alt=n>" * n + "</p>",
    "permalinks": lambda n: "<h2>" + "<a href=#x>#</a>" * n + "a</h2>",
    "slots": lambda n: "<u-c><template shadowrootmode=open>" + "<slot></slot>" * n + "</template>" + "<p>a</p>" * n + "</u-c>",
    "hosts": lambda n: "<u-c><template shadowrootmode=open><slot></slot></template>a</u-c>" * n,
    "editors": lambda n: "<div class=cm-editor><div class=cm-content><div class=cm-line>" + "x" * 20 + "</div></div></div>" * n,
    "long repeats": lambda n: ("<p>" + "a b c d e f g h " * 25 + "</p>") * n,
    "long blocks": lambda n: "".join(
        "<p>" + " ".join(f"w{(i * 7 + j) % 997}" for j in range(200)) + "</p>" for i in range(n // 10)
    ),
    "line breaks": lambda n: "<p>" + "a<br><br>" * n + "</p>",
    "svg labels": lambda n: "<svg>" + "<text>a</text>" * n + "</svg>",
}


@pytest.mark.parametrize("name", WIDE)
def test_work_grows_with_the_page_and_no_faster(name: str) -> None:
    def work(n: int) -> Callable[[], Any]:
        tree = parse_html(WIDE[name](n))
        return lambda: render_markdown(deduplicate(page_blocks(tree, BASE).blocks).kept)

    work(50)()  # what is remembered across pages is looked up once
    small, large = operations(work(200)), operations(work(800))
    assert large <= 4.5 * small + 2000
