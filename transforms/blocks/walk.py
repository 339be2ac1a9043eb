"""Blocks of a flattened page, in emission order (blocks.md 4, 5, 6).

Between two neighbouring cuts lies a run: text of the element open there. A run that is all of its element is a whole block; any
other is an orphan run. So a block is one slice of the page's texts, and each piece of text is in exactly one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from transforms.blocks.context import Context
from transforms.blocks.editors import take_viewports
from transforms.blocks.emit import Output
from transforms.blocks.flat import BREAK, SPACE, Cut, Flat, Origin
from transforms.blocks.items import Items
from transforms.blocks.links import PageUrls
from transforms.blocks.rich import Inline
from transforms.blocks.tables import Stretch, TableReader, is_data_table, read_structure
from transforms.blocks.tags import HEADINGS, MARKS, Role
from transforms.blocks.text import collapse, flowing, paragraphs
from transforms.records import Block, BlockKind

CLOSE, CONTAINER, ITEM, DEFINITION, HEADING, TABLE, QUOTE, CAPTION, CODE, DIAGRAM, FORMULA, RULE = map(
    int,
    (
        Role.CLOSE, Role.CONTAINER, Role.ITEM, Role.DEFINITION, Role.HEADING, Role.TABLE, Role.QUOTE, Role.CAPTION, Role.CODE,
        Role.DIAGRAM, Role.FORMULA, Role.RULE,
    ),
)  # fmt: skip
# A quote that holds one of these is read as a container (blocks.md 4.13); so is one with two paragraphs.
STRUCTURE_IN_QUOTES = frozenset({"table", "ul", "ol", "dl", "pre", "figure", "blockquote", *HEADINGS})
PARAGRAPHS_IN_QUOTES = frozenset({"p", "div"})
LEAST_PARAGRAPHS = 2
ONE_LINE = (0,)
NO_PINS: Mapping[int, list[int]] = {}


class Open:
    """An open container: how many runs it has had, and which marks are open in it, by kind; None before the first."""

    __slots__ = ("context", "element", "marks", "runs")

    def __init__(self, element: int, context: Context) -> None:
        self.element = element
        self.context = context
        self.runs = 0
        self.marks: dict[str, list[int]] | None = None


@dataclass(frozen=True)
class Job:
    """A range of cuts still to be walked; with pin set, an image or embed to be emitted instead.

    resumed: the text before its first cut is to be read too.
    """

    first: int
    stop: int
    pin: int | None = None
    resumed: bool = False


class Walk:
    """One pass over a page's cuts."""

    def __init__(self, flat: Flat, urls: PageUrls, widgets: Sequence[str | None], rich_text: bool) -> None:
        self.flat = flat
        self.output = Output(flat, urls, widgets)
        self.paths = self.output.paths
        self.inline = Inline(flat, urls) if rich_text else None
        self.tables = TableReader(flat, self.inline, urls)
        self.table_elements = [cut[1] for cut in flat.cuts if cut[0] == TABLE] if "table" in flat.tags else []
        self.consumed = take_viewports(flat)
        self.items = Items(flat)
        self.open: list[Open] = []

    def blocks(self) -> tuple[Block, ...]:
        if self.flat.cuts:
            self.walk(0, self.flat.matches[0] + 1)
        if not self.flat.fallbacks:
            return tuple(cast("list[Block]", self.output.blocks))
        return self.with_fallbacks()

    def with_fallbacks(self) -> tuple[Block, ...]:
        """Puts the fallback content of embeds at its place, and numbers the blocks anew."""
        blocks: list[Block] = []
        origins: list[Origin] = []
        pending = [iter(self.output.blocks)]
        while pending:
            for entry in pending[-1]:
                if isinstance(entry, Block):
                    origins.append(self.output.origins[entry.dom_index])
                    entry.dom_index = len(blocks)  # it is in the making still
                    blocks.append(entry)
                    continue
                self.output.blocks, self.items.open, self.open = [], list(entry.items), []
                self.walk(*self.flat.fallbacks[entry.element])
                pending.append(iter(self.output.blocks))
                break
            else:
                pending.pop()
        self.output.origins = origins
        return tuple(blocks)

    def walk(self, first: int, stop: int) -> None:
        """Walks the cuts of a range. What a heading or table leaves over comes right after it, as a job of its own."""
        jobs = [Job(first, stop)]
        while jobs:
            job = jobs.pop()
            if job.pin is not None:
                self.output.emit_pin(job.pin, self.items.open)
                continue
            left_over = self.walk_range(job.first, job.stop, job.resumed)
            if left_over is not None:
                following, embedded = left_over
                jobs.append(Job(following, job.stop, resumed=True))
                jobs.extend(reversed(embedded))

    def walk_range(self, first: int, stop: int, resumed: bool) -> tuple[int, list[Job]] | None:
        """Walks cuts up to stop, or up to an element that leaves something over: gives where to go on, and what comes before."""
        cuts, matches, tags, texts = self.flat.cuts, self.flat.matches, self.flat.tags, self.flat.texts
        opened, items = self.open, self.items
        number = first
        before = cuts[first - 1] if resumed else None
        while number < stop:
            cut = cuts[number]
            role, element, text, mark, pin, context = cut
            if before is not None:
                _, _, begin, first_mark, first_pin, _ = before
                if (text > begin and (text > begin + 1 or texts[begin] is not SPACE)) or mark > first_mark or pin > first_pin:
                    self.emit_run(before, cut)
            before = cut
            if role == CLOSE:
                role = cuts[matches[number]][0]
                if role == TABLE:
                    items.leave()
                else:
                    opened.pop()
                    if role != CONTAINER:
                        items.leave()
                number += 1
                continue
            if role <= DEFINITION:
                if role != CONTAINER:
                    items.enter(tags[element], element, context)
                if matches[number] == number + 1:
                    before = cuts[number + 1]
                    self.emit_text(element, context, cut, before, (), 0)
                    if role != CONTAINER:
                        items.leave()
                    number += 2
                else:
                    opened.append(Open(element, context))
                    number += 1
                continue
            end = matches[number]
            if role == TABLE:
                structure = read_structure(self.flat, element)
                if not is_data_table(self.flat, structure, self.table_elements):
                    self.items.enter_apart()
                    number += 1
                    continue
                parts, embedded = self.parts_of_table(number)
                grid = self.tables.read(structure, parts)
                if grid is not None:
                    self.items.start()
                    self.output.emit(
                        "table", grid.text, element, context,
                        rows=grid.rows, rich_rows=grid.rich_rows, table_html=grid.html,
                    )  # fmt: skip
                if embedded:
                    return end + 1, embedded
            elif role == QUOTE:
                if self.is_structural(element):
                    self.items.enter_apart()
                    opened.append(Open(element, context))
                    number += 1
                    continue
                self.emit_consumed("quote", number, quoted=context.quoted - 1)
            elif role == CAPTION:
                self.emit_consumed("figure-caption", number)
            elif role == HEADING:
                embedded = self.emit_heading(number)
                if embedded:
                    return end + 1, embedded
            elif role == RULE:
                self.output.emit("rule", "", element, context)
            elif role == CODE:
                code = self.flat.codes[element]
                if element not in self.consumed:
                    self.items.start()
                    self.output.emit("code", code.text, element, context, language=code.language)
            else:
                place = self.items.place(self.flat.tags[element], bare=True)
                shown = collapse(self.flat.text(text, cuts[end][2]))
                self.output.emit("paragraph", shown, element, context, level=place.level, ordered=place.ordered)
            number = end + 1
            before = cuts[end]
        return None

    # Runs of text.

    def emit_run(self, before: Cut, after: Cut) -> None:
        """The text between two neighbouring cuts, which is a part of the container open there."""
        container = self.open[-1]
        first_mark, last_mark = before[3], after[3]
        marks = container.marks
        opened = [elements[0] for elements in marks.values() if elements] if marks else ()
        if self.emit_text(container.element, container.context, before, after, opened, container.runs + 1):
            container.runs += 1
        if last_mark > first_mark:
            if marks is None:
                marks = container.marks = {}
            for _, element in self.flat.marks[first_mark:last_mark]:
                if element >= 0:
                    marks.setdefault(MARKS[self.flat.tags[element]], []).append(element)
                else:
                    marks[MARKS[self.flat.tags[~element]]].pop()

    def emit_text(self, element: int, context: Context, before: Cut, after: Cut, opened: Sequence[int], run: int) -> bool:
        """Paragraphs or a list item from the text between two cuts, and its images. False when there is no text.

        opened: marked elements open where it begins. run: number of an orphan run, 0 for a whole block.
        """
        flat = self.flat
        tag = flat.tags[element]
        _, _, begin, first_mark, first_pin, _ = before
        _, _, end, last_mark, last_pin, _ = after
        raw = "".join(flat.texts[begin:end])
        if not raw or raw.isspace():
            for pin in range(first_pin, last_pin):
                self.output.emit_pin(pin, self.items.open)
            return False
        place = self.items.place(tag)
        rich_raw = None
        if self.inline is not None and (last_mark > first_mark or opened):
            rich_raw = self.inline.write(begin, end, flat.marks[first_mark:last_mark], opened)
        path = self.path_of_run(element, begin, end, run) if run else self.paths.of(element)
        lines: Sequence[int]
        texts: Sequence[str]
        riches: Sequence[str | None]
        if BREAK not in raw:
            text = " ".join(raw.split())
            rich = None if rich_raw is None else " ".join(rich_raw.split())
            if rich == text:
                rich = None
            if first_pin == last_pin:  # as for most
                self.output.origins.append((element, begin, end))
                shown_tag = place.tag or tag
                self.output.add(
                    place.kind, text, shown_tag, path, context, context.quoted, rich, place.level, place.ordered, place.ordinal
                )
                return True
            lines, texts, riches = ONE_LINE, (text,), (rich,)
        else:
            lines, texts, riches = _lines(raw, rich_raw, place.split)
        following: Mapping[int, list[int]] = NO_PINS
        if last_pin > first_pin:
            ahead, following = self.place_pins(begin, first_pin, last_pin, lines, place.split)
            for pin in ahead:
                self.output.emit_pin(pin, self.items.open)
        shown_tag = place.tag or tag
        level = place.level
        for number, text in enumerate(texts):
            self.output.origins.append((element, begin, end))
            self.output.add(
                place.kind, text, shown_tag, path, context, context.quoted, riches[number], level, place.ordered, place.ordinal
            )
            if following:
                for pin in following.get(number, ()):
                    self.output.emit_pin(pin, self.items.open)
            level = place.rest_level
            if run:
                path = f"{self.paths.of(element)}/text()[{run}]"
        return True

    def place_pins(
        self, begin: int, first_pin: int, last_pin: int, lines: Sequence[int], split: bool
    ) -> tuple[list[int], dict[int, list[int]]]:
        """Which images go before a block, and which after each of its pieces (blocks.md 4.2). lines: where the pieces begin."""
        texts, pins = self.flat.texts, self.flat.pins
        ahead: list[int] = []
        following: dict[int, list[int]] = {}
        place, line, piece, any_text = begin, 0, -1, False
        for pin in range(first_pin, last_pin):
            for text in texts[place : pins[pin][0]]:
                if text is BREAK:
                    line += 1
                elif not any_text and not text.isspace():
                    any_text = True
            place = max(place, pins[pin][0])
            while piece + 1 < len(lines) and lines[piece + 1] <= line:
                piece += 1
            if not split:
                following.setdefault(len(lines) - 1, []).append(pin)
            elif any_text and piece >= 0:
                following.setdefault(piece, []).append(pin)
            else:
                ahead.append(pin)
        return ahead, following

    def path_of_run(self, container: int, begin: int, end: int, run: int) -> str:
        """The run's first inline element with text, else the container's n-th run (blocks.md 6)."""
        flat = self.flat
        element = bisect_left(flat.starts, begin, container + 1, flat.ends[container])
        while element < flat.ends[container] and flat.starts[element] < end:
            if flat.text(flat.starts[element], min(flat.stops[element], end)).strip():
                return self.paths.of(element)
            element += 1
        return f"{self.paths.of(container)}/text()[{run}]"

    # Elements that are taken whole.

    def emit_consumed(self, kind: BlockKind, number: int, quoted: int | None = None) -> None:
        """A quote or caption: one block with all its text, its images after it."""
        flat = self.flat
        _, element, begin, first_mark, first_pin, context = flat.cuts[number]
        _, _, end, last_mark, last_pin, _ = flat.cuts[flat.matches[number]]
        text = flowing(flat.text(begin, end))
        rich = text
        if self.inline is not None and last_mark > first_mark:
            rich = flowing(self.inline.write(begin, end, flat.marks[first_mark:last_mark]))
        if text:
            self.items.start()
            self.output.emit(kind, text, element, context, rich=rich if rich != text else None, quoted=quoted)
        for pin in range(first_pin, last_pin):
            self.output.emit_pin(pin, self.items.open)

    def emit_heading(self, number: int) -> list[Job]:
        """A heading with the text of all in it but tables, code and figures, which come after it with the images."""
        flat = self.flat
        _, element, _, first_mark, first_pin, context = flat.cuts[number]
        close = flat.matches[number]
        last_mark = flat.cuts[close][3]
        apart: list[int] = []
        inner = number + 1
        while inner < close:
            if flat.cuts[inner][0] in (TABLE, CODE) or self.begins(inner, "figure"):
                apart.append(inner)
                inner = flat.matches[inner]
            inner += 1
        stretches = self.stretches(number, apart)
        text = flowing(SPACE.join(flat.text(begin, end) for begin, end, _, _ in stretches))
        if text:
            rich = text
            if (inline := self.inline) is not None and last_mark > first_mark:
                rich = flowing(SPACE.join(inline.write(a, b, flat.marks[c:d]) for a, b, c, d in stretches))
            self.items.start()
            self.output.emit(
                "heading", text, element, context,
                rich=rich if rich != text else None, level=HEADINGS[flat.tags[element]],
            )  # fmt: skip
        if not apart:
            for pin in range(first_pin, flat.cuts[close][4]):
                self.output.emit_pin(pin, self.items.open)
        return self.embedded(number, apart) if apart else []

    def begins(self, cut: int, tag: str) -> bool:
        return self.flat.cuts[cut][0] != CLOSE and self.flat.tags[self.flat.cuts[cut][1]] == tag

    def stretches(self, number: int, apart: Sequence[int]) -> list[Stretch]:
        """The stretches of an element's text outside the cuts `apart` that begin inside it, none inside another."""
        cuts, matches = self.flat.cuts, self.flat.matches
        found: list[Stretch] = []
        _, _, begin, mark, _, _ = cuts[number]
        for inner in apart:
            found.append((begin, cuts[inner][2], mark, cuts[inner][3]))
            _, _, begin, mark, _, _ = cuts[matches[inner]]
        _, _, end, last_mark, _, _ = cuts[matches[number]]
        return [*found, (begin, end, mark, last_mark)]

    def embedded(self, number: int, apart: Sequence[int]) -> list[Job]:
        """What comes after a table or heading: the parts read apart and the images outside them, in document order."""
        flat = self.flat
        jobs: list[Job] = []
        pin = flat.cuts[number][4]
        for inner in apart:
            jobs += (Job(0, 0, pin=other) for other in range(pin, flat.cuts[inner][4]))
            jobs.append(Job(inner, flat.matches[inner] + 1))
            pin = flat.cuts[flat.matches[inner]][4]
        jobs += (Job(0, 0, pin=other) for other in range(pin, flat.cuts[flat.matches[number]][4]))
        return jobs

    def parts_of_table(self, number: int) -> tuple[dict[int, list[Stretch]], list[Job]]:
        """Where the text of a data table's cells and caption is, and what comes after the table."""
        flat = self.flat
        cuts, matches = flat.cuts, flat.matches
        nested: list[int] = []
        cells: list[tuple[int, int]] = []  # cut of a cell, how many nested tables were before it
        inner = number + 1
        while inner < matches[number]:
            role, element = cuts[inner][:2]
            if role == TABLE:
                nested.append(inner)
                inner = matches[inner]
            elif role != CLOSE and flat.tags[element] in ("td", "th", "caption"):
                cells.append((inner, len(nested)))
            inner += 1
        parts: dict[int, list[Stretch]] = {}
        for cell, before in cells:
            last = before
            while last < len(nested) and nested[last] < matches[cell]:
                last += 1
            parts[cuts[cell][1]] = self.stretches(cell, nested[before:last])
        return parts, self.embedded(number, nested)

    def is_structural(self, quote: int) -> bool:
        """Whether a quote is read as a container. Looks no further than the first sign, so nested quotes are looked at once."""
        flat = self.flat
        paragraphs_with_text = 0
        for element in range(quote + 1, flat.ends[quote]):
            tag = flat.tags[element]
            if tag in STRUCTURE_IN_QUOTES:
                return True
            if tag in PARAGRAPHS_IN_QUOTES and flat.text(flat.starts[element], flat.stops[element]).strip():
                paragraphs_with_text += 1
                if paragraphs_with_text == LEAST_PARAGRAPHS:
                    return True
        return False


def _lines(raw: str, rich_raw: str | None, split: bool) -> tuple[Sequence[int], Sequence[str], Sequence[str | None]]:
    """The paragraphs of a text with line breaks: their first lines, their texts, their rich texts where those differ."""
    if not split:
        text = flowing(raw)
        rich = None if rich_raw is None else flowing(rich_raw)
        return ONE_LINE, (text,), (rich if rich != text else None,)
    pieces = paragraphs(raw)
    texts = [text for _, text in pieces]
    riches = texts if rich_raw is None else [text for _, text in paragraphs(rich_raw)]
    if len(riches) != len(texts):
        riches = texts
    return [line for line, _ in pieces], texts, [rich if rich != text else None for rich, text in zip(riches, texts, strict=True)]
