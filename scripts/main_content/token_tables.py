"""Learning what the names of elements say (main_content.md 3.1).

Counts are kept by fold, so that the table for any set of folds is a sum: a row's token columns must come from pages of other
folds than its own, or the column looks perfect in training and fails outside.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from scripts.main_content.samples import Sample
from transforms.blocks.main_content.tokens import name_tokens, value_names

LEAST_SITES = 4
PRIOR = 0.25
DECIMALS = 3


class TokenCounts:
    """For each token, by fold: share of pages' words under it, label-weighted share, number of sites."""

    def __init__(self, samples: Sequence[Sample], folds: Sequence[int], number_of_folds: int) -> None:
        sites: dict[str, set[str]] = {}
        pages = [_page_shares(sample) for sample in samples]
        for sample, page in zip(samples, pages, strict=True):
            for token in page:
                sites.setdefault(token, set()).add(sample.site)
        self.tokens = sorted(token for token, of in sites.items() if len(of) >= LEAST_SITES)
        place = {token: position for position, token in enumerate(self.tokens)}
        shape = (number_of_folds, len(self.tokens))
        self.mass, self.hit, self.sites = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        seen: set[tuple[int, str]] = set()
        for sample, fold, page in zip(samples, folds, pages, strict=True):
            for token, (mass, hit) in page.items():
                position = place.get(token)
                if position is None:
                    continue
                self.mass[fold, position] += mass
                self.hit[fold, position] += hit
                if (position, sample.site) not in seen:
                    seen.add((position, sample.site))
                    self.sites[fold, position] += 1

    def table(self, folds: Collection[int]) -> dict[str, float]:
        """The scores by the pages of these folds."""
        chosen = sorted(folds)
        mass, hit = self.mass[chosen].sum(axis=0), self.hit[chosen].sum(axis=0)
        known = self.sites[chosen].sum(axis=0) >= LEAST_SITES
        scores = np.round(np.log((hit + PRIOR) / (mass - hit + PRIOR)), DECIMALS)
        return {token: float(score) for token, score, is_known in zip(self.tokens, scores, known, strict=True) if is_known}


def _page_shares(sample: Sample) -> dict[str, tuple[float, float]]:
    """For each token the share of the page's words under it, and the share that is main content as well; outermost only."""
    words = np.concatenate([[0.0], np.cumsum(sample.words)])
    wanted = np.concatenate([[0.0], np.cumsum(sample.words * sample.labels)])
    total = max(float(words[-1]), 1e-6)
    outline = sample.outline
    covered: dict[str, int] = {}
    found: dict[str, tuple[float, float]] = {}
    ranges = zip(outline.values, outline.first.tolist(), outline.last.tolist(), strict=True)
    for values, first, last in ranges:
        for token in dict.fromkeys(token for value in values for name in value_names(value) for token in name_tokens(name)):
            if covered.get(token, 0) > first:
                continue
            covered[token] = last
            mass, hit = found.get(token, (0.0, 0.0))
            found[token] = (
                mass + float(words[last] - words[first]) / total,
                hit + float(wanted[last] - wanted[first]) / total,
            )
    return found
