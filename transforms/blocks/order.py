"""Reading order (blocks.md 9): emission order, or an XY-cut where a renderer measured the page.

    +---------------------+      widest gap first, rows before columns when they tie:
    |        title        |          title | (L1 L2) (R1 R2) | footer
    +-------+   +---------+
    |  L1   |   |   R1    |      A box is a block, or a group that is read as one: a repeated card, a float.
    |  L2   |   |   R2    |
    +-------+---+---------+
    |       footer        |
    +---------------------+

Archived pages have no geometry; nothing else asks for it. The cost is that of sorting, at most once a depth.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from transforms.blocks.flat import Flat
from transforms.blocks.openers import unopened_containers
from transforms.records import Block

# blocks.md 9 and 14; lengths in CSS pixels.
LEAST_MEASURED_SHARE = 0.30
UNIT_QUANTILE = 0.25  # of the positive heights of blocks
DEFAULT_UNIT = 16.0
RAIL_ASPECT = 8
LEAST_COVERED = 3
LEAST_GAP = 8.0
ROW_GAP_UNITS = 0.6
COLUMN_GAP_UNITS = 1.0
TIED_GAP_SHARE = 0.95
MOST_DEPTH = 24
LEAST_BOXES_TO_STRADDLE = 4
LEAST_STRADDLERS_TOLERATED = 1
STRADDLERS_SHARE = 0.04
LEAST_BOXES_A_SIDE = 2
ROW_OVERLAP = 0.5
LEAST_CARDS = 3
LEAST_BLOCKS_A_CARD = 2
MOST_SHARE_OF_A_CARD = 0.20
# Blocks without text looked at as backdrops, the largest ones, so that a page of thousands of pictures costs no square.
MOST_BACKDROPS = 64

ReadingOrder = Literal["source", "anchored", "geometric"]


class Rect(NamedTuple):
    """A box on the page in CSS pixels, from the page's top left."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Measured:
    """What a renderer says of one path.

    rect: x, y, width, height in CSS pixels from the page's top left, None where it has no box. floated: it has a CSS float.
    clipped: nothing of it is seen but a pixel. hidden: it or an element around it is not displayed.
    """

    rect: tuple[float, float, float, float] | None = None
    floated: bool = False
    clipped: bool = False
    hidden: bool = False


Geometry = Mapping[str, Measured]
"""By xpath: of blocks, and of the elements around them that float, are clipped or are not displayed."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Blocks with what a renderer measured, and the words it let leave out, by reason."""

    blocks: tuple[Block, ...]
    removed: dict[str, int]


@dataclass(frozen=True, slots=True)
class Ordered:
    """The blocks as they are read, and how that was found out."""

    blocks: tuple[Block, ...]
    reading_order: ReadingOrder


@dataclass(slots=True)
class Box:
    """What the cuts move: a block, or a group of boxes. place: in source order, of the first block in it."""

    rect: Rect
    place: int
    has_text: bool
    inside: list[Box] = field(default_factory=list)
    is_cut_on: bool = True


def apply_geometry(
    blocks: Sequence[Block], geometry: Geometry, flat: Flat | None = None, *, include_hidden_text: bool = False
) -> Placed:
    """Gives blocks their `rect` and `float_of`; leaves out what a renderer shows not to be there (blocks.md 2, 3.3, 4.5, 7).

    That is: rules that have no box, text that is clipped to a pixel, a hidden block that says what a visible sibling says, and all
    in a hidden container that nothing opens. flat: the page as it was read, which tells what opens what; None: that is not asked.
    include_hidden_text: such text stays.
    """
    floats = _path_tree(path for path, measured in geometry.items() if measured.floated)
    clips = _path_tree(path for path, measured in geometry.items() if measured.clipped)
    hidden = {path for path, measured in geometry.items() if measured.hidden}
    visible = {_among_siblings(block) for block in blocks if block.xpath not in hidden} if hidden else set()
    unopened = _path_tree(unopened_containers(flat, hidden)) if hidden and flat is not None and not include_hidden_text else {}
    placed: list[Block] = []
    removed: Counter[str] = Counter()
    for block in blocks:
        measured = geometry.get(block.xpath)
        rect = None if measured is None or measured.rect is None else Rect(*measured.rect)
        if rect is not None and not _is_box(rect):
            rect = None
        if rect is None and block.kind == "rule":
            continue
        if unopened and _outermost(unopened, block.xpath) is not None:
            if words := len(block.text.split()):
                removed["unopened"] += words
            continue
        if block.text and not include_hidden_text:
            is_clipped = bool(clips) and _outermost(clips, block.xpath) is not None
            if is_clipped or (block.xpath in hidden and _among_siblings(block) in visible):
                removed["clipped" if is_clipped else "hidden-twin"] += len(block.text.split())
                continue
        float_of = _outermost(floats, block.xpath) if floats else None
        placed.append(replace(block, rect=rect, float_of=float_of, dom_index=len(placed)))
    return Placed(tuple(placed), dict(removed))


