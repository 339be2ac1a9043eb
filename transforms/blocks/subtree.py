"""Reading a small part of the tree apart from the page's walk: code, editors, formulas, embeds."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.blocks.flat import MediaSources
from transforms.blocks.tags import EMBEDS
from transforms.html.tree import LexborNode

UNREADABLE = frozenset({"script", "style", "svg", "noscript"})


def events(top: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Each node below `top`: with True where it begins, and with False where it ends if it has children. No recursion."""
    open_nodes: list[LexborNode] = []
    node = top.first_child
    while node is not None or open_nodes:
        if node is None:
            node = open_nodes.pop()
            yield node, False
        else:
            yield node, True
            child = node.first_child
            if child is not None:
                open_nodes.append(node)
                node = child
                continue
        node = node.next


def count_words(top: LexborNode) -> int:
    """The words of a node that a reader could see; what scripts and styles hold is no text."""
    if top.css_first("script, style, svg, noscript") is None:
        return len(top.text(separator=" ").split())
    words = 0
    skipped: int | None = None
    for node, _ in events(top):
        if skipped is not None:
            if node.mem_id == skipped:
                skipped = None
        elif node.tag in UNREADABLE:
            skipped = node.mem_id if node.first_child is not None else None
        elif node.tag == "-text":
            words += len((node.text_content or "").split())
    return words


def media_sources(embed: LexborNode) -> MediaSources:
    """The sources and tracks inside an embed; an embed within has its own."""
    source: str | None = None
    tracks: list[str] = []
    skipped: int | None = None
    for node, entering in events(embed):
        if skipped is not None:
            if node.mem_id == skipped:
                skipped = None
        elif node.tag in EMBEDS:
            skipped = node.mem_id if node.first_child is not None else None
        elif entering and node.tag in ("source", "track") and (src := node.attributes.get("src")):
            if node.tag == "track":
                tracks.append(src)
            elif source is None:
                source = src
    return MediaSources(source, tracks)
