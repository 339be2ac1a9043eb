"""Words of a text in any script (filters.md 2.1).

A piece between white space is one word, unless it has letters of a script that is written without spaces; such a piece goes
through the word iterator of ICU. For Khmer and Burmese, where that is not reliable, the number of words is estimated.

    It’s well-known, 今天天气很好!   ->   it's  well-known  今天  天气  很好
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex
from icu4py.breakers import WordBreaker

from filters.characters import CHARACTER_FLAGS, ESTIMATED, INFORMATION_SEPARATOR, UNSPACED, UNSPACED_LETTER, compose

# Grapheme clusters a word of Khmer or Burmese has on average.
CLUSTERS_PER_WORD = 3

_ASCII_SYMBOLS = "".join(chr(code) for code in range(128) if not chr(code).isalnum())
# From the first letter or number to the last, with the marks that belong to the last one (a Hindi vowel sign is one).
_WORD = regex.compile(r"[\p{L}\p{N}](?:.*[\p{L}\p{N}])?\p{M}*", regex.DOTALL)
_LETTER_OR_NUMBER = regex.compile(r"[\p{L}\p{N}]")
_WHITE_SPACE = regex.compile(r"\p{White_Space}+")
_ESTIMATED_RUN = regex.compile(r"(?V1)([[\p{Khmer}\p{Myanmar}]&&[\p{L}\p{M}\p{N}]]+)")
_CLUSTERS = regex.compile(rf"\X{{1,{CLUSTERS_PER_WORD}}}")
_SURROGATE = regex.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text in order, case-folded. estimated: how many of them are cut by estimate, not by knowledge."""

    items: tuple[str, ...]
    estimated: int = 0

    @property
    def method(self) -> Literal["counted", "estimated"]:
        """`estimated` when most of the words are; word lists and repetition say nothing about such a text."""
        return "counted" if is_counted(len(self.items), self.estimated) else "estimated"


def is_counted(words: int, estimated: int) -> bool:
    """Whether the number of words can be relied on: at most half of them are an estimate."""
    return 2 * estimated <= words


class _Numbers(dict[str, int]):
    """Word -> its number: how many others were asked for before it."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def number_words(texts: Iterable[Sequence[str]]) -> bytes:
    """The words of texts in a row as numbers of 4 bytes that are equal where the words are: enough to see which repeat.

    >>> memoryview(number_words([("to", "be"), ("or", "not", "to", "be")])).cast("I").tolist()
    [0, 1, 2, 3, 0, 1]
    """
    number_of = _Numbers().__getitem__
    numbers = array("I")
    for items in texts:
        numbers.extend(map(number_of, items))
    return numbers.tobytes()


def words(text: str) -> list[str]:
    """The words of `text` (filters.md 2.1): NFC, case-folded, U+2019 as `'`, symbols cut off at both ends.

    Khmer and Burmese come as pieces of three grapheme clusters: their number is the estimate, they are not words.

    >>> words("It’s well-known, 今天天气很好!")
    ["it's", 'well-known', '今天', '天气', '很好']
    """
    return list(split_words(text).items)


def count_words(text: str) -> int:
    """The number of words of `text`."""
    return len(split_words(text).items)


def split_words(text: str) -> Words:
    """The words of `text` and how many of them are an estimate."""
    composed = compose(text)
    flags = 0
    for character in set(composed):
        flags |= CHARACTER_FLAGS[character]
    return split_composed_words(composed, flags)


def split_composed_words(text: str, flags: int) -> Words:
    """As `split_words`, for a text in normal form C whose characters' flags, or-ed together, are known already."""
    folded = text.casefold().replace("’", "'")
    # str.split takes four control characters for white space that Unicode does not.
    pieces = _WHITE_SPACE.split(folded) if flags & INFORMATION_SEPARATOR else folded.split()
    if not flags & UNSPACED:
        return Words(tuple(_trimmed(pieces)))
    found: list[str] = []
    estimated = 0
    for piece in pieces:
        if UNSPACED_LETTER.search(piece) is None:
            found.extend(_trimmed((piece,)))
        elif not flags & ESTIMATED:
            found.extend(_segments(piece))
        else:
            for index, part in enumerate(_ESTIMATED_RUN.split(piece)):
                if index % 2 == 0:
                    found.extend(_segments(part))
                elif _LETTER_OR_NUMBER.search(part):
                    cut = _CLUSTERS.findall(part)
                    estimated += len(cut)
                    found.extend(cut)
    return Words(tuple(found), estimated)


def _trimmed(pieces: Iterable[str]) -> list[str]:
    """Pieces without the symbols at their ends; what has neither letter nor number is left out."""
    return [
        word
        for piece in pieces
        if (word := piece if piece.isalnum() else piece.strip(_ASCII_SYMBOLS) if piece.isascii() else _trim(piece))
    ]


def _trim(piece: str) -> str:
    match = _WORD.search(piece)
    return match.group() if match is not None else ""


def _segments(piece: str) -> Iterator[str]:
    """Segments of the ICU word iterator that have a letter or a number.

    The iterator is asked for the segments themselves: the offsets it also offers count UTF-16 units and shift after an emoji. The
    dictionaries are chosen by script, so the locale does not matter. ICU takes no lone surrogates.
    """
    for segment in WordBreaker(_SURROGATE.sub("\ufffd", piece), "en"):
        if _LETTER_OR_NUMBER.search(segment):
            yield segment
