"""Why two readings of a page differ: a predicate for each fix of obelics.md 7, on what stands on the page (obelics.md 9).

A predicate looks at the element that holds the words in question, at what decided about it, or at what stands between two words. It
never looks at the words alone: a difference that no predicate explains is a fault of ours, or a row that section 7 lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from scripts.bench.obelics_alignment import IMAGE_MARK, INVISIBLE, PageReading, Piece, Token, image_key, matches
from transforms.html.outline import BODY, HTML, Outline
from transforms.html.simplify import DATE, FURNITURE_DIV_NAMES, class_flags
from transforms.html.simplify_tags import TRANSPARENT_TAGS

Kind = Literal["ours", "reference", "separator"]
CONTAINERS = frozenset({"figure", "picture"})
FURNITURE_CLASSES = frozenset({"footer", "site-info"})
BOUNDARY_MARK = "END_OF_DOCUMENT_TOKEN_TO_BE_REPLACED"
# How the reference recognises a line break in the source.
_KNOWN_BREAK = re.compile(r"<br ?/?>|</br>")
_BREAK = re.compile(r"</?br\b[^>]*>", re.IGNORECASE)
_COMMENT_OF_REFERENCE = re.compile(r"<!--.*?-->", re.DOTALL)
SOURCE_CONTEXT = 400  # characters of source after a word in which its line break must stand


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that one reading has and the other lacks.

    size: characters, 1 for a separator and for an image. piece: where it is on the page; None when it is nowhere. between: the
    range of `outline.stream` between two words, for separators. ours, theirs: the separators as written.
    """

    kind: Kind
    size: int
    text: str
    piece: Piece | None = None
    between: tuple[int, int] = (0, 0)
    ours: str = ""
    theirs: str = ""

    @property
    def is_image(self) -> bool:
        return self.text.startswith(IMAGE_MARK)


@dataclass
class Evidence:
    """A page's reading, with what predicates ask of it."""

    reading: PageReading
    taken_out: dict[int, str] = field(init=False)
    spared: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self.taken_out = dict(self.reading.simplified.taken_out)
        self.spared = set(self.reading.simplified.spared)

    @property
    def outline(self) -> Outline:
        return self.reading.outline

    def ancestors(self, element: int) -> Iterator[int]:
        """The element and all above it, innermost first."""
        while element >= 0:
            yield element
            element = self.outline.parents[element]

    def elements_between(self, difference: Difference) -> list[int]:
        """Elements that begin or end between two words."""
        start, stop = difference.between
        return [e if e >= 0 else ~e for e in self.outline.stream[start:stop] if isinstance(e, int)]


def _is_guarded(page: Evidence, difference: Difference) -> bool:
    """An element around the words was spared; or the body itself has a footer class, and the reference removed it."""
    if difference.piece is None:
        return False
    around = set(page.ancestors(difference.piece.element))
    roots = " ".join(page.outline.attributes[e].get("class") or "" for e in (HTML, BODY)).split()
    return bool(around & page.spared) or not FURNITURE_CLASSES.isdisjoint(roots)


def _is_in_container(page: Evidence, difference: Difference) -> bool:
    if difference.kind == "separator":
        return any(page.outline.tags[e] in CONTAINERS for e in page.elements_between(difference))
    return difference.piece is not None and any(
        page.outline.tags[e] in CONTAINERS for e in page.ancestors(difference.piece.element)
    )


