"""Documents survive their stage files."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow as pa

from filters.rules import rules_from_config
from transforms.documents.assemble import DocumentsConfig, score_document
from transforms.documents.codec import document_row, read_document, read_scored, scored_row
from transforms.images.urls import url_key
from transforms.records import Block, Document, Drop, ImageRef, Node, Outcome, Paragraph, Source
from transforms.shards.schemas import DOCUMENTS, SCORED

URL = "https://e.x/a.jpg"
DOCUMENT = Document(
    id="0" * 32,
    url="https://e.x/",
    domain="e.x",
    source=Source("a.warc", 1, 2, "<urn:uuid:1>", "sha1:A"),
    nodes=(
        Node("/p", (0, 2), (Paragraph("Größe 日本", "heading", "", "/p", (0, 1)), Paragraph("x", "code", "\n\n", "/pre", (1, 2)))),
        Node("/a", (2, 2), (Paragraph("END", "boundary", "", "/a", (2, 2)),)),
        Node("/img", (2, 3), image=ImageRef(URL, (URL, URL + "?2"), alt="A", rendered_width="50%")),
    ),
    date="2026-01-01T00:00:00Z",
    title="T",
    language="de",
    language_score=0.5,
    gate_score=30.25,
    flags=("maybe_truncated",),
    removed={"select": 3},
    block_count=5,
    blocks=(Block("paragraph", "x", "p", "/p", 0), Block("table", "1", "table", "/t", 1, rows=[["1"]], excluded="fallback")),
)
OUTCOME = Outcome(url_key(URL), URL, "ok", sha256="ab", format="PNG", width=1, height=2, bytes=3, file="a.warc", offset=4, length=5)


def test_lone_surrogates_come_back_as_they_were() -> None:
    image = replace(DOCUMENT.nodes[2].image, alt="A\ud800", hints=(2**63 - 1, None))  # type: ignore[type-var]
    document = replace(DOCUMENT, nodes=(Node("/img", (2, 3), image=image),))
    assert read_document(through_arrow(document_row(document), DOCUMENTS)) == document


def through_arrow(row: dict[str, object], schema: pa.Schema) -> dict[str, object]:
    (back,) = pa.Table.from_pylist([row], schema=schema).to_pylist()
    return back


def test_a_document_comes_back_as_it_was() -> None:
    assert read_document(through_arrow(document_row(DOCUMENT), DOCUMENTS)) == DOCUMENT


def test_drops_are_stored_where_they_are_not_written_elsewhere() -> None:
    drop = Drop("blocks", "dup.copy", "block", "0#b1", "https://e.x/", None, None, "/p repeats /t", "a.warc", 1)
    document = replace(DOCUMENT, drops=(drop,))
    assert read_document(through_arrow(document_row(document, with_drops=True), DOCUMENTS)) == document
    assert read_document(through_arrow(document_row(document), DOCUMENTS)) == DOCUMENT


def test_blocks_are_stored_without_what_they_have_by_default() -> None:
    stored = json.loads(json.loads(document_row(DOCUMENT)["document"])["blocks"])
    assert stored[0] == {"kind": "paragraph", "text": "x", "tag": "p", "xpath": "/p", "dom_index": 0}


def test_a_scored_document_comes_back_as_it_was() -> None:
    rules = rules_from_config({"paragraph.words": {"min": 1}})
    scored, _ = score_document(DOCUMENT, {OUTCOME.url_key: OUTCOME}, rules, DocumentsConfig())
    assert [part.paragraphs for part in scored.parts] == [(0, 1)]
    assert read_scored(through_arrow(scored_row(scored), SCORED)) == scored
