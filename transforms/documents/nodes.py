"""Blocks -> the nodes of a document: neighbouring texts in one, each image by itself, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from transforms.html.text_merge import normalise_text
from transforms.images.candidates import candidate_origins, download_order, size_hints
from transforms.images.declared import rendered_size
from transforms.records import Block, ImageRef, Node, Paragraph, Separator

NO_TEXT_KINDS = ("rule", "media")
"""Kinds of block that are no node of a document; media sentences are ours, not the page's (blocks.md 4.5, 4.12)."""

LINE_TAGS = frozenset({"dt", "dd", "td", "th", "button", "label", "option"})
"""Elements whose texts stand in lines below each other rather than as paragraphs, like the items of a list."""


def no_node_rule(block: Block) -> str | None:
    """Why a kept block is no part of any node: its kind, its exclusion reason, or no text; None when it is part of one."""
    if block.excluded is not None:
        return f"blocks.{block.excluded}"
    if block.kind in NO_TEXT_KINDS:
        return f"blocks.{block.kind}"
    if block.kind != "image" and not block.text.strip():
        return "blocks.no_text"
    return None


def make_nodes(blocks: Sequence[Block]) -> Iterator[Node]:
    """Blocks -> alternating text runs and images, in reading order. Block numbers are positions in `blocks`.

    Neighbouring text blocks form one text node; within it, blocks that stand in lines (list items, terms, layout cells) share a
    paragraph, joined by a line break, and all others are paragraphs of their own.
    """
    paragraphs: list[Paragraph] = []
    lines: list[tuple[int, Block]] = []

    def end_paragraph() -> None:
        if lines:
            paragraphs.append(_paragraph(lines, "\n\n" if paragraphs else ""))
            lines.clear()

    for number, block in enumerate(blocks):
        if no_node_rule(block) is not None:
            continue
        if block.kind == "image":
            end_paragraph()
            if paragraphs:
                yield _text_node(paragraphs)
                paragraphs = []
            yield Node(block.xpath, (number, number + 1), image=make_image_ref(block))
            continue
        if lines and separator_between(lines[-1][1], block) == "\n\n":
            end_paragraph()
        lines.append((number, block))
    end_paragraph()
    if paragraphs:
        yield _text_node(paragraphs)


def separator_between(first: Block, second: Block) -> Separator:
    """The strongest separator that either block asks for: a line break where both stand in lines, else a blank line."""
    return "\n" if _stands_in_line(first) and _stands_in_line(second) else "\n\n"


def make_image_ref(block: Block) -> ImageRef:
    """The reference of an image block: its candidates best first, its words normalised."""
    assert block.href is not None, "image blocks have a source by blocks.md 4.10"
    candidates = block.candidates or []
    width, height = rendered_size(block.width), rendered_size(block.height)
    urls = download_order(candidates, width=width)
    return ImageRef(
        href=block.href,
        candidates=urls or (block.href,),
        alt=normalise_text(block.alt or "").strip() or None,
        link=block.link,
        rendered_width=width,
        rendered_height=height,
        origins=candidate_origins(candidates, urls),
        hints=size_hints(candidates, urls, width=width, height=height),
    )


def _stands_in_line(block: Block) -> bool:
    return (block.level > 0 and block.kind != "heading") or block.tag in LINE_TAGS


def _paragraph(lines: Sequence[tuple[int, Block]], separator: Separator) -> Paragraph:
    first_number, first = lines[0]
    return Paragraph(
        text="\n".join(block.text for _, block in lines),
        kind=first.kind,
        separator=separator,
        path=first.xpath,
        blocks=(first_number, lines[-1][0] + 1),
    )


def _text_node(paragraphs: Sequence[Paragraph]) -> Node:
    return Node(paragraphs[0].path, (paragraphs[0].blocks[0], paragraphs[-1].blocks[1]), paragraphs=tuple(paragraphs))