def _is_token_matter(page: Evidence, difference: Difference) -> bool:
    """Ours only: the words are the own text of a `div` whose class has `date` in it, but not as a part of a token; or an element
    around them has a furniture word as its whole title. Theirs only: a token of the deciding element is a furniture word, while
    neither its whole class nor its id is one.
    """
    if difference.piece is None:
        return False
    outline = page.outline
    if difference.kind == "ours":
        around = list(page.ancestors(difference.piece.element))
        block = next(e for e in around if outline.tags[e] not in TRANSPARENT_TAGS)
        look = outline.attributes[block].get("class") or ""
        if not difference.is_image and outline.tags[block] == "div" and "date" in look and not class_flags(look) & DATE:
            return True
        return any(outline.tags[e] == "div" and outline.attributes[e].get("title") in FURNITURE_DIV_NAMES for e in around)
    deciding = [e for e in page.ancestors(difference.piece.element) if e in page.taken_out]
    if not deciding or page.taken_out[deciding[0]] not in ("furniture-div", "furniture-class"):
        return False
    attributes = outline.attributes[deciding[0]]
    whole = {attributes.get("class"), attributes.get("id"), attributes.get("title")}
    return whole.isdisjoint(FURNITURE_DIV_NAMES | FURNITURE_CLASSES)


def _is_url_refused(page: Evidence, difference: Difference) -> bool:
    """What the reference takes for the source has white space or a comma; or the image has a list of sources only."""
    if difference.kind != "ours" or not difference.is_image or difference.piece is None:
        return False
    key = image_key(page.outline, difference.piece.element)[1:]
    if key.startswith("data:") or not key:
        source = page.reading.images.source(difference.piece.element)
        return source is not None and _has_list(page, difference.piece.element)
    return bool(re.search(r"[,\s\u200b]", key))


def _has_list(page: Evidence, image: int) -> bool:
    outline = page.outline
    if any("srcset" in name for name, value in outline.attributes[image].items() if value):
        return True
    return any(outline.tags[e] == "picture" for e in page.ancestors(image))


def _is_lazy(page: Evidence, difference: Difference) -> bool:
    """The first attribute is a placeholder in the page itself, and another one has the picture."""
    if difference.kind != "ours" or not difference.is_image or difference.piece is None:
        return False
    attributes = page.outline.attributes[difference.piece.element]
    return (attributes.get("src") or "").startswith("data:") and page.reading.images.source(difference.piece.element) is not None


def _is_host_refused(page: Evidence, difference: Difference) -> bool:
    """The host has a port, user information, an underscore, or letters that are not ASCII."""
    if difference.kind != "ours" or not difference.is_image or difference.piece is None:
        return False
    source = page.reading.images.source(difference.piece.element)
    host = urlsplit(source.candidates[0]).netloc if source is not None else ""
    return bool(re.search(r"[:@_]|xn--", host))


def _is_made_into_path(page: Evidence, difference: Difference) -> bool:
    """A reference that is no address of the web, taken for a path."""
    return difference.kind == "reference" and difference.is_image and bool(re.match(r"[a-z]+:(?!//)", difference.text[1:]))


def _is_boundary(page: Evidence, difference: Difference) -> bool:
    return BOUNDARY_MARK in difference.text and "more-link" in page.taken_out.values()


def _is_unicode_space(page: Evidence, difference: Difference) -> bool:
    """White space that is not ASCII, or a character that shows nothing, in the reading of the reference."""
    if difference.kind == "separator":
        start, stop = difference.between
        return bool(re.search(r"[^ \n]", difference.theirs)) or (
            not difference.theirs and bool(INVISIBLE.search(difference.text)) and stop >= start
        )
    return difference.kind == "reference" and bool(INVISIBLE.search(difference.text))


def _is_break_form(page: Evidence, difference: Difference) -> bool:
    """A line break stands between the words, in a spelling that the reference does not know."""
    if difference.kind != "separator" or not _has_break(page, difference):
        return False
    if any(page.outline.tags[e] == "br" and page.outline.attributes[e] for e in page.elements_between(difference)):
        return True
    first = difference.text.partition("\x00")[0]
    html = page.reading.html
    at = html.find(first)
    while at >= 0:
        found = _BREAK.search(html, at + len(first), at + len(first) + SOURCE_CONTEXT)
        if found and not _KNOWN_BREAK.fullmatch(found[0]):
            return True
        at = html.find(first, at + 1)
    return False


def _has_break(page: Evidence, difference: Difference) -> bool:
    return any(page.outline.tags[e] == "br" for e in page.elements_between(difference))


