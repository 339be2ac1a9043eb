"""Markdown that is read back by a CommonMark library gives the blocks it was made of: kind, place in lists and quotes, text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from block_shapes import blocks_of
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.archives.encoding import decode_html
from transforms.archives.warc import read_responses
from transforms.blocks import extract_blocks
from transforms.blocks.markdown import render_markdown
from transforms.records import Block, Response

markdown_it = pytest.importorskip("markdown_it", reason="needs the package markdown-it-py, which the extra `dev` installs")

READER = markdown_it.MarkdownIt("commonmark").enable("table")
READER.validateLink = lambda url: True  # the library shows no link to a file, which is its own rule
_SIGNS = re.compile(r"[\\`*_\[\]]")
_TAG = re.compile(r"<[^>]+>")


class Shown(NamedTuple):
    """What a reader of the Markdown sees. quoted, depth: quotes and list items around it."""

    kind: str
    quoted: int
    depth: int
    text: str


def plain(text: str) -> str:
    """Without the signs of inline Markdown, which plain text holds unescaped by default (blocks.md 12)."""
    return " ".join(_SIGNS.sub("", unicodedata.normalize("NFKC", text).replace("\u2212", "-")).split())


# What Markdown says.


def read_back(markdown: str) -> list[Shown]:
    tokens = READER.parse(markdown)
    found: list[Shown] = []
    quoted = 0
    items: list[tuple[str, bool]] = []  # kind of each open item, and if it has had its first paragraph
    lists: list[str] = []
    cells: list[str] | None = None
    heading = False
    for token in tokens:
        depth = len(items)
        if token.type in ("blockquote_open", "blockquote_close"):
            quoted += token.nesting
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append("list-item" if token.type == "bullet_list_open" else "numbered-item")
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "list_item_open":
            items.append((lists[-1], False))
        elif token.type == "list_item_close":
            items.pop()
        elif token.type == "table_open":
            cells = []
        elif token.type == "table_close":
            found.append(Shown("table", quoted, depth, plain(" ".join(cells or ()))))
            cells = None
        elif token.type in ("heading_open", "heading_close"):
            heading = token.nesting == 1
        elif token.type == "fence":
            found.append(Shown("code", quoted, depth, token.content.removesuffix("\n")))
        elif token.type == "hr":
            found.append(Shown("rule", quoted, depth, ""))
        elif token.type in ("html_block", "code_block"):
            kind = "table" if token.content.startswith("<table>") else token.type
            found.append(Shown(kind, quoted, depth, plain(READER.parseInline(_TAG.sub(" ", token.content))[0].content)))
        elif token.type == "inline":
            if cells is not None:
                cells.append(text_of(token.children))
            elif heading:
                found.append(Shown("heading", quoted, depth, plain(text_of(token.children))))
            elif is_picture(token.children):
                found.append(Shown("image", quoted, depth, plain(text_of(token.children))))
            elif items and not items[-1][1]:
                found.append(Shown(items[-1][0], quoted, depth, plain(text_of(token.children))))
                items[-1] = (items[-1][0], True)
            else:
                found.append(Shown("paragraph", quoted, depth, plain(text_of(token.children))))
    return found


def text_of(children: Sequence[Any]) -> str:
    parts: list[str] = []
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "image":
            parts.append(text_of(child.children or ()))
        elif child.type == "html_inline":
            parts.append("" if child.content.strip("</>") in ("sup", "sub") else f"(tag {child.content})")
        else:
            parts.append(child.content)
    return "".join(parts)


def is_picture(children: Sequence[Any]) -> bool:
    return [child.type for child in children if child.content or child.type != "text"] in (
        ["image"],
        ["link_open", "image", "link_close"],
    )


# What the blocks say.


def shown(blocks: Sequence[Block]) -> list[Shown]:
    found: list[Shown] = []
    depth = quoted = 0
    rule_waits = False
    above: Block | None = None
    for block in blocks:
        if block.kind == "rule":
            rule_waits = bool(found)
            depth = 0
            continue
        entries = list(entries_of(block))
        if not entries:
            continue
        if rule_waits:
            found.append(Shown("rule", 0, 0, ""))
            rule_waits, above = False, None
        around = block.quoted + (block.kind == "quote")
        depth = depth if around == quoted else 0
        quoted = around
        if block.kind == "list-item":
            depth = min(max(block.level, 1), depth + 1)
        elif block.kind == "paragraph" and block.level > 0 and block.tag not in ("dt", "dd"):
            depth = min(block.level, depth)
        else:
            depth = 0
        joins = above is not None and (above.tag, block.tag, block.level) == ("dt", "dd", 0) and above.quoted == block.quoted
        if joins and block.kind == above.kind == "paragraph":  # type: ignore[union-attr]
            found[-1] = found[-1]._replace(text=f"{found[-1].text} {entries[0][1]}".strip())
        else:
            found += (Shown(kind, quoted, depth, text) for kind, text in entries)
        above = block
    return found


def entries_of(block: Block) -> Iterator[tuple[str, str]]:
    if block.kind == "heading":
        yield "heading", plain(block.text)
    elif block.kind == "image":
        if block.href:
            yield "image", plain(block.alt or block.text)
    elif block.kind == "code":
        yield "code", block.text
    elif block.kind == "table" and block.table_html is not None:
        yield "table", plain(READER.parseInline(_TAG.sub(" ", block.table_html))[0].content)
    elif block.kind == "table":
        rows = block.rows or []
        yield from (("paragraph", plain(line)) for line in block.text.split("\n")[: block.text.count("\n") + 1 - len(rows)])
        if rows:
            yield "table", plain(" ".join(cell for row in rows for cell in row))
    else:
        mark = ": " if block.tag == "dd" and block.kind == "paragraph" and block.level == 0 else ""
        for number, part in enumerate(block.text.split("\n\n")):
            kind = block.kind if block.kind == "list-item" and number == 0 else "paragraph"
            if kind == "list-item" and block.ordered and block.ordinal is not None and block.ordinal >= 0:
                kind = "numbered-item"
            yield kind, plain(mark + part)


def assert_reads_back(blocks: Sequence[Block]) -> None:
    for escape_text in (False, True):
        assert read_back(render_markdown(blocks, escape_text=escape_text)) == shown(blocks)


PAGES_OF_AN_ARCHIVE = 7
EVERY_NTH_PAGE = 23


@pytest.mark.parametrize("archive", range(6))
def test_pages_read_back(shared: Path, archive: int) -> None:
    path = shared / "data" / "wcxb" / f"dev-{archive:05}-of-00006.warc.gz"
    responses = (item for item in read_responses(str(path)) if isinstance(item, Response))
    pages = [page for number, page in enumerate(responses) if number % EVERY_NTH_PAGE == 0][:PAGES_OF_AN_ARCHIVE]
    assert len(pages) == PAGES_OF_AN_ARCHIVE
    for page in pages:
        assert_reads_back(extract_blocks(decode_html(page.body, page.content_type).text, page.url))


CASES = {
    "a wide number": "<ol start=1000><li>a<p>b</p><ul><li>c</ul></ol>",
    "a number within an item": "<ul><li>a<ol start=5><li>b</ol></ul>",
    "a negative number": "<ol start=-3><li>a</ol>",
    "lists of several kinds": "<ul><li>a</ul><ol><li>b</ol><ul><li>c<ol><li>d<ul><li>e</ul></ol></ul>",
    "lists in quotes": "<blockquote><ul><li>a<p>b</p><ul><li>c<p>d</p></ul><li>e</ul></blockquote>",
    "a list after a list in a quote": "<ul><li>a<ul><li>b</ul></ul><blockquote><ul><ul><li>c</ul></ul></blockquote>",
    "a continuation, then a deeper item": "<ul><li>A<ul><li>B</ul>C<ul><ul><li>D</ul></ul></ul>",
    "nested quotes": "<blockquote><p>a</p><blockquote><p>b</p><blockquote>c<br><br>d</blockquote></blockquote>e</blockquote>",
    "code in a quote": "<blockquote><pre>a\n\n  b  \n> c</pre></blockquote>",
    "fences in code": "<pre class=language-x`y>```\n~~~~\n````</pre>",
    "tags in text": "<p>a &lt;b> &lt;/i> &lt;!-- c --> &lt;? d ?> &lt;https://e.x> &lt;3</p><p>&lt;div>e&lt;/div></p>",
    "tags in rich text": "<p><i>a</i> &lt;b> <code>&lt;b></code> x<sup>n q</sup></p>",
    "tags in a heading, an item, a cell and an alt": (
        "<h1>&lt;p></h1><ul><li>&lt;p></ul><table><tr><th>&lt;p><td>|</table><img src=i alt='&lt;p> ] `'>"
    ),
    "entities in text": "<p>&amp;amp; &amp;#33; &amp;copy; &amp;c.</p>",
    "a link after an exclamation mark": "<p>Look!<a href=/x>here</a></p>",
    "brackets in a label": "<p><a href=/x>a] [b</a> <a href=/y>[c]</a> <a href=/z>[d]()</a></p>",
    "what would be a link": "<p>[a](/x) [b]</p>",
    "a list after a part of a definition": "<dl><dt>a<dd>b<ul><li>c</ul><p>d</p><ul><li>e<li>f</ul></dl>",
    "spaces in a target": "<p><a href='tel:+1 234 5'>call</a> <a href='/a b'>c</a></p>",
    "signs at the beginning of a line": "<p># a<br>- b<br>+ c<br>1. d<br>2) e<br>> f<br>--<br>===<br>***<br>```<br>~~~</p>",
    "the address of a link": "<p>[a]: b</p>",
    "a caption of signs": "<figure><figcaption>**</figcaption></figure>",
    "what would be a table": "<p>a | b<br>--- | ---<br>c | d</p><p>a<br>:-:</p>",
    "signs at the end of a heading": "<h2>C #</h2><h3>#</h3><h4>F#</h4>",
    "pipes and lines in a table": "<table><tr><th>a|b<td><code>c|d</code></tr><tr><td>e<br>f<td># g</tr></table>",
    "a ragged table": "<table><tr><th>a</tr><tr><td>b<td>c<td>d</tr></table>",
    "captions": "<table><caption># C</caption><tr><th>a</table><figure><figcaption>a<br># b<br><br>c</figcaption></figure>",
    "blank lines in an item": "<ul><li>a<br><br>b<li>c</ul>",
    "code over lines": "<p>a <code>b<br>c</code> d</p>",
    "definitions": "<dl><dt># a<dd>b<br>- c<dt>d<dt>e<dd><p>f</p><p>g</p></dl>",
    "prices": "<p>$5 &lt;b> and $6</p>",
    "rules": "<p>a</p><hr><p>b</p><ul><li>c<hr>d<hr><img width=1 src=i>e</ul>",
    "a list in a definition": "<dl><dt>a<dd>b<p>c</p><ul><li>d</ul><p>e<br>f</p></dl>",
    "merged cells": "<table><tr><th colspan=2>a &lt;b></tr><tr><td>c<td>d</tr></table><p>e</p>",
}


@pytest.mark.parametrize("html", CASES.values(), ids=CASES)
def test_constructs_read_back(html: str) -> None:
    assert_reads_back(blocks_of(html))


WORDS = st.sampled_from(
    ["alpha", "b c", "<br>", "<br><br>", "#", "# a", "- a", "1. b", "7) c", "--", "===", ">", "a | b", "&lt;b>", "&amp;lt;", "$5",
     "!", "<a href=/x>l</a>", "<b>m</b>", "<img src=i alt=k>", "<code>n</code>", "日本", "[x]: y", "+"]
)  # fmt: skip
MARKUP = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda tag, children: f"<{tag}>{' '.join(children)}</{tag}>",
        st.sampled_from(
            ["p", "div", "ul", "ol", "li", "blockquote", "h2", "pre", "table", "tr", "th", "td", "dl", "dt", "dd", "figcaption"]
        ),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(MARKUP, max_size=4).map("".join))
def test_any_markup_reads_back(html: str) -> None:
    assert_reads_back(blocks_of(html))
