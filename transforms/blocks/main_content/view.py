"""A page as the feature columns see it: numbers a block, numbers an element, prefix sums over both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from transforms.blocks.extract import PageBlocks
from transforms.blocks.flat import Flat, Origin
from transforms.blocks.main_content.characters import Matrix, Numbers, TextCounts, count_texts
from transforms.blocks.main_content.outline import Indices, Outline, read_outline
from transforms.blocks.main_content.page_facts import LinkedData, read_linked_data
from transforms.records import Block

KINDS = {"paragraph": 0, "heading": 1, "list-item": 2, "quote": 3, "figure-caption": 4, "table": 5, "code": 6}
"""Kinds of block that have a row; images, media and rules follow the text around them."""
CHROME = 2  # regions from here on are furniture
REGIONS = {None: 0, "main": 1, "header": 2, "nav": 3, "footer": 4, "aside": 5}
BOLD = frozenset({"b", "strong"})
PROSE_WORDS, PROSE_LINKS = 8, 0.5
CHAIN = 6
EPSILON = 1e-6
DECIMALS = 4
"""Values are rounded, so that the last bit of a logarithm, which differs between processors, moves no row across a split."""

# Sums that are kept a prefix of, in this order.
WORDS, LINKED, MAIN_PROSE, BLOCKS, HEADING_BLOCKS, ITEM_BLOCKS, LONG_BLOCKS, PROSE, SENTENCES = range(9)
LONG_WORDS = 15
CENTRE_SHARES = (0.5, 0.25, 0.8)


@dataclass(frozen=True)
class PageView:
    """Rows are the blocks with text after deduplication, in order.

    texts: of the rows. kinds, regions: numbers of the tables above. linked: words in links. prose: words, 0 for what is no running
    text; main_prose: the same, 0 in furniture. sums: prefix sums, (9, rows + 1). in_elements: the sums over each element of the
    outline, (9, elements + 1), 0 above the root.
    """

    page: PageBlocks
    rows: Sequence[Block]
    texts: Sequence[str]
    url: str
    repeats: int
    outline: Outline
    counts: TextCounts
    link_share: Numbers
    links: Numbers
    in_link: Numbers
    bold_share: Numbers
    kinds: Numbers
    regions: Numbers
    in_main: Numbers
    hidden: Numbers
    levels: Numbers
    linked: Numbers
    prose: Numbers
    main_prose: Numbers
    sums: Numbers
    in_elements: Numbers

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def words(self) -> Numbers:
        return self.counts.words

    @cached_property
    def linked_data(self) -> LinkedData:
        return read_linked_data(self.page.flat.linked_data)

    @cached_property
    def chain(self) -> Indices:
        """The container of each row and its five ancestors, (6, rows)."""
        chain = np.empty((CHAIN, self.size), np.int64)
        chain[0] = self.outline.container
        for step in range(1, CHAIN):
            chain[step] = self.outline.parent[chain[step - 1]]
        return chain

    @cached_property
    def depth(self) -> Numbers:
        """How deep the container of each row lies."""
        return self.outline.depth[self.outline.container]

    @cached_property
    def centre_depths(self) -> Numbers:
        """How many elements on the way up from each hold 50%, 25% and 80% of the running text, (3, elements + 1)."""
        prose = self.in_elements[MAIN_PROSE, :-1]
        has_prose = prose > 0
        whole = self.sums[MAIN_PROSE, -1]
        return np.array([self.outline.number_around((prose >= share * whole) & has_prose) for share in CENTRE_SHARES])


def rounded(columns: Sequence[Numbers] | Numbers) -> Matrix:
    """Columns as the model takes them."""
    return np.array(columns).round(DECIMALS).astype(np.float32)


def small_numbers(numbers: Sequence[int]) -> Numbers:
    """A column of whole numbers from 0 to 255, made in half the time that any take."""
    return np.frombuffer(bytes(numbers), np.uint8).astype(np.float64)


def has_row(block: Block) -> bool:
    """Whether a block is judged by itself: it has text that the page shows."""
    return block.kind in KINDS and block.excluded is None


def rows_of(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that are judged by themselves."""
    return [block for block in blocks if has_row(block)]