def _is_newline_sum(page: Evidence, difference: Difference) -> bool:
    """The reference counts line breaks and separators up where we take the strongest: more newlines than ours."""
    more = difference.theirs.count("\n") > difference.ours.count("\n")
    return difference.kind == "separator" and more and (difference.theirs.count("\n") > 2 or _has_break(page, difference))


def _is_gap(page: Evidence, difference: Difference) -> bool:
    """An element without text, or one that was removed, stands whole between the words; the reference leaves no trace of it."""
    if difference.kind != "separator" or difference.theirs.count("\n") >= max(difference.ours.count("\n"), 1):
        return False
    start, stop = difference.between
    outline = page.outline
    for entry in outline.stream[start:stop]:
        if isinstance(entry, str) or entry < 0 or outline.stops[entry] > stop or outline.tags[entry] in ("br", "img"):
            continue
        if entry in page.taken_out or outline.tags[entry] not in TRANSPARENT_TAGS:
            return True
    return False


def _is_comment(page: Evidence, difference: Difference) -> bool:
    """The words stand in what the reference's pattern takes for a comment, and the parser does not."""
    if difference.kind != "ours" or difference.is_image or difference.piece is None:
        return False
    entry = page.outline.stream[difference.piece.place]
    words = str(entry).strip()[:60]
    spans = [m for m in _COMMENT_OF_REFERENCE.finditer(page.reading.html) if words in m[0]]
    return bool(spans) and all("</" in m[0] for m in spans) and words not in _COMMENT_OF_REFERENCE.sub("", page.reading.html)


def _is_parser_matter(page: Evidence, difference: Difference) -> bool:
    """The reference's parser keeps `</>` as text; by the HTML Standard it is nothing (13.2.5.7, missing-end-tag-name)."""
    return difference.kind == "reference" and "</>" in difference.text and "</>" in page.reading.html


PREDICATES: tuple[tuple[str, Callable[[Evidence, Difference], bool]], ...] = (
    ("majority-guard", _is_guarded),
    ("boundary", _is_boundary),
    ("unicode-space", _is_unicode_space),
    ("class-token", _is_token_matter),
    ("figure-picture", _is_in_container),
    ("comment-parse", _is_comment),
    ("url-chars", _is_url_refused),
    ("url-valid", _is_host_refused),
    ("lazy-first", _is_lazy),
    ("url-resolve", _is_made_into_path),
    ("br-forms", _is_break_form),
    ("newline-cap", _is_newline_sum),
    ("gap", _is_gap),
    ("parser", _is_parser_matter),
)
"""In order; the first that holds names the difference."""


def explain(page: Evidence, difference: Difference) -> str | None:
    """The fix that a difference is owed to, or None."""
    return next((fix for fix, holds in PREDICATES if holds(page, difference)), None)


def find_differences(reading: PageReading, reference: list[Token]) -> Iterator[Difference]:
    """All differences of two readings of a page, in order: words, images, and separators between words that both have."""
    ours = reading.tokens
    plain = [token.text if token.is_image else INVISIBLE.sub("", token.text) for token in reference]
    places = _Places(reading)
    first = second = 0
    for start, other, length in [*matches(plain, [token.text for token in ours]), (len(plain), len(ours), 0)]:
        theirs, mine = reference[first:start], ours[second:other]
        yield from _in_gap(reading, places, theirs, mine)
        for number in range(length):
            token, own = reference[start + number], ours[other + number]
            if token.text != own.text and not token.is_image:
                yield Difference("reference", len(token.text) - len(own.text), token.text, reading.pieces[own.pieces[0]])
            # The first separator after words that differ belongs to them.
            follows_match = number > 0 or not (theirs or mine)
            if token.separator != own.separator and follows_match and other + number > 0 and token.separator and own.separator:
                yield _separator(reading, other + number, token.separator)
        first, second = start + length, other + length


