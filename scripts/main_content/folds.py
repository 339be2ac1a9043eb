"""Which pages are held out together (main_content.md 5)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

FOLDS = 5


def assign_folds(sites: Sequence[str], page_types: Sequence[str], folds: int = FOLDS) -> list[int]:
    """The fold of each page: all pages of a site in one, page types spread evenly, largest sites first."""
    groups: dict[str, Counter[str]] = {}
    for site, page_type in zip(sites, page_types, strict=True):
        groups.setdefault(site, Counter())[page_type] += 1
    order = sorted(groups, key=lambda site: (-groups[site].total(), hashlib.sha256(site.encode()).hexdigest()))
    counts = [Counter[str]() for _ in range(folds)]
    chosen: dict[str, int] = {}
    for site in order:
        own = groups[site]
        chosen[site] = min(
            range(folds),
            key=lambda fold: (sum(counts[fold][kind] * number for kind, number in own.items()), counts[fold].total(), fold),
        )
        counts[chosen[site]].update(own)
    return [chosen[site] for site in sites]
