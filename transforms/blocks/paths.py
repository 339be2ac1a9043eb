"""Element paths (blocks.md 2, `xpath`): `/html/body/div[2]/p`, an index only where siblings share the tag."""

from __future__ import annotations

from transforms.blocks.flat import OUTSIDE, Flat


class Paths:
    """Paths of a page's elements. The children of an element are numbered once, when the first of them is asked for."""

    def __init__(self, flat: Flat) -> None:
        self.flat = flat
        self._paths: dict[int, str] = {0: "/html", 1: "/html/body"}
        self._numbers: dict[int, int] = {}  # place among the siblings of the same tag
        self._counts: dict[int, dict[str, int]] = {}  # for a parent: how many children of each tag

    def of(self, element: int) -> str:
        path = self._paths.get(element)
        if path is not None:
            return path
        parents, paths = self.flat.parents, self._paths
        chain = [element]
        above = parents[element]
        while above not in paths and above != OUTSIDE:
            chain.append(above)
            above = parents[above]
        path = paths.get(above, "")
        for below in reversed(chain):
            path = f"{path}/{self._step(below)}"
            paths[below] = path
        return path

    def _step(self, element: int) -> str:
        tags, parent = self.flat.tags, self.flat.parents[element]
        counts = self._counts.get(parent)
        if counts is None:
            counts = self._counts[parent] = {}
            numbers = self._numbers
            for child in self.flat.children(parent):
                tag = tags[child]
                numbers[child] = counts[tag] = counts.get(tag, 0) + 1
        tag = tags[element]
        return f"{tag}[{self._numbers[element]}]" if counts[tag] > 1 else tag
