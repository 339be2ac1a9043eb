"""The page as flat lists: what one walk over the tree leaves for all later rules to read.

    <div>Tea <b>or</b><p>milk</p></div>

    texts    "Tea "  "or"  " "  "milk"  " "        the words in document order; BREAK for <br>, SPACE where blocks meet
    marks        1:b    2:/b                       inline elements that Markdown marks, at their place in texts
    cuts    0:div          3:p    5:/p  5:/div     elements that are emitted on their own, if they hold text
    pins                                           images and embeds

The text of any stretch is a join of a slice, an element's descendants are a range of numbers, and an element without text has
left no cut and no mark. So no rule looks at a tree, and none reads a text twice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from transforms.blocks.context import Context, Widgets

SPACE = " "
# White space for str.split, so that flattening needs no extra step, and no character that a text is written with.
BREAK = "\x1c"
OUTSIDE = -1

Attributes = dict[str, str | None]


# Where an element that is emitted on its own begins or, with role CLOSE, ends:
# role, element, place in texts, place in marks, place in pins, context inside.
Cut = tuple[int, int, int, int, int, Context]
# Where an inline element begins, or with `~element` ends: place in texts, element.
Mark = tuple[int, int]
# An image or embed: place in texts, element, context.
Pin = tuple[int, int, Context]
# Where a block's text is: its element, and the range in texts it was read from. Pieces of one stretch share its range.
Origin = tuple[int, int, int]


@dataclass
class Code:
    """What a `<pre>` or an editor in the page holds. An editor draws only the part in view."""

    text: str
    language: str | None
    is_editor: bool = False


@dataclass
class MediaSources:
    """What stands in an embed beside its own attributes: the first source and the text tracks, as written."""

    source: str | None
    tracks: list[str]


@dataclass
class Flat:
    """Elements by number, in document order; `ends[e]` is one past the last descendant of e."""

    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    attributes: list[Attributes] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # place in texts
    stops: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=lambda: [SPACE])
    marks: list[Mark] = field(default_factory=list)
    pins: list[Pin] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    matches: list[int] = field(default_factory=list)  # for each cut the number of its other end
    codes: dict[int, Code] = field(default_factory=dict)
    formulas: list[tuple[int, str]] = field(default_factory=list)  # <math> elements and their LaTeX
    noscript_words: int = 0
    noscript_images: list[tuple[int, int]] = field(default_factory=list)  # <img> elements and their <noscript>
    head_ends_in_noscript: bool = False
    media: dict[int, MediaSources] = field(default_factory=dict)
    backgrounds: dict[int, str] = field(default_factory=dict)  # elements and the image behind them, as written
    # Fallback content of an embed is read apart, after all else: its range of cuts, and where its elements begin.
    fallbacks: dict[int, tuple[int, int]] = field(default_factory=dict)
    fallback_elements: dict[int, int] = field(default_factory=dict)
    widgets: Widgets = field(default_factory=Widgets)
    removed: Counter[str] = field(default_factory=Counter)
    title: str | None = None
    base_href: str | None = None
    metas: dict[str, str] = field(default_factory=dict)  # what the page says of itself, by the names of META_NAMES
    linked_data: list[str] = field(default_factory=list)  # JSON-LD as written

    def children(self, element: int) -> list[int]:
        """Element children in document order."""
        found: list[int] = []
        ends = self.ends
        child, end = element + 1, ends[element]
        while child < end:
            found.append(child)
            child = ends[child]
        if element in self.fallback_elements:
            child = self.fallback_elements[element]
            while child < len(self.tags) and self.parents[child] == element:
                found.append(child)
                child = ends[child]
        return found

    def text(self, begin: int, end: int) -> str:
        """The raw text between two places, line breaks as BREAK."""
        return "".join(self.texts[begin:end])
