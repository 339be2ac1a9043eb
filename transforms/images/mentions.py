"""The distinct image URLs that documents mention, with what the pages say of each (images.md 3, 4 step A)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from transforms.images.inline import InlineConfig
from transforms.images.optout import OptOutConfig
from transforms.images.urls import url_key
from transforms.records import Document, ImageRef, Node, Sighting

LAZY_ATTRIBUTES = ("data-src-fg", "data-scroll-image", "data-lateloadsrc", "data-img-src", "data-gt-lazy-src", "src2")
"""Those of the profile obelics that the profile default does not read anyway (obelics.md 5.1)."""


@dataclass(frozen=True)
class ReferenceConfig:
    """What of a page's images is a reference; part of the section `images`, handed to the extraction."""

    max_per_page: int | None = field(
        default=50, metadata={"help": "images of a page that are looked for, the first ones; null: all; too_many_in_page"}
    )
    lazy_attributes: tuple[str, ...] = field(
        default=LAZY_ATTRIBUTES,
        metadata={"help": "attributes of img that hold a URL or a srcset, beside src and the usual"},
    )
    css_backgrounds: bool = field(
        default=False, metadata={"help": "images in inline styles (background-image) are images of the page as well"}
    )
    inline: InlineConfig = field(default_factory=InlineConfig, metadata={"help": "images that stand in the page, as data: URLs"})
    optout: OptOutConfig = field(default_factory=OptOutConfig, metadata={"help": "what owners say about the use of their work"})


@dataclass(frozen=True, slots=True)
class Mention:
    """All mentions of one URL so far; fields as in `Sighting`."""

    url: str
    date: str | None
    hint: int | None
    status: str | None
    detail: str | None
    documents: int = 1

    def join(self, other: Mention, documents: int) -> Mention:
        """Both as one: what is not said or not refused once counts for all, ties by the smaller value."""
        is_wanted = self.status is None or other.status is None
        status, detail = (None, None) if is_wanted else min(_refusal(self), _refusal(other))
        return Mention(
            min(self.url, other.url),
            min(filter(None, (self.date, other.date)), default=None),
            None if self.hint is None or other.hint is None else max(self.hint, other.hint),
            status,
            detail or None,
            documents,
        )


class Mentions:
    """Collects the mentions of a shard's documents: one row a URL, however many documents show it."""

    def __init__(self) -> None:
        self._by_key: dict[bytes, Mention] = {}

    def add(self, document: Document) -> None:
        found: dict[bytes, Mention] = {}
        for url, hint, status, detail in _references(document):
            mention = Mention(url, document.date, hint, status, detail)
            key = url_key(url)
            found[key] = found[key].join(mention, documents=1) if key in found else mention
        for key, mention in found.items():
            known = self._by_key.get(key)
            self._by_key[key] = mention if known is None else known.join(mention, known.documents + 1)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of the schema `REFERENCES`, by key."""
        for key in sorted(self._by_key):
            mention = self._by_key[key]
            yield {"url_key": key, **{name: getattr(mention, name) for name in Mention.__slots__}}


def mention_sighting(row: dict[str, Any], shard: int) -> Sighting:
    """A row of `REFERENCES` as a document shard's mention."""
    return Sighting(kind="mention", shard=shard, **{name: row[name] for name in Mention.__slots__})


def skip_images(nodes: Iterable[Node], refusal: str | None, max_per_page: int | None) -> tuple[Node, ...]:
    """Marks the images that no mention of this page asks for: all of a page that refuses, and those over a number.

    refusal: the directive of the page that refuses.
    """
    count = 0
    marked: list[Node] = []
    for node in nodes:
        image = node.image
        if image is not None:
            count += 1
            if refusal is not None:
                image = replace(image, skipped="optout_page", skip_detail=refusal)
            elif max_per_page is not None and count > max_per_page:
                image = replace(image, skipped="too_many_in_page", skip_detail=f"image {count} of the page, at most {max_per_page}")
        marked.append(node if image is node.image else Node(node.path, node.blocks, image=image))
    return tuple(marked)


def _references(document: Document) -> Iterator[tuple[str, int | None, str | None, str | None]]:
    for node in document.nodes:
        if node.image is not None:
            image: ImageRef = node.image
            for url, hint in zip(image.candidates, image.hints or (None,) * len(image.candidates), strict=True):
                yield url, hint, image.skipped, image.skip_detail
    for reference, status in document.rejected:
        yield reference, None, status, None


def _refusal(mention: Mention) -> tuple[str, str]:
    return mention.status or "", mention.detail or ""
