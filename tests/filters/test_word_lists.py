"""The lists in the package."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from filters.measures import measure_versions
from filters.word_lists import word_list
from filters.words import words

FUNCTION_WORDS = ("de", "en", "es", "fr", "hi", "it", "nl", "pt")


@pytest.mark.parametrize("language", FUNCTION_WORDS)
def test_entries_are_what_a_text_is_split_into(language: str) -> None:
    """An entry that no text can yield would be dead."""
    entries = word_list("function_words", language)
    assert entries is not None
    assert 200 <= len(entries) <= 400
    assert [entry for entry in entries if words(entry) != [entry]] == []


def test_english_has_about_300_function_words() -> None:
    entries = word_list("function_words", "en")
    assert entries is not None
    assert 280 <= len(entries) <= 320
    assert {"the", "be", "to", "of", "and", "that", "have", "with"} <= entries  # the eight of Gopher
    assert not {"time", "people", "company", "good", "work"} & entries


def test_common_words_are_what_a_text_is_split_into() -> None:
    entries = word_list("common_words", "en")
    assert entries is not None
    assert 15_000 <= len(entries) <= 30_000
    assert {"the", "people", "company", "kitchen", "it's"} <= entries
    assert [entry for entry in entries if words(entry) != [entry] or entry.isdecimal()] == []


@pytest.mark.parametrize("language", [None, "und", "xx", "", "EN", "../function_words.en", "en\x00", "a" * 5000])
def test_no_list_is_none(language: str | None) -> None:
    assert word_list("function_words", language) is None


def test_versions_name_every_list_and_the_model() -> None:
    versions = measure_versions()
    folder = files("filters") / "lists"
    lists = {f"lists/{entry.name}" for entry in folder.iterdir() if entry.name.endswith(".txt")}
    lists |= {f"lists/flagged_words/{entry.name}" for entry in (folder / "flagged_words").iterdir()}
    assert set(versions) == {"measures", "lid.176.ftz"} | lists
    assert all(re.fullmatch(r"[0-9a-f]{64}", value) for name, value in versions.items() if name != "measures")
