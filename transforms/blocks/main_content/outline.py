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
    root: itself, 0, 0, -1. first, last: range of rows. own: element of each row; container: the same, or its parent where the row
    is all it holds. look: number of its tag and class; likes: how many siblings have the same, itself included; like_on_page: how
    many elements have. images, controls, articles: how many are inside. control_numbers: of all controls of the flat page.
    """

    number: Indices
    tags: list[str]
    values: list[list[str]]
    parent: Indices
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
        found = np.where(np.append(marked, True), np.arange(len(self.parent)), self.parent)
        # Each round looks twice as far up as the one before.
        while ((further := found[found]) != found).any():
            found = further
        return found

    def upwards(self, combine: np.ufunc, values: Numbers, nothing: float) -> Numbers:
        """Rows of values (rows, elements), combined on the way up from each element, itself included; nothing above the root."""
        found = np.full((len(values), len(self.parent)), nothing)
        found[:, :-1] = values
        above = self.parent
        while above.min() < self.above_root:
            combine(found, found[:, above], out=found)
            above = above[above]
        return found


def read_outline(flat: Flat, origins: Sequence[Origin]) -> Outline:
    """The outline of the elements that hold the rows with these origins. Linear in the elements and rows."""
    parents, tags, all_attributes = flat.parents, flat.tags, flat.attributes
    first_row: dict[int, int] = {}
    last_row: dict[int, int] = {}
    for row, (element, _, _) in enumerate(origins):
        while element != OUTSIDE and element not in first_row:
            first_row[element] = row
            element = parents[element]
    for row in range(len(origins) - 1, -1, -1):
        element = origins[row][0]
        while element != OUTSIDE and element not in last_row:
            last_row[element] = row
            element = parents[element]
    kept = {element for element, _, _ in origins}
    number: list[int] = []
    nearest: dict[int, int] = {OUTSIDE: OUTSIDE}  # of each element, the position of itself or of the box around it
    parent: list[int] = []
    depth: list[int] = []
    values: list[list[str]] = []
    looks: dict[tuple[str, str | None], int] = {}
    look: list[int] = []
    for element in sorted(first_row):
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

    own = np.fromiter((nearest[element] for element, _, _ in origins), np.int64, len(origins))
    first = np.fromiter((first_row[element] for element in number), np.int64, above_root)
    last = np.fromiter((last_row[element] + 1 for element in number), np.int64, above_root)
    is_alone = (last - first == 1)[own]
    parent_of = np.array([*parent, above_root], np.int64)
    look_of = np.array([*look, -1], np.int64)
    like_siblings = (parent_of[:-1] * len(looks) + look_of[:-1]).tolist()
    sizes = Counter(like_siblings)

    numbers = np.array(number, np.int64)
    ends = np.fromiter((flat.ends[element] for element in number), np.int64, above_root)
    counted: tuple[list[int], list[int], list[int]] = ([], [], [])
    for element, tag in enumerate(tags):
        if tag in COUNTED:
            counted[COUNTED[tag]].append(element)
    control_numbers = np.array(counted[1], np.int64)
    inside = [(np.searchsorted(found, ends) - np.searchsorted(found, numbers)).astype(np.float64) for found in counted]
    return Outline(
        number=numbers,
        tags=[tags[element] for element in number],
        values=values,
        parent=parent_of,
        depth=np.array([*depth, 0], np.float64),
        first=first,
        last=last,
        own=own,
        container=np.where(is_alone, parent_of[own], own),
        likes=np.array([*map(sizes.__getitem__, like_siblings), 0], np.float64),
        like_on_page=np.bincount(look_of[:-1], minlength=1)[look_of[:-1]].astype(np.float64),
        look=look_of,
        images=inside[0],
        controls=inside[1],
        articles=inside[2],
        control_numbers=control_numbers,
    )
