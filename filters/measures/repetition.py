"""How much of a text repeats itself (filters.md 2.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isqrt
from typing import TypeAlias

import numpy as np

CHARACTER_NGRAM = 10
WORD_NGRAM = 5
# A text of at most so many n-grams is quicker looked at as a set of strings, which mostly finds no repetition.
_FEW = 110

# Odd constants of 64-bit linear generators; any odd numbers with well-mixed bits do.
_MIX_2 = np.uint64(0x9E3779B97F4A7C15)
_MIX_4 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_8 = np.uint64(0x94D049BB133111EB)

Numbers: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint32]]
_Hashes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint64]]


def character_repetition(text: str) -> float:
    """The share of the most frequent repeated n-grams of 10 code points; 0 below 10 characters.

    With D distinct n-grams, S of them seen once, and k = min(floor(sqrt(D)), D - S): the k greatest counts / all n-grams.
    N-grams are told apart by a 64-bit hash, so two different ones are confused with a probability of 1e-7 in a text of two
    million characters; that keeps a long text in a few sorted arrays where a table of strings takes 20 times the time.

    >>> character_repetition("abcdefghij" * 3) == 7 / 21
    True
    """
    total = len(text) - CHARACTER_NGRAM + 1
    if total < 1:
        return 0.0
    if total <= _FEW and len({text[start : start + CHARACTER_NGRAM] for start in range(total)}) == total:
        return 0.0
    hashes = _ngram_hashes(text)
    hashes.sort()
    starts = np.flatnonzero(hashes[1:] != hashes[:-1])
    if len(starts) == total - 1:
        return 0.0  # all n-grams differ
    edges = np.concatenate(([-1], starts, [total - 1]))
    counts = edges[1:] - edges[:-1]
    repeated = counts[counts > 1]
    repeated.sort()
    kept = min(isqrt(len(counts)), len(repeated))
    return float(repeated[-kept:].sum()) / total


def _ngram_hashes(text: str) -> _Hashes:
    """One hash for each n-gram of 10 code points: 10 = 8 + 2, 8 = 4 + 4."""
    pairs = _pairs(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32))
    fours = _fours(pairs)
    eights = fours[:-4] * _MIX_8 + fours[4:]
    return eights[:-2] * _MIX_2 + pairs[8:]


def _pairs(values: Numbers) -> _Hashes:
    """One hash for each two numbers in a row, another for each two that differ."""
    wide = values.astype(np.uint64)
    pairs: _Hashes = (wide[:-1] << np.uint64(32)) | wide[1:]
    pairs *= _MIX_2
    pairs ^= pairs >> np.uint64(29)
    return pairs


def _fours(pairs: _Hashes) -> _Hashes:
    """One hash for each four numbers in a row: 4 = 2 + 2."""
    return pairs[:-2] * _MIX_4 + pairs[2:]


def word_repetition(words: Sequence[str]) -> float:
    """Occurrences of sequences of 5 words that occur more than once / all such sequences; 0 with fewer than 5 words.

    >>> word_repetition("a b c d e a b c d e".split()) == 2 / 6
    True
    """
    total = len(words) - WORD_NGRAM + 1
    if total < 1:
        return 0.0
    sequences = list(zip(*(words[start : start + total] for start in range(WORD_NGRAM)), strict=True))
    if len(set(sequences)) == total:
        return 0.0
    return sum(count for count in Counter(sequences).values() if count > 1) / total


def numbered_word_repetition(numbers: Numbers) -> float:
    """The same of words by number (`filters.words.number_words`), for long texts: sequences are told apart by a 64-bit hash.

    >>> numbered_word_repetition(np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 4], np.uint32)) == 2 / 6
    True
    """
    total = len(numbers) - WORD_NGRAM + 1
    if total < 1:
        return 0.0
    hashes = _fours(_pairs(numbers))[:-1] * _MIX_8 + numbers[WORD_NGRAM - 1 :]
    hashes.sort()
    is_as_before = np.concatenate(([False], hashes[1:] == hashes[:-1], [False]))
    return int(np.count_nonzero(is_as_before[1:] | is_as_before[:-1])) / total
