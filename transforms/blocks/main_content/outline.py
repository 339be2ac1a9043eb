"""The elements that hold blocks: their nesting, their ranges of blocks, and what is in them.

Blocks are in document order, so those of an element are a range, and every sum over it is a difference of two prefix sums.
Numbers of elements are positions in this outline, parents before children; `above the root` has the number of elements, so that
tables with one column more have a place for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from transforms.blocks.flat import OUTSIDE, Flat, Origin
from transforms.blocks.main_content.characters import Numbers
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

    number: of each in the flat page. values: what authors call them. parent, depth, likes, look have a place more, for above the
    root: itself, 0, 0, -1. stop: one past the last element inside each. first, last: range of rows. own: element of each row;
    container: the same, or its parent where the row is all it holds. look: number of its tag and class; likes: how many siblings
    have the same, itself included; like_on_page: how many elements have. images, controls, articles: how many are inside.
    control_numbers: of all controls of the flat page.
    """

    number: Indices
    tags: list[str]
    values: list[list[str]]
    parent: Indices
    stop: Indices
    depth: Numbers
    first: Indices
    last: Indices
    own: Indices
    container: Indices
    likes: Numbers
    like_on_page: Numbers
    look: Indices
    images: Numbers
    controls: Numbers
    articles: Numbers
    control_numbers: Indices

    @property
    def above_root(self) -> int:
        return len(self.number)

    def nearest(self, marked: NDArray[np.bool_]) -> Indices:
        """For each element, and above the root, the first marked one on the way up, itself included; above the root for none."""
        if not marked.any():
            return np.full(len(self.parent), self.above_root)
        found = np.where(np.append(marked, True), np.arange(len(self.parent)), self.parent)
        # Each round looks twice as far up as the one before.
        while ((further := found.take(found)) != found).any():
            found = further
        return found

    def number_around(self, marked: NDArray[np.bool_]) -> Numbers:
        """For each element, and above the root, how many marked ones are on the way up, itself included."""
        ended = np.bincount(self.stop[marked], minlength=self.above_root)[: self.above_root]
        around = np.zeros(len(self.parent))
        (marked - ended).cumsum(out=around[:-1])
        return around


def read_outline(flat: Flat, origins: Sequence[Origin]) -> Outline:
    """The outline of the elements that hold the rows with these origins. Linear in the elements and rows."""
    parents, tags, all_attributes, all_ends = flat.parents, flat.tags, flat.attributes, flat.ends
    own_elements = [element for element, _, _ in origins]
    first_row: dict[int, int] = {}
    last_row: dict[int, int] = {}
    for row, element in enumerate(own_elements):
        while element != OUTSIDE and element not in first_row:
            first_row[element] = row
            element = parents[element]
    for row in range(len(origins) - 1, -1, -1):
        element = own_elements[row]
        while element != OUTSIDE and element not in last_row:
            last_row[element] = row
            element = parents[element]

    held = sorted(first_row)
    kept = set(own_elements)
    number = [element for element in held if tags[element] not in PHRASING or element in kept]
    above_root = len(number)
    # Of each element, the position of itself or of the box around it.
    nearest = {OUTSIDE: above_root, **{element: position for position, element in enumerate(number)}}
    if above_root < len(held):
        for element in held:
            if element not in nearest:
                nearest[element] = nearest[parents[element]]
    parent = [nearest[parents[element]] for element in number]
    parent.append(above_root)
    attributes = [all_attributes[element] for element in number]
    own_tags = [tags[element] for element in number]
    classes = [own.get("class") for own in attributes]
    looks: dict[tuple[str, str | None], int] = {}
    look = [looks.setdefault(key, len(looks)) for key in zip(own_tags, classes, strict=True)]
    values = [
        [name] if name and len(own) == 1 else telling_values(tag, own) if own else NO_VALUES  # most have a class alone
        for tag, own, name in zip(own_tags, attributes, classes, strict=True)
    ]

    own = np.array([nearest[element] for element in own_elements], np.int64)
    first = np.array([first_row[element] for element in number], np.int64)
    last = np.array([last_row[element] for element in number], np.int64) + 1
    is_alone = (last - first == 1)[own]
    parent_of = np.array(parent, np.int64)
    look_of = np.array([*look, -1], np.int64)
    like_siblings = (parent_of[:-1] * len(looks) + look_of[:-1]).tolist()
    sizes = Counter(like_siblings)

    numbers = np.array(number, np.int64)
    ends = np.array([all_ends[element] for element in number], np.int64)
    counted: tuple[list[int], list[int], list[int]] = ([], [], [])
    for element in compress(range(len(tags)), map(COUNTED.__contains__, tags)):
        counted[COUNTED[tags[element]]].append(element)
    found = [np.array(elements, np.int64) for elements in counted]
    images, controls, articles = [(of.searchsorted(ends) - of.searchsorted(numbers)).astype(np.float64) for of in found]
    stop = numbers.searchsorted(ends)
    depth = np.zeros(above_root + 1)
    (1 - np.bincount(stop, minlength=above_root)[:above_root]).cumsum(out=depth[:-1])
    return Outline(
        number=numbers,
        tags=own_tags,
        values=values,
        parent=parent_of,
        stop=stop,
        depth=depth,
        first=first,
        last=last,
        own=own,
        container=np.where(is_alone, parent_of[own], own),
        likes=np.array([*map(sizes.__getitem__, like_siblings), 0], np.float64),
        like_on_page=np.bincount(look_of[:-1], minlength=1)[look_of[:-1]].astype(np.float64),
        look=look_of,
        images=images,
        controls=controls,
        articles=articles,
        control_numbers=found[1],
    )
