"""Text as perplexity models read it: lines of tokens between single spaces (models.md 3).

own_lines       “It’s 4.5 km,” she said. Far!   ->   " it's 0 . 0 km , " she said .
                (a sentence a line; `far !` has two tokens, too few to say anything)
ccnet_lines     the same text                   ->   "It's 0.0 km," she said. Far!
                (a paragraph a line, for a SentencePiece model to cut)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

# Raised whenever a text gives other lines: a model is of use only with the version that it was trained with.
OWN_LINES_VERSION = 1
MIN_TOKENS = 3

# A mark and what closes with it, before what may begin a sentence; and the marks of scripts without spaces.
_SENTENCE_END = regex.compile(r"([.!?…؟۔।]['\")\]]{0,2})\s+(?=['\"(\[]{0,2}[\p{Lu}\p{Lo}\p{N}])|([。！？])")
_ASCII_SENTENCE_END = re.compile(r"([.!?]['\")\]]{0,2})\s+(?=['\"(\[]{0,2}[A-Z0-9])", re.ASCII)
_TOKEN = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*|[^\s\p{L}\p{M}\p{N}]")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)*|[^\sa-z0-9]", re.ASCII)
_ASCII_DIGITS = str.maketrans("123456789", "000000000")
_DIGIT = regex.compile(r"\p{Nd}")
_NOT_PRINTED = regex.compile(r"\p{Cc}")
_QUOTES = {"‘": "'", "’": "'", "‚": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "「": '"', "」": '"'}
_OTHER_MARKS = {
    "，": ",", "、": ",", "。": ".", "．": ".", "：": ":", "；": ";", "？": "?", "！": "!", "（": "(", "）": ")", "【": "[",
    "】": "]", "《": '"', "》": '"', "〈": "<", "〉": ">", "％": "%", "–": "-", "—": " - ", "━": "-", "～": "~", "…": "...",
    "•": "-", "►": "-",
}  # fmt: skip
_PLAIN_QUOTES = str.maketrans(_QUOTES)
_PLAIN_MARKS = str.maketrans(_QUOTES | _OTHER_MARKS)


def own_lines(text: str) -> Iterator[str]:
    """The sentences of `text`, lower-cased, digits as 0, words and marks apart; those under three tokens are left out.

    Models of ours are trained on these lines and asked about them.

    >>> list(own_lines("“It’s 4.5 km,” she said. Far!"))
    ['" it\\'s 0 . 0 km , " she said .']
    """
    if not text.isascii():
        text = text.translate(_PLAIN_QUOTES)
    if text.isascii():
        lines = _ASCII_SENTENCE_END.sub(r"\1\n", text).lower().translate(_ASCII_DIGITS)
    else:
        lines = _DIGIT.sub("0", _SENTENCE_END.sub(r"\1\2\n", text).lower())
    for line in lines.split("\n"):
        tokens = (_ASCII_TOKEN if line.isascii() else _TOKEN).findall(line)
        if len(tokens) >= MIN_TOKENS:
            yield " ".join(tokens)


def ccnet_lines(text: str) -> Iterator[str]:
    """The lines of `text` without control characters, digits as 0, marks as their ASCII likes; as CCNet's models were trained.

    >>> list(ccnet_lines("“It’s 4.5 km，” she said…"))
    ['"It\\'s 0.0 km," she said...']
    """
    for line in text.splitlines():
        plain = _NOT_PRINTED.sub("", _DIGIT.sub("0", line.translate(_PLAIN_MARKS))).strip()
        if plain:
            yield plain
