"""Flagged words: which words of a text are covered by the entries of a list (filters.md 2.3, models.md 4).

    entry            matches                       counts
    one word         that word                     1
    several words    the same words in a row       each of them
    泥巴 or โคลน        itself anywhere in the text   the words it is split into
    泥               that word, as those above      itself

The last but one is for scripts without spaces, whose words are cut by a dictionary that does not know slang. A single character is
too much part of other words for it: the Chinese list has 性, which is in the words for possibility and importance.

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
    """Makes a list ready; None under 20 entries that have a letter. The others match nothing: `13.` would be any 13."""
    sequences: dict[str, set[tuple[str, ...]]] = {}
    lengths: dict[str, int] = {}
    for entry in set(entries):
        parts = tuple(words(entry))
        if not any(character.isalpha() for part in parts for character in part):
            continue
        folded = _folded(compose(entry.strip()))
        if len(folded) > 1 and UNSPACED_LETTER.search(folded):
            lengths[folded] = len(parts)
        else:
            sequences.setdefault(parts[0], set()).add(parts)
    if len(lengths) + sum(map(len, sequences.values())) < MIN_ENTRIES:
        return None
    longest_first = sorted(lengths, key=lambda entry: (-len(entry), entry))
    pattern = re.compile("|".join(map(re.escape, longest_first))) if lengths else None
    return FlaggedWords({first: tuple(sorted(found)) for first, found in sequences.items()}, pattern, lengths)


@cache
def shipped_flagged_words(language: str | None) -> FlaggedWords | None:
    """The list that ships for a language (the model's code), read once a process; None when there is none."""
    entries = _lists().get(f"{language}.json")
    return None if entries is None else compile_entries(entries)


@cache
def _lists() -> dict[str, list[str]]:
    """All lists by file name."""
    folder = files("filters") / "lists" / FOLDER
    return {entry.name: json.loads(entry.read_text(encoding="utf-8")) for entry in folder.iterdir() if entry.name.endswith(".json")}


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'")
