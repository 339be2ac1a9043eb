"""Which blocks of a page are main content (blocks.md 13, main_content.md 7). Blocks are marked, never taken out or changed.

probabilities by the model  ─►  threshold of the page  ─►  rows that stay  ─►  captions and images follow  ─►  reasons
or reasons by the rules  ──────────────────────────────►
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter

from transforms.blocks.dedup import Deduplicated
from transforms.blocks.extract import PageBlocks
from transforms.blocks.main_content.characters import Numbers, TextCounts
from transforms.blocks.main_content.config import MainContentConfig
from transforms.blocks.main_content.decide import DECIMALS, decide
from transforms.blocks.main_content.features import measure_rows
from transforms.blocks.main_content.model import shipped_model
from transforms.blocks.main_content.reasons import explain
from transforms.blocks.main_content.rules import reasons_by_rules
from transforms.blocks.main_content.view import KINDS, has_row, rows_of, view_page
from transforms.records import Block

CAPTION = "figure-caption"
FALLBACK = "fallback"
"""The reason of text that stands for an embed (blocks.md 13); it was given before anything is chosen."""
_NAMES = [own.name for own in fields(Block)]
_EXCLUDED, _PROBABILITY = _NAMES.index("excluded"), _NAMES.index("probability")
_READ = attrgetter(*_NAMES)


@dataclass(frozen=True)
class Selection:
    """The blocks, marked.

    words: how many stay (`kept`), and how many do not, by reason; empty where nothing was chosen. threshold: of the page.
    expected_f1: how well the model expects to have chosen. Both None without it.
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
        rows = [block for block in self.blocks if _was_row(block)]
        return bool(rows) and all(block.excluded is not None for block in rows)


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
        marked = _marked(blocks, stays, lambda block: reasons.get(block.dom_index) or explanation(block))
        return Selection(marked, _words_by_reason(marked, view.counts))
    model = shipped_model()
    probabilities = model.predict(measure_rows(view, model.scores))
    return select_by_probability(blocks, rows, probabilities, view.counts, config.threshold)


def select_by_probability(
    blocks: Sequence[Block], rows: Sequence[Block], probabilities: Numbers, counts: TextCounts, threshold: float | None
) -> Selection:
    """Marks the blocks whose rows are less probable than a threshold, None: that of the page. probabilities, counts: one a row."""
    decision = decide(probabilities, counts.words, threshold)
    stays = (probabilities >= decision.threshold).tolist()
    marked = _marked(blocks, stays, explain(rows, counts.words.tolist()), probabilities.tolist())
    return Selection(marked, _words_by_reason(marked, counts), decision.threshold, round(decision.expected_f1, DECIMALS))


def _words_by_reason(marked: Sequence[Block], counts: TextCounts) -> dict[str, int]:
    """The words of the rows of marked blocks."""
    reasons = [block.excluded or "kept" for block in marked if _was_row(block)]
    found: Counter[str] = Counter()
    for reason, words in zip(reasons, counts.spaced_words.tolist(), strict=True):
        found[reason] += int(words)
    return dict(sorted(found.items()))


def _was_row(block: Block) -> bool:
    """Whether a marked block had a row before it was marked."""
    return block.kind in KINDS and block.excluded != FALLBACK


def _marked(
    blocks: Sequence[Block],
    stays: Sequence[bool],
    reason: Callable[[Block], str],
    probabilities: Sequence[float] | None = None,
) -> tuple[Block, ...]:
    """Marks the rows that do not stay, and what has no row by the rows around it.

    A caption stays between the first and the last row that do. stays, probabilities: one a row.
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
    return tuple(marked)


def _remarked(block: Block, excluded: str | None, probability: float | None) -> Block:
    """A copy with other marks, in a quarter of the time that `dataclasses.replace` takes."""
    values = [*_READ(block)]
    values[_EXCLUDED], values[_PROBABILITY] = excluded, probability
    return Block(*values)


def _followers(blocks: Sequence[Block], rows: Sequence[int], staying: set[int]) -> list[int]:
    """Images, embeds and rules that stay.

    Their container is the smallest element around them with text. One stays when the text next to it in there does, or when any
    in there does and it lies between the first and last text of the page that does.
    """
    row_before: list[int | None] = [None] * len(blocks)
    kept_before: list[int | None] = [None] * len(blocks)
    row = kept = None
    is_row = set(rows)
    for number in range(len(blocks)):
        row_before[number], kept_before[number] = row, kept
        if number in is_row:
            row = number
            kept = number if number in staying else kept
    found: list[int] = []
    row = kept = None
    for number in range(len(blocks) - 1, -1, -1):
        if number in is_row:
            row = number
            kept = number if number in staying else kept
            continue
        neighbours = [n for n in (row_before[number], row) if n is not None]
        kept_around = [n for n in (kept_before[number], kept) if n is not None]
        beside = [n in staying for n in neighbours]
        if all(beside) or not kept_around:  # most: no need to look at paths
            if neighbours and all(beside):
                found.append(number)
            continue
        path = blocks[number].xpath.split("/")
        shared = [_shared_steps(path, blocks[n].xpath) for n in neighbours]
        container = max(shared)
        if any(stays and steps == container for stays, steps in zip(beside, shared, strict=True)) or (
            len(kept_around) == 2 and any(_shared_steps(path, blocks[n].xpath) >= container for n in kept_around)
        ):
            found.append(number)
    return found


def _shared_steps(path: Sequence[str], other: str) -> int:
    """How many elements two paths have in common from the root."""
    shared = 0
    for own, step in zip(path, other.split("/"), strict=False):
        if own != step:
            break
        shared += 1
    return shared
