"""Columns about the page, the same for all its blocks."""

from __future__ import annotations

import numpy as np

from transforms.blocks.main_content.characters import Matrix
from transforms.blocks.main_content.page_facts import page_type_columns
from transforms.blocks.main_content.view import (
    EPSILON,
    HEADING_BLOCKS,
    ITEM_BLOCKS,
    KINDS,
    LINKED,
    MAIN_PROSE,
    PROSE,
    SENTENCES,
    WORDS,
    PageView,
    rounded,
)

LONG_BLOCK = 40  # words
ENTRY_LIKES = 5


def page_numbers(view: PageView) -> Matrix:
    """What the page is made of: one number for all its blocks, (23, 1)."""
    size = max(view.size, 1)
    totals = view.sums[:, -1]
    words = totals[WORDS] + EPSILON
    outline = view.outline
    in_entry = outline.number_around(outline.likes[:-1] >= ENTRY_LIKES)[outline.container] > 0
    entry_words = float(view.words[in_entry].sum())
    centre = int(np.argmax(view.centre_depths[0]))
    centre_words, centre_linked = view.in_elements[WORDS, centre], view.in_elements[LINKED, centre]
    numbers = [
        np.log1p(view.size),
        np.log1p(totals[WORDS]),
        totals[LINKED] / words,
        totals[PROSE] / words,
        np.log1p(totals[MAIN_PROSE]),
        totals[HEADING_BLOCKS] / size,
        totals[ITEM_BLOCKS] / size,
        float(view.words @ view.in_main) / words,
        float(np.count_nonzero(view.words >= LONG_BLOCK)) / size,
        np.log1p(view.words.max(initial=0.0)),
        np.log1p(float(outline.images[0])),
        np.log1p(float(outline.controls[0])),
        np.log1p(float(outline.articles[0])),
        float(np.count_nonzero(view.kinds == KINDS["code"])),
        float(np.count_nonzero(view.kinds == KINDS["table"])),
        float(np.count_nonzero(view.counts.currency > 0)),
        float(view.hidden.sum()) / size,
        view.repeats / max(view.size + view.repeats, 1),
        totals[SENTENCES] / (totals[WORDS] + 1),
        float(view.counts.characters.sum()) / (totals[WORDS] + 1),
        np.log1p(entry_words),
        centre_linked / (centre_words + EPSILON),
        centre_words / words,
    ]
    return rounded(np.array(numbers, np.float64)[:, None])


def page_type(view: PageView) -> Matrix:
    """What the page says it is: one number for all its blocks, (22, 1)."""
    numbers = page_type_columns(view.url, view.page.flat.metas, view.linked_data)
    return rounded(np.array(numbers, np.float64)[:, None])
