"""What a page says of itself in its head, or wherever such elements stand: title, descriptions, base address, linked data."""

from __future__ import annotations

from transforms.blocks.flat import Flat
from transforms.html.tree import LexborNode

HEAD_TAGS = frozenset({"title", "meta", "base", "script"})
DESCRIPTIONS = ("description", "og:description", "twitter:description")
META_NAMES = frozenset({*DESCRIPTIONS, "og:title", "og:type", "article:published_time"})
LINKED_DATA = "application/ld+json"


def read_head_element(flat: Flat, node: LexborNode) -> None:
    """Takes title, descriptions and the like, base address and linked data, wherever they stand; the first of each wins."""
    tag, attributes = node.tag, node.attributes
    if tag == "script":
        if (attributes.get("type") or "").strip().lower() == LINKED_DATA:
            flat.linked_data.append(node.text())
    elif tag == "title":
        if flat.title is None:
            flat.title = " ".join(node.text().split())
    elif tag == "base":
        if flat.base_href is None:
            flat.base_href = attributes.get("href")
    else:
        name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
        content = attributes.get("content")
        if name in META_NAMES and content and content.strip():
            flat.metas.setdefault(name, " ".join(content.split()))


def read_head(flat: Flat, head: LexborNode) -> None:
    """Reads the head, which holds no blocks."""
    for node in head.iter():
        if node.tag in HEAD_TAGS:
            read_head_element(flat, node)
        elif node.tag == "noscript":
            flat.noscript_words += len(node.text().split())
        if node.is_element_node:
            flat.head_ends_in_noscript = node.tag == "noscript"