def _among_siblings(block: Block) -> tuple[str, str]:
    return block.xpath.rpartition("/")[0], block.text


def order_blocks(blocks: Sequence[Block], *, rtl: bool = False) -> Ordered:
    """Orders blocks by their `rect`; by their place in the source where less than 30 % have one. rtl: of the page."""
    measured = sum(block.rect is not None for block in blocks)
    if not measured or measured < LEAST_MEASURED_SHARE * len(blocks):
        return Ordered(tuple(blocks), "source")
    boxes = {
        place: Box(Rect(*rect), place, bool(block.text)) for place, block in enumerate(blocks) if (rect := block.rect) is not None
    }
    heights = sorted(box.rect.height for box in boxes.values() if box.rect.height > 0)
    unit = heights[math.ceil(UNIT_QUANTILE * len(heights)) - 1] if heights else DEFAULT_UNIT
    _mark_uncut(list(boxes.values()), unit)
    cutter = _Cutter(unit, rtl)
    read = [box.place for box in cutter.read(_grouped(blocks, boxes))]
    if measured == len(blocks):
        return Ordered(tuple(blocks[place] for place in read), "geometric")
    followers: dict[int, list[int]] = {}
    above = -1
    for place in range(len(blocks)):
        if place in boxes:
            above = place
        else:
            followers.setdefault(above, []).append(place)
    places = followers.get(-1, []) + [one for place in read for one in (place, *followers.get(place, ()))]
    return Ordered(tuple(blocks[place] for place in places), "anchored")


def _is_box(rect: Rect) -> bool:
    return all(map(math.isfinite, rect)) and rect.width >= 0 and rect.height >= 0 and (rect.width > 0 or rect.height > 0)


def _mark_uncut(boxes: list[Box], unit: float) -> None:
    """Rails, and backdrops that wholly cover three boxes: no gap is sought around them."""
    for box in boxes:
        if box.rect.width <= unit and box.rect.height >= RAIL_ASPECT * box.rect.width:
            box.is_cut_on = False
    without_text = sorted((box for box in boxes if not box.has_text), key=lambda box: -box.rect.width * box.rect.height)
    for backdrop in without_text[:MOST_BACKDROPS]:
        if sum(_covers(backdrop.rect, box.rect) for box in boxes if box is not backdrop) >= LEAST_COVERED:
            backdrop.is_cut_on = False


def _covers(outer: Rect, inner: Rect) -> bool:
    return outer.x <= inner.x and outer.y <= inner.y and inner.right <= outer.right and inner.bottom <= outer.bottom


# Groups: repeated cards and floats, by the paths of their blocks.


@dataclass(slots=True)
class _Step:
    """A step of the blocks' paths. blocks: how many lie at or below it."""

    below: dict[str, _Step] = field(default_factory=dict)
    blocks: int = 0
    is_group: bool = False


def _grouped(blocks: Sequence[Block], boxes: Mapping[int, Box]) -> list[Box]:
    """The boxes of a page, those of a group within one box of its own."""
    root = _Step()
    for block in blocks:
        step = root
        steps_to_float = block.float_of.count("/") if block.float_of else -1
        for count, name in enumerate(block.xpath.split("/")):
            step = step.below.setdefault(name, _Step())
            step.blocks += 1
            step.is_group |= count == steps_to_float
    _mark_cards(root, MOST_SHARE_OF_A_CARD * len(blocks))
    top: list[Box] = []
    groups: dict[int, Box] = {}
    for place, box in boxes.items():
        inside = top
        step = root
        for name in blocks[place].xpath.split("/"):
            step = step.below[name]
            if step.is_group:
                group = groups.get(id(step))
                if group is None:
                    group = groups[id(step)] = Box(box.rect, place, box.has_text)
                    inside.append(group)
                inside = group.inside
        inside.append(box)
    for group in reversed(groups.values()):
        _fit(group)
    return top


