"""Columns about what stands around a block: neighbours, its section, the title, what the page says of its text elsewhere."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from transforms.blocks.main_content.characters import Matrix, Numbers
from transforms.blocks.main_content.outline import Indices
from transforms.blocks.main_content.view import CHROME, EPSILON, KINDS, LINKED, PROSE, WORDS, PageView, rounded
from transforms.blocks.text import ASCII_WORDS_APART

MISSING = -1.0
STEPS = (-3, -2, -1, 1, 2, 3)
WINDOWS = (5, 15)
FARTHEST_HEADING, NO_HEADING = 200, 300
TITLE_BLOCKS, LEAST_TITLE_WORDS, MOST_TITLE_WORDS, TITLE_LEVEL = 25, 2, 40, 3
LEAST_OVERLAP, NO_TITLE, LONGEST_TITLE = 0.4, -999.0, 500
CHUNKS, CHUNK_WORDS, CHUNK_CHARACTERS = 40, 4, 10
LONGEST_WORD = 30  # characters on average; longer ones are a script without spaces
MOST_SEARCHED = 50_000_000  # characters, so that a page of many long data texts stays cheap
# Words; characters of scripts without spaces count singly.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TITLE_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_TITLE_EDGE = re.compile(r"\s[|·•»›–—:-]+\s|\|")


def neighbours(view: PageView) -> Matrix:
    """The three blocks before and after, and windows around."""
    size = view.size
    controls = _controls_before(view)
    ends_per_word = view.counts.sentence_ends / (view.words + 1)
    values = [
        np.log1p(view.words), view.link_share, view.regions,
        view.kinds, ends_per_word, view.counts.ends_sentence, view.depth, controls,
    ]  # fmt: skip
    most = max(STEPS)
    padded = np.full((len(values), size + 2 * most), MISSING, np.float32)
    padded[:, most : most + size] = rounded(values)
    moved = [padded[:3, most + step : most + step + size] for step in STEPS]
    for step in (-1, 1):
        of_next = padded[3:, most + step : most + step + size].copy()
        of_next[3] -= view.depth
        of_next[4] = np.abs(of_next[4] - controls)
        if size:
            of_next[3:, 0 if step < 0 else -1] = 0.0
        moved.append(of_next)
    number = np.arange(size)
    windows: list[Numbers] = []
    for reach in WINDOWS:
        words, linked, prose = _between(view, number - reach, number + reach + 1)
        windows += [np.log1p(words), linked / (words + EPSILON), prose / (words + EPSILON)]
    return np.concatenate([*moved, rounded(windows)])


def _between(view: PageView, first: Indices, last: Indices) -> Numbers:
    """The words, words in links and words of running text of the rows [first, last), as far as there are rows."""
    sums = view.sums[[WORDS, LINKED, PROSE]]
    between: Numbers = sums.take(last, axis=1, mode="clip") - sums.take(first, axis=1, mode="clip")
    return between


def _controls_before(view: PageView) -> Numbers:
    """How many inputs and buttons begin before each block's element."""
    outline = view.outline
    return np.searchsorted(outline.control_numbers, outline.number[outline.own]).astype(np.float64)


def sections(view: PageView) -> Matrix:
    """The heading before a block, and the stretch from it to the next."""
    size = view.size
    headings = np.flatnonzero(view.kinds == KINDS["heading"])
    number = np.arange(size)
    before = np.searchsorted(headings, number, side="right") - 1
    padded = np.append(headings, size)
    has_heading = before >= 0
    start = np.where(has_heading, padded[np.maximum(before, 0)], 0)
    stop = padded[before + 1]
    words_before = view.sums[WORDS]
    words, linked, prose = _between(view, start, stop)
    return rounded(
        [
            np.where(has_heading, np.minimum(number - start, FARTHEST_HEADING), NO_HEADING).astype(np.float64),
            np.where(has_heading, view.levels[start], MISSING) if size else np.zeros(0),
            np.where(has_heading, view.words[start], MISSING) if size else np.zeros(0),
            np.log1p(words_before[:-1] - words_before[start]),
            np.log1p(words),
            linked / (words + EPSILON),
            prose / (words + EPSILON),
            np.minimum(stop - number, FARTHEST_HEADING).astype(np.float64),
        ]
    )


