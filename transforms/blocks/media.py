"""Images and embeds: their sources and what stands for them in text (blocks.md 4.10, 4.12, 4.14)."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.blocks.flat import OUTSIDE, Flat
from transforms.blocks.links import PageUrls
from transforms.images.candidates import collect_candidates
from transforms.records import Candidate

MOST_TRACKS_LISTED = 3
LINK_LEVELS = 2  # the link is the image's parent or grandparent
FORMULA_LEVELS = 2


class Pictures:
    """The images of a page. Pairs lazy images with their noscript twins, and leaves out the pictures of formulas."""

    def __init__(self, flat: Flat, urls: PageUrls) -> None:
        self.flat = flat
        self.urls = urls
        self.twins: dict[int, list[int]] = {}
        self.merged: set[int] = set()
        self.formula_pictures = self._formula_pictures() if flat.formulas else frozenset()
        self._candidates: dict[int, list[Candidate]] = {}
        self._pair_noscript_twins()

    def candidates(self, image: int) -> list[Candidate]:
        """Every source of an image, its own first; empty when there is none to fetch."""
        found = self._candidates.get(image)
        if found is None:
            flat = self.flat
            images = [flat.attributes[image], *(flat.attributes[twin] for twin in self.twins.get(image, ()))]
            found = collect_candidates(images, self._picture_sources(image), self.urls.fetchable)
            self._candidates[image] = found
        return found

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
                if flat.text(flat.starts[element], flat.stops[element]).strip():
                    return None
                return self.urls.link(flat.attributes[element]["href"])
        return None

    def _picture_sources(self, image: int) -> list[dict[str, str | None]]:
        flat = self.flat
        picture = flat.parents[image]
        while picture != OUTSIDE and flat.tags[picture] in ("source", "noscript", "span"):
            picture = flat.parents[picture]
        if picture == OUTSIDE or flat.tags[picture] != "picture":
            return []
        return [flat.attributes[e] for e in range(picture + 1, flat.ends[picture]) if flat.tags[e] == "source"]

    def _pair_noscript_twins(self) -> None:
        """Merges an `<img>` in a `<noscript>` into the `<img>` beside it, if they are one picture."""
        flat = self.flat
        for inner in [element for _, element, _ in flat.pins if flat.tags[element] == "img"]:
            noscript = self._enclosing_noscript(inner)
            if noscript == OUTSIDE:
                continue
            for outer in self._images_beside(noscript):
                if self._are_one(outer, inner):
                    self.twins.setdefault(outer, []).append(inner)
                    self.merged.add(inner)
                    self._candidates.pop(outer, None)
                    break

    def _enclosing_noscript(self, element: int) -> int:
        flat = self.flat
        above = flat.parents[element]
        while above != OUTSIDE and flat.tags[above] != "noscript":
            if flat.tags[above] == "body":
                return OUTSIDE
            above = flat.parents[above]
        return above

    def _images_beside(self, noscript: int) -> list[int]:
        """The images next to a noscript, only white space between."""
        flat = self.flat
        beside: list[int] = []
        for outer, begin, end in (
            (noscript - 1, flat.stops[noscript - 1], flat.starts[noscript]),
            (flat.ends[noscript], flat.stops[noscript], None),
        ):
            if outer >= len(flat.tags) or flat.tags[outer] != "img" or flat.parents[outer] != flat.parents[noscript]:
                continue
            if not flat.text(begin, flat.starts[outer] if end is None else end).strip():
                beside.append(outer)
        return beside

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
