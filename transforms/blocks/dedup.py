"""Repeats within a page (blocks.md 10, 11). Linear in the page's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from transforms.blocks.text import ASCII_WORDS_APART, OF_ASCII_WORDS
from transforms.records import Block

CHROME_REGIONS = frozenset({"nav", "header", "footer", "aside"})
# Kinds whose repeats stay when they stand in other company.
KEPT_IN_OTHER_COMPANY = frozenset({"table", "code"})

LEAST_WORDS = 150
SHINGLE = 6  # words
RESTATED_SHARE = 0.70
SINGLE_SUPPLIER_SHARE = 0.50
# A sequence of words in more blocks than this supplies its first ones only, so that the cost stays linear.
MOST_SUPPLIERS = 32
_WORD = re.compile(r"\w+")
_BETWEEN_TEXTS = "\0"  # the HTML parser lets none pass
Shingle = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A block left out because the page says it elsewhere.

    rule: `dedup.repeat`, the text was there before; `dedup.outranked`, a later copy has the better place; `dedup.unmeasured`, a
    later copy is the one that a renderer has drawn; `dedup.copied_run`, a table or code repeated along with its neighbour;
    `dedup.restated`, a container that repeats its parts. twin_path: path of the copy that is kept, None for `dedup.restated`,
    which has several.
    """

    block: Block
    rule: str
    twin_path: str | None


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The blocks that stay, in their order, and those that do not, in theirs."""

    kept: tuple[Block, ...]
    repeats: tuple[Repeat, ...]


def deduplicate(blocks: Sequence[Block]) -> Deduplicated:
    """Takes repeated blocks out of an ordered page, then containers that restate their parts."""
    repeats = _repeats(blocks)
    kept = [position for position in range(len(blocks)) if position not in repeats]
    repeats.update(_restated(blocks, kept))
    return Deduplicated(
        tuple(blocks[position] for position in kept if position not in repeats),
        tuple(repeats[position] for position in sorted(repeats)),
    )


def _repeats(blocks: Sequence[Block]) -> dict[int, Repeat]:
    texts = _without_white_space([block.text for block in blocks])
    keys: list[tuple[str, str | None]] = [(text, block.href) for text, block in zip(texts, blocks, strict=True)]
    last_kept: dict[tuple[str, str | None], int] = {}
    provisional: list[int] = []
    repeats: dict[int, Repeat] = {}
    for position, key in enumerate(keys):
        earlier = last_kept.get(key)
        if earlier is None:
            if key[0]:
                last_kept[key] = position
            continue
        block = blocks[position]
        if _drawn_apart(block, blocks[earlier]):
            last_kept[key] = position
        elif _outranks(block, blocks[earlier]):
            repeats[earlier] = Repeat(blocks[earlier], "dedup.outranked", block.xpath)
            last_kept[key] = position
        elif block.rect is not None and blocks[earlier].rect is None:
            repeats[earlier] = Repeat(blocks[earlier], "dedup.unmeasured", block.xpath)
            last_kept[key] = position
        elif block.kind in KEPT_IN_OTHER_COMPANY and block.rect is None and blocks[earlier].rect is None:
            provisional.append(position)
            last_kept[key] = position
        else:
            repeats[position] = Repeat(block, "dedup.repeat", blocks[earlier].xpath)
    if not provisional:
        return repeats
    first_with_key = {key: position for position, key in reversed([*enumerate(keys)])}
    first_with_text = {text: position for position, text in reversed([*enumerate(texts)])}
    for position in provisional:
        if position in repeats:
            continue
        first = first_with_key[keys[position]]
        if position == first + 1 or _same_neighbour(texts, first_with_text, position, first):
            repeats[position] = Repeat(blocks[position], "dedup.copied_run", blocks[first].xpath)
    return repeats


def _without_white_space(texts: Sequence[str]) -> list[str]:
    """The texts as they are compared, taken apart only once."""
    together = _BETWEEN_TEXTS.join(texts).replace(" ", "").replace("\n", "")
    pieces = "".join(together.split()).split(_BETWEEN_TEXTS) if texts else []  # there is hardly any other white space
    if len(pieces) != len(texts):  # a text has that character
        pieces = ["".join(text.split()) for text in texts]
    return list(map(str.casefold, pieces))


def _drawn_apart(later: Block, earlier: Block) -> bool:
    return later.rect is not None and earlier.rect is not None and later.rect[:2] != earlier.rect[:2]


def _outranks(later: Block, earlier: Block) -> bool:
    if later.kind == "heading" and earlier.kind != "heading":
        return True
    return earlier.region in CHROME_REGIONS and later.region not in CHROME_REGIONS


def _same_neighbour(texts: Sequence[str], first_with_text: dict[str, int], position: int, first: int) -> bool:
    """Whether the block before or after a repeat has the text that stands there beside the first copy."""
    for step in (-1, 1):
        here, there = position + step, first + step
        if there >= 0 and here < len(texts):
            text = texts[there]
            if text and texts[here] == text and first_with_text[text] == there:
                return True
    return False


def _restated(blocks: Sequence[Block], kept: Sequence[int]) -> dict[int, Repeat]:
    """Long blocks most of whose word sequences stand in several other blocks together, but not in one alone."""
    candidates = _restatable(blocks, kept)
    if not candidates:
        return {}
    shingles = {position: _shingles(blocks[position].text) for position in candidates}
    suppliers: dict[Shingle, list[int]] = {shingle: [] for found in shingles.values() for shingle in found}
    for position in kept:
        found = shingles.get(position)
        for shingle in suppliers.keys() & (_shingles(blocks[position].text) if found is None else found):
            if len(suppliers[shingle]) < MOST_SUPPLIERS:
                suppliers[shingle].append(position)
    repeats: dict[int, Repeat] = {}
    for position in candidates:
        own = shingles[position]
        covered = 0
        supplied: Counter[int] = Counter()
        for shingle in own:
            others = [other for other in suppliers[shingle] if other != position and other not in repeats]
            covered += bool(others)
            supplied.update(others)
        best = max(supplied.values(), default=0)
        if covered >= RESTATED_SHARE * len(own) and best < SINGLE_SUPPLIER_SHARE * len(own):
            repeats[position] = Repeat(blocks[position], "dedup.restated", None)
    return repeats


def _restatable(blocks: Sequence[Block], kept: Sequence[int]) -> list[int]:
    """Long blocks that can be restated at all.

    A sequence of words stands elsewhere only if each of its words does. That is counted without building the sequences, and
    rules out nearly all long blocks.
    """
    long = [position for position in kept if _may_be_long(blocks[position].text)]
    words = {position: found for position in long if len(found := _words(blocks[position].text)) >= LEAST_WORDS}
    if not words:
        return []
    others = (text for position in kept if position not in words and _may_have_shingle(text := blocks[position].text))
    elsewhere = _distinct_words("\n".join(map(str.lower, others)))
    distinct = {position: set(own) for position, own in words.items()}
    if len(distinct) > 1:
        blocks_with = Counter(chain.from_iterable(distinct.values()))
        elsewhere.update(word for word, count in blocks_with.items() if count > 1)
    restatable: list[int] = []
    for position, own in words.items():
        run = possible = 0
        for word in own:
            if word in elsewhere:
                run += 1
                if run >= SHINGLE:
                    possible += 1
            else:
                run = 0
        # Sequences that end in different words are different.
        if (
            possible
            and possible >= RESTATED_SHARE * (len(distinct[position]) - SHINGLE + 1)
            and possible >= RESTATED_SHARE * len(_shingles(blocks[position].text))
        ):
            restatable.append(position)
    return restatable


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _distinct_words(lowered: str) -> set[str]:
    """The words of a text in lower case, and some runs of them: a way that is quick where most characters are ASCII."""
    plain = lowered.encode("utf-8", "surrogatepass").translate(ASCII_WORDS_APART)
    words = set(plain.decode("utf-8", "surrogatepass").split())
    words.update(chain.from_iterable(map(_WORD.findall, [word for word in words if not word.isascii()])))
    return words


def _shingles(text: str) -> set[Shingle]:
    """All runs of six words."""
    if not _may_have_shingle(text):
        return set()
    words = _words(text)
    return set(zip(*(words[start:] for start in range(SHINGLE)), strict=False)) if len(words) >= SHINGLE else set()


def _may_be_long(text: str) -> bool:
    """Whether a text may have the least number of words: they have a character each, and one between them that is of no word."""
    if len(text) < 2 * LEAST_WORDS - 1:
        return False
    return len(text.encode("utf-8", "surrogatepass").translate(None, OF_ASCII_WORDS)) >= LEAST_WORDS - 1


def _may_have_shingle(text: str) -> bool:
    """Whether a text may have six words. Most blocks have not, which is seen without splitting them."""
    return text.count(" ") + text.count("\n") >= SHINGLE - 1 or not text.isascii()
