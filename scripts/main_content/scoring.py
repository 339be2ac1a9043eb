"""The benchmark's measures (WCXB, README beside the pages)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scripts.main_content.samples import Sample


@dataclass(frozen=True)
class Score:
    """Of a page, or the mean over pages."""

    f1: float
    precision: float
    recall: float


def word_f1(predicted: NDArray[np.int32], truth: NDArray[np.int32]) -> Score:
    """Bags of words. An empty truth scores 1 when nothing is predicted, else 0."""
    if not len(truth) or not len(predicted):
        same = float(len(truth) == len(predicted))
        return Score(same, same, same)
    size = int(max(predicted.max(), truth.max())) + 1
    overlap = int(np.minimum(np.bincount(predicted, minlength=size), np.bincount(truth, minlength=size)).sum())
    precision, recall = overlap / len(predicted), overlap / len(truth)
    return Score(2 * overlap / (len(predicted) + len(truth)), precision, recall)


def score_rows(sample: Sample, kept: NDArray[np.bool_]) -> Score:
    """The score of the joined text of the kept rows."""
    chosen = [block for block, keep in zip(sample.blocks, kept.tolist(), strict=True) if keep]
    return word_f1(np.concatenate(chosen) if chosen else np.zeros(0, np.int32), sample.truth)


def snippets_found(sample: Sample, kept: NDArray[np.bool_]) -> tuple[float | None, float | None]:
    """Which share of the snippets that should be in the text are, and of those that should not."""
    text = _plain("\n".join(block for block, keep in zip(sample.texts, kept.tolist(), strict=True) if keep))
    return tuple(  # type: ignore[return-value]
        sum(_plain(snippet) in text for snippet in snippets) / len(snippets) if snippets else None
        for snippets in (sample.present, sample.absent)
    )


def mean(values: Iterable[float | None]) -> float:
    """The mean of those that are a number; 0 when none is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


def mean_score(scores: Sequence[Score]) -> Score:
    return Score(*(mean(getattr(score, name) for score in scores) for name in ("f1", "precision", "recall")))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
