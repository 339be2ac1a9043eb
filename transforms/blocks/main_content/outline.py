"""The elements that hold blocks: their nesting, their ranges of blocks, and what is in them.

Blocks are in document order, so those of an element are a range, and every sum over it is a difference of two prefix sums.
Numbers of elements are positions in this outline, parents before children; `above the root` has the number of elements, so that
tables with one column more have a place for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transforms.blocks.flat import OUTSIDE, Flat, Origin
from transforms.blocks.main_content.tokens import telling_values
from transforms.blocks.names import names

# Elements inside a line of text; all others, custom ones included, are boxes.
PHRASING = frozenset(
    names(
        """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span
        strike strong sub sup time tt u var wbr"""
    )
)
CONTROLS = frozenset(names("input button select textarea"))
COUNTED = {"img": 0, "article": 2, **dict.fromkeys(CONTROLS, 1)}

Indices = NDArray[np.int64]
NO_VALUES: list[str] = []


@dataclass(frozen=True)
class Outline:
    """Elements with blocks.

    number: of each in the flat page. values: what authors call them. parent, depth: `len(number)` is above the root, which has
    depth 0. first, last: range of rows. own: element of each row; container: the same, or its parent where the row is all it
    holds. look: number of its tag and class; likes: how many siblings have the same, itself included; like_on_page: how many
    elements have. images, controls, articles: how many are inside. control_numbers: of all controls of the flat page.
    """

    number: list[int]
    tags: list[str]
    values: list[list[str]]
    parent: list[int]
    depth: list[int]
    first: Indices
    last: Indices
    own: list[int]
    container: Indices
    likes: list[int]
    like_on_page: list[int]
    look: list[int]
    images: NDArray[np.float64]
    controls: NDArray[np.float64]
    articles: NDArray[np.float64]
    control_numbers: Indices

    @property
    def above_root(self) -> int:
        return len(self.number)


def read_outline(flat: Flat, origins: Sequence[Origin]) -> Outline:
    """The outline of the elements that hold the rows with these origins. Linear in the elements and rows."""
    parents, tags, all_attributes = flat.parents, flat.tags, flat.attributes
    held: set[int] = set()
    kept: set[int] = set()
    for element, _, _ in origins:
        kept.add(element)
        while element != OUTSIDE and element not in held:
            held.add(element)
            element = parents[element]
    number: list[int] = []
    nearest: dict[int, int] = {OUTSIDE: OUTSIDE}  # of each element, the position of itself or of the box around it
    parent: list[int] = []
    depth: list[int] = []
    values: list[list[str]] = []
    looks: dict[tuple[str, str | None], int] = {}
    look: list[int] = []
    for element in sorted(held):
        above = nearest[parents[element]]
        tag, attributes = tags[element], all_attributes[element]
        if tag in PHRASING and element not in kept:
            nearest[element] = above
            continue
        nearest[element] = len(number)
        number.append(element)
        parent.append(above)
        depth.append(1 if above == OUTSIDE else depth[above] + 1)
        values.append(telling_values(tag, attributes) if attributes else NO_VALUES)
        look.append(looks.setdefault((tag, attributes.get("class")), len(looks)))
    above_root = len(number)
    parent = [above_root if above == OUTSIDE else above for above in parent]

    own = [nearest[element] for element, _, _ in origins]
    first = [len(own)] * above_root
    last = [0] * above_root
    for row, position in enumerate(own):
        if first[position] > row:
            first[position] = row
        last[position] = row + 1
    for position in range(above_root - 1, 0, -1):
        above = parent[position]
        if above != above_root:
            if first[position] < first[above]:
                first[above] = first[position]
            if last[position] > last[above]:
                last[above] = last[position]
    container = [position if last[position] - first[position] > 1 else parent[position] for position in own]

    like_siblings = Counter(zip(parent, look, strict=True))
    like_elements = Counter(look)

    numbers = np.array(number, np.int64)
    ends = np.array([flat.ends[element] for element in number], np.int64)
    counted: tuple[list[int], list[int], list[int]] = ([], [], [])
    for element, tag in enumerate(tags):
        if tag in COUNTED:
            counted[COUNTED[tag]].append(element)
    control_numbers = np.array(counted[1], np.int64)
    inside = [(np.searchsorted(found, ends) - np.searchsorted(found, numbers)).astype(np.float64) for found in counted]
    return Outline(
        number=number,
        tags=[tags[element] for element in number],
        values=values,
        parent=parent,
        depth=depth,
        first=np.array(first, np.int64),
        last=np.array(last, np.int64),
        own=own,
        container=np.array(container, np.int64),
        likes=[like_siblings[pair] for pair in zip(parent, look, strict=True)],
        like_on_page=[like_elements[number] for number in look],
        look=look,
        images=inside[0],
        controls=inside[1],
        articles=inside[2],
        control_numbers=control_numbers,
    )