def _mark_cards(root: _Step, most_blocks: float) -> None:
    todo = [root]
    while todo:
        step = todo.pop()
        alike: dict[str, list[_Step]] = {}
        for name, below in step.below.items():
            tag, bracket, _ = name.partition("[")
            if bracket and tag != "text()":
                alike.setdefault(tag, []).append(below)
        for steps in alike.values():
            if len(steps) >= LEAST_CARDS and all(LEAST_BLOCKS_A_CARD <= one.blocks <= most_blocks for one in steps):
                for one in steps:
                    one.is_group = True
        todo += step.below.values()


def _fit(group: Box) -> None:
    """The rectangle around what is in a group."""
    rects = [box.rect for box in group.inside]
    left, top = min(rect.x for rect in rects), min(rect.y for rect in rects)
    width, height = max(rect.right for rect in rects) - left, max(rect.bottom for rect in rects) - top
    group.rect = Rect(left, top, width, height)
    group.has_text = any(box.has_text for box in group.inside)


_PathTree = dict[str, "_PathTree"]
_END = ""  # no step of a path that ends has this name below it


def _path_tree(paths: Iterable[str]) -> _PathTree:
    tree: _PathTree = {}
    for path in paths:
        node = tree
        for name in path.strip("/").split("/"):
            node = node.setdefault(name, {})
        node[_END] = {}
    return tree


def _outermost(tree: _PathTree, path: str) -> str | None:
    """The shortest path of the tree that a path is at or below."""
    names = path.strip("/").split("/")
    for count, name in enumerate(names, start=1):
        found = tree.get(name)
        if found is None:
            return None
        tree = found
        if _END in tree:
            return "/" + "/".join(names[:count])
    return None


# Cuts.


