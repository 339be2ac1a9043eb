"""The word lists of `filters/lists`: one file a kind and language, words between white space, `#` starts a comment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

ListKind = Literal["common_words", "function_words", "spam_words"]


def word_list(kind: ListKind, language: str | None) -> frozenset[str] | None:
    """The list of a kind for a language (two-letter code), its words as `filters.words` gives them; None when there is none."""
    return _word_lists().get(f"{kind}.{language}.txt")


@cache
def _word_lists() -> Mapping[str, frozenset[str]]:
    """All lists by file name, read once a process."""
    entries = (entry for entry in (files("filters") / "lists").iterdir() if entry.name.count(".") == 2)
    return {entry.name: frozenset(_words(entry.read_text(encoding="utf-8"))) for entry in entries}


def _words(text: str) -> list[str]:
    return [word for line in text.splitlines() for word in line.partition("#")[0].split()]
