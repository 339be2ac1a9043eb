"""Words covered by flagged entries (filters.md 2.3)."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from filters.flagged_words import MIN_ENTRIES, compile_entries
from filters.measures import measure_text
from filters.measures.text import profile_text
from filters.word_lists import flagged_words
from filters.words import words

FILLING = [f"filling{number}" for number in range(MIN_ENTRIES)]
LANGUAGES = sorted(entry.name.partition(".")[0] for entry in (files("filters") / "lists" / "flagged_words").iterdir())


@pytest.mark.parametrize(
    ("entries", "text", "expected"),
    [
        (["mud"], "Mud, and more mud!", 2),
        (["mud"], "muddy mud-pie", 0),  # whole words
        (["MUD’s"], "mud's", 1),
        (["mud pie"], "a mud pie, a pie of mud", 2),
        (["mud pie"], "mud-pie", 0),
        (["mud", "mud pie", "pie dish"], "mud pie dish", 3),  # covered twice counts once
        (["mud pie"], "mud", 0),
        (["泥巴"], "我的泥巴很多，泥巴！", 2),
        (["好泥巴"], "好泥巴", 2),  # by its words: 好, 泥巴
        (["泥巴", "泥巴坑"], "泥巴坑", len(words("泥巴坑"))),  # the longest
        (["奶", "性"], "牛奶的可能性", 0),  # a single character is a word or nothing
        (["奶"], "喝 奶", 1),
        (["โคลน"], "ฉันโคลนโคลน", 2),
        (["ドロ"], "きょうはドロ、ﾄﾞﾛ", 1),
        (["泥 x", "mud"], "泥 X mud", 3),
        (["грязь"], "ГРЯЗЬ", 1),
        (["क़"], "क़", 1),  # the same letter in its other spelling
        (["mud"], "", 0),
        (["13."], "13 of 13.", 0),  # a number is no word to flag
    ],
)
def test_counts_covered_words(entries: list[str], text: str, expected: int) -> None:
    flagged = compile_entries(entries + FILLING)
    assert flagged is not None
    profile = profile_text(text)
    assert flagged.covered(profile.words.items, profile.text) == expected


def test_a_short_list_is_none() -> None:
    assert compile_entries(FILLING) is not None
    assert compile_entries(FILLING[1:]) is None
    assert compile_entries([*FILLING[1:], "🖕", "!!", "13."]) is None  # entries without a letter do not count


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_covers_itself(language: str) -> None:
    flagged = flagged_words(language)
    assert flagged is not None
    path = files("filters") / "lists" / "flagged_words" / f"{language}.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    missed = []
    for entry in entries:
        profile = profile_text(entry)
        if not profile.counts.letters:
            continue
        if flagged.covered(profile.words.items, profile.text) != len(words(entry)):
            missed.append(entry)
    assert missed == []


@pytest.mark.parametrize("language", [None, "und", "xx", "../en", "zu"])
def test_no_list_gives_no_ratio(language: str | None) -> None:
    assert flagged_words(language) is None
    assert measure_text("some plain words of a text", language or "und")["flagged_word_ratio"] is None


def test_plain_text_has_none() -> None:
    assert measure_text("How hot was it on the two days you were there?", "en")["flagged_word_ratio"] == 0.0
    assert measure_text("", "en")["flagged_word_ratio"] is None
