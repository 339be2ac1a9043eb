"""Page -> Document: all steps of extraction in order, on one parsed tree."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from filters.measures.language import identify_language
from transforms.archives.encoding import Decoded, decode_html
from transforms.archives.select import language_hints
from transforms.blocks import content_hash
from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import BlocksConfig, page_blocks
from transforms.blocks.main_content.select import Selection, select_main_content
from transforms.documents.config import ExtractConfig
from transforms.documents.obelics import read_obelics_page
from transforms.html.limits import Exceeded, parse_within
from transforms.html.readerable import gate_score
from transforms.html.simplify_tags import ObelicsConfig
from transforms.html.text_merge import normalise_text
from transforms.html.tree import LexborHTMLParser
from transforms.images.candidates import candidate_origins, download_order, size_hints
from transforms.images.declared import rendered_size
from transforms.images.mentions import skip_images
from transforms.images.optout import find_refusal, header_directives, meta_directives
from transforms.images.urls import host_of
from transforms.records import REVISIT, Block, Document, Drop, ImageRef, Node, Page, Paragraph, Separator

STAGE = "documents"
BLOCK_STAGE = "blocks"
EXCERPT = 80
"""Characters of a block's text that its Drop shows."""

CERTAIN_LANGUAGE = 0.8
"""Score from which an identified language counts; the limit of the rule `document.language`."""

NO_TEXT_KINDS = ("rule", "media")
"""Kinds of block that are no node of a document; media sentences are ours, not the page's (blocks.md 4.5, 4.12)."""

LINE_TAGS = frozenset({"dt", "dd", "td", "th", "button", "label", "option"})
"""Elements whose texts stand in lines below each other rather than as paragraphs, like the items of a list."""


def extract_document(page: Page, config: ExtractConfig, keep_blocks: bool = True) -> Document | Drop:
    """Decodes, parses once, asks the gate, walks to blocks, deduplicates them and makes nodes of what is left.

    The document's `blocks` are those of the `document` stage of blocks.md 2.1, none without keep_blocks; its `drops` name every
    other block. Images that no mention of this page asks for are marked as skipped (images.md 3.4, 6).
    """
    decoded = decode_html(page.body, page.content_type)
    tree = parse_within(decoded.utf8, config.limits)
    if isinstance(tree, Exceeded):
        return page_drop(page, tree.rule, tree.value, tree.threshold)

    directives = page_directives(tree, page)
    refusal = find_refusal(directives, config.references.optout)
    if refusal is not None and config.references.optout.on_page == "page":
        return page_drop(page, "optout.page", detail=refusal)

    gate = config.gate
    score = None
    if gate.enabled:
        score = gate_score(tree, gate)
        if not score > gate.min_score:
            return page_drop(page, "gate.score", score, gate.min_score)

    if config.profile == "obelics":
        document = _obelics_document(page, tree, decoded, score, config.obelics)
    else:
        document = _default_document(page, tree, decoded, score, config, keep_blocks)
    if isinstance(document, Drop):
        return document
    declared = tuple(sorted(language_hints(page)))
    document = replace(
        document,
        directives=directives,
        blocks=document.blocks if keep_blocks else (),
        declared_languages=declared,
        flags=(*document.flags, *language_flags(document, declared)),
    )
    return skip_images(document, refusal, config.references.max_per_page)


def language_flags(document: Document, declared: Sequence[str]) -> tuple[str, ...]:
    """`language_conflict` where a page says it is in other languages than the one its text is in (field report F7).

    Pages that say nothing, and texts whose language is not known or not certain, contradict nothing.
    """
    certain = document.language_score is not None and document.language_score >= CERTAIN_LANGUAGE
    return ("language_conflict",) if declared and certain and document.language not in declared else ()


def page_directives(tree: LexborHTMLParser, page: Page) -> tuple[str, ...]:
    """What a page and its headers say about its use, wherever in the page it stands (images.md 6)."""
    metas = ((node.attributes.get("name") or "", node.attributes.get("content") or "") for node in tree.css("meta[name]"))
    return (*header_directives(page.headers), *meta_directives(metas))


def _default_document(
    page: Page, tree: LexborHTMLParser, decoded: Decoded, score: float | None, config: ExtractConfig, rich_text: bool
) -> Document | Drop:
    """The document that the profile `default` makes of a page, or why it makes none."""
    references = config.references
    blocks = BlocksConfig(
        rich_text=rich_text,
        inline=references.inline,
        css_backgrounds=references.css_backgrounds,
        lazy_attributes=references.lazy_attributes,
    )
    found = page_blocks(tree, page.url, blocks)
    deduplicated = deduplicate(found.blocks)
    selection = select_main_content(found, deduplicated, page.url, config.main_content)
    if selection.is_empty:
        return page_drop(page, "extract.no_main_content", selection.highest, selection.threshold, f"{len(found.blocks)} blocks")
    document_id = make_document_id(page)
    nodes = tuple(make_nodes(selection.blocks))
    if not nodes:
        return page_drop(page, "extract.no_nodes", 0, 1, f"{len(found.blocks)} blocks, none with text or an image")

    drops = [
        _block_drop(page, document_id, repeat.block, repeat.rule, f" repeats {repeat.twin_path}" if repeat.twin_path else "")
        for repeat in deduplicated.repeats
    ]
    drops += _unused_block_drops(page, document_id, selection)
    language = identify_language("\n".join(text for node in nodes if (text := node.text) is not None))
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
        flags=_flags(page, decoded),
        removed=dict(Counter(found.removed)),
        block_count=len(found.blocks),
        drops=tuple(drops),
        blocks=selection.blocks,
        main_content_threshold=selection.threshold,
        main_content_f1=selection.expected_f1,
        main_content_words=selection.words,
        rejected=found.references.rejections() if found.references is not None else (),
        inline=found.references.images_of(nodes) if found.references is not None else (),
    )