class _Cutter:
    """Orders boxes by recursive cuts. Its depth is bounded, so plain recursion will do."""

    def __init__(self, unit: float, rtl: bool) -> None:
        self.rtl = rtl
        self.row_gap = max(LEAST_GAP, ROW_GAP_UNITS * unit)
        self.column_gap = max(LEAST_GAP, COLUMN_GAP_UNITS * unit)

    def read(self, boxes: list[Box]) -> list[Box]:
        """The blocks of boxes in reading order, groups opened."""
        read: list[Box] = []
        for box in self.cut(boxes, 0):
            read += self.read(box.inside) if box.inside else [box]
        return read

    def cut(self, boxes: list[Box], depth: int) -> list[Box]:
        if len(boxes) < 2:
            return boxes
        if depth < MOST_DEPTH:
            for parts in (self.at_gaps(boxes), self.at_straddled_column(boxes)):
                if parts is not None:
                    return [box for part in parts for box in self.cut(part, depth + 1)]
        return self.along_rows(boxes)

    def at_gaps(self, boxes: list[Box]) -> list[list[Box]] | None:
        """The parts between the widest gaps, None where no gap is wide enough."""
        cut_on = [box.rect for box in boxes if box.is_cut_on]
        rows = _gaps([(rect.y, rect.bottom) for rect in cut_on], self.row_gap)
        columns = _gaps([(rect.x, rect.right) for rect in cut_on], self.column_gap)
        if not rows and not columns:
            return None
        if _widest(rows) >= _widest(columns):
            return _split(boxes, rows, lambda rect: rect.y)
        if self.rtl:
            return _split(boxes, columns, lambda rect: rect.right)[::-1]
        return _split(boxes, columns, lambda rect: rect.x)

    def at_straddled_column(self, boxes: list[Box]) -> list[list[Box]] | None:
        """Two columns in bands between the few boxes that stretch over both; None where there are too many."""
        cut_on = [box for box in boxes if box.is_cut_on]
        if len(cut_on) < LEAST_BOXES_TO_STRADDLE:
            return None
        place = self.straddled_gap([box.rect for box in cut_on])
        if place is None:
            return None
        straddlers = sorted((box for box in cut_on if box.rect.x < place < box.rect.right), key=lambda box: box.rect.y)
        apart = set(map(id, straddlers))
        others = sorted((box for box in boxes if id(box) not in apart), key=lambda box: box.rect.y)
        parts: list[list[Box]] = []
        at = 0
        for straddler in (*straddlers, None):
            band: list[Box] = []
            while at < len(others) and (straddler is None or _middle(others[at].rect) < _middle(straddler.rect)):
                band.append(others[at])
                at += 1
            left = [box for box in band if box.rect.x < place]
            right = [box for box in band if box.rect.x >= place]
            parts += [part for part in ((right, left) if self.rtl else (left, right)) if part]
            if straddler is not None:
                parts.append([straddler])
        return parts

    def straddled_gap(self, rects: Sequence[Rect]) -> float | None:
        """The middle of the gap that fewest boxes stretch over, the widest of those; None where too many do."""
        tolerated = max(LEAST_STRADDLERS_TOLERATED, int(STRADDLERS_SHARE * len(rects)))
        lefts, rights = sorted(rect.x for rect in rects), sorted(rect.right for rect in rects)
        best: tuple[int, float, float] | None = None
        begun = ended = 0
        edges = sorted({*lefts, *rights})
        for edge, following in pairwise(edges):
            while begun < len(lefts) and lefts[begun] <= edge:
                begun += 1
            while ended < len(rights) and rights[ended] <= edge:
                ended += 1
            straddling, width = begun - ended, following - edge
            if straddling > tolerated or width < self.column_gap:
                continue
            if ended < LEAST_BOXES_A_SIDE or len(rects) - begun < LEAST_BOXES_A_SIDE:
                continue
            found = (straddling, -width, (edge + following) / 2)
            if best is None or found < best:
                best = found
        return None if best is None else best[2]

    def along_rows(self, boxes: list[Box]) -> list[Box]:
        """Rows of boxes that overlap their first one by half, each along the line; before them what is not cut on."""
        rows: list[list[Box]] = []
        behind: list[Box] = []
        for box in sorted(boxes, key=lambda box: (box.rect.y, box.place)):
            if not box.is_cut_on:
                behind.append(box)
            elif rows and _overlap(rows[-1][0].rect, box.rect) >= ROW_OVERLAP:
                rows[-1].append(box)
            else:
                rows.append([box])
        for row in rows:
            row.sort(key=lambda box: (-box.rect.right if self.rtl else box.rect.x, box.rect.y, box.place))
        return [*behind, *(box for row in rows for box in row)]


Gap = tuple[float, float]


def _gaps(stretches: list[Gap], least: float) -> list[Gap]:
    """The widest gap between stretches on one axis and those nearly as wide, from and to; none that is narrower than least."""
    found: list[Gap] = []
    reached = math.inf
    for begin, end in sorted(stretches):
        if begin - reached >= least:
            found.append((reached, begin))
        reached = end if reached == math.inf else max(reached, end)
    widest = _widest(found)
    return [gap for gap in found if gap[1] - gap[0] >= TIED_GAP_SHARE * widest]


def _widest(gaps: Sequence[Gap]) -> float:
    return max((end - begin for begin, end in gaps), default=-1.0)


def _split(boxes: list[Box], gaps: Sequence[Gap], edge: Callable[[Rect], float]) -> list[list[Box]]:
    """Boxes by the gaps they lie between; one that is not cut on belongs where it begins."""
    places = [(begin + end) / 2 for begin, end in gaps]
    parts: list[list[Box]] = [[] for _ in range(len(gaps) + 1)]
    for box in boxes:
        parts[bisect_left(places, edge(box.rect))].append(box)
    return [part for part in parts if part]


def _middle(rect: Rect) -> float:
    return rect.y + rect.height / 2


def _overlap(first: Rect, other: Rect) -> float:
    """The share of the lower of two boxes that lies beside the other."""
    lower = min(first.height, other.height)
    if lower <= 0:
        return float(first.y <= other.y <= first.bottom)
    return (min(first.bottom, other.bottom) - max(first.y, other.y)) / lower
