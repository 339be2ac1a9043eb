"""Page -> Document: all steps of extraction in order, on one parsed tree."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from filters.measures.language import identify_language
from transforms.archives.encoding import decode_html
from transforms.blocks import content_hash
from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import page_blocks
from transforms.html.limits import LimitsConfig, exceeded_limit, exceeded_nodes
from transforms.html.readerable import GateConfig, gate_score
from transforms.html.text_merge import STRENGTH, normalise_text
from transforms.html.tree import parse_html
from transforms.images.candidates import download_order
from transforms.images.urls import host_of
from transforms.records import Block, Document, Drop, ImageRef, Node, Page, Paragraph, Separator

STAGE = "documents"
BLOCK_STAGE = "blocks"

NO_TEXT_KINDS = ("rule", "media")
"""Kinds of block that are no node of a document; media sentences are ours, not the page's (blocks.md 4.5, 4.12)."""

LINE_TAGS = frozenset({"dt", "dd", "td", "th", "button", "label", "option"})
"""Elements whose texts stand in lines below each other rather than as paragraphs, like the items of a list."""


@dataclass(frozen=True)
class ExtractConfig:
    """How a page becomes a document."""

    profile: Literal["default"] = field(default="default", metadata={"help": "default: documents are made of blocks"})
    isolation: Literal["process", "none"] = field(
        default="process", metadata={"help": "process: in a process that a page may crash or block; none: in the run's own"}
    )
    gate: GateConfig = field(default_factory=GateConfig, metadata={"help": "the readerable gate (readerable.md)"})
    limits: LimitsConfig = field(default_factory=LimitsConfig, metadata={"help": "what a page may cost (parser.md)"})


def extract_document(page: Page, config: ExtractConfig) -> Document | Drop:
    """Decodes, parses once, asks the gate, walks to blocks, deduplicates them and makes nodes of what is left.

    The document's `blocks` are those of the `document` stage of blocks.md 2.1; its `drops` name every other block.
    """
    decoded = decode_html(page.body, page.content_type)
    exceeded = exceeded_limit(decoded.text, config.limits)
    if exceeded is None:
        tree = parse_html(decoded.text)
        exceeded = exceeded_nodes(tree, config.limits)
    if exceeded is not None:
        return page_drop(page, exceeded.rule, exceeded.value, exceeded.threshold)

    gate = config.gate
    score = None
    if gate.enabled:
        score = gate_score(tree, gate)
        if not score > gate.min_score:
            return page_drop(page, "gate.score", score, gate.min_score)

    found = page_blocks(tree, page.url)
    deduplicated = deduplicate(found.blocks)
    document_id = make_document_id(page)
    nodes = tuple(make_nodes(deduplicated.kept))
    if not nodes:
        return page_drop(page, "extract.no_nodes", 0, 1, f"{len(found.blocks)} blocks, none with text or an image")

    drops = [
        _block_drop(page, document_id, repeat.block, repeat.rule, f" repeats {repeat.twin_path}" if repeat.twin_path else "")
        for repeat in deduplicated.repeats
    ]
    drops += [
        _block_drop(page, document_id, block, rule) for block in deduplicated.kept if (rule := no_node_rule(block)) is not None
    ]
    language = identify_language("\n".join(text for node in nodes if (text := node.text) is not None))
    flags = [*page.flags, *(["replaced_characters"] if decoded.errors else [])]
    return Document(
        id=document_id,
        url=page.url,
        domain=host_of(page.url),
        source=page.source,
        nodes=nodes,
        date=page.date,
        title=found.title,
        description=found.description,
        language=language.language,
        language_score=language.score,
        gate_score=score,
        encoding=decoded.encoding,
        rtl=found.rtl,
        content_hash=content_hash(deduplicated.kept),
        flags=tuple(flags),
        removed=dict(Counter(found.removed)),
        block_count=len(found.blocks),
        drops=tuple(drops),
        blocks=deduplicated.kept,
    )


def make_document_id(page: Page) -> str:
    """32 hexadecimal digits from the place of the record in the crawl: archive name without folder, offset, URL.

    Moving the archives to another folder changes no id.
    """
    place = "\0".join((page.source.file.rpartition("/")[2], str(page.source.offset), page.source.record_id or "", page.url))
    return hashlib.blake2b(place.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


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
    return max((_separator_of(first), _separator_of(second)), key=STRENGTH.index)


def make_image_ref(block: Block) -> ImageRef:
    """The reference of an image block: its candidates best first, its words normalised."""
    assert block.href is not None, "image blocks have a source by blocks.md 4.10"
    candidates = block.candidates or []
    return ImageRef(
        href=block.href,
        candidates=download_order(candidates) or (block.href,),
        alt=normalise_text(block.alt or "").strip() or None,
        link=block.link,
        rendered_width=rendered_size(block.width),
        rendered_height=rendered_size(block.height),
    )


def rendered_size(value: str | None) -> str | None:
    """A declared size as whole pixels (`"300"`) or a percentage (`"50%"`); None when it is neither (obelics.md 5.3).

    >>> rendered_size("300.7px"), rendered_size("50%"), rendered_size("auto"), rendered_size("2em")
    ('300', '50%', '100%', None)
    """
    if value is None:
        return None
    text = value.strip().strip("\"'<>").rstrip(";").strip().lower()
    if text in ("auto", "full-width"):
        return "100%"
    percent = text.endswith("%")
    number = text[:-1] if percent else text.removesuffix("px")
    number = number.strip()
    # At most seven digits: no screen is wider, and float() of a long digit string would overflow to infinity.
    if not number.isascii() or not number.replace(".", "", 1).isdigit() or len(number.partition(".")[0]) > 7:
        return None
    size = float(number)
    if size <= 0 or (not percent and int(size) == 0):
        return None
    return f"{size:g}%" if percent else str(int(size))


def _separator_of(block: Block) -> Separator:
    return "\n" if (block.level > 0 and block.kind != "heading") or block.tag in LINE_TAGS else "\n\n"


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


def page_drop(page: Page, rule: str, value: float | None = None, threshold: float | None = None, detail: str | None = None) -> Drop:
    """The Drop of a page in this stage."""
    return Drop(
        STAGE, rule, "page", make_document_id(page), page.url, value, threshold, detail, page.source.file, page.source.offset
    )


def _block_drop(page: Page, document_id: str, block: Block, rule: str, remark: str = "") -> Drop:
    return Drop(
        BLOCK_STAGE,
        rule,
        "block",
        f"{document_id}#b{block.dom_index}",
        page.url,
        detail=block.xpath + remark,
        file=page.source.file,
        offset=page.source.offset,
    )
