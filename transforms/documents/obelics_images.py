"""Where the pictures of a page may be had from, by the rules of the `obelics` profile (obelics.md 5.1, images.md 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

from transforms.blocks.links import PageUrls
from transforms.html.outline import BODY, Attributes, Outline
from transforms.images.candidates import candidate_origins, collect_candidates, download_order, size_hints
from transforms.images.declared import rendered_size
from transforms.records import Candidate

URL_ATTRIBUTES = (
    "src",
    "data-src",
    "data-src-fg",
    "data-scroll-image",
    "data-lateloadsrc",
    "data-img-src",
    "data-original",
    "data-gt-lazy-src",
    "data-lazy",
    "data-lazy-src",
    "src2",
)
PICTURE_LEVELS = 4  # how far above an image its `picture` may stand
_REFERENCES = (*URL_ATTRIBUTES, "srcset", "data-srcset", "data-lazy-srcset")


@dataclass(frozen=True, slots=True)
class ImageSource:
    """candidates: absolute URLs, best first. origins, hints: as in ImageRef. reference: the best one as the page wrote it."""

    candidates: tuple[str, ...]
    origins: tuple[str, ...]
    hints: tuple[int | None, ...]
    reference: str


class OutlineImages:
    """The pictures and embeds of an outline, with their `source` elements and the twins of lazy ones in `noscript`."""

    def __init__(self, outline: Outline, urls: PageUrls) -> None:
        self._outline = outline
        self._urls = urls
        self._written: dict[str, str] = {}  # the first reference to each URL, as written
        self._picture_sources: dict[int, list[Attributes]] = {}
        self._twins: dict[int, list[Attributes]] = {}
        self._pair_noscript_twins()

    def attributes(self, image: int) -> Attributes:
        return self._outline.attributes[image]

    def source(self, image: int) -> ImageSource | None:
        """Where an `img` may be had from; None when it has no URL that can be fetched."""
        attributes = self._outline.attributes[image]
        candidates = self._candidates([attributes, *self._twins.get(image, ())], self._sources_around(image))
        if not candidates:
            return None
        width, height = rendered_size(attributes.get("width")), rendered_size(attributes.get("height"))
        urls = download_order(candidates, width=width)
        hints = size_hints(candidates, urls, width=width, height=height)
        return ImageSource(urls, candidate_origins(candidates, urls), hints, self._written[urls[0]])

    def reference(self, image: int) -> str:
        """The first thing an `img` gives as its source, as written; empty when it gives none."""
        attributes = self._outline.attributes[image]
        return next((value for name in _REFERENCES if (value := attributes.get(name))), "")

    def media_reference(self, embed: int) -> str:
        """An embed's tag and its source as written: `src`, else `data`, else that of its first `source` (5.1)."""
        outline = self._outline
        attributes = outline.attributes[embed]
        inside = (outline.attributes[e].get("src") for e in range(embed + 1, outline.ends[embed]) if outline.tags[e] == "source")
        source = attributes.get("src") or attributes.get("data") or next(filter(None, inside), None) or ""
        return f"{outline.tags[embed]} {source}".rstrip()

    def _candidates(self, images: list[Attributes], sources: list[Attributes]) -> list[Candidate]:
        return collect_candidates(images, sources, self._resolve, URL_ATTRIBUTES)

    def _resolve(self, reference: str | None) -> str | None:
        url = self._urls.fetchable(reference)
        if url is not None and reference is not None:
            self._written.setdefault(url, reference)
        return url

    def _sources_around(self, image: int) -> list[Attributes]:
        outline = self._outline
        picture = image
        for _ in range(PICTURE_LEVELS):
            picture = outline.parents[picture]
            if picture <= BODY or outline.tags[picture] == "picture":
                break
        if outline.tags[picture] != "picture":
            return []
        if picture not in self._picture_sources:
            inside = range(picture + 1, outline.ends[picture])
            self._picture_sources[picture] = [outline.attributes[e] for e in inside if outline.tags[e] == "source"]
        return self._picture_sources[picture]

    def _pair_noscript_twins(self) -> None:
        """Gives an image the sources of the image in a `noscript` beside it, if they are one picture: a lazy image and its twin.

        White space may stand between them, nothing else. They are one when the outer one has no URL, or both have one in common.
        """
        outline = self._outline
        end = 0
        for noscript in outline.noscripts:
            if noscript < end:  # in another one
                continue
            end = outline.ends[noscript]
            inside = [e for e in range(noscript + 1, end) if outline.tags[e] == "img"]
            for outer in self._images_beside(noscript) if inside else ():
                urls = {c["url"] for c in self._candidates([outline.attributes[outer]], [])}
                for inner in inside:
                    twin = outline.attributes[inner]
                    if not urls or any(c["url"] in urls for c in self._candidates([twin], [])):
                        self._twins.setdefault(outer, []).append(twin)
                        inside.remove(inner)
                        break

    def _images_beside(self, element: int) -> list[int]:
        outline = self._outline
        before, after = element - 1, outline.ends[element]
        beside = []
        if self._is_sibling_image(before, element) and self._is_blank(outline.stops[before], outline.starts[element]):
            beside.append(before)
        if self._is_sibling_image(after, element) and self._is_blank(outline.stops[element], outline.starts[after]):
            beside.append(after)
        return beside

    def _is_sibling_image(self, other: int, element: int) -> bool:
        outline = self._outline
        return other < len(outline.tags) and outline.tags[other] == "img" and outline.parents[other] == outline.parents[element]

    def _is_blank(self, start: int, stop: int) -> bool:
        return all(piece == " " for piece in self._outline.stream[start:stop])
