"""The `obelics` profile: a parsed page -> texts and images in reading order (obelics.md 4.3 to 6).

    outline -> simplify -> merge texts, resolve images -> nodes

A text node is cut into paragraphs at its blank lines. Each paragraph and image is also a block, so that blocks, Markdown and the
content hash of a document mean the same for every profile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from transforms.blocks.extract import is_rtl
from transforms.blocks.flat import Flat
from transforms.blocks.head import DESCRIPTIONS, read_head
from transforms.blocks.links import PageUrls
from transforms.blocks.paths import Paths
from transforms.documents.obelics_images import OutlineImages
from transforms.html.outline import BODY, HTML, Outline, read_outline
from transforms.html.simplify import BOUNDARY, MEDIA, PICTURE, SEPARATOR, TEXT, simplify
from transforms.html.simplify_tags import BLANK_LINE_STRENGTH, SPACE_STRENGTH, ObelicsConfig
from transforms.html.text_merge import TextMerger, normalise_text
from transforms.html.tree import LexborHTMLParser
from transforms.images.declared import formatted_filename, rendered_size
from transforms.records import Block, BlockKind, ImageRef, Node, Paragraph, Separator

HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
MOST_SHOWN = 200
"""Characters of a bad reference that its drop repeats (5.2)."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A picture or embed that is no node. number: its place among all blocks. rule, path, reference: why, where, as written."""

    number: int
    rule: str
    path: str
    reference: str


@dataclass(frozen=True, slots=True)
class ObelicsPage:
    """What the profile makes of a page. blocks: one for each paragraph and image of the nodes. removed: characters by rule."""

    nodes: tuple[Node, ...]
    blocks: tuple[Block, ...]
    left_out: tuple[LeftOut, ...]
    removed: Mapping[str, int]
    guarded: int
    title: str | None
    description: str | None
    rtl: bool


def read_obelics_page(tree: LexborHTMLParser, url: str, config: ObelicsConfig) -> ObelicsPage:
    """Reads a page by the profile's rules. The tree is read once and not changed. url: the page's own, absolute."""
    head = Flat()
    if tree.head is not None:
        read_head(head, tree.head)
    # A noscript with a picture ends the head, and what follows it lies in body (parser.md): hence the whole document.
    base = tree.css_first("base[href]")
    outline = read_outline(tree)
    page = simplify(outline, config)
    urls = PageUrls(url, base.attributes.get("href") if base is not None else None)
    writer = NodeWriter(outline, OutlineImages(outline, urls), config.boundary_text)
    for kind, value, element in page.items:
        if kind == TEXT:
            writer.text(str(value), element)
        elif kind == SEPARATOR:
            writer.separate(int(value))
        elif kind == PICTURE:
            writer.picture(element)
        elif kind == BOUNDARY:
            writer.boundary(element)
        else:
            assert kind == MEDIA
            writer.leave_out("obelics.media", element, writer.images.media_reference(element))
    return ObelicsPage(
        nodes=writer.finished(),
        blocks=tuple(writer.blocks),
        left_out=tuple(writer.left_out),
        removed={rule: count for rule, count in sorted(page.removed.items()) if count},
        guarded=len(page.spared),
        title=head.title or None,
        description=next((head.metas[name] for name in DESCRIPTIONS if name in head.metas), None),
        rtl=is_rtl(outline.attributes[HTML], outline.attributes[BODY]),
    )