def view_page(page: PageBlocks, rows: Sequence[Block], url: str, repeats: int) -> PageView:
    """Measures a page. rows: of `rows_of`. repeats: how many blocks deduplication took out."""
    origins = [page.origins[block.dom_index] for block in rows]
    outline = read_outline(page.flat, origins)
    texts = [block.text for block in rows]
    counts = count_texts(texts)
    link_share, links, in_link, bold_share = _inline_measures(page.flat, origins)
    size = len(rows)
    kinds = small_numbers([KINDS[block.kind] for block in rows])
    regions = small_numbers([REGIONS.get(block.region, 0) for block in rows])
    words = counts.words
    is_heading = kinds == KINDS["heading"]
    is_prose = (counts.sentence_ends >= 1) & (words >= PROSE_WORDS) & (link_share < PROSE_LINKS) & ~is_heading
    prose = np.where(is_prose, words, 0.0)
    main_prose = np.where(regions < CHROME, prose, 0.0)
    linked = words * link_share
    ones = np.ones(size)
    summed = np.array(
        [
            words, linked, main_prose, ones, is_heading, kinds == KINDS["list-item"], words >= LONG_WORDS, prose,
            counts.sentence_ends,
        ]
    )  # fmt: skip
    sums = np.zeros((len(summed), size + 1))
    summed.cumsum(axis=1, out=sums[:, 1:])
    in_elements = np.zeros((len(summed), outline.above_root + 1))
    np.subtract(sums.take(outline.last, axis=1), sums.take(outline.first, axis=1), out=in_elements[:, :-1])
    return PageView(
        page=page,
        rows=rows,
        texts=texts,
        url=url,
        repeats=repeats,
        outline=outline,
        counts=counts,
        link_share=link_share,
        links=links,
        in_link=in_link,
        bold_share=bold_share,
        kinds=kinds,
        regions=regions,
        in_main=small_numbers([block.in_main for block in rows]),
        hidden=small_numbers([block.hidden for block in rows]),
        levels=np.array([block.level for block in rows], np.float64),
        linked=linked,
        prose=prose,
        main_prose=main_prose,
        sums=sums,
        in_elements=in_elements,
    )


def _inline_measures(flat: Flat, origins: Sequence[Origin]) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """For each row: share of its characters in links, number of links, whether it lies in one, share of them in bold."""
    begins = np.array([begin for _, begin, _ in origins], np.int64)
    ends = np.array([end for _, _, end in origins], np.int64)
    own = np.fromiter(map(len, map(str.strip, flat.texts)), np.float64, len(flat.texts))
    tags, attributes = flat.tags, flat.attributes
    marked = [element for _, element in flat.marks if element >= 0]  # where they begin
    linking = [element for element in marked if tags[element] == "a" and attributes[element].get("href") is not None]
    bold = [element for element in marked if tags[element] in BOLD]
    lengths = np.zeros(len(own) + 1)
    own.cumsum(out=lengths[1:])
    characters = np.maximum(lengths[ends] - lengths[begins], 1.0)
    in_links, at_begin = _covered(flat, linking, own, begins, ends)
    in_bold, _ = _covered(flat, bold, own, begins, ends)
    link_starts = np.sort(np.array([flat.starts[element] for element in linking], np.int64))
    links = (link_starts.searchsorted(ends) - link_starts.searchsorted(begins)).astype(np.float64)
    return np.minimum(in_links / characters, 1.0), links, at_begin, np.minimum(in_bold / characters, 1.0)


def _covered(
    flat: Flat, elements: Sequence[int], lengths: Numbers, begins: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[Numbers, Numbers]:
    """How many characters of each range lie in one of the elements, and whether the range begins inside one.

    lengths: characters of each text.
    """
    if not elements:
        return np.zeros(len(begins)), np.zeros(len(begins))
    places = len(lengths) + 1
    begun = np.bincount([flat.starts[element] for element in elements], minlength=places)
    ended = np.bincount([flat.stops[element] for element in elements], minlength=places)
    inside = (begun - ended).cumsum() > 0
    covered = np.zeros(places)
    (lengths * inside[:-1]).cumsum(out=covered[1:])
    return covered[ends] - covered[begins], inside[begins].astype(np.float64)
