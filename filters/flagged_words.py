"""Flagged words: which words of a text are covered by the entries of a list (filters.md 2.3, models.md 4).

    entry            matches                       counts
    one word         that word                     1
    several words    the same words in a row       each of them
    今天 or ภาษา        itself anywhere in the text   the words it is split into

A list of a few entries says nothing about a text, so one of under 20 is no list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from filters.characters import UNSPACED_LETTER, compose
from filters.words import words

MIN_ENTRIES = 20
FOLDER = "flagged_words"


@dataclass(frozen=True)
class FlaggedWords:
    """A list, made ready for counting.

    sequences: of each entry its words, by the first of them. pattern: finds the entries of scripts without spaces, longest first;
    None without such an entry. lengths: the words of each of these.
    """

    sequences: dict[str, tuple[tuple[str, ...], ...]]
    pattern: re.Pattern[str] | None
    lengths: dict[str, int]

    def covered(self, text_words: Sequence[str], text: str) -> int:
        """How many of the words of a text are covered. text: the same text in normal form C, without joiners."""
        covered: set[int] = set()
        for start in [start for start, word in enumerate(text_words) if word in self.sequences]:
            for sequence in self.sequences[text_words[start]]:
                if len(sequence) == 1 or tuple(text_words[start : start + len(sequence)]) == sequence:
                    covered.update(range(start, start + len(sequence)))
        count = len(covered)
        if self.pattern is not None:
            count += sum(self.lengths[found] for found in self.pattern.findall(_folded(text)))
        return min(count, len(text_words))


def compile_entries(entries: Iterable[str]) -> FlaggedWords | None:
    """Makes a list ready; None under 20 entries that have a word. Entries without one, such as an emoji, match nothing."""
    sequences: dict[str, set[tuple[str, ...]]] = {}
    lengths: dict[str, int] = {}
    for entry in set(entries):
        parts = tuple(words(entry))
        if not parts:
            continue
        if UNSPACED_LETTER.search(entry):
            lengths[_folded(compose(entry.strip()))] = len(parts)
        else:
            sequences.setdefault(parts[0], set()).add(parts)
    if len(lengths) + sum(map(len, sequences.values())) < MIN_ENTRIES:
        return None
    longest_first = sorted(lengths, key=lambda entry: (-len(entry), entry))
    pattern = re.compile("|".join(map(re.escape, longest_first))) if lengths else None
    return FlaggedWords({first: tuple(sorted(found)) for first, found in sequences.items()}, pattern, lengths)


@cache
def flagged_words(language: str | None) -> FlaggedWords | None:
    """The list of a language (the model's code), read once a process; None when there is none."""
    entries = _lists().get(f"{language}.json")
    return None if entries is None else compile_entries(entries)


@cache
def _lists() -> dict[str, list[str]]:
    """All lists by file name."""
    folder = files("filters") / "lists" / FOLDER
    return {entry.name: json.loads(entry.read_text(encoding="utf-8")) for entry in folder.iterdir() if entry.name.endswith(".json")}


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'")
