"""The dataset's columns and rows (design.md, "A run folder"), and the metadata by which `datasets` knows them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import pyarrow as pa

from filters.pii import find_pii
from transforms.dataset.inline_images import CAPPED
from transforms.documents.assemble import DatasetRow
from transforms.documents.codec import encode_blocks
from transforms.documents.parts import KeptNode, Measures
from transforms.records import Paragraph
from transforms.shards.schemas import SOURCE

_TEXT_MEASURES: tuple[tuple[str, pa.DataType], ...] = (
    ("words", pa.int64()),
    ("special_char_ratio", pa.float64()),
    ("stop_word_ratio", pa.float64()),
    ("flagged_word_ratio", pa.float64()),
    ("punctuation_ratio", pa.float64()),
    ("common_word_ratio", pa.float64()),
    ("char_repetition_ratio", pa.float64()),
    ("word_repetition_ratio", pa.float64()),
    ("perplexity", pa.float64()),
)

# char_start, char_stop: the paragraph's place in the text, in code points; block_*: its blocks on the page, half-open.
_PARAGRAPH = pa.struct(
    [
        ("kind", pa.string()),
        ("path", pa.string()),
        ("block_start", pa.int64()),
        ("block_stop", pa.int64()),
        ("char_start", pa.int64()),
        ("char_stop", pa.int64()),
        ("measures", pa.struct(_TEXT_MEASURES)),
    ]
)
# Where an image could be had from, best first: an element of the page, and the pixels of the shorter side that it declares.
_CANDIDATE = pa.struct([("url", pa.string()), ("origin", pa.string()), ("hint", pa.int64())])
_IMAGE = pa.struct(
    [
        ("url", pa.string()),
        ("document_src", pa.string()),
        ("alt", pa.string()),
        ("link", pa.string()),
        ("rendered_width", pa.string()),
        ("rendered_height", pa.string()),
        ("unformatted_src", pa.string()),
        ("formatted_filename", pa.string()),
        ("inline", pa.bool_()),
        ("sha256", pa.string()),
        ("format", pa.string()),
        ("width", pa.int64()),
        ("height", pa.int64()),
        ("bytes", pa.int64()),
        ("nsfw_score", pa.float64()),
        ("frames", pa.int64()),
        ("orientation", pa.int64()),
        ("source", pa.string()),
        ("final_url", pa.string()),
        ("flags", pa.list_(pa.string())),
        ("candidates", pa.list_(_CANDIDATE)),
    ]
)
_NODE = pa.struct(
    [
        ("kind", pa.string()),
        ("index", pa.int64()),
        ("path", pa.string()),
        ("paragraphs", pa.list_(_PARAGRAPH)),
        ("image", _IMAGE),
    ]
)
_SCORES = pa.struct([("readerable", pa.float64()), ("images", pa.int64()), ("language_score", pa.float64()), *_TEXT_MEASURES])
_REFERENCE = pa.struct([("sha256", pa.string()), ("url", pa.string()), ("alt", pa.string())])
_INLINE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


# text: position in `texts`; start, stop: code points of it.
_PII = pa.struct([("text", pa.int64()), ("kind", pa.string()), ("start", pa.int64()), ("stop", pa.int64())])


def dataset_schema(*, blocks: bool = False, markdown: bool = False, inline_images: bool = False, pii: bool = False) -> pa.Schema:
    """The schema of `data/`. texts and images have equal lengths; at each position exactly one is not null, but for an image that
    stays a reference where images are inline: there both are, and `nodes` has the reference.

    The metadata key `huggingface` makes inline images images for `datasets`, whatever rows a file holds.
    """
    columns = [
        ("id", pa.string()),
        ("part", pa.int64()),
        ("url", pa.string()),
        ("domain", pa.string()),
        ("date", pa.string()),
        ("title", pa.string()),
        ("language", pa.string()),
        ("language_score", pa.float64()),
        ("declared_languages", pa.list_(pa.string())),
        ("flags", pa.list_(pa.string())),
        ("source", SOURCE),
        ("texts", pa.list_(pa.string())),
        ("images", pa.list_(_INLINE if inline_images else _REFERENCE)),
        ("nodes", pa.list_(_NODE)),
        ("scores", _SCORES),
    ]
    if blocks:
        columns.append(("blocks", pa.string()))
    if markdown:
        columns.append(("markdown", pa.string()))
    if pii:
        columns.append(("pii", pa.list_(_PII)))
    schema = pa.schema(columns)
    metadata = {"info": {"features": {field.name: _feature(field.type) for field in schema}}}
    return schema.with_metadata({"huggingface": json.dumps(metadata)})


def dataset_row(
    row: DatasetRow, schema: pa.Schema, image_bytes: Mapping[int, bytes], pii_finder: str | None = None
) -> dict[str, Any]:
    """A row of `schema`.

    image_bytes: by position, read only where the schema has images inline; an image without any is over the cap there, and its
    document is flagged. pii_finder: by its name in `filters.pii`, where the schema has `pii`.
    """
    document = row.document
    inline = schema.field("images").type.value_type == _INLINE
    images = [_image(node, inline, image_bytes.get(position)) for position, node in enumerate(row.nodes)]
    is_capped = any(node.image is not None and image is None for node, image in zip(row.nodes, images, strict=True))
    values: dict[str, Any] = {
        "id": document.id,
        "part": row.part,
        "url": document.url,
        "domain": document.domain,
        "date": document.date,
        "title": document.title,
        "language": document.language,
        "language_score": document.language_score,
        "declared_languages": list(document.declared_languages),
        "flags": [*document.flags, *([CAPPED] if is_capped else [])],
        "source": {name: getattr(document.source, name) for name in ("file", "offset", "length", "record_id", "digest")},
        "texts": [node.text for node in row.nodes],
        "images": images,
        "nodes": [_node(node) for node in row.nodes],
        "scores": {"readerable": document.gate_score, **row.scores},
    }
    if "blocks" in schema.names:
        values["blocks"] = encode_blocks(document.blocks)
    if "markdown" in schema.names:
        values["markdown"] = document.markdown()
    if pii_finder is not None:
        values["pii"] = [
            {"text": position, **span._asdict()}
            for position, text in enumerate(values["texts"])
            if text is not None
            for span in find_pii(text, pii_finder)
        ]
    return values


def yaml_features(schema: pa.Schema) -> list[dict[str, Any]]:
    """The schema's features as the dataset card spells them."""
    return [{"name": field.name, **_yaml_type(field.type)} for field in schema]


