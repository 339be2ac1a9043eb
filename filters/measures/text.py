"""The measures of a text, each from one pass over its characters and words (filters.md 2.3).

A document is measured from its paragraphs' profiles; nothing is split or counted twice:

    paragraphs -> profile_text -> TextProfile -> .measures(language) -> paragraph rules
                                                          └── those kept -> join_measures -> document rules
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import regex

from filters.characters import CHARACTER_FLAGS, LETTER, MARK, TERMINAL, UNPUNCTUATED, compose
from filters.measures.language import UNKNOWN, identify_language, language_probability
from filters.measures.perplexity import Likelihood, PerplexityConfig, join_likelihoods, score_text, stored_likelihood
from filters.measures.repetition import Numbers, character_repetition, numbered_word_repetition, word_repetition
from filters.word_lists import LIST_KINDS, SHIPPED, ListsConfig, flagged_words, word_list
from filters.words import Words, is_counted, split_composed_words

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


class CharacterCounts(NamedTuple):
    """How much of each kind is in a text.

    special_chars: characters that are neither letter nor mark. terminal_marks: characters with the property Terminal_Punctuation.
    marks_and_tokens: these, and the runs of letters, marks, digits, `_` and apostrophes. letters, unpunctuated_letters: in all,
    and those of Thai, Lao, Khmer and Burmese.
    """

    special_chars: int
    terminal_marks: int
    marks_and_tokens: int
    letters: int
    unpunctuated_letters: int


@dataclass(frozen=True, slots=True)
class TextProfile:
    """What the measures of a text are made of. text: NFC, without U+200C and U+200D; lengths count its code points."""

    text: str
    words: Words
    counts: CharacterCounts

    def measures(
        self,
        language: str | None,
        language_score: float | None = None,
        likelihood: Likelihood | None = None,
        hits: ListHits | None = None,
    ) -> dict[str, float | int | str | None]:
        """The measures of filters.md 2.3 and what the rules need beside them, by name. A ratio that has no value is None.

        language: two-letter code; None or `und` when unknown. likelihood: what a language model says of the text, None where none
        was asked. hits: of the language's word lists, None for those of the lists that ship. Beside the ten names there are
        `language`; `words_method`, `counted` or `estimated`, and `estimated_words`, how many are; `spam_word_ratio`, the share of
        words in the spam list, 0 with fewer than two hits; `log10_probability` and `model_tokens`, of which perplexity is made; and
        the names of `CharacterCounts` and `ListHits`. From these a document's measures are made.
        """
        words, estimated = self.words.items, self.words.estimated
        hits = hits if hits is not None else count_hits(self, language)
        repetition = word_repetition(words) if is_counted(len(words), estimated) else None
        return _measures(self.text, len(words), estimated, repetition, self.counts, language, language_score, likelihood, hits)


class ListHits(NamedTuple):
    """How many words of a text are in each list of its language; None where the language has no such list.

    Words of digits are common without being listed; of flagged entries all words count (`filters.flagged_words`).
    """

    stop_words: int | None = None
    flagged_words: int | None = None
    common_words: int | None = None
    spam_words: int | None = None


_COUNTS_OF, _HITS_OF = itemgetter(*CharacterCounts._fields), itemgetter(*ListHits._fields)


def count_hits(profile: TextProfile, language: str | None, lists: ListsConfig = SHIPPED) -> ListHits:
    """Looks every word of a text up in the lists of a language."""
    words = profile.words.items
    stop, common, spam = (word_list(kind, language, lists) for kind in LIST_KINDS)
    flagged = flagged_words(language, lists)
    return ListHits(
        stop_words=_hits(words, stop) if stop else None,
        flagged_words=flagged.covered(words, profile.text) if flagged is not None else None,
        common_words=len(words) - sum(not word.isdecimal() for word in words if word not in common) if common else None,
        spam_words=_hits(words, spam) if spam else None,
    )


def join_hits(parts: Iterable[Mapping[str, Any]]) -> ListHits:
    """Those of texts in a row, from their measures: a phrase ends where its text does."""
    columns = zip(*map(_HITS_OF, parts), strict=True)
    return ListHits(*(None if None in counts else sum(counts) for counts in columns))


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
    normal = _without_joiners(composed)
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
    counts = CharacterCounts(special, terminal, terminal + len(token.findall(normal)), letters, unpunctuated)
    return TextProfile(normal, split_composed_words(composed, flags), counts)


def join_measures(
    texts: Sequence[str],
    measured: Sequence[Mapping[str, Any]],
    word_numbers: Numbers,
    language: str | None,
    language_score: float | None = None,
) -> dict[str, float | int | str | None]:
    """The measures of texts joined by a blank line, from theirs: nothing is split, counted or looked up again.

    measured: what `TextProfile.measures` says of each text in the same language. word_numbers: of all their words, in order, as
    `filters.words.number_words` gives them.
    """
    text = _without_joiners(compose(PARAGRAPH_SEPARATOR.join(texts)))
    words, estimated = len(word_numbers), sum(map(itemgetter("estimated_words"), measured))
    repetition = numbered_word_repetition(word_numbers) if is_counted(words, estimated) else None
    counts = _join_counts(map(_COUNTS_OF, measured))
    likelihood = join_likelihoods(map(stored_likelihood, measured))
    return _measures(text, words, estimated, repetition, counts, language, language_score, likelihood, join_hits(measured))


def _measures(
    text: str,
    words: int,
    estimated: int,
    word_repetition_ratio: float | None,
    counts: CharacterCounts,
    language: str | None,
    language_score: float | None,
    likelihood: Likelihood | None,
    hits: ListHits,
) -> dict[str, float | int | str | None]:
    """See `TextProfile.measures`. words, estimated: how many there are, and how many of them are an estimate."""
    length = len(text)
    base = counts.marks_and_tokens
    punctuated = language not in UNPUNCTUATED_LANGUAGES and 2 * counts.unpunctuated_letters <= counts.letters
    by_word = words if is_counted(words, estimated) else 0
    spam = hits.spam_words if hits.spam_words is None or hits.spam_words >= MIN_SPAM_HITS else 0
    return {
        "words": words,
        "special_char_ratio": counts.special_chars / length if length else None,
        "stop_word_ratio": _share(hits.stop_words, by_word),
        "flagged_word_ratio": _share(hits.flagged_words, by_word),
        "punctuation_ratio": counts.terminal_marks / base if base and punctuated else None,
        "common_word_ratio": _share(hits.common_words, by_word),
        "char_repetition_ratio": character_repetition(text) if length else None,
        "word_repetition_ratio": word_repetition_ratio if length else None,
        "language_score": language_score,
        "perplexity": likelihood.perplexity if likelihood is not None else None,
        "log10_probability": likelihood.log10 if likelihood is not None else None,
        "model_tokens": likelihood.tokens if likelihood is not None else None,
        "language": language if language is not None else UNKNOWN,
        "words_method": "counted" if is_counted(words, estimated) else "estimated",
        "estimated_words": estimated,
        "spam_word_ratio": _share(spam, by_word),
        **counts._asdict(),
        **hits._asdict(),
    }


def _join_counts(parts: Iterable[Sequence[int]]) -> CharacterCounts:
    """Those of texts joined by a blank line, whose characters are special."""
    found = tuple(parts)
    separators = CharacterCounts(max(0, len(found) - 1) * len(PARAGRAPH_SEPARATOR), 0, 0, 0, 0)
    return CharacterCounts(*map(sum, zip(separators, *found, strict=True)))


def _without_joiners(composed: str) -> str:
    return composed.replace("\u200c", "").replace("\u200d", "")


def _hits(words: Sequence[str], entries: frozenset[str]) -> int:
    return sum(map(entries.__contains__, words))


def _share(hits: int | None, words: int) -> float | None:
    """None without a list, without words, or where words are only estimated."""
    return hits / words if hits is not None and words else None
