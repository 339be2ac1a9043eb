"""Repetition of characters and words against the definitions spelt out (filters.md 2.3)."""

from __future__ import annotations

from collections import Counter
from math import isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.measures.repetition import character_repetition, numbered_word_repetition, word_repetition
from filters.words import number_words


def by_definition(text: str) -> float:
    ngrams = [text[start : start + 10] for start in range(len(text) - 9)]
    if not ngrams:
        return 0.0
    counts = Counter(ngrams)
    distinct, once = len(counts), sum(count == 1 for count in counts.values())
    k = min(isqrt(distinct), distinct - once)
    return sum(sorted(counts.values(), reverse=True)[:k]) / len(ngrams)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abcdefghij" * 3, 7 / 21),
        ("abcdefghi", 0.0),
        ("abcdefghij", 0.0),
        ("a" * 11, 1.0),
        ("日" * 12, 1.0),
        ("The quick brown fox jumps over the lazy dog", 0.0),
        ("\U0001f600\U00010400" * 12, by_definition("\U0001f600\U00010400" * 12)),
        ("\ud800" * 20, 1.0),
    ],
)
def test_character_repetition(text: str, expected: float) -> None:
    assert character_repetition(text) == expected


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.text("ab", max_size=200), st.text("ab日\U0001f600\ud800", max_size=60), st.text(max_size=40).map(lambda t: t * 3))
)
def test_character_repetition_is_its_definition(text: str) -> None:
    assert character_repetition(text) == by_definition(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b c d e a b c d e", 2 / 6),
        ("a b c d", 0.0),
        ("a b c d e", 0.0),
        ("a a a a a a", 1.0),
        ("", 0.0),
    ],
)
def test_word_repetition(text: str, expected: float) -> None:
    assert word_repetition(text.split()) == expected
    assert repetition_by_number(text.split()) == expected


def repetition_by_number(words: list[str]) -> float:
    return numbered_word_repetition(np.frombuffer(number_words([words]), np.uint32))


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.lists(st.sampled_from("abc")), st.lists(st.text(max_size=2), max_size=40).map(lambda words: words * 3)))
def test_words_repeat_by_number_as_they_do_by_name(words: list[str]) -> None:
    assert repetition_by_number(words) == word_repetition(words)
