"""Element paths (blocks.md 2, `xpath`): `/html/body/div[2]/p`, an index only where siblings share the tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Elements(Protocol):
    """Elements by number in document order, `html` first and `body` second, as `Flat` has them."""

    @property
    def tags(self) -> Sequence[str]: ...

    @property
    def parents(self) -> Sequence[int]: ...


class Paths:
    """Paths of a page's elements, which must all be there. Siblings are numbered in one pass, paths are put together when asked."""

    def __init__(self, flat: Elements) -> None:
        self._tags, self._parents = flat.tags, flat.parents
        self._paths: list[str | None] = [None] * len(flat.tags)
        self._paths[:2] = "/html", "/html/body"
        # By parent and tag the number of such children, and which of them each element is.
        self._alike: dict[tuple[int, str], int] = {}
        self._numbers: list[int] = []
        alike, numbers = self._alike, self._numbers
        for key in zip(self._parents, self._tags, strict=True):
            alike[key] = number = alike.get(key, 0) + 1
            numbers.append(number)

    def of(self, element: int) -> str:
        path = self._paths[element]
        if path is not None:
            return path
        paths, parents, tags, numbers, alike = self._paths, self._parents, self._tags, self._numbers, self._alike
        chain: list[int] = []
        while path is None:
            chain.append(element)
            element = parents[element]
            path = paths[element]
        for below in reversed(chain):
            tag, number = tags[below], numbers[below]
            path = f"{path}/{tag}[{number}]" if number > 1 or alike[element, tag] > 1 else f"{path}/{tag}"
            paths[below] = path
            element = below
        return path
