"""A page that is stored undecided becomes, under each threshold, the document that extraction makes of it at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from transforms.archives import read_range
from transforms.archives.select import SelectConfig, select_page
from transforms.blocks.main_content.config import MainContentConfig
from transforms.documents.choose import decide_document
from transforms.documents.codec import document_row, read_document
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document, extract_undecided
from transforms.images.mentions import Mentions, ReferenceConfig
from transforms.records import Document, Drop, InputRange, Page, Response, Source
from transforms.shards.schemas import DOCUMENTS

WORDS = "The ferryman keeps a log in which every crossing has one line, with the hour and the wind. " * 6
FURNITURE = "".join(f'<li><a href="/{n}">Category {n}</a></li>' for n in range(30))
PIXEL = "data:image/png;base64," + "iVBORw0KGgo" * 200
THRESHOLDS = (None, 0.0, 0.2, 0.5, 0.9, 1.0)


def page(body: str, content_type: str = "text/html; charset=utf-8") -> Page:
    html = f"<html lang=de><head><title>Ferry</title></head><body>{body}</body></html>"
    return Page("http://e.example/a", html.encode(), content_type, Source("a.warc", 7, 9), "2026-01-01T00:00:00Z")


PAGES = {
    "an article with furniture": page(
        f"<nav><img src=/logo.png><ul>{FURNITURE}</ul></nav><main><h1>Ferry</h1><p>{WORDS}</p><img src=/boat.jpg alt=Boat>"
        f"<p>{WORDS}</p><p>{WORDS}</p></main><footer><p>All rights reserved.</p><img src=/badge.gif></footer>"
    ),
    "repeats and a table": page(f"<p>{WORDS}</p><p>{WORDS}</p><table><tr><td>a</td><td>b</td></tr></table><hr><video src=v.mp4>"),
    "images in the page": page(f"<nav><img src='{PIXEL}'></nav><article><p>{WORDS}</p><img src='{PIXEL}AA'></article>"),
    "more images than are looked up": page(f"<article><p>{WORDS}</p>{'<img src=/%d.jpg>' * 60}</article>" % tuple(range(60))),
    "an owner who refuses": page(f"<meta name=robots content=noimageindex><article><p>{WORDS}</p><img src=/a.jpg></article>"),
    "images alone": page("<img src=/a.jpg><img src=/b.jpg>"),
    "nothing": page("<div></div>"),
}
UNGATED = replace(ExtractConfig(), gate=replace(ExtractConfig().gate, enabled=False))


def config(threshold: float | None, base: ExtractConfig = UNGATED) -> ExtractConfig:
    return replace(base, main_content=MainContentConfig(threshold=threshold))


def stored(document: Document) -> Document:
    """A document as a run reads it back."""
    (row,) = pa.Table.from_pylist([document_row(document, with_drops=True)], schema=DOCUMENTS).to_pylist()
    return read_document(row)


def undecided(of: Page, base: ExtractConfig = UNGATED) -> Document:
    document = extract_undecided(of, base)
    assert isinstance(document, Document)
    return document


def shown(document: Document) -> set[str]:
    return {url for node in document.nodes if node.image is not None for url in node.image.candidates}


@pytest.mark.parametrize("name", PAGES)
def test_each_threshold_gives_what_extraction_gives_at_once(name: str) -> None:
    whole = undecided(PAGES[name])
    for threshold in THRESHOLDS:
        for keep_blocks in (True, False):
            expected = extract_document(PAGES[name], config(threshold), keep_blocks)
            assert decide_document(whole, config(threshold), keep_blocks) == expected
            if isinstance(expected, Document):
                expected = replace(expected, inline=())  # their bytes have a table of their own
            assert decide_document(stored(whole), config(threshold), keep_blocks) == expected


def test_thresholds_choose_differently() -> None:
    article = undecided(PAGES["an article with furniture"])
    found = [decide_document(article, config(threshold), True) for threshold in (0.0, 0.5, 1.0)]
    everything, chosen, nothing = found
    assert isinstance(everything, Document)
    assert isinstance(chosen, Document)
    assert isinstance(nothing, Drop)
    assert "http://e.example/logo.png" in shown(everything) - shown(chosen)
    assert "http://e.example/boat.jpg" in shown(chosen)
    assert nothing.rule == "extract.no_main_content"
    assert nothing.value is not None
    assert nothing.value < nothing.threshold == 1.0


def test_all_images_that_some_threshold_shows_are_looked_up() -> None:
    for each in PAGES.values():
        whole = undecided(each)
        mentions = Mentions()
        mentions.add(whole)
        looked_up = {row["url"] for row in mentions.rows()}
        for threshold in THRESHOLDS:
            document = decide_document(whole, config(threshold), False)
            assert isinstance(document, Drop) or shown(document) <= looked_up


def test_the_number_of_images_a_page_is_limited_once_they_are_chosen() -> None:
    whole = undecided(PAGES["more images than are looked up"])
    assert {node.image.skipped for node in whole.nodes if node.image} == {None}
    document = decide_document(whole, config(0.0), False)
    assert isinstance(document, Document)
    skipped = [node.image.skipped for node in document.nodes if node.image]
    assert skipped == [None] * 50 + ["too_many_in_page"] * 10


def test_a_page_of_very_many_images_has_only_so_many_looked_up() -> None:
    few = replace(UNGATED, references=ReferenceConfig(max_per_page=2))
    images = "<img src=/%d.jpg>" * 50 % tuple(range(50))
    whole = undecided(
        page(f"<nav><ul>{FURNITURE}</ul>{images}</nav><article><p>{WORDS}</p><p>{WORDS}</p><img src=/last.jpg></article>"), few
    )
    assert [node.image.skipped for node in whole.nodes if node.image] == [None] * 40 + ["too_many_in_page"] * 11
    document = decide_document(whole, config(None, few), False)
    assert isinstance(document, Document)
    (last,) = [node.image for node in document.nodes if node.image]
    assert (last.href, last.skipped) == ("http://e.example/last.jpg", "too_many_in_page")
    assert last.skip_detail == "image 51 of the page, at most 40"


def test_a_refusing_page_has_its_images_looked_up_by_nobody() -> None:
    whole = undecided(PAGES["an owner who refuses"])
    assert [node.image.skipped for node in whole.nodes if node.image] == ["optout_page"]


def test_the_gate_and_the_owner_still_decide_before() -> None:
    refusing = replace(UNGATED, references=ReferenceConfig(optout=replace(UNGATED.references.optout, on_page="page")))
    dropped = extract_undecided(PAGES["an owner who refuses"], refusing)
    assert isinstance(dropped, Drop)
    assert dropped.rule == "optout.page"
    gated = extract_undecided(PAGES["nothing"], ExtractConfig())
    assert isinstance(gated, Drop)
    assert gated.rule == "gate.score"


def test_real_pages_under_each_threshold(shared: Path) -> None:
    path = min((shared / "data/wcxb").glob("*.warc.gz"))
    items = read_range(InputRange(0, str(path), 0, path.stat().st_size, "warc"))
    responses = [item for item in items if isinstance(item, Response)][::8]
    assert responses
    for response in responses:
        read = select_page(response, SelectConfig())
        if isinstance(read, Drop):
            continue
        whole = extract_undecided(read, ExtractConfig(), False)
        for threshold in (None, 0.1, 0.7):
            settings = config(threshold, ExtractConfig())
            expected = extract_document(read, settings, False)
            if isinstance(whole, Drop):
                assert whole == expected
                continue
            decided = decide_document(stored(whole), settings, False)
            assert decided == (replace(expected, inline=()) if isinstance(expected, Document) else expected)
