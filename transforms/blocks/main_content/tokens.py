"""What the names that authors give to elements say: `footer`, `richtext` and thousands more, with learned scores.

The names are conventions of the web, the same in pages of all languages (main_content.md 3.1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf

from transforms.blocks.flat import Attributes

ATTRIBUTES = frozenset({"class", "id", "role", "itemprop", "data-testid"})
LABELLED = frozenset({"nav", "aside", "section", "div", "ul"})
MOST_NAMES = 12
LONGEST_WHOLE = 40
LONGEST_NAME = 200
PART_LENGTHS = range(2, 25)
ElementScore = tuple[float, float, float]
NOTHING = (0.0, 0, inf, -inf)  # sum, number, least and greatest of no scores
_MOST_REMEMBERED = 50_000
_LONGEST_REMEMBERED = 1_000
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def telling_values(tag: str, attributes: Attributes) -> list[str]:
    """The values of an element's attributes that have names in them."""
    return [
        value for name, value in attributes.items() if value and (name in ATTRIBUTES or (name == "aria-label" and tag in LABELLED))
    ]


def value_names(value: str) -> list[str]:
    """The first 12 names of a value, as written; those of over 200 characters say nothing."""
    return [name for name in value.split(None, MOST_NAMES)[:MOST_NAMES] if len(name) <= LONGEST_NAME]


def name_tokens(name: str) -> list[str]:
    """The tokens of one name: itself after `=`, and its parts.

    >>> name_tokens("siteFooter-nav")
    ['=sitefooter-nav', 'site', 'footer', 'nav']
    """
    lowered = name.lower()
    parted = lowered if lowered == name else _HUMP.sub("-", name).lower()
    parts = [part for part in parted.replace("_", "-").split("-") if len(part) in PART_LENGTHS]
    return ["=" + lowered, *parts] if len(lowered) <= LONGEST_WHOLE else parts


class TokenScores:
    """A table of learned scores. Each value is looked up once and remembered, in bounded memory."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._scores = scores
        self._known: dict[str, tuple[float, int, float, float]] = {}

    def element_scores(self, elements: Sequence[Sequence[str]]) -> list[ElementScore | None]:
        """Mean, least and greatest score of the tokens of each element, given by its telling values; None where none has one."""
        known = self._known
        found: list[ElementScore | None] = []
        for values in elements:
            total, count, least, most = NOTHING
            for value in values:
                known_value = known.get(value)
                if known_value is None:
                    known_value = self._look_up(value)
                if known_value[1]:
                    total += known_value[0]
                    count += known_value[1]
                    least = min(least, known_value[2])
                    most = max(most, known_value[3])
            found.append((total / count, least, most) if count else None)
        return found

    def _look_up(self, value: str) -> tuple[float, int, float, float]:
        table = self._scores
        scores = [table[token] for name in value_names(value) for token in name_tokens(name) if token in table]
        found = (sum(scores), len(scores), min(scores), max(scores)) if scores else NOTHING
        if len(value) <= _LONGEST_REMEMBERED:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[value] = found
        return found