class NodeWriter:
    """Takes items in reading order and writes nodes: neighbouring texts merged, images between them.

    blocks, left_out: as in `ObelicsPage`, as far as items were taken.
    """

    def __init__(self, outline: Outline, images: OutlineImages, boundary_text: str) -> None:
        self.images = images
        self.blocks: list[Block] = []
        self.left_out: list[LeftOut] = []
        self._tags = outline.tags
        self._paths = Paths(outline)
        self._boundary_text = boundary_text
        self._nodes: list[Node] = []
        self._paragraphs: list[Paragraph] = []  # of the node in work
        self._merger = TextMerger()
        self._paragraph_elements: list[int] = []  # where each paragraph in the merger began
        self._after_text = False  # whether text of the same block came last, pictures aside
        self._pictures_in_block: list[int] = []  # nodes since then
        self._inline: set[int] = set()

    def text(self, text: str, element: int) -> None:
        if text == " ":
            self._merger.pending = self._merger.pending or SPACE_STRENGTH
            return
        separator = self._merger.append(text)
        if separator is None:
            return
        if not self._paragraph_elements or separator == "\n\n":
            self._paragraph_elements.append(element)
        self._after_text = True
        if self._pictures_in_block:
            self._inline.update(self._pictures_in_block)
            self._pictures_in_block.clear()

    def separate(self, strength: int) -> None:
        merger = self._merger
        if strength > merger.pending:
            merger.pending = strength
        if strength > SPACE_STRENGTH:
            self._after_text = False
            self._pictures_in_block.clear()

    def picture(self, element: int) -> None:
        """Writes an image node. One without a usable source is left out, and the texts around it merge (4.3)."""
        source = self.images.source(element)
        if source is None:
            self.leave_out("obelics.image_url", element, self.images.reference(element))
            return
        self._end_text_node()
        attributes = self.images.attributes(element)
        image = ImageRef(
            href=source.candidates[0],
            candidates=source.candidates,
            origins=source.origins,
            hints=source.hints,
            alt=normalise_text((attributes.get("alt") or "").replace("\n", " ")).strip() or None,
            rendered_width=rendered_size(attributes.get("width")),
            rendered_height=rendered_size(attributes.get("height")),
            unformatted_src=source.reference,
            formatted_filename=formatted_filename(source.candidates[0]),
        )
        number = len(self._nodes)
        if self._after_text:
            self._inline.add(number)
        else:
            self._pictures_in_block.append(number)
        at = len(self.blocks)
        path = self._paths.of(element)
        width, height = attributes.get("width"), attributes.get("height")
        self.blocks.append(
            Block("image", "", "img", path, at + len(self.left_out), href=image.href, alt=image.alt, width=width, height=height)
        )
        self._nodes.append(Node(path, (at, at + 1), image=image))

    def boundary(self, element: int) -> None:
        """Marks the end of an excerpt. Never the first thing of a document, never twice in a row (4.5)."""
        self.separate(BLANK_LINE_STRENGTH)
        if not self._boundary_text:
            return
        self._end_paragraphs()
        if not (self._paragraphs or self._nodes) or (self._paragraphs and self._paragraphs[-1].kind == "boundary"):
            return
        at = len(self.blocks)
        separator: Separator = "\n\n" if self._paragraphs else ""
        self._paragraphs.append(Paragraph(self._boundary_text, "boundary", separator, self._paths.of(element), (at, at)))

    def leave_out(self, rule: str, element: int, reference: str) -> None:
        """Notes a picture or embed that is no node."""
        number = len(self.blocks) + len(self.left_out)
        self.left_out.append(LeftOut(number, rule, self._paths.of(element), reference[:MOST_SHOWN]))

    def finished(self) -> tuple[Node, ...]:
        """All nodes. A boundary at the end is dropped."""
        self._end_paragraphs()
        if self._paragraphs and self._paragraphs[-1].kind == "boundary":
            self._paragraphs.pop()
        self._end_text_node()
        return tuple(
            replace(node, image=replace(node.image, inline=True)) if number in self._inline and node.image is not None else node
            for number, node in enumerate(self._nodes)
        )

    def _end_paragraphs(self) -> None:
        if self._paragraph_elements:
            texts = self._merger.text().split("\n\n")
            for text, element in zip(texts, self._paragraph_elements, strict=True):
                separator: Separator = "\n\n" if self._paragraphs else ""
                at = len(self.blocks)
                kind: BlockKind = "heading" if self._tags[element] in HEADING_TAGS else "paragraph"
                block = self._add_block(kind, text, element)
                self._paragraphs.append(Paragraph(text, kind, separator, block.xpath, (at, at + 1)))
        self._merger = TextMerger()
        self._paragraph_elements = []

    def _end_text_node(self) -> None:
        self._end_paragraphs()
        if self._paragraphs:
            first, last = self._paragraphs[0], self._paragraphs[-1]
            self._nodes.append(Node(first.path, (first.blocks[0], last.blocks[1]), tuple(self._paragraphs)))
            self._paragraphs = []

    def _add_block(self, kind: BlockKind, text: str, element: int) -> Block:
        tag = self._tags[element]
        number = len(self.blocks) + len(self.left_out)
        block = Block(kind, text, tag, self._paths.of(element), number, level=int(tag[1]) if kind == "heading" else 0)
        self.blocks.append(block)
        return block
