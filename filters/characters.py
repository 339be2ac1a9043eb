"""Characters: normal form, and what a character counts as.

A text is classified through its distinct characters, each with one set of flags:

    for character, count in Counter(text).items():
        if CHARACTER_FLAGS[character] & LETTER: ...
"""

from __future__ import annotations

import unicodedata

import regex

LETTER = 1  # general category L
MARK = 2  # general category M
TERMINAL = 4  # property Terminal_Punctuation: , ; : ? ! . and their likes in all scripts
UNSPACED = 8  # a letter of a script that is written without spaces
ESTIMATED = 16  # Khmer or Burmese: words can only be estimated
UNPUNCTUATED = 32  # a letter of a script that ends sentences without a mark: Thai, Lao, Khmer, Burmese
INFORMATION_SEPARATOR = 64  # U+001C to U+001F: white space to str.split, not to Unicode

UNSPACED_LETTER = regex.compile(r"(?V1)[[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&\p{L}]")

# All from `regex`, whose Unicode version does not hang on Python's.
_PROPERTIES = (
    (LETTER, regex.compile(r"\p{L}")),
    (MARK, regex.compile(r"\p{M}")),
    (TERMINAL, regex.compile(r"\p{Terminal_Punctuation}")),
    (UNSPACED, UNSPACED_LETTER),
    (ESTIMATED, regex.compile(r"[\p{Khmer}\p{Myanmar}]")),
    (UNPUNCTUATED, regex.compile(r"(?V1)[[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&\p{L}]")),
    (INFORMATION_SEPARATOR, regex.compile(r"[\x1c-\x1f]")),
)
# No language stacks more marks on a letter (the Stream-Safe Text Format of Unicode Standard Annex 15 draws the line here too).
_MARK_RUN = regex.compile(r"(\p{M}{31,})")


class _CharacterFlags(dict[str, int]):
    """Character -> flags. Made when first asked for; kept for the Basic Multilingual Plane, some megabytes at most."""

    def __missing__(self, character: str) -> int:
        flags = sum(flag for flag, pattern in _PROPERTIES if pattern.match(character))
        if character <= "\uffff":
            self[character] = flags
        return flags


CHARACTER_FLAGS = _CharacterFlags()


def compose(text: str) -> str:
    """`text` in Unicode normal form C, in linear time.

    Python sorts a run of marks by insertion, so a hostile page of a million marks would take hours; runs of more than 30 are
    left as they are.
    """
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    parts = _MARK_RUN.split(text)
    return "".join(part if index % 2 else unicodedata.normalize("NFC", part) for index, part in enumerate(parts))
