"""Blocks: the flat, ordered pieces of a page (spec blocks.md).

parse -> `extract.page_blocks` -> `order.order_blocks` -> `dedup.deduplicate` -> `markdown.render_markdown`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from transforms.records import Block

if TYPE_CHECKING:
    from transforms.blocks.order import Geometry

__all__ = ["content_hash", "extract_blocks"]

# Their text stands for something that has no text: it takes no part in the hash.
WITHOUT_TEXT = frozenset({"image", "media", "rule"})


def extract_blocks(
    html: str, url: str, *, stage: Literal["blocks", "document"] = "document", geometry: Geometry | None = None
) -> list[Block]:
    """Parses a page and gives its blocks, for notebooks and checks; a run keeps the parsed tree for other steps.

    stage: `blocks`, all of them, or `document`, ordered and without repeats (blocks.md 2.1). Raises ValueError for any other.
    geometry: what a renderer measured, by xpath; None as for all archived pages.
    """
    from transforms.blocks.dedup import deduplicate
    from transforms.blocks.extract import page_blocks
    from transforms.html.tree import parse_html

    if stage not in ("blocks", "document"):
        raise ValueError(f"extract_blocks: stage must be 'blocks' or 'document', not {stage!r}")
    page = page_blocks(parse_html(html), url)
    blocks = page.blocks
    if geometry is not None:
        from transforms.blocks.order import apply_geometry, order_blocks

        blocks = apply_geometry(blocks, geometry, page.flat).blocks
        if stage == "document":
            blocks = order_blocks(blocks, rtl=page.rtl).blocks
    return list(blocks if stage == "blocks" else deduplicate(blocks).kept)


def content_hash(blocks: Sequence[Block]) -> str:
    """SHA-256 of the ordered block texts joined by blank lines, without image alt texts and media sentences (blocks.md 2)."""
    import hashlib

    text = "\n\n".join(block.text for block in blocks if block.kind not in WITHOUT_TEXT)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
