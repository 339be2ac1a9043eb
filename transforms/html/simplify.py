"""The simplified page of the `obelics` profile: texts, separators and media in reading order (obelics.md 2 to 4).

One linear pass over a page's outline. "Removed" and "unwrapped" say what a reader sees; the tree stays as it is.

    <div>Tea <b>or</b><form>…</form><img src=a>   ->   SEPARATOR \\n  TEXT "Tea "  TEXT "or"  SEPARATOR \\n  IMAGE
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from transforms.html.outline import BODY, Outline
from transforms.html.simplify_tags import (
    BLANK_LINE_STRENGTH,
    EMBED,
    IMAGE,
    LINE_BREAK,
    LINE_STRENGTH,
    NEVER_GUARDED,
    REMOVED,
    SPACE_STRENGTH,
    TRANSPARENT,
    ObelicsConfig,
)

# Kinds of item: (TEXT, normalised text, element), (SEPARATOR, strength, element), (PICTURE | MEDIA | BOUNDARY, 0, element).
# The element of a text is the innermost one that is not transparent.
TEXT, SEPARATOR, PICTURE, MEDIA, BOUNDARY = range(5)
Item = tuple[int, "str | int", int]

# What a class attribute says, as bits.
FURNITURE, MORE_LINK, FURNITURE_DIV, DATE = 1, 2, 4, 8
FURNITURE_DIV_NAMES = frozenset({"footer", "header", "navigation", "nav", "navbar", "menu"})
_CLASS_TOKENS = {
    "footer": FURNITURE,
    "site-info": FURNITURE,
    "more-link": MORE_LINK,
}
_TOKEN_PARTS = re.compile("[-_]")
MOST_CACHED = 500  # characters of a class attribute that is worth remembering


@dataclass
class Simplified:
    """What is left of a page.

    removed: visible characters taken out, by rule of section 3. taken_out: the elements that went with their content, each with
    its rule. spared: those that the majority guard kept.
    """

    outline: Outline
    items: list[Item] = field(default_factory=list)
    removed: Counter[str] = field(default_factory=Counter)
    taken_out: list[tuple[int, str]] = field(default_factory=list)
    spared: list[int] = field(default_factory=list)


def simplify(outline: Outline, config: ObelicsConfig) -> Simplified:
    """Applies the rules on elements while walking down; the first that matches an element decides (section 3)."""
    page = Simplified(outline)
    items, removed = page.items, page.removed
    stream, stops, tags, all_attributes, characters = (
        outline.stream,
        outline.stops,
        outline.tags,
        outline.attributes,
        outline.characters,
    )
    actions = config.actions()
    half = characters[BODY] / 2
    strengths: dict[int, int] = {}  # of open elements that separate
    stack: list[tuple[int, bool]] = []
    block, dated = BODY, False  # the innermost open structure element, and whether its own texts are a date
    breaks = 0  # line breaks since the last word or boundary of this run
    place, end = 0, len(stream)
    while place < end:
        piece = stream[place]
        place += 1
        if isinstance(piece, str):
            if dated:
                removed["date"] += len(piece.strip(" "))
                piece = " "
            elif piece != " ":
                breaks = 0
            items.append((TEXT, piece, block))
            continue
        if piece < 0:
            element = ~piece
            strength = strengths.get(element)
            if strength is not None:
                if strength:
                    items.append((SEPARATOR, strength, element))
                breaks = 0
                block, dated = stack.pop()
            continue

        element = piece
        tag = tags[element]
        action = actions[tag]
        attributes = all_attributes[element]
        rule = "tag" if action >= REMOVED else None
        flags = 0
        if attributes and rule is None:
            if look := attributes.get("class"):
                flags = class_flags(look)
            if flags & FURNITURE:
                rule = "furniture-class"
            elif flags & MORE_LINK:
                removed["more-link"] += characters[element]
                page.taken_out.append((element, "more-link"))
                items.append((BOUNDARY, 0, element))
                place, breaks = stops[element], 0
                continue
            elif tag == "div" and (flags & FURNITURE_DIV or attributes.get("id") in FURNITURE_DIV_NAMES):
                rule = "furniture-div"
        if rule is not None:
            if characters[element] > half and tag not in NEVER_GUARDED:
                page.spared.append(element)
                action, flags = LINE_STRENGTH, 0
            else:
                removed[rule] += characters[element]
                page.taken_out.append((element, rule))
                strength = _strength_of_removed(action)
                if strength:
                    items.append((SEPARATOR, strength, element))
                    if strength > SPACE_STRENGTH:
                        breaks = 0
                place = stops[element]
                continue

        if action < TRANSPARENT:
            if action:
                items.append((SEPARATOR, action, element))
            breaks = 0
            if stops[element] > place:
                strengths[element] = action
                stack.append((block, dated))
                block, dated = element, tag == "div" and bool(flags & DATE)
        elif action == LINE_BREAK:
            breaks += 1
            items.append((SEPARATOR, LINE_STRENGTH if breaks == 1 else BLANK_LINE_STRENGTH, element))
            place = stops[element]
        elif action == IMAGE:
            items.append((PICTURE, 0, element))
            place = stops[element]
        elif action == EMBED:
            items.append((MEDIA, 0, element))
            items.append((SEPARATOR, SPACE_STRENGTH, element))
            place, breaks = stops[element], 0
    return page


def _strength_of_removed(action: int) -> int:
    """The separator that an element leaves behind when it goes: a structure tag its own, a transparent one a space (4.4)."""
    if action >= REMOVED:
        return action - REMOVED
    return action if action < TRANSPARENT else LINE_STRENGTH if action == LINE_BREAK else SPACE_STRENGTH


def class_flags(look: str) -> int:
    """What the tokens of a class attribute mean to section 3, as bits."""
    return _cached_flags(look) if len(look) <= MOST_CACHED else _flags_of(look)


def _flags_of(look: str) -> int:
    flags = 0
    for token in look.split():
        flags |= _CLASS_TOKENS.get(token, 0)
        if token in FURNITURE_DIV_NAMES:
            flags |= FURNITURE_DIV
        if "date" in token and "date" in _TOKEN_PARTS.split(token):
            flags |= DATE
    return flags


_cached_flags = lru_cache(maxsize=8192)(_flags_of)
