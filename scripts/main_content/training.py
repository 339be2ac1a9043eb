"""Training and out-of-fold prediction (main_content.md 4, 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scripts.main_content.folds import FOLDS
from scripts.main_content.samples import Sample
from scripts.main_content.token_tables import TokenCounts
from transforms.blocks.main_content.columns_element import class_tokens
from transforms.blocks.main_content.features import COLUMNS, TOKEN_COLUMNS
from transforms.blocks.main_content.tokens import TokenScores

if TYPE_CHECKING:
    import lightgbm

Matrix = NDArray[np.float32]
Probabilities = list[NDArray[np.float64]]
ROUNDS = 160
PARAMETERS: dict[str, Any] = {
    "objective": "cross_entropy",
    "learning_rate": 0.09,
    "num_leaves": 32,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.2,
    "bagging_fraction": 0.5,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}
LARGE_PAGE, SHORT_BLOCK = 100, 25  # blocks, words: the many short blocks of large pages are sampled
PAGE_SHARE, SMOOTHING = 0.15, 50.0  # of a row's weight
FIRST_TOKEN = len(COLUMNS) - len(TOKEN_COLUMNS)


@dataclass
class TokenColumns:
    """The token columns of all samples, by the folds whose pages the table was made of."""

    samples: Sequence[Sample]
    counts: TokenCounts

    def __post_init__(self) -> None:
        self._made: dict[tuple[frozenset[int], int], Matrix] = {}
        self._tables: dict[frozenset[int], TokenScores] = {}

    def of(self, folds: frozenset[int], wanted: Sequence[int]) -> list[Matrix]:
        """For the samples with these positions. Kept, since every seed asks for the same."""
        missing = [i for i in wanted if (folds, i) not in self._made]
        if missing:
            if folds not in self._tables:
                self._tables[folds] = TokenScores(self.counts.table(folds))
            scores = self._tables[folds]
            for i in missing:
                outline = self.samples[i].outline
                self._made[folds, i] = class_tokens(outline, scores.element_scores(outline.values))
        return [self._made[folds, i] for i in wanted]


def row_weights(sample: Sample) -> NDArray[np.float64]:
    """What a word of the page does to its F1 goes with 1 / (truth + predicted words)."""
    weights: NDArray[np.float64] = np.maximum(sample.words, 1.0) / (len(sample.truth) + PAGE_SHARE * sample.words.sum() + SMOOTHING)
    return weights


def sample_rows(sample: Sample, generator: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Which rows of a page are trained on, and by what factor their weight grows."""
    size = len(sample.words)
    share = min(1.0, LARGE_PAGE / size) if size else 1.0
    is_short = sample.words < SHORT_BLOCK
    drawn = generator.random(size)
    rows = np.flatnonzero(~is_short | (drawn < share))
    return rows, np.where(is_short[rows], 1 / share, 1.0)


def train(
    samples: Sequence[Sample],
    tokens: Sequence[Matrix],
    seed: int,
    columns: Sequence[int] | None = None,
    parameters: dict[str, Any] | None = None,
    rounds: int = ROUNDS,
) -> lightgbm.Booster:
    """Trains on the pages given. tokens: their token columns. columns: positions of those to use, None for all."""
    import lightgbm

    generator = np.random.default_rng(seed)
    drawn = [sample_rows(sample, generator) for sample in samples]
    size = sum(len(rows) for rows, _ in drawn)
    used = np.arange(len(COLUMNS)) if columns is None else np.array(columns)
    matrix = np.empty((size, len(used)), np.float32)
    labels, weights = np.empty(size), np.empty(size)
    at = 0
    for sample, own_tokens, (rows, factor) in zip(samples, tokens, drawn, strict=True):
        block = slice(at, at + len(rows))
        whole = with_tokens(sample, own_tokens)
        matrix[block] = whole[used][:, rows].T
        labels[block] = sample.labels[rows]
        weights[block] = row_weights(sample)[rows] * factor
        at += len(rows)
    weights /= weights.mean()
    names = [COLUMNS[column] for column in used]
    settings = {**PARAMETERS, **(parameters or {}), "seed": seed}
    data = lightgbm.Dataset(matrix, labels, weight=weights, feature_name=names, params=settings, free_raw_data=True)
    return lightgbm.train(settings, data, rounds)


def with_tokens(sample: Sample, tokens: Matrix) -> Matrix:
    """A sample's matrix with its token columns filled."""
    matrix = sample.matrix.copy()
    matrix[FIRST_TOKEN:] = tokens
    return matrix


def predict_out_of_fold(
    samples: Sequence[Sample],
    folds: Sequence[int],
    columns_of_tokens: Callable[[frozenset[int], Sequence[int]], list[Matrix]],
    seed: int,
    columns: Sequence[int] | None = None,
    parameters: dict[str, Any] | None = None,
    rounds: int = ROUNDS,
) -> Probabilities:
    """Each page's probabilities by a model, and a token table, that have seen no page of its fold."""
    everything = frozenset(range(FOLDS))
    used = np.arange(len(COLUMNS)) if columns is None else np.array(columns)
    found: Probabilities = [np.zeros(0)] * len(samples)
    for held_out in range(FOLDS):
        training: list[Sample] = []
        tokens: list[Matrix] = []
        for fold in sorted(everything - {held_out}):
            members = [i for i, own in enumerate(folds) if own == fold]
            training += [samples[i] for i in members]
            tokens += columns_of_tokens(everything - {held_out, fold}, members)
        model = train(training, tokens, seed, columns, parameters, rounds)
        members = [i for i, own in enumerate(folds) if own == held_out]
        for i, own_tokens in zip(members, columns_of_tokens(everything - {held_out}, members), strict=True):
            matrix = with_tokens(samples[i], own_tokens)[used].T
            found[i] = np.asarray(model.predict(matrix, num_threads=1), np.float64) if len(matrix) else np.zeros(0)
    return found
