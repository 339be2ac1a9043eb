"""Merging of neighbouring texts by the strongest separator between them (obelics.md 4.1 to 4.3).

A *run* is the text between two structural boundaries, with the path of elements it stands in. Two neighbouring runs are joined by
the strongest of: what the first ends with, what the second starts with, and the separators of all elements that close after the
first or open before the second.

    run 1  body div h1          "Heading"
    run 2  body div p           " p-inner "
                    ^ after the last common element: h1 and p, both a blank line
    ->     "Heading\\n\\np-inner"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from transforms.records import Separator

STRENGTH: tuple[Separator, ...] = ("", " ", "\n", "\n\n")
"""Separators from weak to strong."""

_SEPARATED_TAGS: Mapping[Separator, str] = {
    "\n\n": "blockquote dl h1 h2 h3 h4 h5 h6 ol p ul",
    "\n": "address article aside center dd div dt figcaption figure hgroup legend main marquee section summary",
}
TAG_SEPARATORS: Mapping[str, Separator] = {tag: separator for separator, tags in _SEPARATED_TAGS.items() for tag in tags.split()}
"""The separator that entering or leaving an element induces (obelics.md section 2); tags not listed induce none."""

_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]")
_SPACES_IN_LINE = re.compile(r"[^\S\n]+")
_LINE_BREAKS = re.compile(r" ?\n[ \n]*")


@dataclass(frozen=True, slots=True)
class Run:
    """A text and the elements around it, outermost first, each step unique among its siblings (`p`, `div[2]`).

    Line breaks in `text` mean `<br>`; white space of the source must have become spaces.
    """

    text: str
    path: tuple[str, ...]


@dataclass(slots=True)
class TextMerger:
    """Collects texts and joins each to the one before by the strongest separator seen in between."""

    _pieces: list[str] = field(default_factory=list)
    pending: int = 0
    """Strength of the strongest separator since the last word."""

    def separate(self, separator: Separator) -> None:
        """Notes a separator after the last text; the strongest noted one is written before the next text."""
        self.pending = max(self.pending, STRENGTH.index(separator))

    def append(self, text: str) -> Separator | None:
        """Adds a normalised text; white space at its ends counts as separators.

        Returns the separator written before it, none before the first; None when it is blank and nothing was written.
        """
        body = text.strip(" \n")
        if body is not text and (start := _separator_in(text[: len(text) - len(text.lstrip(" \n"))])):
            self.separate(start)
        if not body:
            return None
        written: Separator = ""
        if self._pieces:
            written = STRENGTH[self.pending]
            self._pieces.append(written)
        self._pieces.append(body)
        self.pending = 0
        if body is not text and (end := _separator_in(text[len(text.rstrip(" \n")) :])):
            self.separate(end)
        return written

    def text(self) -> str:
        """The merged text without outer white space."""
        return "".join(self._pieces)


def merge_runs(runs: Iterable[Run], tag_separators: Mapping[str, Separator] = TAG_SEPARATORS) -> Run:
    """One run made of all, with the path of the last; its text is empty when no run has any.

    Linear in characters plus path steps.

    >>> merge_runs([Run("a", ("body", "div")), Run("b", ("body", "div[2]"))]).text
    'a\\nb'
    """
    merger = TextMerger()
    path: tuple[str, ...] | None = None
    for run in runs:
        if path is not None:
            shared = _common_length(path, run.path)
            for step in (*path[shared:], *run.path[shared:]):
                merger.separate(tag_separators.get(step.partition("[")[0], ""))
        path = run.path
        merger.append(normalise_text(run.text))
    return Run(merger.text(), path or ())


def normalise_text(text: str) -> str:
    """White space as obelics.md 4.1 and 4.2 want it: one space for any run of it, invisible characters gone, line breaks kept.

    A line break takes the spaces around it along; two or more in a row are one blank line. One space or break may stay at each
    end. U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
    """
    text = _SPACES_IN_LINE.sub(" ", _INVISIBLE.sub("", text))
    return _LINE_BREAKS.sub(lambda match: "\n\n" if match[0].count("\n") > 1 else "\n", text)


def _separator_in(white_space: str) -> Separator:
    breaks = white_space.count("\n")
    return "\n\n" if breaks > 1 else "\n" if breaks else " " if white_space else ""


def _common_length(first: Sequence[str], second: Sequence[str]) -> int:
    length = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        length += 1
    return length
