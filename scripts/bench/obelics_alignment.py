"""Two readings of one page as tokens, and which tokens are the same: what the parity report counts with (obelics.md 9).

A token is a word or an image, with the separator that stands before it. Ours know the pieces of the page they were made of; those
of the reference are found on the page by what stands between two tokens that both have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from transforms.blocks.links import PageUrls
from transforms.documents.obelics_images import URL_ATTRIBUTES, OutlineImages
from transforms.html.outline import BODY, Outline, read_outline
from transforms.html.simplify import BOUNDARY, DATE, PICTURE, SEPARATOR, TEXT, Simplified, class_flags, simplify
from transforms.html.simplify_tags import EMBEDS, TRANSPARENT_TAGS, ObelicsConfig
from transforms.html.text_merge import STRENGTH
from transforms.html.tree import LexborHTMLParser

INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]")
_TOKENS = re.compile(r"(\s*)(\S+)")
# White space or a comma, and `data:` in front.
_REFUSED_BY_REFERENCE = re.compile(r"[,\s]|\Adata:")
IMAGE_MARK = "\x00"
# A gap between two anchors that is compared token by token; a larger one has nothing in common that is worth finding.
MOST_PAIRS = 6_000_000
# In the order in which the reference looks for an image's source.
REFERENCE_ATTRIBUTES = (*URL_ATTRIBUTES[:4], "srcset", *URL_ATTRIBUTES[4:])


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, or part of one, or an image, where it stands on the page. rule: what took it out; None when it is in our document."""

    text: str
    element: int
    place: int
    rule: str | None


@dataclass(frozen=True, slots=True)
class Token:
    """A word or image of a reading.

    separator: before it, as written. pieces: half-open range in `PageReading.pieces`; ours only.
    """

    text: str
    separator: str
    pieces: tuple[int, int] = (0, 0)

    @property
    def is_image(self) -> bool:
        return self.text.startswith(IMAGE_MARK)


@dataclass
class PageReading:
    """Everything that stands on a page, and what our profile makes of it. guarded: elements that the majority guard spared."""

    html: str
    outline: Outline
    simplified: Simplified
    images: OutlineImages
    pieces: list[Piece] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)


def read_ours(html: str, tree: LexborHTMLParser, url: str) -> PageReading:
    """Our reading of a page."""
    outline = read_outline(tree)
    base = tree.css_first("base[href]")
    images = OutlineImages(outline, PageUrls(url, base.attributes.get("href") if base is not None else None))
    reading = PageReading(html, outline, simplify(outline, ObelicsConfig()), images)
    reading.pieces.extend(_pieces(reading))
    reading.tokens.extend(_our_tokens(reading))
    return reading


def image_key(outline: Outline, image: int) -> str:
    """What the reference takes as the source of an image: its first attribute with a value that its URL pattern knows."""
    attributes = outline.attributes[image]
    values = [value for name in REFERENCE_ATTRIBUTES if (value := attributes.get(name))]
    return IMAGE_MARK + next((value for value in values if not _REFUSED_BY_REFERENCE.search(value)), values[0] if values else "")


def _pieces(reading: PageReading) -> Iterator[Piece]:
    outline = reading.outline
    rules = dict(reading.simplified.taken_out)
    rule_of_open: list[str | None] = [None]
    open_elements = [BODY]
    for place, entry in enumerate(outline.stream):
        if isinstance(entry, str):
            rule = rule_of_open[-1] or ("date" if _is_dated(reading, open_elements[-1]) else None)
            for word in entry.split():
                yield Piece(word, open_elements[-1], place, rule)
        elif entry >= 0:
            rule = rule_of_open[-1] or rules.get(entry)
            if rule is None and outline.tags[entry] in EMBEDS:
                rule = "media"
            if outline.tags[entry] == "img":
                unusable = None if reading.images.source(entry) is not None else "image-url"
                yield Piece(image_key(outline, entry), entry, place, rule or unusable)
            if outline.stops[entry] > place + 1:
                open_elements.append(entry)
                rule_of_open.append(rule)
        else:
            open_elements.pop()
            rule_of_open.pop()