def titles(view: PageView) -> Matrix:
    """Where the block is that says what the page's title says."""
    size = view.size
    overlap = np.full(size, MISSING)
    claimed = _title_sets(view)
    any_claimed = frozenset[str]().union(*claimed)
    is_heading = view.kinds == KINDS["heading"]
    headlines = np.flatnonzero(is_heading & (view.levels == 1)).tolist()
    is_candidate = is_heading & (view.levels <= TITLE_LEVEL)
    start = view.words[:TITLE_BLOCKS]
    is_candidate[:TITLE_BLOCKS] |= (start >= LEAST_TITLE_WORDS) & (start <= MOST_TITLE_WORDS)
    candidates = [number for number in np.flatnonzero(is_candidate).tolist() if len(view.texts[number]) <= LONGEST_TITLE]
    shares = [0.0] * len(candidates)
    best, best_score = -1, LEAST_OVERLAP
    for position, number in enumerate(candidates if claimed else ()):
        own = _word_set(view.texts[number])
        if any_claimed.isdisjoint(own):
            continue
        share = max(_jaccard(own, other) for other in claimed)
        shares[position] = share
        if share >= LEAST_OVERLAP and (score := _title_score(view, number, share)) > best_score:
            best, best_score = number, score
    overlap[candidates] = shares
    place = np.arange(size, dtype=np.float64)
    words_before = view.sums[WORDS, :-1]
    if best >= 0:
        apart = words_before - words_before[best]
        from_title, words_from_title = place - best, np.sign(apart) * np.log1p(np.abs(apart))
    else:
        from_title = words_from_title = np.full(size, NO_TITLE)
    from_headline = place - headlines[0] if headlines else np.full(size, NO_TITLE)
    return rounded([overlap, from_title, words_from_title, from_headline, np.full(size, float(len(headlines)))])


def _title_score(view: PageView, number: int, share: float) -> float:
    """How likely a row says the title: by the share of words that it has in common with it, as a heading and by its place."""
    block, score = view.rows[number], share
    level = block.level if block.kind == "heading" else 0
    if 0 < level <= 2:
        score += 0.3 if level == 1 else 0.1
    if level != 1 and view.regions[number] >= CHROME:
        score -= 0.3
    return score


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    both = len(first & second)
    return both / (len(first) + len(second) - both)


def _title_sets(view: PageView) -> list[frozenset[str]]:
    """The page's titles as sets of words; one of several parts counts whole and by its longest part."""
    claims = [view.page.title, view.page.flat.metas.get("og:title"), view.linked_data.headline]
    sets: list[frozenset[str]] = []
    for claim in claims:
        if claim:
            claim = claim[:LONGEST_TITLE]
            sets += [_word_set(claim), _word_set(max(_TITLE_EDGE.split(claim), key=len))]
    return [words for words in dict.fromkeys(sets) if words]


def _word_set(text: str) -> frozenset[str]:
    lowered = text.lower()
    if lowered.isascii():  # the same words, in half the time
        return frozenset(lowered.encode().translate(ASCII_WORDS_APART).decode().split())
    return frozenset(_TITLE_WORD.findall(lowered))


def structured(view: PageView) -> Matrix:
    """How much of a block stands in the page's data, and in its descriptions."""
    descriptions = [text for name, text in view.page.flat.metas.items() if name.endswith("description")]
    texts = [view.linked_data.texts, descriptions]
    if not any(texts):
        return np.zeros((len(texts), 1), np.float32)
    lines = [" ".join(text.split()) if "\n" in text else text for text in view.texts]
    starts = [*accumulate([len(line) + 1 for line in lines], initial=0)]
    whole = "\n".join(lines)
    places: dict[str, int] = {}  # of what was looked for: pages give the same description under several names
    return rounded([_quoted(view.words, whole, starts, said, places) for said in texts])


def _quoted(words: Numbers, whole: str, starts: Sequence[int], said: Sequence[str], places: dict[str, int]) -> Numbers:
    found: NDArray[np.float64] = np.zeros(len(words))
    chunks = [chunk for text in said for chunk in _chunks(text)]
    for chunk, step in chunks[: MOST_SEARCHED // max(len(whole), 1)]:
        place = places.get(chunk)
        if place is None:
            place = places[chunk] = whole.find(chunk)
        if place >= 0:
            found[bisect_right(starts, place) - 1] += step
    return np.minimum(found / (words + 1), 1.0)


def _chunks(text: str) -> list[tuple[str, float]]:
    """Up to 40 short pieces of a text, evenly spread, and how many words each stands for."""
    pieces = text.split()
    if len(text) > LONGEST_WORD * len(pieces):  # no spaces between words: two characters count as one
        joined = "".join(pieces)
        step = max(CHUNK_CHARACTERS, len(joined) // CHUNKS)
        places = range(0, len(joined) - CHUNK_CHARACTERS + 1, step)[:CHUNKS]
        return [(joined[at : at + CHUNK_CHARACTERS], step / 2) for at in places]
    step = max(CHUNK_WORDS, len(pieces) // CHUNKS)
    places = range(0, len(pieces) - CHUNK_WORDS + 1, step)[:CHUNKS]
    return [(" ".join(pieces[at : at + CHUNK_WORDS]), float(step)) for at in places]
