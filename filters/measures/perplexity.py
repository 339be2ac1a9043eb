"""How surprising a text is to a language model (filters.md 2.3, models.md 3).

    text -> lines -> (log10 probability, tokens) of each -> Likelihood, the sums -> 10 ** (-log10 / tokens)

Sums add up: a document's perplexity follows from those of its paragraphs, and no text is scored twice.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from filters.language_codes import normalize_language
from filters.measures.model_lines import OWN_LINES_VERSION, ccnet_lines, own_lines

SHIPPED_ENGLISH = "perplexity.en.bin"
MAX_LOG10 = 300.0
"""Exponents beyond this do not fit a float; a text as unlikely as that has the perplexity 1e300."""

_NONSENSE = "zxqvjkw"
# What kenlm gives an unknown word when a model has no <unk>.
_NO_UNKNOWN_LOG10 = -100.0


@dataclass(frozen=True)
class PerplexityConfig:
    """Which language model scores the texts of which language."""

    models: Mapping[str, str | None] = field(
        default_factory=lambda: {"en": SHIPPED_ENGLISH},
        metadata={
            "help": "language: a kenlm model, ARPA or binary, by its path or by its name in configs/models; null: not scored"
        },
    )
    sentencepiece: Mapping[str, str | None] = field(
        default_factory=dict,
        metadata={"help": "language: the SentencePiece model that cuts its texts, by path; null or absent: words of our own"},
    )

    def __post_init__(self) -> None:
        for name in ("models", "sentencepiece"):
            given = getattr(self, name)
            object.__setattr__(self, name, {normalize_language(language): path for language, path in given.items()})
        unused = [language for language, path in self.sentencepiece.items() if path and not self.models.get(language)]
        if unused:
            raise ValueError(f"sentencepiece.{unused[0]}: there is no model for it; name one in models.{unused[0]}")

    def files_of(self, language: str | None) -> tuple[str, str | None] | None:
        """Model and SentencePiece model of a language; None when it has none."""
        model = self.models.get(language or "")
        return None if model is None else (model, self.sentencepiece.get(language or ""))


@dataclass(frozen=True, slots=True)
class Likelihood:
    """log10: sum of the log10 probabilities of all tokens, ends of lines among them. tokens: their number."""

    log10: float = 0.0
    tokens: int = 0

    @property
    def perplexity(self) -> float | None:
        """10 to the mean surprise of a token; None without a token."""
        return 10 ** min(MAX_LOG10, -self.log10 / self.tokens) if self.tokens else None


def join_likelihoods(parts: Iterable[Likelihood | None]) -> Likelihood | None:
    """That of texts in a row; None when one of them was not scored."""
    log10, tokens = 0.0, 0
    for part in parts:
        if part is None:
            return None
        log10 += part.log10
        tokens += part.tokens
    return Likelihood(log10, tokens)


def stored_likelihood(measures: Mapping[str, Any]) -> Likelihood | None:
    """The likelihood among the measures of a text, by the names `TextProfile.measures` gives it; None when it was not scored."""
    tokens = measures.get("model_tokens")
    return None if tokens is None else Likelihood(measures["log10_probability"], tokens)


def score_text(text: str, language: str | None, config: PerplexityConfig) -> Likelihood | None:
    """The likelihood of `text` by the model of its language; None where there is none. Raises as `model_versions`."""
    files = config.files_of(language)
    if files is None:
        return None
    score, lines_of = load_model(*files)
    log10, tokens = 0.0, 0
    for line in lines_of(text):
        # kenlm takes UTF-8, which has no lone surrogates.
        log10 += score(line.encode("utf-8", "replace"))
        tokens += line.count(" ") + 2  # the end of the line is a token too
    return Likelihood(log10, tokens)


def model_versions(config: PerplexityConfig) -> dict[str, str]:
    """What the scores depend on: sha256 of each model by language, and the version of our lines.

    Loads each model, so that one that cannot be used stops a run before it begins.

    Raises:
        ValueError: a file that does not exist or is no such model, a module that is not installed; it names the remedy.
    """
    versions = {}
    for language in sorted(config.models):
        files = config.files_of(language)
        if files is not None:
            load_model(*files)
            for kind, name in zip(("perplexity model", "sentencepiece model"), files, strict=True):
                if name is not None:
                    versions[f"{kind} {language}"] = hashlib.sha256(find_model(name).read_bytes()).hexdigest()
    return versions | ({"perplexity lines": str(OWN_LINES_VERSION)} if versions else {})


def find_model(name: str) -> Path:
    """The file of a model named by path, or by its name in `configs/models`. Raises ValueError when there is none."""
    path = Path(name)
    if path.is_file():
        return path
    folder = resources.files("configs").joinpath("models")
    shipped = Path(str(folder.joinpath(name)))
    if "/" not in name and shipped.is_file():
        return shipped
    names = ", ".join(
        sorted(entry.name for entry in folder.iterdir() if entry.name.startswith("perplexity.") and ".card" not in entry.name)
    )
    raise ValueError(f"perplexity model {name}: no such file; give a path, or the name of a shipped model: {names}")


@cache
def load_model(model: str, sentencepiece: str | None) -> tuple[Callable[[bytes], float], Callable[[str], Iterator[str]]]:
    """What scores a line of tokens, and what makes lines of a text. Loaded once a process: neither can be pickled."""
    kenlm = _load_kenlm(find_model(model))
    if sentencepiece is None:
        return kenlm.score, own_lines
    pieces = _load_sentencepiece(find_model(sentencepiece))

    def lines_of(text: str) -> Iterator[str]:
        for line in ccnet_lines(text.encode("utf-8", "replace").decode("utf-8")):
            cut = pieces.encode(line, out_type=str)
            if cut:
                yield " ".join(cut)

    return kenlm.score, lines_of


def _load_kenlm(path: Path) -> Any:
    try:
        import kenlm
    except ImportError as error:
        raise ValueError(
            f"perplexity model {path}: the module kenlm is not installed: {error}. Remedy: pip install kenlm"
        ) from error
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    try:
        model = kenlm.Model(str(path), config)
    except (OSError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"perplexity model {path}: kenlm cannot read it as ARPA or binary: {reason}") from error
    if model.score(_NONSENSE, bos=False, eos=False) <= _NO_UNKNOWN_LOG10:
        warnings.warn(
            f"perplexity model {path} has no probability for unknown words (<unk>): one of them makes a perplexity of millions. "
            "Estimate it with kenlm's lmplz, which gives them one.",
            RuntimeWarning,
            stacklevel=2,
        )
    return model


def _load_sentencepiece(path: Path) -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise ValueError(
            f"sentencepiece model {path}: the module sentencepiece is not installed. Remedy: pip install 'interleaf[sentencepiece]'"
        ) from error
    try:
        return sentencepiece.SentencePieceProcessor(model_file=str(path))
    except (OSError, RuntimeError) as error:
        raise ValueError(f"sentencepiece model {path}: cannot be read: {' '.join(str(error).split())}") from error
