"""Which share of each block's words is main content, by a page's ground truth (main_content.md 2)."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

LEAST_RUN = 3  # words
SHINGLE, LEAST_WORDS, LEAST_COVERED = 4, 8, 0.80
_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """The words that the benchmark counts."""
    return _WORD.findall(text.lower())


def label_blocks(blocks: Sequence[Sequence[Hashable]], truth: Sequence[Hashable]) -> NDArray[np.float64]:
    """For each block, given as words, the share of them that the truth has.

    A word counts when it lies in a run of the longest common subsequence of page and truth that has three words or is a whole
    block, or in a block that is nearly all made of runs of four words of the truth, in whatever order.
    """
    from rapidfuzz.distance import LCSseq

    page = [word for block in blocks for word in block]
    lengths = np.array([len(block) for block in blocks], np.int64)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    whole = set(zip(starts.tolist(), ends.tolist(), strict=True))
    hit = np.zeros(len(page) + 1, np.int64)
    if page and truth:
        for step in LCSseq.opcodes(page, truth):
            run = (step.src_start, step.src_end)
            if step.tag == "equal" and (run[1] - run[0] >= LEAST_RUN or run in whole):
                hit[run[0] : run[1]] = 1
    shingles = set(zip(*(truth[start:] for start in range(SHINGLE)), strict=False))
    for start, block in zip(starts.tolist(), blocks, strict=True):
        if len(block) >= LEAST_WORDS and shingles:
            covered = np.zeros(len(block), bool)
            for at, shingle in enumerate(zip(*(block[place:] for place in range(SHINGLE)), strict=False)):
                if shingle in shingles:
                    covered[at : at + SHINGLE] = True
            if covered.mean() >= LEAST_COVERED:
                hit[start : start + len(block)] = 1
    sums = np.concatenate([[0], np.cumsum(hit)])
    shares: NDArray[np.float64] = (sums[ends] - sums[starts]) / np.maximum(lengths, 1)
    return shares
