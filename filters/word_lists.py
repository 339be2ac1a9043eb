"""Word lists: those of `filters/lists`, one file a kind and language, and those that a run brings along.

A file has words between white space, `#` starts a comment. One of flagged words has an entry a line instead, since an entry may be
several words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from filters.flagged_words import MIN_ENTRIES, FlaggedWords, compile_entries, shipped_flagged_words
from filters.language_codes import normalize_language
from filters.words import words

ListKind = Literal["function_words", "common_words", "spam_words"]
LIST_KINDS: tuple[ListKind, ...] = get_args(ListKind)
STOPWORDSISO = "stopwordsiso"


@dataclass(frozen=True)
class ListsConfig:
    """Lists that a run brings along, by language; each takes the place of the one that ships."""

    function_words: Mapping[str, str | None] = field(
        default_factory=dict,
        metadata={"help": "language: a file for stop_word_ratio, or stopwordsiso, whose lists are long; null: none"},
    )
    common_words: Mapping[str, str | None] = field(
        default_factory=dict, metadata={"help": "language: a file for common_word_ratio; null: none"}
    )
    spam_words: Mapping[str, str | None] = field(
        default_factory=dict, metadata={"help": "language: a file for spam_word_ratio; null: none"}
    )
    flagged_words: Mapping[str, str | None] = field(
        default_factory=dict,
        metadata={"help": "language: a file for flagged_word_ratio, an entry a line; null: none"},
    )

    def __post_init__(self) -> None:
        for kind in fields(self):
            given = getattr(self, kind.name)
            object.__setattr__(self, kind.name, {normalize_language(language): name for language, name in given.items()})


SHIPPED = ListsConfig()


def word_list(kind: ListKind, language: str | None, config: ListsConfig = SHIPPED) -> frozenset[str] | None:
    """The list of a kind for a language (the model's code), its words as `filters.words` gives them; None when there is none.

    Raises ValueError for a list of the configuration that cannot be read; it names the remedy.
    """
    own: Mapping[str, str | None] = getattr(config, kind)
    if language is None or language not in own:
        return _shipped_lists().get(f"{kind}.{language}.txt")
    name = own[language]
    if name is None:
        return None
    return _package_list(language) if kind == "function_words" and name == STOPWORDSISO else _own_list(name)


def flagged_words(language: str | None, config: ListsConfig = SHIPPED) -> FlaggedWords | None:
    """The flagged words of a language; None when there are none. Raises as `word_list`."""
    if language is None or language not in config.flagged_words:
        return shipped_flagged_words(language)
    name = config.flagged_words[language]
    return None if name is None else _own_flagged_words(name)


def list_versions(config: ListsConfig) -> dict[str, str]:
    """The hashes of the lists of a configuration, which the measures depend on; reads each. Raises as `word_list`."""
    versions = {}
    for kind in fields(config):
        for language, name in sorted(getattr(config, kind.name).items()):
            if kind.name == "flagged_words":
                flagged_words(language, config)
            else:
                word_list(kind.name, language, config)  # type: ignore[arg-type]
            if name == STOPWORDSISO:
                versions[f"{kind.name} {language}"] = _digest(" ".join(sorted(_package_list(language))).encode())
            elif name is not None:
                versions[f"{kind.name} {language}"] = _digest(Path(name).read_bytes())
    return versions


@cache
def _shipped_lists() -> Mapping[str, frozenset[str]]:
    """All lists of the package by file name, read once a process."""
    entries = (entry for entry in (files("filters") / "lists").iterdir() if entry.name.count(".") == 2)
    return {entry.name: frozenset(_tokens(entry.read_text(encoding="utf-8"))) for entry in entries}


@cache
def _own_list(name: str) -> frozenset[str]:
    found = _single_words(_tokens(_read(name)))
    if not found:
        raise ValueError(f"list {name}: has no word; expected words between white space")
    return found


@cache
def _own_flagged_words(name: str) -> FlaggedWords:
    entries = [line.strip() for line in _read(name).splitlines() if not line.startswith("#")]
    found = compile_entries(entries)
    if found is None:
        raise ValueError(f"list {name}: has fewer than {MIN_ENTRIES} entries with a letter, which say nothing about a text")
    return found


@cache
def _package_list(language: str) -> frozenset[str]:
    try:
        import stopwordsiso
    except ImportError as error:
        raise ValueError(
            f"list {STOPWORDSISO}: the package is not installed: {error}. Remedy: pip install 'interleaf[stopwords]'"
        ) from error
    if not stopwordsiso.has_lang(language):
        raise ValueError(f"list {STOPWORDSISO}: has no language {language!r}; it has {', '.join(sorted(stopwordsiso.langs()))}")
    return _single_words(stopwordsiso.stopwords(language))


def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"list {name}: cannot be read: {error}; give the path of a text file in UTF-8") from error


def _tokens(text: str) -> list[str]:
    return [word for line in text.splitlines() for word in line.partition("#")[0].split()]


def _single_words(tokens: Iterable[str]) -> frozenset[str]:
    """Tokens as texts have them; one that a text would never have as a single word is of no use."""
    found = (words(token) for token in tokens)
    return frozenset(parts[0] for parts in found if len(parts) == 1)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
