"""A short way to write down blocks, and a page around a fragment."""

from __future__ import annotations

from transforms.blocks import extract_blocks
from transforms.records import Block

BASE = "https://e.x/d/p"


def blocks_of(html: str, stage: str = "blocks", url: str = BASE) -> list[Block]:
    return extract_blocks(html, url, stage=stage)  # type: ignore[arg-type]


def shape(block: Block) -> str:
    """`kind(tag; L1, ord, #2) text`; only what is set is written, and kind only where the tag does not say it."""
    details = [f"L{block.level}"] if block.level else []
    details += ["ord"] if block.ordered else []
    details += [f"#{block.ordinal}"] if block.ordinal is not None else []
    details += [f"q{block.quoted}"] if block.quoted else []
    details += [block.excluded] if block.excluded else []
    return f"{block.kind}({'; '.join([block.tag, ', '.join(details)] if details else [block.tag])}) {block.text}".rstrip()


def shapes(html: str, stage: str = "blocks", url: str = BASE) -> list[str]:
    return [shape(block) for block in blocks_of(html, stage, url)]


def riches(html: str) -> list[str | None]:
    return [block.rich_text for block in blocks_of(html)]
