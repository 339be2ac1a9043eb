"""Extraction leaves nothing to the garbage collector, which a worker therefore hardly runs."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path

import pytest

from scripts.bench.isolation import read_pages
from transforms.blocks.main_content.config import MainContentConfig
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document
from transforms.html.readerable import GateConfig
from transforms.records import Document, Page, Source

CONFIG = ExtractConfig(gate=GateConfig(enabled=False), main_content=MainContentConfig(threshold=0.0))  # all blocks stay
EVERY_READER = """<main><p>Words of a page.<hr><img src=a.png><svg><text>a</text></svg><math><mi>x</mi></math><pre>code</pre>
<noscript><img src=b.png></noscript><video src=c.mp4>No video.</video><select><option>One</select><table><tr><th>a<td>b</table>"""


def garbage_of(pages: list[Page]) -> Counter[str]:
    """The types of the objects in cycles that extracting pages leaves, after whatever is loaded at first use."""
    extract_document(pages[0], CONFIG)
    gc.collect()
    enabled, flags = gc.isenabled(), gc.get_debug()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for page in pages:
            extract_document(page, CONFIG)
        gc.collect()
        return Counter(type(item).__name__ for item in gc.garbage)
    finally:
        gc.set_debug(flags)
        gc.garbage.clear()
        if enabled:
            gc.enable()


def test_a_page_of_every_construct_leaves_no_cycles() -> None:
    page = Page("http://e.example/", EVERY_READER.encode(), "text/html", Source("", 0, 0))
    assert isinstance(extract_document(page, CONFIG), Document)
    assert garbage_of([page]) == Counter()


def test_real_pages_leave_no_cycles(shared: Path) -> None:
    pages = read_pages(str(shared / "data/wcxb/dev-00004-of-00006.warc.gz"), 30)
    if not pages:
        pytest.fail("the archive has no pages")
    assert garbage_of(pages) == Counter()
