"""The measures of a text, each from one pass over its characters and words (filters.md 2.3).

A document is measured from its paragraphs' profiles; nothing is split or counted twice:

    paragraphs -> profile_text -> TextProfile ──────────────── .measures(language) -> paragraph rules
                                      └── those kept -> join_profiles -> .measures(language) -> document rules
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import regex

from filters.characters import CHARACTER_FLAGS, LETTER, MARK, TERMINAL, UNPUNCTUATED, compose
from filters.flagged_words import flagged_words
from filters.measures.language import UNKNOWN, identify_language, language_probability
from filters.measures.perplexity import Likelihood, PerplexityConfig, score_text
from filters.measures.repetition import character_repetition, word_repetition
from filters.word_lists import ListKind, word_list
from filters.words import Words, split_composed_words

# The measures of filters.md 2.3, in its order.
TEXT_MEASURES = (
    "words",
    "special_char_ratio",
    "stop_word_ratio",
    "flagged_word_ratio",
    "punctuation_ratio",
    "common_word_ratio",
    "char_repetition_ratio",
    "word_repetition_ratio",
    "language_score",
    "perplexity",
)
PARAGRAPH_SEPARATOR = "\n\n"
UNPUNCTUATED_LANGUAGES = frozenset({"th", "lo", "km", "my"})
# One hit is an accident ("She might arrive late."); the reference drops a short sentence for it.
MIN_SPAM_HITS = 2

_ASCII_TOKEN = re.compile(r"[\w']+", re.ASCII)
_TOKEN = regex.compile(r"[\p{L}\p{M}\p{Nd}_'’]+")


@dataclass(frozen=True, slots=True)
class TextProfile:
    """What the measures of a text are made of.

    text: NFC, without U+200C and U+200D; lengths count its code points. special: characters that are neither letter nor mark.
    terminal: characters with the property Terminal_Punctuation. tokens: runs of letters, marks, digits, `_` and apostrophes.
    letters, unpunctuated: letters in all, and those of Thai, Lao, Khmer and Burmese.
    """

    text: str
    words: Words
    special: int
    terminal: int
    tokens: int
    letters: int
    unpunctuated: int

    def measures(
        self, language: str | None, language_score: float | None = None, likelihood: Likelihood | None = None
    ) -> dict[str, float | int | str | None]:
        """The measures of filters.md 2.3 and what the rules need beside them, by name. A ratio that has no value is None.

        language: two-letter code that word lists are chosen by; None or `und` when unknown. likelihood: what a language model says
        of the text, None where none was asked. Beside the ten names there are `language`; `words_method`, `counted` or
        `estimated`; `marks_and_tokens`, the base of `punctuation_ratio`; `spam_word_ratio`, the share of words in the spam list, 0
        with fewer than two hits; `log10_probability` and `model_tokens`, of which perplexity is made.
        """
        words, length = self.words.items, len(self.text)
        is_counted = self.words.method == "counted"
        flagged = flagged_words(language)
        base = self.terminal + self.tokens
        punctuated = language not in UNPUNCTUATED_LANGUAGES and 2 * self.unpunctuated <= self.letters
        return {
            "words": len(words),
            "special_char_ratio": self.special / length if length else None,
            "stop_word_ratio": share_of_list("function_words", self.words, language),
            "flagged_word_ratio": flagged.covered(words, self.text) / len(words) if flagged and words and is_counted else None,
            "punctuation_ratio": self.terminal / base if base and punctuated else None,
            "common_word_ratio": share_of_common_words(self.words, language),
            "char_repetition_ratio": character_repetition(self.text) if length else None,
            "word_repetition_ratio": word_repetition(words) if length and is_counted else None,
            "language_score": language_score,
            "perplexity": likelihood.perplexity if likelihood is not None else None,
            "log10_probability": likelihood.log10 if likelihood is not None else None,
            "model_tokens": likelihood.tokens if likelihood is not None else None,
            "language": language if language is not None else UNKNOWN,
            "words_method": self.words.method,
            "marks_and_tokens": base,
            "spam_word_ratio": share_of_list("spam_words", self.words, language, least_hits=MIN_SPAM_HITS),
        }


def measure_text(
    text: str, language: str | None = None, perplexity: PerplexityConfig | None = None
) -> dict[str, float | int | None]:
    """The measures of filters.md 2.3 of one text, by name; None where one has no value.

    language: two-letter code; `language_score` is then the model's probability of this language. With None the language is
    identified and `language_score` is the probability of what was found. perplexity: which models score; None for those shipped.

    >>> measure_text("Hello, world!")["punctuation_ratio"]
    0.5
    """
    if language is None:
        guess = identify_language(text)
        language, score = guess.language, guess.score
    else:
        score = language_probability(text, language)
    likelihood = score_text(text, language, perplexity or PerplexityConfig())
    measures = profile_text(text).measures(language, score, likelihood)
    return {name: measures[name] for name in TEXT_MEASURES}  # type: ignore[misc]


def profile_text(text: str) -> TextProfile:
    """Counts what the measures of `text` need; takes any string, also one with lone surrogates."""
    composed = compose(text)
    normal = composed.replace("\u200c", "").replace("\u200d", "")
    flags = special = terminal = letters = unpunctuated = 0
    for character, count in Counter(normal).items():
        of_character = CHARACTER_FLAGS[character]
        flags |= of_character
        if of_character & LETTER:
            letters += count
            if of_character & UNPUNCTUATED:
                unpunctuated += count
        elif not of_character & MARK:
            special += count
            if of_character & TERMINAL:
                terminal += count
    token = _ASCII_TOKEN if normal.isascii() else _TOKEN
    return TextProfile(
        text=normal,
        words=split_composed_words(composed, flags),
        special=special,
        terminal=terminal,
        tokens=len(token.findall(normal)),
        letters=letters,
        unpunctuated=unpunctuated,
    )


def join_profiles(profiles: Sequence[TextProfile]) -> TextProfile:
    """The profile of the texts joined by a blank line, from theirs."""
    separators = max(0, len(profiles) - 1) * len(PARAGRAPH_SEPARATOR)
    return TextProfile(
        text=PARAGRAPH_SEPARATOR.join(profile.text for profile in profiles),
        words=Words(
            tuple(chain.from_iterable(profile.words.items for profile in profiles)),
            sum(profile.words.estimated for profile in profiles),
        ),
        special=separators + sum(profile.special for profile in profiles),
        terminal=sum(profile.terminal for profile in profiles),
        tokens=sum(profile.tokens for profile in profiles),
        letters=sum(profile.letters for profile in profiles),
        unpunctuated=sum(profile.unpunctuated for profile in profiles),
    )


def share_of_list(kind: ListKind, words: Words, language: str | None, least_hits: int = 1) -> float | None:
    """The share of words in a list of the language, 0 with fewer hits than `least_hits`.

    None without a list, without words, or where words are only estimated.
    """
    entries = word_list(kind, language)
    if not entries or not words.items or words.method != "counted":
        return None
    hits = sum(map(entries.__contains__, words.items))
    return hits / len(words.items) if hits >= least_hits else 0.0


def share_of_common_words(words: Words, language: str | None) -> float | None:
    """As `share_of_list`; words of digits are common without being listed."""
    entries = word_list("common_words", language)
    if not entries or not words.items or words.method != "counted":
        return None
    rare = sum(not word.isdecimal() for word in words.items if word not in entries)
    return (len(words.items) - rare) / len(words.items)
