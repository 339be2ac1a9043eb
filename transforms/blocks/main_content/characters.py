"""Counts about texts in any script, for all blocks of a page at once.

Each character has a set of flags; a count is a sum of flags over the characters of a block. No word list, no language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Matrix = NDArray[np.float32]

(
    WORD, MARK, UNSPACED, HANGUL, UPPER, LOWER, DIGIT, ENDS_ALWAYS, ENDS_BEFORE_SPACE, COMMA, CURRENCY, SEPARATOR, SPACE, CLOSING,
    UNKNOWN,
) = (1 << bit for bit in range(15))  # fmt: skip

# Full stops that a space need not follow: CJK, Devanagari, Arabic and Urdu, Armenian, Ethiopic, Khmer, Burmese, Tibetan.
_ENDS_ALWAYS = frozenset("。！？｡।॥؟۔։።፧។၊။།")
_ENDS_BEFORE_SPACE = frozenset(".!?…")
_COMMAS = frozenset(",，、،؛;；")
_SEPARATORS = frozenset("|·•»›→/")
_CLOSING = frozenset("\"'”’»)]」』）】")
# Scripts that put no spaces between words: Thai, Lao; Burmese; Khmer; kana; Chinese characters.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
_HANGUL = ((0x1100, 0x11FF), (0xAC00, 0xD7AF))


def _flags_of(number: int) -> int:
    character = chr(number)
    category = unicodedata.category(character)
    flags = 0
    if character.isalnum() or character == "_":
        flags |= WORD
    if category[0] == "M":
        flags |= MARK
    if category == "Nd":
        flags |= DIGIT
    if category == "Sc":
        flags |= CURRENCY
    if character.isupper():
        flags |= UPPER
    if character.islower():
        flags |= LOWER
    if character.isspace():
        flags |= SPACE
    for flag, ranges in ((UNSPACED, _UNSPACED), (HANGUL, _HANGUL)):
        if any(first <= number <= last for first, last in ranges):
            flags |= flag
    flags |= ENDS_ALWAYS * (character in _ENDS_ALWAYS) | ENDS_BEFORE_SPACE * (character in _ENDS_BEFORE_SPACE)
    flags |= COMMA * (character in _COMMAS) | SEPARATOR * (character in _SEPARATORS) | CLOSING * (character in _CLOSING)
    return flags


# Flags of the characters that texts have had so far.
_TABLE = np.full(0x110000, UNKNOWN, np.uint16)


def _flags(text: str) -> NDArray[np.uint16]:
    numbers = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    flags = _TABLE.take(numbers)
    if flags.max() >= UNKNOWN:
        for number in np.unique(numbers[flags >= UNKNOWN]).tolist():
            _TABLE[number] = _flags_of(number)
        flags = _TABLE.take(numbers)
    return flags


@dataclass(frozen=True)
class TextCounts:
    """One number a block.

    words: runs of letters and digits with their combining marks, plus half the number of characters of Hangul and of scripts
    without spaces. upper_words: of them, those with an upper-case first letter. spaced_words: what `word_counts` of the blocks
    counts. first_case: 1 upper, -1 lower, 0 neither. ends_sentence: the last character, or the one before a closing quote, ends a
    sentence.
    """

    words: Numbers
    spaced_words: Numbers
    characters: Numbers
    sentence_ends: Numbers
    commas: Numbers
    ends_sentence: Numbers
    first_case: Numbers
    upper_words: Numbers
    starts_with_digit: Numbers
    currency: Numbers
    separators: Numbers


def count_texts(texts: Sequence[str]) -> TextCounts:
    """Counts of each text. Cost is linear in the characters."""
    if not texts:
        return TextCounts(*(np.zeros(0) for _ in range(11)))
    flags = _flags("\n".join(texts) + "\n")
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = np.zeros(len(texts), np.int64)
    np.cumsum(lengths[:-1] + 1, out=starts[1:])

    present = int(np.bitwise_or.reduce(flags))

    def total(of: NDArray[np.bool_]) -> Numbers:
        return np.add.reduceat(of.view(np.uint8), starts, dtype=np.float64)

    def number(flag: int) -> Numbers:
        return total((flags & flag) != 0) if present & flag else np.zeros(len(texts))

    word = (flags & WORD) != 0
    goes_on = (flags & (WORD | MARK)) != 0
    begins = word.copy()
    begins[1:] &= ~goes_on[:-1]
    space = (flags & SPACE) != 0
    begins_piece = ~space
    begins_piece[1:] &= space[:-1]
    before_space = np.ones(len(flags), bool)
    before_space[:-1] = (flags[1:] & (SPACE | CLOSING)) != 0
    ends = ((flags & ENDS_ALWAYS) != 0) | (((flags & ENDS_BEFORE_SPACE) != 0) & before_space)

    last = starts + np.maximum(lengths - 1, 0)
    before_last = np.maximum(last - 1, starts)
    ends_sentence = ends[last] | (((flags[last] & CLOSING) != 0) & ends[before_last])
    first = flags[starts]
    unspaced = number(UNSPACED)
    return TextCounts(
        words=total(begins) + (unspaced + number(HANGUL)) / 2,
        spaced_words=total(begins_piece) + unspaced // 2,
        characters=lengths.astype(np.float64),
        sentence_ends=total(ends),
        commas=number(COMMA),
        ends_sentence=ends_sentence.astype(np.float64),
        first_case=((first & UPPER) != 0).astype(np.float64) - ((first & LOWER) != 0),
        upper_words=total(begins & ((flags & UPPER) != 0)),
        starts_with_digit=((first & DIGIT) != 0).astype(np.float64),
        currency=number(CURRENCY),
        separators=number(SEPARATOR),
    )
