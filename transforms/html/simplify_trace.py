"""How the texts of a simplified page merge, step by step, as the worked example of obelics.md 4.3 shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from transforms.html.outline import BODY, Outline
from transforms.html.simplify import BOUNDARY, MEDIA, PICTURE, SEPARATOR, TEXT, Simplified
from transforms.html.simplify_tags import TRANSPARENT_TAGS
from transforms.html.text_merge import STRENGTH, Run, TextMerger, merge_runs, normalise_text
from transforms.records import Separator


@dataclass(frozen=True, slots=True)
class Step:
    """A run of text and what it does to the text so far.

    path: tags from `body` on, transparent ones left out, equal nested ones counted once. separators: the set of separators
    between this run and the last, weak to strong; empty for the first run of a text. element: where the run stands, or the
    picture or boundary that ends a text; then `merged` is the text it ended.
    """

    text: str | None
    element: int
    path: tuple[str, ...]
    separators: tuple[Separator, ...]
    merged: str


def trace_merging(page: Simplified, is_node: Callable[[int], bool]) -> Iterator[Step]:
    """Every run, picture and boundary of a page in reading order. is_node: whether a picture has a source that can be used."""
    path_of = PathOf(page)
    merger = TextMerger()
    seen: set[int] = set()
    is_first = True
    for text, element, strengths in _runs(page, is_node):
        path = tuple(step.partition("[")[0] for step in path_of(element))
        if text is None:
            yield Step(None, element, path, (), merger.text())
            merger, seen, is_first = TextMerger(), set(), True
            continue
        stripped = text.strip(" \n")
        start = _strength(text[: len(text) - len(text.lstrip(" \n"))])
        seen |= {*strengths, start}
        for strength in seen:
            merger.separate(STRENGTH[strength])
        merger.append(text)
        separators = () if is_first else tuple(STRENGTH[strength] for strength in sorted(seen) if strength)
        yield Step(text, element, path, separators, merger.text())
        # What was appended before a blank run is taken off again and competes in the next set.
        seen = {_strength(text[len(text.rstrip(" \n")) :])} if stripped else {max(seen)}
        is_first = False


def merge_by_paths(page: Simplified, *, unnest: bool = True) -> str:
    """The text of a page without pictures, merged by the set definition of 4.3 instead of one pass. For tests of the two.

    unnest: whether equal nested elements count as one on the paths; it never changes the text.
    """
    outline = page.outline
    path_of = PathOf(page, unnest)
    induced: dict[str, Separator] = {}  # by the number of the element: one that the guard spared induces what a `div` does
    runs: list[Run] = []

    def numbers(element: int) -> tuple[str, ...]:
        return tuple(step.partition("[")[2].rstrip("]") for step in path_of(element))

    for kind, value, element in page.items:
        if kind == TEXT:
            runs.append(Run(str(value), numbers(element)))
        elif kind == SEPARATOR and outline.tags[element] == "br":
            runs.append(Run(STRENGTH[int(value)], numbers(outline.parents[element])))
        elif kind == SEPARATOR:
            induced[str(element)] = STRENGTH[int(value)]
            runs.append(Run("", numbers(element)))
    return merge_runs(runs, induced).text


class PathOf:
    """Paths of elements with the transparent ones left out, each step unique: `("body", "div[7]", "p[9]")`."""

    def __init__(self, page: Simplified, unnest: bool = True) -> None:
        self._outline = page.outline
        self._paths: dict[int, tuple[str, ...]] = {BODY: ("body",)}
        self._same_as_parent = _unnested(page) if unnest else {}
        # A transparent element that was removed, or that the guard spared, stands between its neighbours all the same.
        self._separating = {element for kind, _, element in page.items if kind == SEPARATOR}

    def __call__(self, element: int) -> tuple[str, ...]:
        outline, paths = self._outline, self._paths
        chain = []
        while element not in paths:
            chain.append(element)
            element = outline.parents[element]
        path = paths[element]
        for below in reversed(chain):
            tag = outline.tags[below]
            if (tag not in TRANSPARENT_TAGS or below in self._separating) and below not in self._same_as_parent:
                path = (*path, f"{tag}[{below}]")
            paths[below] = path
        return path


def _unnested(page: Simplified) -> Mapping[int, int]:
    """Elements that count as one with their parent: its only child that holds anything, of the same tag, and it has no own text.

    An element that holds nothing has no place on any path.
    """
    outline = page.outline
    parents: dict[int, int] = {}
    children: dict[int, int] = {}  # how many
    with_text: set[int] = set()
    for kind, value, element in page.items:
        if kind == SEPARATOR:
            continue
        if kind == TEXT and value != " ":
            with_text.add(element)
        while element > BODY and element not in parents:
            parent = _parent(outline, element)
            parents[element] = parent
            children[parent] = children.get(parent, 0) + 1
            element = parent
    tags = outline.tags
    return {
        child: parent
        for child, parent in parents.items()
        if children[parent] == 1 and parent not in with_text and tags[child] == tags[parent]
    }


def _parent(outline: Outline, element: int) -> int:
    parent = outline.parents[element]
    while parent > BODY and outline.tags[parent] in TRANSPARENT_TAGS:
        parent = outline.parents[parent]
    return parent


def _runs(page: Simplified, is_node: Callable[[int], bool]) -> Iterator[tuple[str | None, int, set[int]]]:
    """Runs with their element and the strengths of the separators before them; pictures and boundaries with None as text."""
    outline = page.outline
    pieces: list[str] = []
    at = BODY
    before: set[int] = set()
    for kind, value, element in page.items:
        inside = kind == TEXT or (kind == SEPARATOR and (outline.tags[element] == "br" or STRENGTH[int(value)] == " "))
        if inside:
            if kind == TEXT:
                at = element
            # A second line break in a row has the strength of a blank line; written as a line break it makes one.
            pieces.append(str(value) if kind == TEXT else "\n" if outline.tags[element] == "br" else " ")
            continue
        if kind == MEDIA or (kind == PICTURE and not is_node(element)):
            continue
        if pieces:
            yield normalise_text("".join(pieces)), at, before
            pieces, before = [], set()
        if kind == SEPARATOR:
            before.add(int(value))
        else:
            assert kind in (PICTURE, BOUNDARY)
            yield None, element, before
            before = set()
    if pieces:
        yield normalise_text("".join(pieces)), at, before


def _strength(white_space: str) -> int:
    return min(white_space.count("\n"), 2) + 1 if "\n" in white_space else int(bool(white_space))
