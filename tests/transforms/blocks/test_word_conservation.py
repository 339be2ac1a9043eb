"""No visible word of a page is lost, doubled or fused with another (blocks.md 1), by a second reading of the tree."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.bench.word_conservation import Comparison, compare, explain, read_page
from transforms.archives.encoding import decode_html
from transforms.archives.warc import read_responses
from transforms.blocks.extract import page_blocks
from transforms.html.tree import parse_html
from transforms.records import Response

BASE = "https://e.x/d/p"
ALIKE = ({}, {})
FIRST_PAGES = 20  # of each archive

# Pages where words are easily lost: (number of the archive, offsets of the records).
SHADOW_ROOTS = [
    (2, 7570793), (2, 7667371), (2, 13293263), (2, 13320369), (2, 13352930), (2, 14072792), (3, 3278839), (3, 3314048),
    (3, 3353527), (3, 3388036), (4, 1144032),
]  # fmt: skip
NOSCRIPT_SHELLS = [
    (1, 9616877), (1, 9650393), (1, 9690649), (1, 9723591), (1, 9876534), (2, 323), (2, 45571), (2, 1471809), (2, 16599618),
    (2, 17421607), (2, 18821861), (3, 2010620),
]  # fmt: skip
MERGED_TABLES = [
    (0, 4886076), (1, 3165598), (1, 7109033), (1, 9401156), (2, 533596), (2, 6948620), (2, 11979525), (2, 18879924), (3, 3522602),
    (3, 5278511), (4, 12596), (4, 541408), (4, 2751665), (5, 1693319), (5, 3642407),
]  # fmt: skip
PLACES = [*SHADOW_ROOTS, *NOSCRIPT_SHELLS, *MERGED_TABLES]


def page_at(shared: Path, archive: int, offset: int) -> Response:
    path = shared / "data" / "wcxb" / f"dev-{archive:05}-of-00006.warc.gz"
    (response,) = read_responses(str(path), offset, offset + 1)
    assert isinstance(response, Response)
    return response


def of_page(page: Response) -> Comparison:
    return compare(decode_html(page.body, page.content_type).text, page.url)


@pytest.mark.parametrize(("archive", "offset"), PLACES)
def test_every_word_of_a_difficult_page_is_in_one_block(shared: Path, archive: int, offset: int) -> None:
    found = of_page(page_at(shared, archive, offset))
    assert (found.lost, found.extra, found.removals) == ({}, {}, {})


@pytest.mark.parametrize("archive", range(6))
def test_every_word_of_a_page_is_in_one_block(shared: Path, archive: int) -> None:
    path = shared / "data" / "wcxb" / f"dev-{archive:05}-of-00006.warc.gz"
    responses = (item for item in read_responses(str(path)) if isinstance(item, Response))
    found = {page.url: of_page(page) for page in itertools.islice(responses, FIRST_PAGES)}
    assert len(found) == FIRST_PAGES
    assert {url: page for url, page in found.items() if not page.is_explained or page.removals} == {}


@pytest.mark.parametrize(
    ("change", "lost", "extra"),
    [
        (lambda blocks: blocks[1:], {"one": 1, "two": 1}, {}),
        (lambda blocks: (*blocks, blocks[0]), {}, {"one": 1, "two": 1}),
        (lambda blocks: (replace(blocks[0], text="onetwo"), *blocks[1:]), {}, {}),  # told apart as a word edge
    ],
)
def test_a_lost_and_a_doubled_word_are_seen(change: Any, lost: dict[str, int], extra: dict[str, int]) -> None:
    tree = parse_html("<p>one two</p><p>three</p>")
    found = page_blocks(tree, BASE)
    assert tree.body is not None
    compared = explain(read_page(tree.body), replace(found, blocks=change(found.blocks)))
    assert (compared.lost, compared.extra) == (lost, extra)
    assert lost or extra or "word edge" in compared.reasons


TAGS = """div p span b a ul ol li dl dt dd table thead tr td th caption h2 blockquote pre figure figcaption section nav aside form
    button label br hr img video object svg text noscript template slot script select option code x-y details summary
    center dialog h1""".split()  # noqa: SIM905
ATTRIBUTES = (
    "", " class=sr-only", " hidden", " href=/x", " href=#", " src=i.png", " data-src=j.png", " colspan=2", " rowspan=3",
    " role=dialog", " shadowrootmode=open", " slot=s", " name=s", " width=1", " style='display:none'", " class=cm-editor",
    " style='text-indent:-9999px'", " class=permalink", " open",
)  # fmt: skip
NODES = st.recursive(
    st.sampled_from(["alpha", " ", "\n", "beta gamma", "<br>", "<!-- -->", "<img src=k alt=k>", "日本", "&nbsp;", "#", "¶"]),
    lambda inner: st.builds(
        lambda tag, attributes, children: f"<{tag}{attributes}>{''.join(children)}</{tag}>",
        st.sampled_from(TAGS),
        st.sampled_from(ATTRIBUTES),
        st.lists(inner, max_size=4),
    ),
    max_leaves=25,
)


@settings(max_examples=400, deadline=None)
@given(st.lists(NODES, max_size=4).map("".join))
def test_every_word_of_any_markup_is_in_one_block(html: str) -> None:
    found = compare(html, BASE)
    assert (found.lost, found.extra) == ALIKE
