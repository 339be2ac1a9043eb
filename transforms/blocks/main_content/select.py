"""Which blocks of a page are main content (blocks.md 13, main_content.md 7). Blocks are marked, never taken out or changed.

probabilities by the model  ─►  threshold of the page  ─►  rows that stay  ─►  captions and images follow  ─►  reasons
or reasons by the rules  ──────────────────────────────►
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from transforms.blocks.dedup import Deduplicated
from transforms.blocks.extract import PageBlocks
from transforms.blocks.main_content.characters import Numbers, TextCounts, count_texts
from transforms.blocks.main_content.config import MainContentConfig
from transforms.blocks.main_content.decide import DECIMALS, decide
from transforms.blocks.main_content.features import measure_rows
from transforms.blocks.main_content.model import shipped_model
from transforms.blocks.main_content.reasons import explain
from transforms.blocks.main_content.rules import reasons_by_rules
from transforms.blocks.main_content.view import PageView, has_row, rows_of, view_page
from transforms.records import Block

CAPTION = "figure-caption"
KEPT = "kept"


@dataclass(frozen=True)
class Selection:
    """The blocks, marked.

    words: of the blocks with text: how many stay (`kept`), and how many do not, by reason; empty where nothing was chosen.
    threshold: of the page. expected_f1: how well the model expects to have chosen. Both None without it.
    """

    blocks: tuple[Block, ...]
    words: Mapping[str, int] = field(default_factory=dict)
    threshold: float | None = None
    expected_f1: float | None = None

    @property
    def highest(self) -> float | None:
        """The highest probability of a block; None where none has one."""
        return max((block.probability for block in self.blocks if block.probability is not None), default=None)

    @property
    def is_empty(self) -> bool:
        """Whether the page has text and none of it stays."""
        return bool(self.words) and KEPT not in self.words


def select_main_content(page: PageBlocks, deduplicated: Deduplicated, url: str, config: MainContentConfig) -> Selection:
    """Marks the blocks of a page that are not main content. A page without text has nothing to choose from."""
    blocks = deduplicated.kept
    rows = rows_of(blocks)
    if config.method == "off" or not rows:
        return Selection(blocks)
    view = view_page(page, rows, url, len(deduplicated.repeats))
    if config.method == "rules":
        reasons = dict(zip((block.dom_index for block in rows), reasons_by_rules(view), strict=True))
        stays = [reasons.get(block.dom_index) is None for block in blocks if has_row(block)]
        explanation = explain(rows, view.words.tolist())
        return Selection(*_marked(blocks, stays, lambda block: reasons.get(block.dom_index) or explanation(block), view.counts))
    return select_by_probability(blocks, rows, _predict(view), view.counts, config.threshold)


def judge_blocks(page: PageBlocks, deduplicated: Deduplicated, url: str) -> tuple[Block, ...]:
    """The blocks of a page with their probabilities by the model, none marked: what `choose_again` chooses from."""
    blocks = deduplicated.kept
    rows = rows_of(blocks)
    if not rows:
        return blocks
    probabilities = iter(_predict(view_page(page, rows, url, len(deduplicated.repeats))).tolist())
    return tuple(_remarked(block, block.excluded, next(probabilities)) if has_row(block) else block for block in blocks)


def choose_again(blocks: tuple[Block, ...], threshold: float | None) -> Selection:
    """What `select_main_content` makes of the blocks of `judge_blocks`."""
    rows = rows_of(blocks)
    if not rows:
        return Selection(blocks)
    probabilities = np.array([block.probability for block in rows], np.float64)
    return select_by_probability(blocks, rows, probabilities, count_texts([block.text for block in rows]), threshold)


def _predict(view: PageView) -> Numbers:
    """The probability of each row."""
    model = shipped_model()
    return model.predict(measure_rows(view, model.scores))


def select_by_probability(
    blocks: Sequence[Block], rows: Sequence[Block], probabilities: Numbers, counts: TextCounts, threshold: float | None
) -> Selection:
    """Marks the blocks whose rows are less probable than a threshold, None: that of the page. probabilities, counts: one a row."""
    decision = decide(probabilities, counts.words, threshold)
    stays = (probabilities >= decision.threshold).tolist()
    marked, words = _marked(blocks, stays, explain(rows, counts.words.tolist()), counts, probabilities.tolist())
    return Selection(marked, words, decision.threshold, round(decision.expected_f1, DECIMALS))


def _marked(
    blocks: Sequence[Block],
    stays: Sequence[bool],
    reason: Callable[[Block], str],
    counts: TextCounts,
    probabilities: Sequence[float] | None = None,
) -> tuple[tuple[Block, ...], dict[str, int]]:
    """Marks the rows that do not stay, and what has no row by the rows around it. Also gives the words of the rows, by reason.

    A caption stays between the first and the last row that do. stays, counts, probabilities: one a row.
    """
    rows = [number for number, block in enumerate(blocks) if has_row(block)]
    chosen = [number for number, staying in zip(rows, stays, strict=True) if staying]
    staying = set(chosen)
    if chosen:
        staying.update(n for n in rows if blocks[n].kind == CAPTION and chosen[0] < n < chosen[-1])
    staying.update(_followers(blocks, rows, staying))
    judged = dict(zip(rows, probabilities, strict=True)) if probabilities is not None else {}
    marked: list[Block] = []
    for number, block in enumerate(blocks):
        excluded = block.excluded if number in staying or block.excluded is not None else reason(block)
        probability = judged.get(number)
        unchanged = excluded == block.excluded and probability == block.probability
        marked.append(block if unchanged else _remarked(block, excluded, probability))
    return tuple(marked), _words_by_reason([marked[number] for number in rows], counts)


def _words_by_reason(marked: Sequence[Block], counts: TextCounts) -> dict[str, int]:
    """The words of marked rows."""
    reasons = [block.excluded or KEPT for block in marked]
    found = dict.fromkeys(sorted(set(reasons)), 0.0)
    for reason, words in zip(reasons, counts.spaced_words.tolist(), strict=True):
        found[reason] += words
    return {reason: int(words) for reason, words in found.items()}


def _remarked(block: Block, excluded: str | None, probability: float | None) -> Block:
    """A copy with other marks. Each field by name, in a fifth of the time that `dataclasses.replace` takes."""
    return Block(
        block.kind, block.text, block.tag, block.xpath, block.dom_index, block.rich_text, block.level, block.ordered,
        block.ordinal, block.rows, block.rich_rows, block.table_html, block.href, block.alt, block.link, block.width, block.height,
        block.candidates, block.language, block.region, block.in_main, block.widget, block.quoted, block.body_of, block.float_of,
        block.hidden, excluded, block.rect, probability,
    )  # fmt: skip


def _followers(blocks: Sequence[Block], rows: Sequence[int], staying: set[int]) -> list[int]:
    """Images, embeds and rules that stay.

    Their container is the smallest element around them with text. One stays when the text next to it in there does, or when any
    in there does and it lies between the first and last text of the page that does.
    """
    if not staying:
        return []
    kept = [number for number in rows if number in staying]
    is_row = set(rows)
    found: list[int] = []
    for number in range(len(blocks)):
        if number in is_row:
            continue
        neighbours, kept_around = _next_to(number, rows), _next_to(number, kept)
        beside = [n in staying for n in neighbours]
        is_between = len(kept_around) == 2
        if all(beside):
            found.append(number)
        elif any(beside) or is_between:  # few, so that few paths are looked at
            path = blocks[number].xpath.split("/")
            shared = [_shared_steps(path, blocks[n].xpath) for n in neighbours]
            container = max(shared)
            if any(stays and steps == container for stays, steps in zip(beside, shared, strict=True)) or (
                is_between and any(_shared_steps(path, blocks[n].xpath) >= container for n in kept_around)
            ):
                found.append(number)
    return found


def _next_to(number: int, rows: Sequence[int]) -> Sequence[int]:
    """The rows before and after what is no row; one of them where it is the first or last."""
    following = bisect(rows, number)
    return rows[max(following - 1, 0) : following + 1]


def _shared_steps(path: Sequence[str], other: str) -> int:
    """How many elements two paths have in common from the root."""
    shared = 0
    for own, step in zip(path, other.split("/"), strict=False):
        if own != step:
            break
        shared += 1
    return shared
