"""What the `obelics` profile does with an element by its tag, as tables (obelics.md 2, 4.4), and the settings of the profile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from transforms.html.text_merge import STRENGTH, TAG_SEPARATORS
from transforms.records import Separator


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRANSPARENT_TAGS = _names(
    """a abbr acronym b bdi bdo big cite code data dfn em font i ins kbd mark q s samp shadow small span strike strong sub sup time
    tt u var wbr"""
)
STRUCTURE_WITHOUT_SEPARATOR = _names("blink body caption h html title picture")
EMBEDS = _names("audio embed iframe object video")
# They render nothing, so they separate nothing (4.4).
SILENT_TAGS = _names("head link meta script source style template")
# Removed, and a block to a browser (HTML Standard, 15.3): a line break between what stands around it. All others: a space.
REMOVED_BLOCKS = _names(
    """col colgroup details dialog dir fieldset footer form frame frameset header hr li listing menu nav noframes optgroup option
    plaintext pre search table tbody td tfoot th thead tr xmp"""
)
# The majority guard never makes a `div` of these (section 3).
NEVER_GUARDED = _names("noscript textarea select button svg")
# Nothing in them is for a reader, and a title is a field of the document: `keep_tags` refuses them.
NEVER_KEPT = SILENT_TAGS

# What to do with an element: a number below TRANSPARENT means a structure element with a separator of that strength, one of
# REMOVED and above an element that is removed with content and leaves a separator of strength `action - REMOVED`.
TRANSPARENT, LINE_BREAK, IMAGE, EMBED, REMOVED = 4, 5, 6, 7, 16
SPACE_STRENGTH, LINE_STRENGTH, BLANK_LINE_STRENGTH = (STRENGTH.index(separator) for separator in (" ", "\n", "\n\n"))

SEPARATOR_NAMES: Mapping[str, Separator] = {"blank_line": "\n\n", "line_break": "\n", "space": " ", "none": ""}
"""How a configuration spells separators."""

_DIGITS = re.compile(r"\d+")


class Actions(dict[str, int]):
    """Actions by tag. A tag that is not listed is looked up again without its digits; an unknown one is removed (section 2)."""

    def __missing__(self, tag: str) -> int:
        return self.get(_DIGITS.sub("", tag), REMOVED + SPACE_STRENGTH)


_ACTIONS: Mapping[str, int] = {
    **dict.fromkeys(TRANSPARENT_TAGS, TRANSPARENT),
    **{tag: STRENGTH.index(separator) for tag, separator in TAG_SEPARATORS.items()},
    **dict.fromkeys(STRUCTURE_WITHOUT_SEPARATOR, 0),
    **dict.fromkeys(EMBEDS, EMBED),
    **dict.fromkeys(SILENT_TAGS, REMOVED),
    **dict.fromkeys(REMOVED_BLOCKS, REMOVED + LINE_STRENGTH),
    "br": LINE_BREAK,
    "img": IMAGE,
}


@dataclass(frozen=True)
class ObelicsConfig:
    """Settings of the `obelics` profile."""

    keep_tags: Mapping[str, str | None] = field(
        default_factory=dict,
        metadata={
            "help": "tags to read that the profile removes, each with the separator it induces: blank_line, line_break, space or "
            "none; such as {ul: blank_line, li: line_break}"
        },
    )
    boundary_text: str = field(
        default="END_OF_DOCUMENT_TOKEN_TO_BE_REPLACED",
        metadata={"help": "paragraph written where an excerpt ends (a `more-link`); empty: none"},
    )
    require_image: bool | None = field(
        default=None,
        metadata={"help": "drop a page without an image before any is looked up; null: as documents.require_image says"},
    )

    def __post_init__(self) -> None:
        for tag, separator in self.keep_tags.items():
            if separator not in SEPARATOR_NAMES:
                raise ValueError(
                    f"keep_tags.{tag}: {'no separator' if separator is None else repr(separator)} is not allowed; a tag that is "
                    f"kept needs the separator it induces: {', '.join(SEPARATOR_NAMES)}"
                )
            if tag != tag.lower() or tag in NEVER_KEPT or not _is_removed(tag):
                raise ValueError(
                    f"keep_tags.{tag}: not allowed; allowed are tags in lower case that the profile removes with content, such as "
                    f"li, table, form, header, but none of {', '.join(sorted(NEVER_KEPT))}"
                )

    def actions(self) -> Actions:
        """What to do with an element by its tag."""
        return _actions(tuple(sorted((tag, separator or "none") for tag, separator in self.keep_tags.items())))


@lru_cache(maxsize=8)
def _actions(kept: tuple[tuple[str, str], ...]) -> Actions:
    return Actions({**_ACTIONS, **{tag: STRENGTH.index(SEPARATOR_NAMES[name]) for tag, name in kept}})


def _is_removed(tag: str) -> bool:
    return Actions(_ACTIONS)[tag] >= REMOVED
