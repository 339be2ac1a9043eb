"""Columns about the elements a block lies in: prose centre, names, repetition, containers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transforms.blocks.main_content.characters import Matrix, Numbers
from transforms.blocks.main_content.columns_block import NO_TAG, OTHER_TAG, TAGS
from transforms.blocks.main_content.outline import Outline
from transforms.blocks.main_content.tokens import ElementScore
from transforms.blocks.main_content.view import (
    BLOCKS,
    EPSILON,
    HEADING_BLOCKS,
    ITEM_BLOCKS,
    LINKED,
    LONG_BLOCKS,
    MAIN_PROSE,
    WORDS,
    PageView,
    rounded,
)

ENTRY_LIKES = 3
MOST_IMAGES = 20
MISSING = -1.0


def prose_centre(view: PageView) -> Matrix:
    """How far a block is from the smallest element with most of the page's running text."""
    depth = view.depth
    found: list[Numbers] = []
    for inside in view.centre_depths[:, view.outline.container]:
        found += [inside - inside.max(initial=0.0), depth - inside]
    return rounded([*found, depth])


def class_tokens(outline: Outline, scores: Sequence[ElementScore | None]) -> Matrix:
    """About the scores of names along each row's chain, (10, rows).

    Least, greatest, sum, mean, number and nearest of the elements' scores; least and greatest of single names, on the whole chain
    and in the nearest element that has one. 0 where none has one.
    """
    scored = [position for position, score in enumerate(scores) if score is not None]
    own = np.zeros((3, outline.above_root + 1))  # mean, least, greatest
    if scored:
        own[:, scored] = np.array([scores[position] for position in scored]).T
    has_score = np.zeros(outline.above_root, bool)
    has_score[scored] = True
    mean, low, high = own[:, :-1]
    extremes = np.where(has_score, [mean, -mean, low, -high], np.inf)
    totals = [0.0] * (outline.above_root + 1)
    for position, (parent, score) in enumerate(zip(outline.parent.tolist(), mean.tolist(), strict=False)):
        totals[position] = totals[parent] + score  # from the root on: sums of floats depend on their order
    total = np.array(totals)[outline.own]
    number = outline.upwards(np.add, has_score[None].astype(np.float64), 0.0)[0, outline.own]
    least, most, lowest, highest = outline.upwards(np.minimum, extremes, np.inf)[:, outline.own]
    nearest = own[:, outline.nearest(has_score)[outline.own]]
    found = np.array(
        [least, -most, total, total / np.maximum(number, 1.0), number, nearest[0], lowest, -highest, nearest[1], nearest[2]]
    )
    return rounded(np.where(number > 0, found, 0.0))


def repetition(view: PageView) -> Matrix:
    """Blocks in entries of a list of like entries, in articles, and blocks that look alike."""
    outline = view.outline
    above = outline.above_root
    likes, container = outline.likes, outline.container
    entry = outline.nearest(likes[:-1] >= ENTRY_LIKES)[container]
    article = outline.nearest(np.array([tag == "article" for tag in outline.tags], bool))[container]
    depth = outline.depth
    images = np.append(outline.images, 0.0)
    around = outline.parent[entry]
    sums = view.sums[:, -1]
    words, linked, prose, blocks = (view.in_elements[of] for of in (WORDS, LINKED, MAIN_PROSE, BLOCKS))
    no_entry, no_article, no_parent = entry == above, article == above, around == above

    def unless(missing: Numbers, values: Numbers) -> Numbers:
        return np.where(missing, MISSING, values)

    return rounded(
        [
            unless(no_entry, view.depth - depth[entry]),
            unless(no_entry, np.log1p(likes[entry])),
            unless(no_entry, np.log1p(words[entry])),
            unless(no_entry, np.log1p(blocks[entry])),
            unless(no_entry, np.minimum(images[entry], MOST_IMAGES)),
            unless(no_parent, words[around] / (sums[WORDS] + EPSILON)),
            unless(no_parent, linked[around] / (words[around] + EPSILON)),
            unless(no_parent, prose[around] / (sums[MAIN_PROSE] + EPSILON)),
            unless(no_parent, np.log1p(blocks[around])),
            unless(no_article, view.depth - depth[article]),
            unless(no_article, words[article] / (sums[WORDS] + EPSILON)),
            unless(no_article, prose[article] / (sums[MAIN_PROSE] + EPSILON)),
            unless(no_article, likes[article]),
            *_alike(view),
        ]
    )


def _alike(view: PageView) -> Sequence[Numbers]:
    """About all blocks of the page with the same tag in a container of the same tag and class."""
    looks = view.outline.look[view.outline.container].tolist()
    numbers: dict[tuple[int, str], int] = {}
    group = np.array(
        [numbers.setdefault((look, block.tag), len(numbers)) for look, block in zip(looks, view.rows, strict=True)], np.int64
    )
    blocks = np.bincount(group, minlength=1)[group].astype(np.float64)
    words, linked, prose = (
        np.bincount(group, weights=of, minlength=1)[group] for of in (view.words, view.linked, view.prose)
    )  # fmt: skip
    return [
        np.log1p(blocks),
        words / (view.sums[WORDS, -1] + EPSILON),
        linked / (words + EPSILON),
        words / np.maximum(blocks, 1.0),
        prose / (words + EPSILON),
    ]


def containers(view: PageView) -> Matrix:
    """About a block's container and its five ancestors; 0 above the root."""
    outline = view.outline
    inside, totals = view.in_elements[:, :-1], view.sums[:, -1]
    words, blocks = inside[WORDS], inside[BLOCKS]
    of_element = [
        np.log1p(words),
        inside[LINKED] / (words + EPSILON),
        inside[MAIN_PROSE] / (totals[MAIN_PROSE] + EPSILON),
        words / (totals[WORDS] + EPSILON),
        words / np.maximum(blocks, 1.0),
        np.log1p(blocks),
        np.log1p(outline.likes[:-1]),
        outline.images / (blocks + 1),
        np.log1p(outline.controls),
        inside[HEADING_BLOCKS] / np.maximum(blocks, 1.0),
        inside[ITEM_BLOCKS] / np.maximum(blocks, 1.0),
        inside[LONG_BLOCKS] / np.maximum(blocks, 1.0),
        np.log1p(outline.like_on_page),
    ]
    elements = np.zeros((len(of_element), outline.above_root + 1), np.float32)
    elements[:, :-1] = rounded(of_element)
    of_chain = elements[:, view.chain].transpose(1, 0, 2).reshape(-1, view.size)
    tags = np.array([*(TAGS.get(tag, OTHER_TAG) for tag in outline.tags), NO_TAG], np.float32)
    return np.concatenate([of_chain, tags[view.chain[:2]]])
