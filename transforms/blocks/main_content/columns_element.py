"""Columns about the elements a block lies in: prose centre, names, repetition, containers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from struct import pack

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
    for inside in view.centre_depths.take(view.outline.container, axis=1):
        found += [inside - inside.max(initial=0.0), depth - inside]
    return rounded([*found, depth])


def class_tokens(outline: Outline, scores: Sequence[ElementScore | None]) -> Matrix:
    """About the scores of names along each row's chain, (10, rows).

    Least, greatest, sum, mean, number and nearest of the elements' scores; least and greatest of single names, on the whole chain
    and in the nearest element that has one. 0 where none has one.
    """
    parents = outline.parent.tolist()
    chains: list[tuple[float, ...]] = [(0.0,) * 10]
    chain_of = [0] * len(parents)  # of each element; what has no score has that of its parent
    for position, score in enumerate(scores):
        above = chain_of[parents[position]]
        if score is not None:
            mean, low, high = score
            if above:
                least, most, total, _, number, _, lowest, highest, _, _ = chains[above]
                total, number = total + mean, number + 1.0
                least, most = (mean if mean < least else least), (mean if mean > most else most)
                lowest, highest = (low if low < lowest else lowest), (high if high > highest else highest)
                chains.append((least, most, total, total / number, number, mean, lowest, highest, low, high))
            else:
                chains.append((mean, mean, mean, mean, 1.0, mean, low, high, low, high))
            above = len(chains) - 1
        chain_of[position] = above
    # numpy reads packed numbers in half the time that it takes to look at each.
    values = np.frombuffer(pack(f"{10 * len(chains)}d", *chain.from_iterable(chains))).reshape(-1, 10).T
    return rounded(values).take(np.array(chain_of).take(outline.own), axis=1)


def repetition(view: PageView) -> Matrix:
    """Blocks in entries of a list of like entries, in articles, and blocks that look alike."""
    outline = view.outline
    above = outline.above_root
    likes, container = outline.likes, outline.container
    is_article = np.zeros(above, bool)
    is_article[[position for position, tag in enumerate(outline.tags) if tag == "article"]] = True
    entry = outline.nearest(likes[:-1] >= ENTRY_LIKES)[container]
    article = outline.nearest(is_article)[container]
    depth = outline.depth
    images = np.append(outline.images, 0.0)
    around = outline.parent[entry]
    sums = view.sums[:, -1]
    words, linked, prose, blocks = (view.in_elements[of] for of in (WORDS, LINKED, MAIN_PROSE, BLOCKS))
    in_entry = [
        view.depth - depth[entry], np.log1p(likes[entry]), np.log1p(words[entry]), np.log1p(blocks[entry]),
        np.minimum(images[entry], MOST_IMAGES),
    ]  # fmt: skip
    around_entry = [
        words[around] / (sums[WORDS] + EPSILON), linked[around] / (words[around] + EPSILON),
        prose[around] / (sums[MAIN_PROSE] + EPSILON), np.log1p(blocks[around]),
    ]  # fmt: skip
    in_article = [
        view.depth - depth[article], words[article] / (sums[WORDS] + EPSILON), prose[article] / (sums[MAIN_PROSE] + EPSILON),
        likes[article],
    ]  # fmt: skip
    measured = [
        np.where(missing, MISSING, values)
        for missing, values in ((entry == above, in_entry), (around == above, around_entry), (article == above, in_article))
    ]
    return rounded(np.concatenate([*measured, _alike(view)]))


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
    of_chain = elements.take(view.chain, axis=1).transpose(1, 0, 2).reshape(-1, view.size)
    tags = np.array([*map(TAGS.get, outline.tags, repeat(OTHER_TAG)), NO_TAG], np.float32)
    return np.concatenate([of_chain, tags[view.chain[:2]]])
