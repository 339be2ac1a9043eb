"""Page -> Document: all steps of extraction in order, on one parsed tree."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass

from transforms.archives.encoding import Decoded, decode_html
from transforms.archives.select import language_hints
from transforms.blocks import content_hash
from transforms.blocks.dedup import Deduplicated, Repeat, deduplicate
from transforms.blocks.extract import BlocksConfig, PageBlocks, page_blocks
from transforms.blocks.main_content.select import judge_blocks, select_main_content
from transforms.documents.choose import BLOCK_STAGE, STAGE, complete_document, undecided_document, with_main_content
from transforms.documents.config import ExtractConfig
from transforms.documents.obelics import read_obelics_page
from transforms.html.limits import Exceeded, parse_within
from transforms.html.readerable import gate_score
from transforms.html.tree import LexborHTMLParser
from transforms.images.optout import find_refusal, header_directives, meta_directives
from transforms.images.urls import host_of
from transforms.records import REVISIT, Document, Drop, Page


@dataclass(frozen=True, slots=True)
class _OpenedPage:
    """A page that may become a document. score: of the gate, None where it is off."""

    page: Page
    decoded: Decoded
    tree: LexborHTMLParser
    directives: tuple[str, ...]
    score: float | None


def extract_document(page: Page, config: ExtractConfig, keep_blocks: bool = True) -> Document | Drop:
    """Decodes, parses once, asks the gate, walks to blocks, deduplicates them and makes nodes of what is left.

    The document's `blocks` are those of the `document` stage of blocks.md 2.1, none without keep_blocks; its `drops` name every
    other block. Images that no mention of this page asks for are marked as skipped (images.md 3.4, 6).
    """
    opened = _open_page(page, config)
    if isinstance(opened, Drop):
        return opened
    if config.profile == "obelics":
        return _obelics_document(opened, config, keep_blocks)
    found, deduplicated = _find_blocks(opened, config, keep_blocks)
    selection = select_main_content(found, deduplicated, page.url, config.main_content)
    return with_main_content(_page_document(opened, found, deduplicated), selection, config.references, keep_blocks)


def extract_undecided(page: Page, config: ExtractConfig, keep_blocks: bool = True) -> Document | Drop:
    """As `extract_document`, but main content is still to be chosen: by `decide_document`, with any threshold.

    Of the profile `default` and its method `model` only. The document's `drops` are those of deduplication.
    """
    opened = _open_page(page, config)
    if isinstance(opened, Drop):
        return opened
    found, deduplicated = _find_blocks(opened, config, keep_blocks)
    blocks = judge_blocks(found, deduplicated, page.url)
    return undecided_document(_page_document(opened, found, deduplicated), blocks, config.references)


def page_directives(tree: LexborHTMLParser, page: Page) -> tuple[str, ...]:
    """What a page and its headers say about its use, wherever in the page it stands (images.md 6)."""
    metas = ((node.attributes.get("name") or "", node.attributes.get("content") or "") for node in tree.css("meta[name]"))
    return (*header_directives(page.headers), *meta_directives(metas))


def _open_page(page: Page, config: ExtractConfig) -> _OpenedPage | Drop:
    """Decodes and parses a page within the limits, and asks its owner and the gate."""
    decoded = decode_html(page.body, page.content_type)
    tree = parse_within(decoded.utf8, config.limits)
    if isinstance(tree, Exceeded):
        return page_drop(page, tree.rule, tree.value, tree.threshold)

    directives = page_directives(tree, page)
    if config.references.optout.on_page == "page":
        refusal = find_refusal(directives, config.references.optout)
        if refusal is not None:
            return page_drop(page, "optout.page", detail=refusal)

    gate = config.gate
    score = None
    if gate.enabled:
        score = gate_score(tree, gate)
        if not score > gate.min_score:
            return page_drop(page, "gate.score", score, gate.min_score)
    return _OpenedPage(page, decoded, tree, directives, score)


def _find_blocks(opened: _OpenedPage, config: ExtractConfig, rich_text: bool) -> tuple[PageBlocks, Deduplicated]:
    """The blocks of the profile `default`, and which of them repeat others."""
    references = config.references
    blocks = BlocksConfig(
        rich_text=rich_text,
        inline=references.inline,
        css_backgrounds=references.css_backgrounds,
        lazy_attributes=references.lazy_attributes,
    )
    found = page_blocks(opened.tree, opened.page.url, blocks)
    return found, deduplicate(found.blocks)


def _page_document(opened: _OpenedPage, found: PageBlocks, deduplicated: Deduplicated) -> Document:
    """What the profile `default` knows of a page before its main content is chosen. Its inline images are all that it has."""
    page = opened.page
    document_id = make_document_id(page)
    return Document(
        id=document_id,
        url=page.url,
        domain=host_of(page.url),
        source=page.source,
        nodes=(),
        date=page.date,
        title=found.title,
        description=found.description,
        declared_languages=tuple(sorted(language_hints(page))),
        gate_score=opened.score,
        encoding=opened.decoded.encoding,
        rtl=found.rtl,
        content_hash=content_hash(deduplicated.kept),
        flags=_flags(opened),
        removed=dict(Counter(found.removed)),
        block_count=len(found.blocks),
        drops=tuple([_repeat_drop(page, document_id, repeat) for repeat in deduplicated.repeats]),
        directives=opened.directives,
        rejected=found.references.rejections() if found.references is not None else (),
        inline=found.references.images() if found.references is not None else (),
    )


def _obelics_document(opened: _OpenedPage, config: ExtractConfig, keep_blocks: bool) -> Document | Drop:
    """The document that the profile `obelics` makes of a page, or why it makes none (obelics.md 6).

    Its `removed` counts characters by rule; its `drops` are pictures without a usable source, and embeds. It has the flag
    `majority_guard` once for each use of that guard.
    """
    page, obelics = opened.page, config.obelics
    found = read_obelics_page(opened.tree, page.url, obelics)
    texts = sum(any(p.kind != "boundary" for p in node.paragraphs) for node in found.nodes)
    images = sum(node.image is not None for node in found.nodes)
    counts = {"no_nodes": texts + images, "no_text": texts, **({"no_image": images} if obelics.require_image else {})}
    empty = next((rule for rule, count in counts.items() if not count), None)
    if empty is not None:
        removed = ", ".join(f"{rule} {count}" for rule, count in found.removed.items())
        return page_drop(page, f"obelics.{empty}", 0, 1, f"characters removed: {removed or 'none'}")
    document_id = make_document_id(page)
    document = Document(
        id=document_id,
        url=page.url,
        domain=host_of(page.url),
        source=page.source,
        nodes=found.nodes,
        date=page.date,
        title=found.title,
        description=found.description,
        declared_languages=tuple(sorted(language_hints(page))),
        gate_score=opened.score,
        encoding=opened.decoded.encoding,
        rtl=found.rtl,
        content_hash=content_hash(found.blocks),
        flags=_flags(opened, *["majority_guard"] * found.guarded),
        removed=found.removed,
        block_count=len(found.blocks) + len(found.left_out),
        drops=tuple(
            _block_drop(page, f"{document_id}#b{item.number}", item.rule, f"{item.path} {item.reference}".rstrip())
            for item in found.left_out
        ),
        blocks=found.blocks if keep_blocks else (),
        directives=opened.directives,
    )
    written = (p.text for node in found.nodes for p in node.paragraphs if p.kind != "boundary")
    return complete_document(document, written, config.references)


def _flags(opened: _OpenedPage, *more: str) -> tuple[str, ...]:
    return (*opened.page.flags, *(["replaced_characters"] if opened.decoded.errors else []), *more)


def make_document_id(page: Page) -> str:
    """32 hexadecimal digits from the place of the record in the crawl: archive name without folder, offset, URL.

    Moving the archives to another folder changes no id. A revisit has the place of the response it repeats, and its own date.
    """
    parts = [page.source.file.rpartition("/")[2], str(page.source.offset), page.source.record_id or "", page.url]
    place = "\0".join([*parts, page.date or ""] if REVISIT in page.flags else parts)
    return hashlib.blake2b(place.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def page_drop(page: Page, rule: str, value: float | None = None, threshold: float | None = None, detail: str | None = None) -> Drop:
    """The Drop of a page in this stage."""
    return Drop(
        STAGE, rule, "page", make_document_id(page), page.url, value, threshold, detail, page.source.file, page.source.offset
    )


def _repeat_drop(page: Page, document_id: str, repeat: Repeat) -> Drop:
    """The Drop of a block that deduplication took out."""
    remark = f" repeats {repeat.twin_path}" if repeat.twin_path else ""
    return _block_drop(page, f"{document_id}#b{repeat.block.dom_index}", repeat.rule, repeat.block.xpath + remark)


def _block_drop(page: Page, target_id: str, rule: str, detail: str) -> Drop:
    return Drop(BLOCK_STAGE, rule, "block", target_id, page.url, None, None, detail, page.source.file, page.source.offset)
