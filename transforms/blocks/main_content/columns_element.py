"""Columns about the elements a block lies in: prose centre, names, repetition, containers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transforms.blocks.main_content.characters import Numbers
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
)

SHARES = (0.5, 0.25, 0.8)
ENTRY_LIKES = 3
MOST_IMAGES = 20
MISSING = -1.0


def prose_centre(view: PageView) -> Sequence[Numbers]:
    """How far a block is from the smallest element with most of the page's running text."""
    depth = np.array([*view.outline.depth, 0], np.float64)[view.outline.container]
    found: list[Numbers] = []
    for share in SHARES:
        inside = np.array(centre_depths(view, share), np.float64)[view.outline.container]
        found += [inside - (inside.max() if len(inside) else 0.0), depth - inside]
    return [*found, depth]


def centre_depths(view: PageView, share: float) -> list[int]:
    """For each element how many on the way from the root to it hold this share of the page's running text; 0 above the root."""
    outline = view.outline
    prose = view.in_elements[MAIN_PROSE]
    holds = (prose >= share * view.sums[MAIN_PROSE, -1]) & (prose > 0)
    found = [0] * (outline.above_root + 1)
    for element, (parent, holding) in enumerate(zip(outline.parent, holds.tolist(), strict=False)):
        found[element] = found[parent] + holding
    return found


def class_tokens(outline: Outline, scores: Sequence[ElementScore | None]) -> Numbers:
    """About the scores of names along each row's chain, (10, rows).

    Least, greatest, sum, mean, number and nearest of the elements' scores; least and greatest of single names, on the whole chain
    and in the nearest element that has one.
    """
    above = outline.above_root
    chains: list[tuple[float, ...]] = [(0.0,) * 9] * (above + 1)
    for element, (parent, score) in enumerate(zip(outline.parent, scores, strict=True)):
        inherited = chains[parent]
        if score is None:
            chains[element] = inherited
            continue
        mean, low, high = score
        least, most, total, number, _, lowest, highest, _, _ = inherited
        if number:
            chains[element] = (
                min(least, mean), max(most, mean), total + mean, number + 1, mean, min(lowest, low), max(highest, high), low, high,
            )  # fmt: skip
        else:
            chains[element] = (mean, mean, mean, 1.0, mean, low, high, low, high)
    columns = np.array(chains).T[:, outline.own]
    average = columns[2] / np.maximum(columns[3], 1.0)
    return np.vstack([columns[:3], average[None], columns[3:]])


def repetition(view: PageView) -> Sequence[Numbers]:
    """Blocks in entries of a list of like entries, in articles, and blocks that look alike."""
    outline = view.outline
    above = outline.above_root
    entries, articles = [above] * (above + 1), [above] * (above + 1)
    for element, (parent, alike, tag) in enumerate(zip(outline.parent, outline.likes, outline.tags, strict=True)):
        entries[element] = element if alike >= ENTRY_LIKES else entries[parent]
        articles[element] = element if tag == "article" else articles[parent]
    container = outline.container
    entry, article = np.array(entries)[container], np.array(articles)[container]
    depth = np.array([*outline.depth, 0], np.float64)
    likes = np.array([*outline.likes, 0], np.float64)
    images = np.append(outline.images, 0.0)
    around = np.array([*outline.parent, above])[entry]
    sums = view.sums[:, -1]
    words, linked, prose, blocks = (view.in_elements[of] for of in (WORDS, LINKED, MAIN_PROSE, BLOCKS))
    no_entry, no_article, no_parent = entry == above, article == above, around == above

    def unless(missing: Numbers, values: Numbers) -> Numbers:
        return np.where(missing, MISSING, values)

    return [
        unless(no_entry, depth[container] - depth[entry]),
        unless(no_entry, np.log1p(likes[entry])),
        unless(no_entry, np.log1p(words[entry])),
        unless(no_entry, np.log1p(blocks[entry])),
        unless(no_entry, np.minimum(images[entry], MOST_IMAGES)),
        unless(no_parent, words[around] / (sums[WORDS] + EPSILON)),
        unless(no_parent, linked[around] / (words[around] + EPSILON)),
        unless(no_parent, prose[around] / (sums[MAIN_PROSE] + EPSILON)),
        unless(no_parent, np.log1p(blocks[around])),
        unless(no_article, depth[container] - depth[article]),
        unless(no_article, words[article] / (sums[WORDS] + EPSILON)),
        unless(no_article, prose[article] / (sums[MAIN_PROSE] + EPSILON)),
        unless(no_article, likes[article]),
        *_alike(view),
    ]


def _alike(view: PageView) -> Sequence[Numbers]:
    """About all blocks of the page with the same tag in a container of the same tag and class."""
    looks = [*view.outline.look, -1]
    numbers: dict[tuple[int, str], int] = {}
    group = np.array(
        [
            numbers.setdefault((looks[container], block.tag), len(numbers))
            for container, block in zip(view.outline.container.tolist(), view.rows, strict=True)
        ],
        np.int64,
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


def containers(view: PageView) -> Sequence[Numbers]:
    """About a block's container and its five ancestors; 0 above the root."""
    outline = view.outline
    inside, totals = view.in_elements[:, :-1], view.sums[:, -1]
    words, blocks = inside[WORDS], inside[BLOCKS]
    elements = np.zeros((13, outline.above_root + 1))
    elements[:, :-1] = [
        np.log1p(words),
        inside[LINKED] / (words + EPSILON),
        inside[MAIN_PROSE] / (totals[MAIN_PROSE] + EPSILON),
        words / (totals[WORDS] + EPSILON),
        words / np.maximum(blocks, 1.0),
        np.log1p(blocks),
        np.log1p(np.array(outline.likes, np.float64)),
        outline.images / (blocks + 1),
        np.log1p(outline.controls),
        inside[HEADING_BLOCKS] / np.maximum(blocks, 1.0),
        inside[ITEM_BLOCKS] / np.maximum(blocks, 1.0),
        inside[LONG_BLOCKS] / np.maximum(blocks, 1.0),
        np.log1p(np.array(outline.like_on_page, np.float64)),
    ]
    of_chain = elements[:, view.chain].transpose(1, 0, 2).reshape(-1, view.size)
    tags = np.array([*(TAGS.get(tag, OTHER_TAG) for tag in outline.tags), NO_TAG], np.float64)
    return [*of_chain, tags[view.chain[0]], tags[view.chain[1]]]
