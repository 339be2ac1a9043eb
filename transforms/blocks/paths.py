"""Element paths (blocks.md 2, `xpath`): `/html/body/div[2]/p`, an index only where siblings share the tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from transforms.blocks.flat import OUTSIDE


class Elements(Protocol):
    """Elements by number in document order, `html` first and `body` second, as `Flat` has them."""

    @property
    def tags(self) -> Sequence[str]: ...

    @property
    def parents(self) -> Sequence[int]: ...

    def children(self, element: int) -> list[int]: ...


class Paths:
    """Paths of a page's elements. The children of an element are numbered once, when the first of them is asked for."""

    def __init__(self, flat: Elements) -> None:
        self.flat = flat
        self._paths: dict[int, str] = {0: "/html", 1: "/html/body"}
        self._steps: dict[int, str] = {}

    def of(self, element: int) -> str:
        path = self._paths.get(element)
        if path is not None:
            return path
        parents, paths, steps = self.flat.parents, self._paths, self._steps
        above = parents[element]
        path = paths.get(above)
        if path is not None:  # as for most: a sibling or a block above has been asked for
            if element not in steps:
                self._number_children(above)
            paths[element] = path = path + steps[element]
            return path
        chain = [element]
        while above not in paths and above != OUTSIDE:
            chain.append(above)
            above = parents[above]
        path = paths.get(above, "")
        for below in reversed(chain):
            step = steps.get(below)
            if step is None:
                self._number_children(above)
                step = steps[below]
            paths[below] = path = path + step
            above = below
        return path

    def _number_children(self, parent: int) -> None:
        """Notes the step to each child: `/p[2]`, or `/p` when it is the only one."""
        tags, steps = self.flat.tags, self._steps
        latest: dict[str, int] = {}  # the only child of a tag so far, or how many there are, below zero
        for child in self.flat.children(parent):
            tag = tags[child]
            if tag not in latest:
                latest[tag] = child
                steps[child] = "/" + tag
                continue
            earlier = latest[tag]
            if earlier >= 0:
                steps[earlier] = f"/{tag}[1]"
                earlier = -1
            latest[tag] = earlier - 1
            steps[child] = f"/{tag}[{1 - earlier}]"
