"""Columns about a block alone: text, links, kind, region, position."""

from __future__ import annotations

import numpy as np

from transforms.blocks.main_content.characters import Matrix
from transforms.blocks.main_content.view import EPSILON, KINDS, WORDS, PageView, rounded, small_numbers
from transforms.blocks.names import names

# Related tags have neighbouring numbers, so that one split of a tree can tell them apart from others.
TAGS = {
    tag: number
    for number, tag in enumerate(
        names(
            """p div span section article main body center font h1 h2 h3 h4 h5 h6 ul ol menu li dl dt dd table thead tbody tr td th
            caption pre code blockquote figure figcaption details summary address header footer nav aside form fieldset legend
            label button a svg math"""
        )
    )
}
OTHER_TAG = len(TAGS)
NO_TAG = -1


def text(view: PageView) -> Matrix:
    counts = view.counts
    more = counts.words + 1
    return rounded(
        [
            np.log1p(counts.words),
            counts.characters / more,
            counts.sentence_ends / more,
            counts.sentence_ends,
            counts.commas / more,
            counts.ends_sentence,
            counts.first_case,
            counts.upper_words / (counts.words + EPSILON),
            counts.starts_with_digit,
            counts.currency,
            counts.separators,
        ]
    )


def links(view: PageView) -> Matrix:
    return rounded([view.link_share, view.links, view.in_link])


def kind(view: PageView) -> Matrix:
    is_heading = view.kinds == KINDS["heading"]
    return rounded(
        [
            view.kinds,
            small_numbers([TAGS.get(block.tag, OTHER_TAG) for block in view.rows]),
            np.where(is_heading, view.levels, 0.0),
            np.where(is_heading, 0.0, view.levels),
            np.array([block.quoted for block in view.rows], np.float64),
            view.bold_share,
        ]
    )


def region(view: PageView) -> Matrix:
    return rounded([view.regions, view.in_main, view.hidden])


def position(view: PageView) -> Matrix:
    number = np.arange(view.size, dtype=np.float64)
    before = view.sums[WORDS, :-1]
    total = view.sums[WORDS, -1]
    return rounded(
        [
            number / max(view.size, 1),
            before / (total + EPSILON),
            np.log1p(number),
            np.log1p(view.size - 1 - number),
            np.log1p(before),
            np.log1p(total - view.sums[WORDS, 1:]),
        ]
    )
