"""The shipped model: boosted trees and token scores in one JSON file, evaluated with numpy.

A tree is stored as its splits, in any order, each with the range of leaves on its left, leaves counted from left to right. A row
that fails `value <= threshold` at a split cannot end in these leaves, whether or not it passes there. So all splits are compared
at once, the sets of excluded leaves are joined bit by bit, and the leftmost leaf still possible is the row's.

              s0: x <= 5              splits: s0 leaves [0, 2), s1 leaves [0, 1)
             /          \\             x = 4, y = 9: s0 holds, s1 fails -> leaf 0 excluded -> leaf 1
        s1: y <= 7      leaf 2
        /       \\
     leaf 0    leaf 1
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transforms.blocks.main_content.characters import Numbers
from transforms.blocks.main_content.features import COLUMNS
from transforms.blocks.main_content.model_file import model_path, version_of
from transforms.blocks.main_content.tokens import TokenScores

FORMAT = 1
MOST_LEAVES = 32
FIRST_TREES, CLEAR = 40, 2.5
"""Rows whose sum over the first trees is beyond +-2.5 (a probability under .08 or over .92) are not followed further."""
ROWS_AT_ONCE = 256  # enough that the fixed cost of a step is small, few enough that its memory is


class ModelError(ValueError):
    """A model file that does not fit this code; the text says what differs."""


@dataclass(frozen=True)
class Trees:
    """Splits of equally many trees of up to 32 leaves: column, threshold, excluded (a bit a leaf), each (splits, trees).

    leaves: (trees, 32).
    """

    column: NDArray[np.int64]
    threshold: NDArray[np.float32]
    excluded: NDArray[np.int32]
    leaves: NDArray[np.float64]

    def total(self, matrix: NDArray[np.float32], first: int, last: int) -> Numbers:
        """The sum of the values of the trees [first, last) for each row of a matrix (columns, rows)."""
        number, size = last - first, matrix.shape[1]
        total = np.zeros(size)
        column = self.column[:, first:last].ravel()
        threshold = self.threshold[:, first:last].reshape(-1, 1)
        excluded = self.excluded[:, first:last].reshape(-1, 1)
        leaves = self.leaves[first:last].ravel()
        first_leaves = (np.arange(number) * MOST_LEAVES)[:, None]
        for begin in range(0, size, ROWS_AT_ONCE):
            room = matrix[:, begin : begin + ROWS_AT_ONCE].take(column, axis=0)
            np.subtract(threshold, room, out=room)
            # The sign of the room left under the threshold, in all bits: set where the split fails.
            out = room.view(np.int32)
            np.right_shift(out, 31, out=out)
            np.bitwise_and(out, excluded, out=out)
            out = np.bitwise_or.reduce(out.reshape(-1, number, out.shape[1]), axis=0).view(np.uint32)
            leftmost = ~out & (out + np.uint32(1))
            # The exponent of a power of two is the number of its bit.
            leaf = (leftmost.astype(np.float32).view(np.int32) >> 23) + (first_leaves - 127)
            total[begin : begin + ROWS_AT_ONCE] = leaves.take(leaf).sum(axis=0)
        return total


@dataclass(frozen=True)
class Model:
    """version: a hash of the file, stored with what it decided."""

    trees: Trees
    scores: TokenScores
    version: str

    def predict(self, matrix: NDArray[np.float32]) -> Numbers:
        """The expected share of each row's words that is main content, from a matrix (columns, rows)."""
        trees = len(self.trees.leaves)
        raw = self.trees.total(matrix, 0, min(FIRST_TREES, trees))
        if trees > FIRST_TREES:
            doubtful = np.flatnonzero(np.abs(raw) < CLEAR)
            if len(doubtful):
                raw[doubtful] += self.trees.total(matrix.take(doubtful, axis=1), FIRST_TREES, trees)
        return np.round(1 / (1 + np.exp(-raw)), 4)


@lru_cache(maxsize=1)
def shipped_model() -> Model:
    """The model that comes with the package; read once a process."""
    return read_model(model_path())


def read_model(path: Path) -> Model:
    """Reads a model file. Raises ModelError where its columns are not those that this code measures."""
    content = path.read_bytes()
    stored = json.loads(content)
    if stored.get("format") != FORMAT:
        raise ModelError(f"{path}: format {stored.get('format')!r} is not allowed; allowed: {FORMAT}")
    if tuple(stored["columns"]) != COLUMNS:
        differing = sorted(set(stored["columns"]) ^ set(COLUMNS)) or "their order"
        raise ModelError(f"{path}: trained on other columns than this code measures ({differing}); train it again")
    return Model(read_trees(stored["trees"]), TokenScores(stored["tokens"]), version_of(content))


def read_trees(trees: Sequence[Mapping[str, Any]]) -> Trees:
    """Trees as stored: columns, thresholds, left (ranges of leaves), leaves. Short ones are filled up with splits that all pass."""
    splits = max((len(tree["columns"]) for tree in trees), default=0)
    shape = (max(splits, 1), len(trees))
    column = np.zeros(shape, np.int64)
    threshold = np.full(shape, np.inf, np.float32)
    excluded = np.zeros(shape, np.uint32)
    leaves = np.zeros((len(trees), MOST_LEAVES))
    for number, tree in enumerate(trees):
        size = len(tree["columns"])
        column[:size, number] = tree["columns"]
        threshold[:size, number] = tree["thresholds"]
        excluded[:size, number] = [(1 << last) - (1 << first) for first, last in tree["left"]]
        leaves[number, : len(tree["leaves"])] = tree["leaves"]
    return Trees(column, threshold, excluded.view(np.int32), leaves)
