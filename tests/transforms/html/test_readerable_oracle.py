"""The gate against the reference implementation on real pages: no mismatch, bool and score (spec/readerable.md, acceptance 1)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from transforms.html.readerable import is_probably_readerable, readerable_score
from transforms.html.text_length import SCRIPT_LENGTH_SCALE
from transforms.html.tree import parse_html

Pages = Iterator[tuple[str, str]]


def mozilla_pages(shared: Path) -> Pages:
    with gzip.open(shared / "data/mozilla/test_pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            page = json.loads(line)
            yield page["id"], page["source_html"]


def wcxb_pages(shared: Path) -> Pages:
    import pyarrow.parquet as pq
    from warcio.archiveiterator import ArchiveIterator

    rows = pq.read_table(shared / "data/wcxb/dev.parquet", columns=["id", "record_id"]).to_pylist()
    ids = {row["record_id"].strip("<>"): row["id"] for row in rows}
    for path in sorted((shared / "data/wcxb").glob("*.warc.gz")):
        with path.open("rb") as archive:
            for record in ArchiveIterator(archive):
                if record.rec_type == "response":
                    record_id = record.rec_headers.get_header("WARC-Record-ID").strip("<>")
                    yield ids[record_id], record.content_stream().read().decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("name", "pages", "counts"),
    [("readerable_mozilla", mozilla_pages, (130, 122)), ("readerable_wcxb_dev", wcxb_pages, (1497, 1327))],
)
def test_agrees_with_the_reference_on_every_page(shared: Path, name: str, pages, counts: tuple[int, int]) -> None:  # type: ignore[no-untyped-def]
    rows = json.loads((shared / f"oracle/{name}.json").read_text(encoding="utf-8"))
    expected = {row["id"]: (row["readerable"], row["score"]) for row in rows}
    found = {}
    for page_id, text in pages(shared):
        tree = parse_html(text)
        found[page_id] = (is_probably_readerable(tree), readerable_score(tree))
    assert {key: (found.get(key), value) for key, value in expected.items() if found.get(key) != value} == {}
    assert (len(found), sum(answer for answer, _ in found.values())) == counts


@pytest.mark.parametrize(("pages", "rescored"), [(mozilla_pages, 6), (wcxb_pages, 11)])
def test_lengths_by_script_change_scores_and_no_answer(shared: Path, pages, rescored: int) -> None:  # type: ignore[no-untyped-def]
    """These pages are mostly English; those in Chinese and Japanese among them are long enough without the scale."""
    changed = 0
    for page_id, text in pages(shared):
        tree = parse_html(text)
        score, scaled = readerable_score(tree), readerable_score(tree, script_length_scale=SCRIPT_LENGTH_SCALE)
        assert (scaled > 20) is (score > 20), page_id
        changed += scaled != score
    assert changed == rescored


def test_agrees_with_mozillas_own_metadata(shared: Path) -> None:
    with gzip.open(shared / "data/mozilla/test_pages.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    wrong = [
        page["id"]
        for page in pages
        if is_probably_readerable(parse_html(page["source_html"])) is not page["expected_metadata"]["readerable"]
    ]
    assert wrong == []
