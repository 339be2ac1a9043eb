"""Columns about the page, the same for all its blocks."""

from __future__ import annotations

import numpy as np

from transforms.blocks.main_content.characters import Numbers
from transforms.blocks.main_content.columns_element import centre_depths
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
)

LONG_BLOCK = 40  # words
ENTRY_LIKES = 5
CENTRE_SHARE = 0.5


def page_numbers(view: PageView) -> Numbers:
    """What the page is made of."""
    if not view.size:
        return np.zeros((23, 0))
    size = max(view.size, 1)
    totals = view.sums[:, -1]
    words = totals[WORDS] + EPSILON
    outline = view.outline
    in_entry = [False] * (outline.above_root + 1)
    for element, (parent, likes) in enumerate(zip(outline.parent, outline.likes, strict=True)):
        in_entry[element] = in_entry[parent] or likes >= ENTRY_LIKES
    entry_words = float(view.words[np.array(in_entry)[outline.container]].sum())
    centre = int(np.argmax(centre_depths(view, CENTRE_SHARE)))
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
        float((view.words >= LONG_BLOCK).sum()) / size,
        np.log1p(view.words.max()),
        np.log1p(float(outline.images[0])),
        np.log1p(float(outline.controls[0])),
        np.log1p(float(outline.articles[0])),
        float((view.kinds == KINDS["code"]).sum()),
        float((view.kinds == KINDS["table"]).sum()),
        float((view.counts.currency > 0).sum()),
        float(view.hidden.sum()) / size,
        view.repeats / (view.size + view.repeats),
        totals[SENTENCES] / (totals[WORDS] + 1),
        float(view.counts.characters.sum()) / (totals[WORDS] + 1),
        np.log1p(entry_words),
        centre_linked / (centre_words + EPSILON),
        centre_words / words,
    ]
    return np.repeat(np.array(numbers, np.float64)[:, None], view.size, axis=1)


def page_type(view: PageView) -> Numbers:
    """What the page says it is."""
    numbers = page_type_columns(view.url, view.page.flat.metas, view.linked_data)
    return np.repeat(np.array(numbers, np.float64)[:, None], view.size, axis=1)
