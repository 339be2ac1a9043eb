"""Documents as rows of a stage file, and back.

Columns that people query are columns; nodes and the rest of the document are JSON texts that only this module reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

import orjson

from transforms.documents.assemble import ScoredDocument, ScoredNode, ScoredPart
from transforms.records import Block, Document, Drop, ImageRef, Node, Outcome, Paragraph, Source

_COLUMNS = ("id", "url", "domain", "date", "title", "language", "language_score", "gate_score")
_IN_JSON = (
    "declared_languages", "description", "encoding", "rtl", "content_hash", "flags", "removed", "block_count",
    "main_content_threshold", "main_content_f1", "main_content_words", "directives", "rejected",
)  # fmt: skip
_SOURCE_FIELDS = tuple(f.name for f in fields(Source))
_SOURCE_VALUES = attrgetter(*_SOURCE_FIELDS)
_BLOCK_FIELDS = tuple(f.name for f in fields(Block))
_BLOCK_VALUES = attrgetter(*_BLOCK_FIELDS)
_BLOCK_DEFAULTS = tuple(f.default for f in fields(Block))  # MISSING, which equals nothing, where there is none
_DROP_VALUES = attrgetter(*(f.name for f in fields(Drop)))
_IMAGE_FIELDS = tuple(f.name for f in fields(ImageRef))
_OUTCOME_FIELDS = tuple(f.name for f in fields(Outcome) if f.name not in ("url_key", "shards"))


def document_row(document: Document, with_drops: bool = False) -> dict[str, Any]:
    """A document as a row of the schema `DOCUMENTS`, with its blocks where it has them.

    with_drops: with its drops as well; those of other documents are written as drops of their shard.
    """
    drops = {"drops": [_DROP_VALUES(drop) for drop in document.drops]} if with_drops else {}
    return _row(document, [_encode_node(node) for node in document.nodes], **drops)


def read_document(row: Mapping[str, Any]) -> Document:
    """The document of a row."""
    return _document(row, tuple(_decode_node(node) for node in _from_json(row["nodes"])))


def image_candidates(nodes: str) -> Iterator[Sequence[str]]:
    """The candidates of each image of a document that is to be looked for, from the column `nodes` alone."""
    for node in _from_json(nodes):
        if "img" in node:
            image = dict(zip(_IMAGE_FIELDS, node["img"], strict=True))
            if image["skipped"] is None:
                yield image["candidates"]


def scored_row(scored: ScoredDocument) -> dict[str, Any]:
    """A scored document as a row of the schema `SCORED`."""
    # Thousands of measures have the same few sets of names: their values stand alone, the number of their set behind them.
    sets: dict[tuple[str, ...], int] = {}
    nodes = []
    for s in scored.nodes:
        measures = [[*each.values(), sets.setdefault(tuple(each), len(sets))] for each in s.measures]
        nodes.append({**_encode_node(s.node), "i": s.index, "m": measures, "o": _encode_outcome(s.outcome)})
    parts = [[_runs(part.paragraphs), part.measures] for part in scored.parts]
    return {**_row(scored.document, {"names": list(sets), "nodes": nodes}), "parts": _json(parts), "words": scored.word_numbers}


def read_scored(row: Mapping[str, Any]) -> ScoredDocument:
    """The scored document of a row."""
    stored = _from_json(row["nodes"])
    names = stored["names"]
    nodes = tuple(
        ScoredNode(
            node["i"],
            _decode_node(node),
            tuple([dict(zip(names[values[-1]], values, strict=False)) for values in node["m"]]),
            _decode_outcome(node["o"]),
        )
        for node in stored["nodes"]
    )
    parts = tuple(ScoredPart(_numbers(runs), measures) for runs, measures in _from_json(row["parts"]))
    return ScoredDocument(_document(row, ()), nodes, parts, row["words"])


def encode_blocks(blocks: Sequence[Block]) -> str:
    """Blocks as a JSON list, fields that have their default left out."""
    return _json(
        [
            {
                name: value
                for name, value, absent in zip(_BLOCK_FIELDS, _BLOCK_VALUES(block), _BLOCK_DEFAULTS, strict=True)
                if value != absent
            }
            for block in blocks
        ]
    )


def decode_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of `encode_blocks`."""
    return tuple(Block(**block) for block in _from_json(text))


def _row(document: Document, nodes: Any, **more: Any) -> dict[str, Any]:
    rest: dict[str, Any] = {name: getattr(document, name) for name in _IN_JSON} | more
    rest["removed"], rest["main_content_words"] = dict(document.removed), dict(document.main_content_words)
    if document.blocks:
        rest["blocks"] = encode_blocks(document.blocks)
    row = {name: getattr(document, name) for name in _COLUMNS}
    source = dict(zip(_SOURCE_FIELDS, _SOURCE_VALUES(document.source), strict=True))
    return {**row, "source": source, "document": _json(rest), "nodes": _json(nodes)}


def _document(row: Mapping[str, Any], nodes: tuple[Node, ...]) -> Document:
    rest = _from_json(row["document"])
    blocks = decode_blocks(rest.pop("blocks")) if "blocks" in rest else ()
    drops = tuple(Drop(*values) for values in rest.pop("drops", ()))
    for name in ("flags", "directives", "declared_languages"):
        rest[name] = tuple(rest[name])
    rest["rejected"] = tuple((reference, status) for reference, status in rest["rejected"])
    columns = {name: row[name] for name in _COLUMNS}
    return Document(**columns, **rest, source=Source(**row["source"]), nodes=nodes, blocks=blocks, drops=drops)


def _encode_node(node: Node) -> dict[str, Any]:
    if node.image is not None:
        image = node.image
        return {"x": node.path, "b": node.blocks, "img": [getattr(image, name) for name in _IMAGE_FIELDS]}
    paragraphs = [[p.text, p.kind, p.separator, p.path, p.blocks] for p in node.paragraphs]
    return {"x": node.path, "b": node.blocks, "p": paragraphs}


def _decode_node(node: Mapping[str, Any]) -> Node:
    blocks = (node["b"][0], node["b"][1])
    if "img" in node:
        values: list[Any] = [tuple(value) if isinstance(value, list) else value for value in node["img"]]
        return Node(node["x"], blocks, image=ImageRef(*values))
    paragraphs = [Paragraph(text, kind, sep, path, (b[0], b[1])) for text, kind, sep, path, b in node["p"]]
    return Node(node["x"], blocks, tuple(paragraphs))


def _encode_outcome(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    values = {name: value for name in _OUTCOME_FIELDS if (value := getattr(outcome, name)) not in (None, ())}
    return {**values, "url_key": outcome.url_key.hex()}


def _decode_outcome(stored: Mapping[str, Any] | None) -> Outcome | None:
    if stored is None:
        return None
    return Outcome(**{**stored, "url_key": bytes.fromhex(stored["url_key"]), "flags": tuple(stored.get("flags", ()))})


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Rising numbers as half-open ranges.

    >>> _runs([0, 1, 2, 5])
    [[0, 3], [5, 6]]
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number:
            runs[-1][1] = number + 1
        else:
            runs.append([number, number + 1])
    return runs


def _numbers(runs: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(number for start, stop in runs for number in range(start, stop))


def _json(value: Any) -> str:
    # ensure_ascii leaves no lone surrogate that the file could not hold; none occurs in decoded pages, but alt texts of other
    # sources may bring one.
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _from_json(text: str) -> Any:
    # orjson takes a third of the time; lone surrogates it refuses.
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)