def _obelics_document(
    page: Page, tree: LexborHTMLParser, decoded: Decoded, score: float | None, config: ObelicsConfig
) -> Document | Drop:
    """The document that the profile `obelics` makes of a page, or why it makes none (obelics.md 6).

    Its `removed` counts characters by rule; its `drops` are pictures without a usable source, and embeds. It has the flag
    `majority_guard` once for each use of that guard.
    """
    found = read_obelics_page(tree, page.url, config)
    texts = sum(any(p.kind != "boundary" for p in node.paragraphs) for node in found.nodes)
    images = sum(node.image is not None for node in found.nodes)
    counts = {"no_nodes": texts + images, "no_text": texts, **({"no_image": images} if config.require_image else {})}
    empty = next((rule for rule, count in counts.items() if not count), None)
    if empty is not None:
        removed = ", ".join(f"{rule} {count}" for rule, count in found.removed.items())
        return page_drop(page, f"obelics.{empty}", 0, 1, f"characters removed: {removed or 'none'}")
    document_id = make_document_id(page)
    language = identify_language("\n".join(p.text for node in found.nodes for p in node.paragraphs if p.kind != "boundary"))
    return Document(
        id=document_id,
        url=page.url,
        domain=host_of(page.url),
        source=page.source,
        nodes=found.nodes,
        date=page.date,
        title=found.title,
        description=found.description,
        language=language.language,
        language_score=language.score,
        gate_score=score,
        encoding=decoded.encoding,
        rtl=found.rtl,
        content_hash=content_hash(found.blocks),
        flags=_flags(page, decoded, *["majority_guard"] * found.guarded),
        removed=found.removed,
        block_count=len(found.blocks) + len(found.left_out),
        drops=tuple(
            _drop_at(page, f"{document_id}#b{item.number}", item.rule, f"{item.path} {item.reference}".rstrip())
            for item in found.left_out
        ),
        blocks=found.blocks,
    )


def _flags(page: Page, decoded: Decoded, *more: str) -> tuple[str, ...]:
    return (*page.flags, *(["replaced_characters"] if decoded.errors else []), *more)


def make_document_id(page: Page) -> str:
    """32 hexadecimal digits from the place of the record in the crawl: archive name without folder, offset, URL.

    Moving the archives to another folder changes no id. A revisit has the place of the response it repeats, and its own date.
    """
    parts = [page.source.file.rpartition("/")[2], str(page.source.offset), page.source.record_id or "", page.url]
    place = "\0".join([*parts, page.date or ""] if REVISIT in page.flags else parts)
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


def page_drop(page: Page, rule: str, value: float | None = None, threshold: float | None = None, detail: str | None = None) -> Drop:
    """The Drop of a page in this stage."""
    return Drop(
        STAGE, rule, "page", make_document_id(page), page.url, value, threshold, detail, page.source.file, page.source.offset
    )


def _block_drop(page: Page, document_id: str, block: Block, rule: str, remark: str = "") -> Drop:
    return _drop_at(page, f"{document_id}#b{block.dom_index}", rule, block.xpath + remark)


def _unused_block_drops(page: Page, document_id: str, selection: Selection) -> list[Drop]:
    """The Drops of blocks that are in no node; one that is not main content shows the beginning of its text."""
    url, file, offset = page.url, page.source.file, page.source.offset
    drops: list[Drop] = []
    for block in selection.blocks:
        rule = no_node_rule(block)
        if rule is None:
            continue
        target_id = f"{document_id}#b{block.dom_index}"
        detail = f"{block.xpath} {block.text[:EXCERPT]}" if block.excluded is not None and block.text else block.xpath
        threshold = selection.threshold if block.probability is not None else None
        drops.append(Drop(BLOCK_STAGE, rule, "block", target_id, url, block.probability, threshold, detail, file, offset))
    return drops


def _drop_at(
    page: Page, target_id: str, rule: str, detail: str, value: float | None = None, threshold: float | None = None
) -> Drop:
    return Drop(BLOCK_STAGE, rule, "block", target_id, page.url, value, threshold, detail, page.source.file, page.source.offset)
