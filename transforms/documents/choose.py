"""What a page holds + which of its blocks are main content -> its document.

A run that may be given another threshold later stores pages undecided: every block with its probability, none marked, and as nodes
all images, so that each is looked up. `decide_document` makes the document of such a page that `extract_document` makes at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from filters.measures.language import identify_language
from transforms.blocks.main_content.select import Selection, choose_again
from transforms.documents.config import ExtractConfig
from transforms.documents.nodes import make_nodes, no_node_rule
from transforms.images.inline import shown_images
from transforms.images.mentions import ReferenceConfig, skip_images
from transforms.images.optout import find_refusal
from transforms.records import Block, Document, Drop

STAGE = "documents"
BLOCK_STAGE = "blocks"
EXCERPT = 80
"""Characters of a block's text that its Drop shows."""

CERTAIN_LANGUAGE = 0.8
"""Score from which an identified language counts; the limit of the rule `document.language`."""

WHOLE_PAGE = 20
"""How many times `images.max_per_page` are looked up of an undecided page: any of its images may be among the first that are
chosen, but a page of a hundred thousand must not have them all asked for."""


def undecided_document(page: Document, blocks: tuple[Block, ...], references: ReferenceConfig) -> Document:
    """A page whose main content is still to be chosen. blocks: with their probabilities."""
    images = [node for node in make_nodes(blocks) if node.image is not None]
    most = None if references.max_per_page is None else WHOLE_PAGE * references.max_per_page
    nodes = skip_images(images, find_refusal(page.directives, references.optout), most)
    return replace(page, nodes=nodes, blocks=blocks, inline=shown_images(page.inline, images))


def decide_document(undecided: Document, config: ExtractConfig, keep_blocks: bool) -> Document | Drop:
    """The document of a page that was stored undecided, by the threshold of these settings."""
    selection = choose_again(undecided.blocks, config.main_content.threshold)
    document = with_main_content(undecided, selection, config.references, keep_blocks)
    skipped = {node.blocks: node for node in undecided.nodes if node.image is not None and node.image.skipped is not None}
    if isinstance(document, Drop) or not skipped:
        return document
    # What was not looked up then is not there now, whatever other pages show.
    return replace(document, nodes=tuple(skipped.get(node.blocks, node) for node in document.nodes))


def with_main_content(page: Document, selection: Selection, references: ReferenceConfig, keep_blocks: bool) -> Document | Drop:
    """The document that chosen blocks make of a page, or why they make none. page: all that does not depend on the choice."""
    if selection.is_empty:
        detail = f"{page.block_count} blocks"
        return _page_drop(page, "extract.no_main_content", selection.highest, selection.threshold, detail)
    nodes = tuple(make_nodes(selection.blocks))
    if not nodes:
        return _page_drop(page, "extract.no_nodes", 0, 1, f"{page.block_count} blocks, none with text or an image")
    document = replace(
        page,
        nodes=nodes,
        drops=(*page.drops, *_unused_block_drops(page, selection)),
        blocks=selection.blocks if keep_blocks else (),
        main_content_threshold=selection.threshold,
        main_content_f1=selection.expected_f1,
        main_content_words=selection.words,
        inline=shown_images(page.inline, nodes),
    )
    return complete_document(document, (text for node in nodes if (text := node.text) is not None), references)


def complete_document(document: Document, texts: Iterable[str], references: ReferenceConfig) -> Document:
    """What follows from the nodes of a document: the language of its texts, and which of its images nobody looks for."""
    language = identify_language("\n".join(texts))
    is_certain = language.score is not None and language.score >= CERTAIN_LANGUAGE
    # Pages that say nothing, and texts whose language is not known or not certain, contradict nothing (field report F7).
    declared = document.declared_languages
    is_conflict = bool(declared) and is_certain and language.language not in declared
    return replace(
        document,
        nodes=skip_images(document.nodes, find_refusal(document.directives, references.optout), references.max_per_page),
        language=language.language,
        language_score=language.score,
        flags=(*document.flags, "language_conflict") if is_conflict else document.flags,
    )


def document_counts(document: Document) -> Counter[str]:
    """What a stage counts of each document that it makes."""
    counts = Counter({f"main_content/{reason}": words for reason, words in document.main_content_words.items()})
    counts[f"{STAGE}/out"] = 1
    counts[f"{BLOCK_STAGE}/in"] = document.block_count
    counts[f"{BLOCK_STAGE}/out"] = document.block_count - len(document.drops)
    counts.update(f"flags/{flag}" for flag in document.flags if flag in ("majority_guard", "language_conflict"))
    return counts


def _page_drop(page: Document, rule: str, value: float | None, threshold: float | None, detail: str) -> Drop:
    source = page.source
    return Drop(STAGE, rule, "page", page.id, page.url, value, threshold, detail, source.file, source.offset)


def _unused_block_drops(page: Document, selection: Selection) -> Iterator[Drop]:
    """The Drops of blocks that are in no node; one that is not main content shows the beginning of its text."""
    url, file, offset = page.url, page.source.file, page.source.offset
    for block in selection.blocks:
        rule = no_node_rule(block)
        if rule is None:
            continue
        target_id = f"{page.id}#b{block.dom_index}"
        detail = f"{block.xpath} {block.text[:EXCERPT]}" if block.excluded is not None and block.text else block.xpath
        threshold = selection.threshold if block.probability is not None else None
        yield Drop(BLOCK_STAGE, rule, "block", target_id, url, block.probability, threshold, detail, file, offset)
