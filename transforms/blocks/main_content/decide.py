"""Probabilities -> which blocks stay (main_content.md 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from transforms.blocks.main_content.characters import Numbers

SLOPE, OFFSET = 1.4, 0.75
LEAST_THRESHOLD, MOST_THRESHOLD = 0.20, 0.65
DECIMALS = 4


@dataclass(frozen=True)
class Decision:
    """threshold: blocks with at least this probability stay. expected_f1: of the best choice, by the probabilities themselves."""

    threshold: float
    expected_f1: float


def expected_best_f1(probabilities: Numbers, words: Numbers) -> float:
    """The word F1 to be expected from the best choice of blocks: 2 sum(p W) / (sum(W) + sum of all p W) over the likeliest."""
    total = float(probabilities @ words)
    if not total > 0:
        return 0.0
    order = np.argsort(-probabilities, kind="stable")
    chosen = words[order]
    right = np.cumsum(probabilities[order] * chosen)
    return float((2 * right / (np.cumsum(chosen) + total)).max())


def decide(probabilities: Numbers, words: Numbers, threshold: float | None = None) -> Decision:
    """The threshold of a page: strict where the page is clear, mild where it is doubtful; a given one holds for every page."""
    expected = expected_best_f1(probabilities, words)
    if threshold is None:
        # As many decimals as probabilities have, so that the stored threshold decides what this one does.
        threshold = round(min(max(SLOPE * expected - OFFSET, LEAST_THRESHOLD), MOST_THRESHOLD), DECIMALS)
    return Decision(threshold, expected)
