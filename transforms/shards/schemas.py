"""The columns of every file of a run folder."""

from __future__ import annotations

import pyarrow as pa

SOURCE = pa.struct(
    [("file", pa.string()), ("offset", pa.int64()), ("length", pa.int64()), ("record_id", pa.string()), ("digest", pa.string())]
)

DROPS = pa.schema(
    [
        ("stage", pa.string()),
        ("rule", pa.string()),
        ("target_kind", pa.string()),
        ("target_id", pa.string()),
        ("url", pa.string()),
        ("value", pa.float64()),
        ("threshold", pa.float64()),
        ("detail", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
    ]
)

# Nested parts of the stage files are JSON texts: they are read back whole, by one reader, and JSON is the fastest codec for that.
DOCUMENTS = pa.schema(
    [
        ("id", pa.string()),
        ("url", pa.string()),
        ("domain", pa.string()),
        ("date", pa.string()),
        ("title", pa.string()),
        ("language", pa.string()),
        ("language_score", pa.float64()),
        ("gate_score", pa.float64()),
        ("source", SOURCE),
        ("document", pa.string()),
        ("nodes", pa.string()),
    ]
)
SCORED = DOCUMENTS.append(pa.field("parts", pa.string())).append(pa.field("words", pa.binary()))

# Fields as in `Sighting`.
REFERENCES = pa.schema(
    [
        ("url_key", pa.binary()),
        ("url", pa.string()),
        ("date", pa.string()),
        ("hint", pa.int64()),
        ("status", pa.string()),
        ("detail", pa.string()),
        ("documents", pa.int64()),
    ]
)

CAPTURES = pa.schema(
    [
        ("url_key", pa.binary()),
        ("url", pa.string()),
        ("kind", pa.string()),
        ("date", pa.string()),
        ("source", SOURCE),
        ("http_status", pa.int64()),
        ("target", pa.string()),
        ("directives", pa.list_(pa.string())),
    ]
)

# Images that stand in pages. file, offset, length: where their bytes are, the file named from the folder of the run.
INLINE = pa.schema(
    [
        ("url_key", pa.binary()),
        ("url", pa.string()),
        ("date", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
    ]
)

REVISITS = pa.schema(
    [("url", pa.string()), ("date", pa.string()), ("source", SOURCE), ("refers_url", pa.string()), ("refers_date", pa.string())]
)

OUTCOMES = pa.schema(
    [
        ("url_key", pa.binary()),
        ("url", pa.string()),
        ("status", pa.string()),
        ("shards", pa.list_(pa.int64())),
        ("detail", pa.string()),
        ("value", pa.float64()),
        ("threshold", pa.float64()),
        ("source", pa.string()),
        ("sha256", pa.string()),
        ("format", pa.string()),
        ("width", pa.int64()),
        ("height", pa.int64()),
        ("bytes", pa.int64()),
        ("frames", pa.int64()),
        ("mode", pa.string()),
        ("orientation", pa.int64()),
        ("perceptual_hash", pa.string()),
        ("source_sha256", pa.string()),
        ("content_type", pa.string()),
        ("final_url", pa.string()),
        ("hops", pa.int64()),
        ("date", pa.string()),
        ("flags", pa.list_(pa.string())),
        ("http_status", pa.int64()),
        ("attempts", pa.int64()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("record_id", pa.string()),
        ("stored_file", pa.string()),
        ("stored_offset", pa.int64()),
    ]
)

IMAGES = pa.schema(
    [
        ("sha256", pa.string()),
        ("bytes", pa.binary()),
        ("format", pa.string()),
        ("width", pa.int64()),
        ("height", pa.int64()),
        ("mode", pa.string()),
        ("frames", pa.int64()),
        ("orientation", pa.int64()),
        ("perceptual_hash", pa.string()),
        ("source_sha256", pa.string()),
        ("content_type", pa.string()),
        ("source", pa.string()),
        ("url", pa.string()),
        ("final_url", pa.string()),
        ("date", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
    ]
)
