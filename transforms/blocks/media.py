"""Images and embeds: their sources and what stands for them in text (blocks.md 4.10, 4.12, 4.14)."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.blocks.flat import OUTSIDE, Attributes, Flat
from transforms.blocks.links import PageUrls
from transforms.images.candidates import collect_candidates
from transforms.records import Candidate

MOST_TRACKS_LISTED = 3
LINK_LEVELS = 2  # the link is the image's parent or grandparent
PICTURE_LEVELS = 4
FORMULA_LEVELS = 2
FIRST_IN_BODY = 2  # the number of the element, after html and body


class Pictures:
    """The images of a page. Pairs lazy images with their noscript twins, and leaves out the pictures of formulas."""

    def __init__(self, flat: Flat, urls: PageUrls) -> None:
        self.flat = flat
        self.urls = urls
        self.twins: dict[int, list[int]] = {}
        self.merged: set[int] = set()
        self.formula_pictures = self._formula_pictures() if flat.formulas else frozenset()
        self._candidates: dict[int, list[Candidate]] = {}
        self._targets: dict[int, str | None] = {}  # of `a` elements around images
        self._sources: dict[int, list[Attributes]] = {}  # of `picture` elements
        self._pair_noscript_twins()

    def candidates(self, image: int) -> list[Candidate]:
        """Every source of an image, its own first; empty when there is none to fetch."""
        found = self._candidates.get(image)
        if found is None:
            found = collect_candidates(
                self._attributes(image), self._picture_sources(image), self.urls.fetchable, self.urls.image_attributes
            )
            self._candidates[image] = found
        return found

    def inline_candidates(self, image: int) -> list[Candidate]:
        """The source of an image that has none to fetch, where the page holds it itself."""
        references = self.urls.references
        if references is None:
            return []
        written: list[str] = []

        def note(reference: str | None) -> None:
            written.append(reference or "")

        collect_candidates(self._attributes(image), self._picture_sources(image), note, self.urls.image_attributes)
        name = references.settle(written)
        return [] if name is None else [{"url": name, "descriptor": None, "from": "inline"}]

    def _attributes(self, image: int) -> list[Attributes]:
        flat = self.flat
        return [flat.attributes[image], *(flat.attributes[twin] for twin in self.twins.get(image, ()))]

    def is_shown(self, image: int) -> bool:
        return image not in self.merged and image not in self.formula_pictures

    def link(self, image: int) -> str | None:
        """Where the picture leads: the target of an `a` around it that holds no text."""
        flat = self.flat
        element = image
        for _ in range(LINK_LEVELS):
            element = flat.parents[element]
            if element == OUTSIDE:
                return None
            if flat.tags[element] == "a" and "href" in flat.attributes[element]:
                if element not in self._targets:
                    has_text = bool(flat.text(flat.starts[element], flat.stops[element]).strip())
                    self._targets[element] = None if has_text else self.urls.link(flat.attributes[element]["href"])
                return self._targets[element]
        return None

    def _picture_sources(self, image: int) -> list[Attributes]:
        flat = self.flat
        picture = image
        for _ in range(PICTURE_LEVELS):
            picture = flat.parents[picture]
            if picture == OUTSIDE:
                return []
            if flat.tags[picture] == "picture":
                if picture not in self._sources:
                    inside = range(picture + 1, flat.ends[picture])
                    self._sources[picture] = [flat.attributes[element] for element in inside if flat.tags[element] == "source"]
                return self._sources[picture]
        return []

    def _pair_noscript_twins(self) -> None:
        """Merges an `<img>` in a `<noscript>` into the `<img>` beside it, if they are one picture."""
        flat = self.flat
        for inner, noscript in flat.noscript_images:
            self._merge(inner, self._images_beside(noscript))
        # An image ends the head, and a noscript that was open there with it: its twin is the first thing in the body.
        if flat.head_ends_in_noscript and len(flat.tags) > FIRST_IN_BODY and flat.tags[FIRST_IN_BODY] == "img":
            self._merge(FIRST_IN_BODY, self._images_beside(FIRST_IN_BODY)[-1:])

    def _merge(self, inner: int, beside: Sequence[int]) -> None:
        for outer in beside:
            if self._are_one(outer, inner):
                self.twins.setdefault(outer, []).append(inner)
                self.merged.add(inner)
                self._candidates.pop(outer, None)
                break

    def _images_beside(self, element: int) -> list[int]:
        """The images before and after an element, with nothing but white space between."""
        flat = self.flat
        before, after = element - 1, flat.ends[element]
        beside: list[int] = []
        if self._is_sibling_image(before, element) and not flat.text(flat.stops[before], flat.starts[element]).strip():
            beside.append(before)
        if self._is_sibling_image(after, element) and not flat.text(flat.stops[element], flat.starts[after]).strip():
            beside.append(after)
        return beside

    def _is_sibling_image(self, other: int, element: int) -> bool:
        flat = self.flat
        return other < len(flat.tags) and flat.tags[other] == "img" and flat.parents[other] == flat.parents[element]

    def _are_one(self, outer: int, inner: int) -> bool:
        outer_urls = {candidate["url"] for candidate in self.candidates(outer)}
        return not outer_urls or any(candidate["url"] in outer_urls for candidate in self.candidates(inner))

    def _formula_pictures(self) -> frozenset[int]:
        """Images within two levels of a `<math>` that show the same formula, or do not say what they show."""
        flat = self.flat
        formulas: dict[int, set[str]] = {}
        for element, latex in flat.formulas:
            for _ in range(FORMULA_LEVELS):
                element = flat.parents[element]
                formulas.setdefault(element, set()).add(latex)
        found: set[int] = set()
        for _, image, _ in flat.pins:
            if flat.tags[image] != "img":
                continue
            alt = " ".join((flat.attributes[image].get("alt") or "").split())
            element = image
            for _ in range(FORMULA_LEVELS):
                element = flat.parents[element]
                if element in formulas and (not alt or alt in formulas[element]):
                    found.add(image)
        return frozenset(found)


def alternative_text(attributes: dict[str, str | None], names: Sequence[str]) -> str:
    """The first of the attributes that says something."""
    for name in names:
        value = attributes.get(name)
        if value and (text := " ".join(value.split())):
            return text
    return ""


def media_source(flat: Flat, element: int, urls: PageUrls) -> str | None:
    """Where an embed's content is: `src`, else `data`, else its first source."""
    attributes = flat.attributes[element]
    inside = flat.media.get(element)
    references = (attributes.get("src"), attributes.get("data"), inside.source if inside else None)
    for reference in references:
        if url := urls.fetchable(reference):
            return url
    return None


def media_sentence(flat: Flat, element: int, title: str, source: str | None, urls: PageUrls) -> str:
    """What stands for an embed in the text: `[video "Tour": https://e.x/m.mp4, not transcribed]`."""
    words = flat.tags[element]
    if title:
        words += f' "{title}"'
    if source:
        words += f": {source}"
    words += ", not transcribed"
    inside = flat.media.get(element)
    if inside and inside.tracks:
        tracks = [url for reference in inside.tracks[:MOST_TRACKS_LISTED] if (url := urls.fetchable(reference))]
        count = len(inside.tracks)
        words += f"; {count} text {'track' if count == 1 else 'tracks'}: {', '.join(tracks)}"
    return f"[{words}]"
