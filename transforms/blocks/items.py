"""Which text of a list item is the item and which continues it (blocks.md 4.5)."""

from __future__ import annotations

from dataclasses import dataclass, field

from transforms.blocks.context import Context
from transforms.blocks.flat import OUTSIDE, Flat
from transforms.blocks.tags import BARE_TEXT_ONLY, LISTS


@dataclass
class Item:
    """An open `li`, `dt` or `dd`; or with tag None a table or quote, whose text is no part of the item around it.

    started: it has had text. level: list depth.
    """

    tag: str | None
    level: int
    ordered: bool = False
    ordinal: int | None = None
    started: bool = False


@dataclass(frozen=True)
class Place:
    """What a paragraph is, seen from the lists around it. split: blank lines cut it; rest_level: level of the pieces after."""

    kind: str = "paragraph"
    tag: str | None = None
    level: int = 0
    ordered: bool = False
    ordinal: int | None = None
    split: bool = True
    rest_level: int = 0


@dataclass
class Items:
    """The items open around the current place, innermost last."""

    flat: Flat
    open: list[Item] = field(default_factory=list)
    next_number: dict[int, int] = field(default_factory=dict)

    def enter(self, tag: str, element: int, context: Context) -> None:
        if tag == "li":
            ordinal = self.number(element) if context.ordered else None
            self.open.append(Item("li", max(context.list_depth, 1), context.ordered, ordinal))
        else:
            self.open.append(Item(tag, context.list_depth - (tag == "dd")))

    def enter_apart(self) -> None:
        """A layout table or a structural quote."""
        self.open.append(Item(None, 0))

    def leave(self) -> None:
        self.open.pop()

    def place(self, tag: str, bare: bool = False) -> Place:
        """What the next paragraph is. tag: of its element. Marks the items around it as started.

        bare: it can be no list item, whatever its tag.
        """
        item = self.open[-1] if self.open else None
        if item is None or item.tag is None:
            place = Place()
        elif tag in BARE_TEXT_ONLY or bare:
            level, ordered = self._level_of_item()
            place = Place(level=level, ordered=ordered, rest_level=level)
        elif item.tag == "li":
            if item.started:
                place = Place(level=item.level, ordered=item.ordered, rest_level=item.level)
            else:
                place = Place("list-item", None, item.level, item.ordered, item.ordinal, split=False)
        else:
            rest = item.level + 1 if item.tag == "dd" else 0
            place = Place(tag=item.tag, level=rest if item.started else 0, rest_level=rest)
        self.start()
        return place

    def start(self) -> None:
        """A block with text stands here."""
        for item in reversed(self.open):
            if item.started:
                break
            item.started = True

    def _level_of_item(self) -> tuple[int, bool]:
        for item in reversed(self.open):
            if item.tag is None:
                break
            if item.tag == "li":
                return item.level, item.ordered
        return 0, False

    def number(self, element: int) -> int:
        """The number an ordered item shows: `start`, `value` and `reversed` are honoured."""
        flat = self.flat
        owner = flat.parents[element]
        while owner != OUTSIDE and flat.tags[owner] not in LISTS:
            owner = flat.parents[owner]
        attributes = flat.attributes[owner] if owner != OUTSIDE else {}
        backwards = "reversed" in attributes
        number = _integer(flat.attributes[element].get("value"))
        if number is None:
            number = self.next_number.get(owner)
        if number is None:
            number = _integer(attributes.get("start"))
        if number is None:
            number = sum(flat.tags[child] == "li" for child in flat.children(owner)) if backwards else 1
        self.next_number[owner] = number + (-1 if backwards else 1)
        return number


def _integer(value: str | None) -> int | None:
    value = (value or "").strip()
    digits = value[1:] if value[:1] in ("-", "+") else value
    return int(value) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
