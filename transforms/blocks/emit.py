"""Writing blocks out: text with its context, images and embeds (blocks.md 2, 4.10, 4.12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from transforms.blocks.context import NO_ELEMENT, Context
from transforms.blocks.flat import Flat, Origin
from transforms.blocks.items import Item
from transforms.blocks.links import PageUrls
from transforms.blocks.media import Pictures, alternative_text, media_sentence, media_source
from transforms.blocks.paths import Paths
from transforms.records import Block, BlockKind, Candidate

if TYPE_CHECKING:
    from typing_extensions import Unpack

IMAGE_TEXT = ("alt", "title")
BACKGROUND_TEXT = ("aria-label", "title")
MEDIA_TEXT = ("title", "aria-label", "alt")


@dataclass(frozen=True, slots=True)
class FallbackHere:
    """Marks the place of an embed's fallback content among the blocks, and the list items open around it."""

    element: int
    items: list[Item]


class Fields(TypedDict, total=False):
    """What only some kinds of blocks have; see `transforms.records.Block`."""

    rich: str | None
    level: int
    ordered: bool
    rows: list[list[str]] | None
    rich_rows: list[list[str]] | None
    table_html: str | None
    href: str | None
    alt: str | None
    link: str | None
    width: str | None
    height: str | None
    candidates: list[Candidate] | None
    language: str | None


class Output:
    """The blocks of a page so far."""

    def __init__(self, flat: Flat, urls: PageUrls, widgets: Sequence[str | None]) -> None:
        self.flat = flat
        self.urls = urls
        self.widgets = widgets
        self.paths = Paths(flat)
        self.pictures = Pictures(flat, urls)
        self.blocks: list[Block | FallbackHere] = []
        self.origins: list[Origin] = []  # of each block, by the number it was emitted with
        self.count = 0

    def emit(
        self, kind: BlockKind, text: str, element: int, context: Context, *, quoted: int | None = None, **fields: Unpack[Fields]
    ) -> None:
        """Emits a block that is an element."""
        quoted = context.quoted if quoted is None else quoted
        flat = self.flat
        self.origins.append((element, flat.starts[element], flat.stops[element]))
        self.add(kind, text, flat.tags[element], self.paths.of(element), context, quoted, **fields)

    def add(
        self,
        kind: BlockKind,
        text: str,
        tag: str,
        path: str,
        context: Context,
        quoted: int,
        rich: str | None = None,
        level: int = 0,
        ordered: bool = False,
        ordinal: int | None = None,
        rows: list[list[str]] | None = None,
        rich_rows: list[list[str]] | None = None,
        table_html: str | None = None,
        href: str | None = None,
        alt: str | None = None,
        link: str | None = None,
        width: str | None = None,
        height: str | None = None,
        candidates: list[Candidate] | None = None,
        language: str | None = None,
    ) -> None:
        """Emits a block with what its context says; its origin is noted by the caller.

        By position: keyword arguments cost twice as much for 25 fields.
        """
        self.blocks.append(
            Block(
                kind,
                text,
                tag,
                path,
                self.count,
                rich,
                level,
                ordered,
                ordinal,
                rows,
                rich_rows,
                table_html,
                href,
                alt,
                link,
                width,
                height,
                candidates,
                language,
                context.region,
                context.in_main,
                None if context.widget == NO_ELEMENT else self.widgets[context.widget],
                quoted,
                None if context.body == NO_ELEMENT else self.paths.of(context.body),
                None,
                context.hidden,
                "fallback" if context.fallback else None,
            )
        )
        self.count += 1

    def emit_pin(self, pin: int, items: list[Item]) -> None:
        """Emits an image or embed. items: the list items open around it."""
        _, element, context = self.flat.pins[pin]
        if self.flat.tags[element] == "img":
            self.emit_image(element, context)
        elif element in self.flat.backgrounds:
            self.emit_background(element, context)
        else:
            self.emit_media(element, context, items)

    def emit_image(self, element: int, context: Context) -> None:
        if not self.pictures.is_shown(element):
            return
        attributes = self.flat.attributes[element]
        candidates = self.pictures.candidates(element) or self.pictures.inline_candidates(element)
        if not candidates:
            if attributes.get("src"):
                self.flat.removed["inline_image"] += 1
            return
        text = alternative_text(attributes, IMAGE_TEXT)
        self.emit(
            "image",
            text,
            element,
            context,
            href=candidates[0]["url"],
            alt=text,
            link=self.pictures.link(element),
            width=attributes.get("width"),
            height=attributes.get("height"),
            candidates=candidates,
        )

    def emit_background(self, element: int, context: Context) -> None:
        """The image behind an element, as its inline style has it (images.md 3.1)."""
        url = self.urls.fetchable(self.flat.backgrounds[element])
        if url is not None:
            text = alternative_text(self.flat.attributes[element], BACKGROUND_TEXT)
            candidates: list[Candidate] = [{"url": url, "descriptor": None, "from": "css"}]
            self.emit("image", text, element, context, href=url, alt=text, candidates=candidates)

    def emit_media(self, element: int, context: Context, items: list[Item]) -> None:
        title = alternative_text(self.flat.attributes[element], MEDIA_TEXT)
        source = media_source(self.flat, element, self.urls)
        self.emit("media", media_sentence(self.flat, element, title, source, self.urls), element, context, href=source, alt=title)
        if element in self.flat.fallbacks:
            self.blocks.append(FallbackHere(element, list(items)))
