"""The nodes that stayed in a document: neighbours merged, idle boundaries taken out, cut into parts (filters.md 3, 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from transforms.records import ImageRef, Outcome, Paragraph, join_paragraphs

Measures = Mapping[str, float | int | str | None]


# Not frozen, as nodes themselves: there are as many (see `transforms.records`).
@dataclass(slots=True)
class KeptNode:
    """A node of a dataset row: a text of one or more paragraphs, or an image with bytes. Not changed once made.

    index: number of the (first) node in the document before filtering. path: of the image, or of the first paragraph. numbers: of
    the paragraphs, counted over the whole document before filtering.
    """

    index: int
    path: str
    paragraphs: tuple[Paragraph, ...] = ()
    measures: tuple[Measures, ...] = ()
    numbers: tuple[int, ...] = ()
    image: ImageRef | None = None
    outcome: Outcome | None = None

    @property
    def text(self) -> str | None:
        return None if self.image is not None else join_paragraphs(self.paragraphs)


def merge_neighbours(nodes: Iterable[KeptNode]) -> list[KeptNode]:
    """Texts that became neighbours because an image between them went are one text, joined by a blank line."""
    merged: list[KeptNode] = []
    for is_image, run in groupby(nodes, key=lambda node: node.image is not None):
        if is_image:
            merged += run
        else:
            first, *others = run
            merged.append(_joined([first, *map(_behind_blank_line, others)]))
    return merged


def _behind_blank_line(node: KeptNode) -> KeptNode:
    """A text that begins a paragraph of its own where it is joined to another."""
    first, *others = node.paragraphs
    separated = Paragraph(first.text, first.kind, "\n\n", first.path, first.blocks)
    return KeptNode(node.index, node.path, (separated, *others), node.measures, node.numbers)


def drop_idle_boundaries(nodes: Sequence[KeptNode]) -> list[KeptNode]:
    """Of boundaries in a row the first stays, and none at either end of the document (obelics.md 4.5)."""
    if not any(paragraph.kind == "boundary" for node in nodes for paragraph in node.paragraphs):
        return list(nodes)
    kept: list[KeptNode] = []
    after_boundary = True  # as at the beginning
    for node in nodes:
        if node.image is not None:
            kept.append(node)
            after_boundary = False
            continue
        places = []
        for place, paragraph in enumerate(node.paragraphs):
            is_boundary = paragraph.kind == "boundary"
            if not (is_boundary and after_boundary):
                places.append(place)
            after_boundary = is_boundary
        if places:
            kept.append(_with_paragraphs(node, places))
    if kept and kept[-1].paragraphs and kept[-1].paragraphs[-1].kind == "boundary":
        last = kept.pop()
        if len(last.paragraphs) > 1:
            kept.append(_with_paragraphs(last, range(len(last.paragraphs) - 1)))
    return kept


def split_nodes(nodes: Sequence[KeptNode], max_words: float | None, max_images: float | None) -> list[list[KeptNode]]:
    """Cuts a node sequence into parts of at most `max_words` words and `max_images` images (filters.md section 4).

    Each cut is before the last heading or boundary in the second half of a full part, else between two paragraphs or nodes. One
    paragraph over the limit is a part of its own; the rules judge it.
    """
    all_words = sum(int(measures.get("words") or 0) for node in nodes if node.image is None for measures in node.measures)
    if not (_over(all_words, max_words) or _over(sum(node.image is not None for node in nodes), max_images)):
        return [list(nodes)]
    units = [_Unit(node, place) for node in nodes for place in range(max(1, len(node.paragraphs)))]
    parts: list[list[KeptNode]] = []
    current: list[_Unit] = []
    words = images = 0
    for unit in units:
        words += unit.words
        images += unit.images
        while current and _over(words, max_words) | _over(images, max_images):
            cut = _cut_before_heading(current)
            parts.append(_rejoined(current[:cut]))
            current = current[cut:]
            words = sum(u.words for u in current) + unit.words
            images = sum(u.images for u in current) + unit.images
        current.append(unit)
    parts.append(_rejoined(current))
    return parts


class _Unit:
    """What is never cut: an image, or one paragraph of a text."""

    __slots__ = ("images", "node", "place", "words")

    def __init__(self, node: KeptNode, place: int) -> None:
        self.node, self.place = node, place
        self.images = int(node.image is not None)
        self.words = 0 if self.images else int(node.measures[place].get("words") or 0)

    @property
    def is_heading(self) -> bool:
        return not self.images and self.node.paragraphs[self.place].kind in ("heading", "boundary")


def _cut_before_heading(units: Sequence[_Unit]) -> int:
    """Where to end a full part: before the last heading of its second half by words, else after its last unit."""
    half = sum(unit.words for unit in units) / 2
    after = 0
    for number in range(len(units) - 1, 0, -1):
        after += units[number].words
        if after > half:
            break
        if units[number].is_heading:
            return number
    return len(units)


def _over(value: int, limit: float | None) -> bool:
    return limit is not None and value > limit


def _rejoined(units: Sequence[_Unit]) -> list[KeptNode]:
    """Units as nodes; texts that stand side by side as one."""
    joined: list[KeptNode] = []
    for is_image, run in groupby(units, key=lambda unit: unit.images):
        if is_image:
            joined += (unit.node for unit in run)
        else:
            texts = [list(group) for _, group in groupby(run, key=lambda unit: id(unit.node))]
            joined.append(_joined([_with_paragraphs(of[0].node, [unit.place for unit in of]) for of in texts]))
    return joined


def _joined(nodes: Sequence[KeptNode]) -> KeptNode:
    """Texts as one."""
    if len(nodes) == 1:
        return nodes[0]
    return replace(
        nodes[0],
        paragraphs=tuple(paragraph for node in nodes for paragraph in node.paragraphs),
        measures=tuple(measures for node in nodes for measures in node.measures),
        numbers=tuple(number for node in nodes for number in node.numbers),
    )


def _with_paragraphs(node: KeptNode, places: Sequence[int]) -> KeptNode:
    if len(places) == len(node.paragraphs):
        return node
    return replace(
        node,
        path=node.paragraphs[places[0]].path,
        paragraphs=tuple(node.paragraphs[place] for place in places),
        measures=tuple(node.measures[place] for place in places),
        numbers=tuple(node.numbers[place] for place in places),
    )
