"""The dataset's columns are what `datasets` takes them for."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow as pa
import pytest

from transforms.dataset.inline_images import InlineCaps, inline_positions
from transforms.dataset.rows import dataset_row, dataset_schema, yaml_features
from transforms.documents.assemble import DatasetRow
from transforms.documents.parts import KeptNode
from transforms.records import Document, ImageRef, Outcome, Paragraph, Source

SWITCHES = [{}, {"inline_images": True}, {"blocks": True, "markdown": True, "inline_images": True}, {"pii": True}]

OUTCOME = Outcome(b"k", "https://e.x/a.png", "ok", sha256="ab", format="PNG", width=2, height=1, bytes=3)
PARAGRAPHS = (Paragraph("One", "heading", "", "/h1", (0, 1)), Paragraph("Two", "paragraph", "\n\n", "/p", (1, 3)))
ROW = DatasetRow(
    Document("0" * 32, "https://e.x/", "e.x", Source("a", 1, 2), (), language="en", gate_score=25.0),
    1,
    (
        KeptNode(0, "/h1", PARAGRAPHS, ({"words": 1}, {"words": 1})),
        KeptNode(3, "/img", image=ImageRef("https://e.x/s.png", ("https://e.x/a.png",), alt="A"), outcome=OUTCOME),
    ),
    {"words": 2, "images": 1, "language": "en", "marks_and_tokens": 9},
)


@pytest.mark.parametrize("switches", SWITCHES)
def test_features_are_those_the_library_would_write(switches: dict[str, bool]) -> None:
    datasets = pytest.importorskip("datasets")
    schema = dataset_schema(**switches)
    features = datasets.Features.from_arrow_schema(schema)
    assert json.loads(schema.metadata[b"huggingface"]) == json.loads(features.arrow_schema.metadata[b"huggingface"])
    assert yaml_features(schema) == features._to_yaml_list()
    assert features.arrow_schema.field("images").type == schema.field("images").type


def test_texts_and_images_take_turns() -> None:
    schema = dataset_schema()
    (row,) = pa.Table.from_pylist([dataset_row(ROW, schema, {})], schema=schema).to_pylist()
    assert row["texts"] == ["One\n\nTwo", None]
    assert row["images"] == [None, {"sha256": "ab", "url": "https://e.x/a.png", "alt": "A"}]
    assert [node["kind"] for node in row["nodes"]] == ["text", "image"]
    assert row["part"] == 1
    assert row["scores"]["readerable"] == 25.0


def test_a_paragraph_knows_its_characters_and_blocks() -> None:
    paragraphs = dataset_row(ROW, dataset_schema(), {})["nodes"][0]["paragraphs"]
    text = "One\n\nTwo"
    assert [text[p["char_start"] : p["char_stop"]] for p in paragraphs] == ["One", "Two"]
    assert [(p["block_start"], p["block_stop"]) for p in paragraphs] == [(0, 1), (1, 3)]


def test_inline_images_carry_their_bytes() -> None:
    row = dataset_row(ROW, dataset_schema(inline_images=True), {1: b"PNG"})
    assert row["images"] == [None, {"bytes": b"PNG", "path": "ab.png"}]
    assert row["flags"] == []


def test_an_image_over_the_cap_stays_a_reference_in_a_flagged_row() -> None:
    row = dataset_row(ROW, dataset_schema(inline_images=True), {})
    assert row["images"] == [None, None]
    assert row["nodes"][1]["image"]["sha256"] == "ab"
    assert row["flags"] == ["inline_images_capped"]


@pytest.mark.parametrize(("caps", "inlined"), [
    (InlineCaps(), [1, 2, 3, 5]), (InlineCaps(None, None), [1, 2, 3, 5]),
    (InlineCaps(images=2), [1, 2]), (InlineCaps(images=0), []),
    (InlineCaps(bytes=16), [1, 2, 3, 5]), (InlineCaps(bytes=15), [1, 2, 3]), (InlineCaps(bytes=9), [1, 2, 5]),
    (InlineCaps(bytes=0), []),
    (InlineCaps(images=3, bytes=9), [1, 2, 5]), (InlineCaps(images=2, bytes=9), [1, 2]),
])  # fmt: skip
def test_images_come_into_a_row_in_order_as_long_as_they_fit(caps: InlineCaps, inlined: list[int]) -> None:
    text, image = ROW.nodes
    images = [replace(image, outcome=replace(OUTCOME, bytes=size, sha256=name)) for size, name in ((3, "a"), (3, "a"), (7, "b"))]
    assert inline_positions([text, *images, text, image], caps) == inlined


def test_pii_is_marked_in_the_texts_and_left_there() -> None:
    schema = dataset_schema(pii=True)
    mail = Paragraph("Ask bob@example.org", "paragraph", "\n\n", "/p[2]", (3, 4))
    nodes = (replace(ROW.nodes[0], paragraphs=(*PARAGRAPHS, mail), measures=({}, {}, {})), ROW.nodes[1])
    (row,) = pa.Table.from_pylist([dataset_row(replace(ROW, nodes=nodes), schema, {}, "datatrove")], schema=schema).to_pylist()
    (span,) = row["pii"]
    assert (span["text"], span["kind"]) == (0, "email")
    assert row["texts"][0][span["start"] : span["stop"]] == "bob@example.org"
    assert "pii" not in dataset_row(ROW, dataset_schema(), {})


def test_an_image_says_where_else_it_could_be_had_from_and_where_it_was_found() -> None:
    urls = ("https://e.x/a.png", "https://e.x/b.png")
    image = ImageRef("https://e.x/b.png", urls, origins=("source", "img"), hints=(900, None))
    outcome = replace(OUTCOME, source="archive", final_url="https://e.x/c.png", flags=("warc_truncated",), frames=3)
    row = replace(ROW, nodes=(KeptNode(0, "/img", image=image, outcome=outcome),))
    schema = dataset_schema()
    (stored,) = pa.Table.from_pylist([dataset_row(row, schema, {})], schema=schema).to_pylist()
    found = stored["nodes"][0]["image"]
    assert found["candidates"] == [
        {"url": urls[0], "origin": "source", "hint": 900},
        {"url": urls[1], "origin": "img", "hint": None},
    ]
    assert (found["source"], found["final_url"], found["flags"], found["frames"]) == (
        "archive", "https://e.x/c.png", ["warc_truncated"], 3,
    )  # fmt: skip