def _in_gap(reading: PageReading, places: _Places, theirs: list[Token], mine: list[Token]) -> Iterator[Difference]:
    """What differs between two matches. The same letters in other words are differences of separators alone."""
    while theirs and mine:
        run = _same_letters(theirs, mine)
        if run is None:
            break
        yield from _glued(reading, theirs[: run[0]], mine[: run[1]])
        theirs, mine = theirs[run[0] :], mine[run[1] :]
    for token in theirs:
        piece = places.find(INVISIBLE.sub("", token.text) if not token.is_image else token.text)
        yield Difference("reference", 1 if token.is_image else len(token.text), token.text, piece)
    for token in mine:
        yield Difference("ours", 1 if token.is_image else len(token.text), token.text, reading.pieces[token.pieces[0]])


def _same_letters(theirs: list[Token], mine: list[Token]) -> tuple[int, int] | None:
    """How many tokens of each, from the start, have the same letters; None when there is no such beginning."""
    first, second = INVISIBLE.sub("", theirs[0].text), mine[0].text
    i = j = 1
    while first != second:
        if len(first) < len(second) and second.startswith(first) and i < len(theirs):
            first += INVISIBLE.sub("", theirs[i].text)
            i += 1
        elif len(second) < len(first) and first.startswith(second) and j < len(mine):
            second += mine[j].text
            j += 1
        else:
            return None
    return i, j


def _glued(reading: PageReading, theirs: list[Token], mine: list[Token]) -> Iterator[Difference]:
    """The edges between words that only one of two sequences of the same letters has."""
    edges: list[dict[int, Token]] = []
    for tokens in (theirs, mine):
        at, found = 0, {}
        for token in tokens:
            found[at] = token
            at += len(token.text if token.is_image else INVISIBLE.sub("", token.text))
        edges.append(found)
    numbers = {id(token): number for number, token in enumerate(reading.tokens)} if len(theirs) + len(mine) > 2 else {}
    for at in sorted(edges[0].keys() ^ edges[1].keys()):
        if at in edges[1]:
            yield _separator(reading, numbers[id(edges[1][at])], "")
        else:
            inside = max(start for start in edges[1] if start < at)
            token = edges[1][inside]
            piece = reading.pieces[token.pieces[0]]
            last = reading.pieces[token.pieces[1] - 1]
            yield Difference("separator", 1, token.text, piece, (piece.place, last.place), "", edges[0][at].separator)


def _separator(reading: PageReading, number: int, theirs: str) -> Difference:
    """The separator before our token `number`."""
    before, token = reading.tokens[number - 1], reading.tokens[number]
    start, stop = reading.pieces[before.pieces[1] - 1], reading.pieces[token.pieces[0]]
    words = f"{start.text}\x00{stop.text}"
    return Difference("separator", 1, words, stop, (start.place + 1, stop.place), token.separator, theirs)


class _Places:
    """Where words of the reference stand on the page, among what our rules took out: after the last place found, else anywhere.

    What went by its tag is left aside: the reference removes the same tags.
    """

    def __init__(self, reading: PageReading) -> None:
        self._taken = [piece for piece in reading.pieces if piece.rule not in (None, "tag")]
        self._starts: list[int] = []
        at = 0
        for piece in self._taken:
            self._starts.append(at)
            at += len(piece.text) + (2 if piece.text.startswith(IMAGE_MARK) else 0)
        self._letters = "".join(f"{p.text}\x00\x00" if p.text.startswith(IMAGE_MARK) else p.text for p in self._taken)
        self._last = 0

    def find(self, text: str) -> Piece | None:
        """The piece that a word begins in; words of several pieces are found too. Images end where they end."""
        from bisect import bisect_right

        wanted = f"{text}\x00\x00" if text.startswith(IMAGE_MARK) else text
        at = self._letters.find(wanted, self._last)
        if at < 0:
            at = self._letters.find(wanted)
        if at < 0 or not text:
            return None
        self._last = at
        return self._taken[bisect_right(self._starts, at) - 1]
