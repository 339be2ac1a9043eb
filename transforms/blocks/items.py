"""Which text of a list item is the item and which continues it (blocks.md 4.5)."""

from __future__ import annotations

from dataclasses import dataclass, field

from transforms.blocks.context import Context
from transforms.blocks.flat import OUTSIDE, Flat
from transforms.blocks.tags import BARE_TEXT_ONLY, LISTS
from transforms.records import BlockKind


@dataclass(slots=True)
class Item:
    """An open `li`, `dt` or `dd`; or with tag None a table or quote, whose text is no part of the item around it.

    started: it has had text. level: list depth.
    """

    tag: str | None
    level: int
    ordered: bool = False
    ordinal: int | None = None
    started: bool = False


@dataclass(slots=True)
class Place:
    """What a paragraph is, seen from the lists around it. split: blank lines cut it; rest_level: level of the pieces after."""

    kind: BlockKind = "paragraph"
    tag: str | None = None
    level: int = 0
    ordered: bool = False
    ordinal: int | None = None
    split: bool = True
    rest_level: int = 0


OUTSIDE_LISTS = Place()


@dataclass
class Items:
    """The items open around the current place, innermost last."""

    flat: Flat
    open: list[Item] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)  # of ordered items
    next_number: dict[int, int] = field(default_factory=dict)  # by list

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
        if not self.open:
            return OUTSIDE_LISTS
        item = self.open[-1]
        if item.tag is None:
            place = OUTSIDE_LISTS
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
        """The number an ordered item shows: `start`, `value` and `reversed` are honoured, items without text counted."""
        flat = self.flat
        owner = flat.parents[element]
        while owner != OUTSIDE and flat.tags[owner] not in LISTS:
            owner = flat.parents[owner]
        if owner not in self.next_number:
            self._number_items(owner)
        if element not in self.numbers:
            # Something stands between the list and the item, which no valid page has: it is numbered as it comes.
            self.numbers[element] = self.next_number[owner]
            self.next_number[owner] += 1
        return self.numbers[element]

    def _number_items(self, owner: int) -> None:
        flat = self.flat
        items = [child for child in flat.children(owner) if flat.tags[child] == "li"]
        attributes = flat.attributes[owner]
        step = -1 if "reversed" in attributes else 1
        start = _integer(attributes.get("start"))
        number = start if start is not None else (len(items) if step < 0 else 1)
        for item in items:
            value = _integer(flat.attributes[item].get("value"))
            if value is not None:
                number = value
            self.numbers[item] = number
            number += step
        self.next_number[owner] = number


def _integer(value: str | None) -> int | None:
    value = (value or "").strip()
    digits = value[1:] if value[:1] in ("-", "+") else value
    return int(value) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
