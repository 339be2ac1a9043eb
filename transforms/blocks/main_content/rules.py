"""The rule method (blocks.md 13.1): baseline, fall-back and explanation. Each step is undone if it leaves too little.

Its fifth step, texts on nearly all pages of a site, needs other pages than the one at hand and is left out; so are the steps
that need the page's type.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from transforms.blocks.main_content.columns_around import titles
from transforms.blocks.main_content.reasons import dominant_article, landmark, trusted_main, widget
from transforms.blocks.main_content.view import PROSE_LINKS, PageView
from transforms.records import Block

LEAST_CHARACTERS = 200
COMMENT_PROSE_WORDS, COMMENT_BLOCK_WORDS = 60, 15
COST_SHARE, LEAST_COST, MOST_COST, COUNTED_WORDS = 0.60, 5.0, 18.0, 400
HEADING_BONUS, STRUCTURE_SHARE, CAPTION_WORDS = 4.0, 0.5, 8
LEAST_RUN_SHARE = 0.02
LEAD_BLOCKS, LEAD_ITEM_SHARE = 12, 0.5
PROSE_KINDS = frozenset({"paragraph", "quote"})
STRUCTURES = frozenset({"table", "code"})


def reasons_by_rules(view: PageView) -> list[str | None]:
    """For each row why it is out, None for those that stay. Where all would be out, all stay."""
    rows, words = view.rows, view.words
    found: list[str | None] = [None] * view.size

    def take_out(reasons: Sequence[str | None]) -> None:
        for number, reason in enumerate(reasons):
            if found[number] is None:
                found[number] = reason

    def left(reasons: Sequence[str | None]) -> list[int]:
        return [n for n, reason in enumerate(reasons) if reason is None and found[n] is None]

    title = _title_row(view)
    furniture = [_furniture(block) for block in rows]
    if title is not None and rows[title].region == "aside":
        furniture = [None if block.region == "aside" else reason for block, reason in zip(rows, furniture, strict=True)]
    if sum(len(rows[n].text) for n in left(furniture)) >= LEAST_CHARACTERS:
        take_out(furniture)

    comments = ["comments" if block.widget == "comments" else None for block in rows]
    if any(comments) and _prose_words(view, left(comments)) >= COMMENT_PROSE_WORDS:
        take_out(comments)

    staying = left([None] * view.size)
    kept_rows, kept_words = [rows[n] for n in staying], words[staying].tolist()
    if trusted_main(kept_rows, kept_words):
        take_out(["outside-main" if not block.in_main else None for block in rows])
    staying = left([None] * view.size)
    article = dominant_article([rows[n] for n in staying], words[staying].tolist())
    if article is not None:
        take_out(["outside-article" if block.body_of != article else None for block in rows])

    staying = left([None] * view.size)
    first, last = _best_run(view, staying)
    for position, number in enumerate(staying):
        if not first <= position < last:
            found[number] = "boundary"
    _restore_title(view, found, title, furniture)
    return found if any(reason is None for reason in found) else [None] * view.size


def _furniture(block: Block) -> str | None:
    return landmark(block) or (widget(block) if block.widget != "comments" else None)


def _title_row(view: PageView) -> int | None:
    """The row that says what the page's title says."""
    from_title = titles(view)[1]
    place = np.flatnonzero(from_title == 0)
    return int(place[0]) if len(place) else None


def _prose_words(view: PageView, numbers: Sequence[int]) -> float:
    return sum(
        float(view.words[n])
        for n in numbers
        if view.rows[n].kind in PROSE_KINDS and view.words[n] >= COMMENT_BLOCK_WORDS and view.link_share[n] < PROSE_LINKS
    )


def _values(view: PageView, staying: Sequence[int]) -> NDArray[np.float64]:
    """What each block adds to a run: its words that are not links, less what a block costs."""
    words = view.words[staying]
    cost = min(max(COST_SHARE * float(np.minimum(words, COUNTED_WORDS).mean()), LEAST_COST), MOST_COST)
    unlinked = np.where(view.in_main[staying] > 0, words, words - view.linked[staying])
    values = unlinked - cost
    for position, number in enumerate(staying):
        kind = view.rows[number].kind
        if kind == "heading":
            values[position] += HEADING_BONUS
        elif kind in STRUCTURES:
            values[position] = max(unlinked[position], STRUCTURE_SHARE * words[position]) - cost
            values[position] = max(values[position], 0.0)
        elif kind == "figure-caption" and words[position] <= CAPTION_WORDS:
            following = position + 1 < len(staying) and view.rows[staying[position + 1]].kind == "code"
            if following:
                values[position] = max(values[position], 0.0)
    return values


def _best_run(view: PageView, staying: Sequence[int]) -> tuple[int, int]:
    """The run of blocks with the greatest sum; all of them when it holds too few of the words."""
    if not staying:
        return 0, 0
    best, best_range = -np.inf, (0, 0)
    total, start = 0.0, 0
    for position, value in enumerate(_values(view, staying).tolist()):
        if total <= 0:
            total, start = 0.0, position
        total += value
        if total > best:
            best, best_range = total, (start, position + 1)
    words = view.words[staying]
    first, last = best_range
    if float(words[first:last].sum()) < LEAST_RUN_SHARE * float(words.sum()):
        return 0, len(staying)
    return best_range


def _restore_title(view: PageView, found: list[str | None], title: int | None, furniture: Sequence[str | None]) -> None:
    """Takes a title that was cut back in, with the few blocks between it and the text, unless these are mostly a list."""
    first = next((n for n, reason in enumerate(found) if reason is None), None)
    if title is None or first is None or title >= first or furniture[title] is not None:
        return
    found[title] = None
    between = range(title + 1, first)
    items = sum(view.rows[n].kind == "list-item" for n in between)
    if len(between) <= LEAD_BLOCKS and items <= LEAD_ITEM_SHARE * len(between):
        for n in between:
            if furniture[n] is None:
                found[n] = None