def _image(node: KeptNode, inline: bool, body: bytes | None) -> dict[str, Any] | None:
    if node.image is None or node.outcome is None or node.outcome.sha256 is None:
        return None
    sha256 = node.outcome.sha256
    if inline:
        if body is None:
            return None
        return {"bytes": body, "path": f"{sha256}.{str(node.outcome.format).lower()}"}
    return {"sha256": sha256, "url": node.outcome.url, "alt": node.image.alt}


def _node(node: KeptNode) -> dict[str, Any]:
    values: dict[str, Any] = {"kind": "text", "index": node.index, "path": node.path, "paragraphs": None, "image": None}
    if node.image is not None and node.outcome is not None:
        image, outcome = node.image, node.outcome
        values["kind"] = "image"
        values["image"] = {
            "url": outcome.url,
            "document_src": image.href,
            "alt": image.alt,
            "link": image.link,
            "rendered_width": image.rendered_width,
            "rendered_height": image.rendered_height,
            "unformatted_src": image.unformatted_src,
            "formatted_filename": image.formatted_filename,
            "inline": image.inline,
            "sha256": outcome.sha256,
            "format": outcome.format,
            "width": outcome.width,
            "height": outcome.height,
            "bytes": outcome.bytes,
            "nsfw_score": node.measures[0].get("nsfw_score") if node.measures else None,
            "frames": outcome.frames,
            "orientation": outcome.orientation,
            "source": outcome.source,
            "final_url": outcome.final_url,
            "flags": list(outcome.flags),
            "candidates": [
                {"url": url, "origin": origin, "hint": hint}
                for url, origin, hint in zip_longest(image.candidates, image.origins, image.hints)
            ],
        }
        return values
    paragraphs = []
    position = 0
    for number, (paragraph, measures) in enumerate(zip(node.paragraphs, node.measures, strict=True)):
        position += len(paragraph.separator) if number else 0
        paragraphs.append(_paragraph(paragraph, measures, position))
        position += len(paragraph.text)
    values["paragraphs"] = paragraphs
    return values


def _paragraph(paragraph: Paragraph, measures: Measures, position: int) -> dict[str, Any]:
    return {
        "kind": paragraph.kind,
        "path": paragraph.path,
        "block_start": paragraph.blocks[0],
        "block_stop": paragraph.blocks[1],
        "char_start": position,
        "char_stop": position + len(paragraph.text),
        "measures": measures,
    }


_DTYPES = {pa.string(): "string", pa.int64(): "int64", pa.float64(): "float64", pa.bool_(): "bool", pa.binary(): "binary"}


def _feature(kind: pa.DataType) -> dict[str, Any]:
    if kind == _INLINE:
        return {"_type": "Image"}
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    return {"dtype": _DTYPES[kind], "_type": "Value"}


def _yaml_type(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_list(kind):
        inner = _yaml_type(kind.value_type)
        return {"list": inner.get("struct", inner.get("dtype", inner.get("list")))}
    if kind == _INLINE:
        return {"dtype": "image"}
    if pa.types.is_struct(kind):
        return {"struct": [{"name": field.name, **_yaml_type(field.type)} for field in kind]}
    return {"dtype": _DTYPES[kind]}