def _is_dated(reading: PageReading, element: int) -> bool:
    outline = reading.outline
    while outline.tags[element] in TRANSPARENT_TAGS and element not in reading.simplified.spared:
        element = outline.parents[element]
    look = outline.attributes[element].get("class")
    return bool(outline.tags[element] == "div" and look and class_flags(look) & DATE and element not in reading.simplified.spared)


def _our_tokens(reading: PageReading) -> Iterator[Token]:
    kept = [number for number, piece in enumerate(reading.pieces) if piece.rule is None]
    position = 0
    pending, after_word = 0, False
    token: Token | None = None
    for kind, value, element in reading.simplified.items:
        if kind == SEPARATOR:
            pending = max(pending, int(value))
        elif kind == BOUNDARY:
            pending = 3
        elif kind == PICTURE and reading.images.source(element) is not None:
            if token is not None:
                yield token
            token = Token(reading.pieces[kept[position]].text, "", (kept[position], kept[position] + 1))
            position += 1
            pending, after_word = 0, False
        elif kind == TEXT:
            text = str(value)
            if text[0] == " ":
                pending = max(pending, 1)
            for number, word in enumerate(text.split()):
                at = kept[position]
                position += 1
                if number == 0 and not pending and after_word and token is not None:
                    token = Token(token.text + word, token.separator, (token.pieces[0], at + 1))
                    continue
                if token is not None:
                    yield token
                token = Token(word, (STRENGTH[pending] if after_word else "") if number == 0 else " ", (at, at + 1))
                after_word = True
            if text != " ":
                pending = int(text[-1] == " ")
    if token is not None:
        yield token
    assert position == len(kept), (position, len(kept))


def reference_tokens(nodes: Sequence[Mapping[str, Any]]) -> list[Token]:
    """The reference's reading, from its row. Separators before the first word of a text are dropped."""
    tokens: list[Token] = []
    for node in nodes:
        if node["kind"] == "image":
            tokens.append(Token(IMAGE_MARK + (node["unformatted_src"] or ""), ""))
            continue
        for number, match in enumerate(_TOKENS.finditer(node["text"])):
            tokens.append(Token(match[2], match[1] if number else ""))
    return tokens


def matches(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[int, int, int]]:
    """Runs of equal items in order, `(start in first, start in second, length)`: by items unique in both, then in between."""
    found: list[tuple[int, int, int]] = []
    todo = [(0, len(first), 0, len(second))]
    while todo:
        a, a_end, b, b_end = todo.pop()
        start = a
        while a < a_end and b < b_end and first[a] == second[b]:
            a, b = a + 1, b + 1
        if a > start:
            found.append((start, b - (a - start), a - start))
        stop = a_end
        while a < a_end and b < b_end and first[a_end - 1] == second[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
        if stop > a_end:
            found.append((a_end, b_end, stop - a_end))
        if a == a_end or b == b_end:
            continue
        anchors = _unique_in_both(first, a, a_end, second, b, b_end)
        if anchors:
            for at, other in [*anchors, (a_end, b_end)]:
                todo.append((a, at, b, other))
                a, b = at, other
        elif (a_end - a) * (b_end - b) <= MOST_PAIRS:
            matcher = SequenceMatcher(None, first[a:a_end], second[b:b_end], autojunk=False)
            found += [(a + i, b + j, n) for i, j, n in matcher.get_matching_blocks() if n]
    return sorted(found)


def _unique_in_both(
    first: Sequence[Hashable], a: int, a_end: int, second: Sequence[Hashable], b: int, b_end: int
) -> list[tuple[int, int]]:
    """The longest rising chain of items that occur once in either range."""
    from bisect import bisect_left

    counts, other_counts = Counter(first[a:a_end]), Counter(second[b:b_end])
    places = {second[j]: j for j in range(b, b_end) if other_counts[second[j]] == 1}
    pairs = [(i, places[first[i]]) for i in range(a, a_end) if counts[first[i]] == 1 and first[i] in places]
    ends: list[int] = []
    lasts: list[int] = []
    before = [-1] * len(pairs)
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before[number] = lasts[at - 1] if at else -1
        if at == len(ends):
            ends.append(j)
            lasts.append(number)
        else:
            ends[at], lasts[at] = j, number
    chain = []
    number = lasts[-1] if lasts else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    chain.reverse()
    # A chain that begins where the range does would give the same range again.
    return [pair for pair in chain if pair != (a, b)]
