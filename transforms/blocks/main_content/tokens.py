"""What the names that authors give to elements say: `footer`, `richtext` and thousands more, with learned scores.

The names are conventions of the web, the same in pages of all languages (main_content.md 3.1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import TypeVar

from transforms.blocks.flat import Attributes

ATTRIBUTES = frozenset({"class", "id", "role", "itemprop", "data-testid"})
LABELLED = frozenset({"nav", "aside", "section", "div", "ul"})
MOST_NAMES = 12
LONGEST_WHOLE = 40
LONGEST_NAME = 200
SHORTEST_PART, LONGEST_PART = 2, 24
ElementScore = tuple[float, float, float]
Scores = tuple[float, int, float, float]  # sum, number, least, greatest
Found = TypeVar("Found")
NOTHING: Scores = (0.0, 0, inf, -inf)
_WITH_LABEL = ATTRIBUTES | {"aria-label"}
_MOST_REMEMBERED = 50_000
_LONGEST_REMEMBERED = 1_000
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def telling_values(tag: str, attributes: Attributes) -> list[str]:
    """The values of an element's attributes that have names in them."""
    names = _WITH_LABEL if tag in LABELLED else ATTRIBUTES
    return [value for name, value in attributes.items() if name in names and value]


def value_names(value: str) -> list[str]:
    """The first 12 names of a value, as written; those of over 200 characters say nothing."""
    names = value.split(None, MOST_NAMES)[:MOST_NAMES]
    return names if len(value) <= LONGEST_NAME else [name for name in names if len(name) <= LONGEST_NAME]


def name_tokens(name: str) -> list[str]:
    """The tokens of one name: itself after `=`, and its parts.

    >>> name_tokens("siteFooter-nav")
    ['=sitefooter-nav', 'site', 'footer', 'nav']
    """
    lowered = name.lower()
    parts = [part for part in _parts(name, lowered) if SHORTEST_PART <= len(part) <= LONGEST_PART]
    return ["=" + lowered, *parts] if len(lowered) <= LONGEST_WHOLE else parts


def _parts(name: str, lowered: str) -> list[str]:
    parted = lowered if lowered == name else _HUMP.sub("-", name).lower()
    return parted.replace("_", "-").split("-")


class TokenScores:
    """A table of learned scores. Values, and the names in them, are looked up once and remembered, in bounded memory."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._scores = scores
        self._values: dict[str, tuple[Scores, ElementScore | None]] = {}
        self._names: dict[str, Scores] = {}

    def element_scores(self, elements: Sequence[Sequence[str]]) -> list[ElementScore | None]:
        """Mean, least and greatest score of the tokens of each element, given by its telling values; None where none has one."""
        known = self._values
        found: list[ElementScore | None] = []
        for values in elements:
            if len(values) == 1:  # as for most
                found.append((known.get(values[0]) or self._look_up(values[0]))[1])
                continue
            scores, score = NOTHING, None
            for value in values:
                own, alone = known.get(value) or self._look_up(value)
                if own is not NOTHING:
                    if scores is NOTHING:
                        scores, score = own, alone
                    else:
                        scores = _together(scores, own)
                        score = _element_score(scores)
            found.append(score)
        return found

    def _look_up(self, value: str) -> tuple[Scores, ElementScore | None]:
        scores = NOTHING
        known = self._names
        for name in value_names(value):
            own = known.get(name) or self._score_name(name)
            if own is not NOTHING:
                scores = own if scores is NOTHING else _together(scores, own)
        found = scores, _element_score(scores)
        if len(value) <= _LONGEST_REMEMBERED:
            _remember(self._values, value, found)
        return found

    def _score_name(self, name: str) -> Scores:
        lowered = name.lower()
        # As most names are: none of their parts is too long, and one that is too short is in no table.
        is_short = len(lowered) <= LONGEST_PART
        table = self._scores
        total, number, least, most = NOTHING
        for token in ("=" + lowered, *_parts(name, lowered)) if is_short else name_tokens(name):
            score = table.get(token)
            if score is not None:
                total += score
                number += 1
                if score < least:
                    least = score
                if score > most:
                    most = score
        found = (total, number, least, most) if number else NOTHING
        _remember(self._names, name, found)
        return found


def _together(first: Scores, second: Scores) -> Scores:
    total, number, least, most = first
    other_total, other_number, other_least, other_most = second
    return (
        total + other_total,
        number + other_number,
        other_least if other_least < least else least,
        other_most if other_most > most else most,
    )


def _element_score(scores: Scores) -> ElementScore | None:
    total, number, least, most = scores
    return (total / number, least, most) if number else None


def _remember(known: dict[str, Found], key: str, found: Found) -> None:
    if len(known) >= _MOST_REMEMBERED:
        known.clear()
    known[key] = found
