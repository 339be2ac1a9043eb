"""The nodes that stayed in a document: neighbours merged, idle boundaries taken out, cut into parts (filters.md 3, 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from transforms.records import ImageRef, Outcome, Paragraph, join_paragraphs

Measures = Mapping[str, float | int | str | None]


@dataclass(frozen=True, slots=True)
class KeptNode:
    """A node of a dataset row: a text of one or more paragraphs, or an image with bytes.

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
            after = [replace(n, paragraphs=(replace(n.paragraphs[0], separator="\n\n"), *n.paragraphs[1:])) for n in others]
            merged.append(_joined([first, *after]))
    return merged


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
    if not (_over(sum(map(_words, nodes)), max_words) or _over(sum(n.image is not None for n in nodes), max_images)):
        return [list(nodes)]
    parts: list[list[KeptNode]] = []
    current: list[KeptNode] = []
    words = images = 0
    for unit in (unit for node in nodes for unit in _units(node)):
        words += _words(unit)
        images += unit.image is not None
        while current and _over(words, max_words) | _over(images, max_images):
            cut = _cut_before_heading(current)
            parts.append(_rejoined(current[:cut]))
            current = current[cut:]
            words = sum(map(_words, current)) + _words(unit)
            images = sum(u.image is not None for u in current) + (unit.image is not None)
        current.append(unit)
    parts.append(_rejoined(current))
    return parts


def _cut_before_heading(units: Sequence[KeptNode]) -> int:
    """Where to end a full part: before the last heading of its second half by words, else after its last unit."""
    half = sum(map(_words, units)) / 2
    after = 0
    for number in range(len(units) - 1, 0, -1):
        after += _words(units[number])
        if after > half:
            break
        if units[number].paragraphs and units[number].paragraphs[0].kind in ("heading", "boundary"):
            return number
    return len(units)


def _over(value: int, limit: float | None) -> bool:
    return limit is not None and value > limit


def _words(node: KeptNode) -> int:
    return 0 if node.image is not None else sum(int(measures.get("words") or 0) for measures in node.measures)


def _units(node: KeptNode) -> list[KeptNode]:
    """An image, or each paragraph of a text on its own."""
    return [node] if node.image is not None else [_with_paragraphs(node, [place]) for place in range(len(node.paragraphs))]


def _rejoined(units: Sequence[KeptNode]) -> list[KeptNode]:
    joined: list[KeptNode] = []
    for is_image, run in groupby(units, key=lambda unit: unit.image is not None):
        nodes = list(run)
        joined += nodes if is_image else [_joined(nodes)]
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
