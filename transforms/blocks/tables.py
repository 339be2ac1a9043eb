"""Tables: data or layout, and the grid of a data table (blocks.md 4.6)."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from html import escape
from operator import itemgetter

from transforms.blocks.flat import BREAK, OUTSIDE, Flat
from transforms.blocks.links import PageUrls
from transforms.blocks.rich import Inline
from transforms.blocks.tags import Role
from transforms.blocks.text import collapse

LEAST_ROWS = 2
LEAST_COLUMNS = 2
MOST_BLANK_ROWS = 0.20  # share of the rows
LEAST_FILLED_CELLS = 0.40  # share of the cells
PAGE_LIKE_SHARE = 0.5  # of the td cells
PAGE_LIKE_PARAGRAPHS = 2
PAGE_LIKE_CHARACTERS = 200
LARGEST_SPAN = 1000
LONGEST_HTML = 200_000
# A table whose spans would make its grid larger than this is read as if it had none: nothing is allocated by span.
GRID_CELLS_PER_CELL = 64
GRID_CELLS_FREE = 4096
LONGEST_GRID = 2_000_000  # characters

CELLS = frozenset({"td", "th"})
SECTIONS = frozenset({"thead", "tbody", "tfoot"})
PAGE_LIKE_TAGS = frozenset({"form", "section", "article", "h1", "h2", "h3"})
KEPT_IN_HTML = frozenset({"a", "sub", "sup"})
CLOSE, TABLE = int(Role.CLOSE), int(Role.TABLE)

# A stretch of the page: places in texts, places in marks.
Stretch = tuple[int, int, int, int]
# By column: the cell whose row span reaches down there, and the first row it does not reach.
Reach = dict[int, tuple[int, int]]


@dataclass
class Row:
    """A row of a table's own: the tag of its section, the section itself (a row group), its cells."""

    section: str
    group: int
    cells: list[int] = field(default_factory=list)


@dataclass
class Structure:
    """A table's own parts; what a nested table holds is not among them."""

    table: int
    captions: list[int] = field(default_factory=list)  # a valid table has one
    has_head: bool = False
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True)
class Grid:
    """A data table as a block shows it."""

    text: str
    rows: list[list[str]]
    rich_rows: list[list[str]] | None
    html: str | None


def read_structure(flat: Flat, table: int) -> Structure:
    structure = Structure(table)
    for part in flat.children(table):
        tag = flat.tags[part]
        if tag == "caption":
            structure.captions.append(part)
        elif tag in SECTIONS:
            structure.has_head |= tag == "thead"
            for row in flat.children(part):
                if flat.tags[row] == "tr":
                    structure.rows.append(_read_row(flat, row, tag, part))
        elif tag == "tr":
            structure.rows.append(_read_row(flat, part, "tbody", table))
    return structure


def _read_row(flat: Flat, row: int, section: str, group: int) -> Row:
    return Row(section, group, [cell for cell in flat.children(row) if flat.tags[cell] in CELLS])


def is_data_table(flat: Flat, structure: Structure, tables: list[int]) -> bool:
    """The decision table of blocks.md 4.6; the first test that matches decides. tables: all of the page, in order."""
    tags, table, rows = flat.tags, structure.table, structure.rows
    cells = [cell for row in rows for cell in row.cells]
    if structure.captions or structure.has_head or any(tags[cell] == "th" for cell in cells):
        return True
    following = bisect_left(tables, table + 1)
    if following < len(tables) and tables[following] < flat.ends[table]:
        return False
    if not cells:
        return True
    filled = {cell: bool(flat.text(flat.starts[cell], flat.stops[cell]).strip()) for cell in cells}
    blank_rows = sum(not any(filled[cell] for cell in row.cells) for row in rows)
    if (
        len(rows) < LEAST_ROWS
        or max(len(row.cells) for row in rows) < LEAST_COLUMNS
        or blank_rows > MOST_BLANK_ROWS * len(rows)
        or sum(filled.values()) < LEAST_FILLED_CELLS * len(cells)
    ):
        return False
    return sum(_is_page_like(flat, cell) for cell in cells) < PAGE_LIKE_SHARE * len(cells)


def _is_page_like(flat: Flat, cell: int) -> bool:
    inside = flat.tags[cell + 1 : flat.ends[cell]]
    return (
        not PAGE_LIKE_TAGS.isdisjoint(inside)
        or inside.count("p") >= PAGE_LIKE_PARAGRAPHS
        or len(collapse(flat.text(flat.starts[cell], flat.stops[cell]))) >= PAGE_LIKE_CHARACTERS
    )


def span(value: str | None) -> int:
    """A span as written, between 1 and 1000; a value that is not all digits counts as 1."""
    value = (value or "").strip()
    if not (value.isascii() and value.isdigit()):
        return 1
    return min(max(int(value[:9]), 1), LARGEST_SPAN)


class TableReader:
    """Reads the data tables of a page."""

    def __init__(self, flat: Flat, inline: Inline | None, urls: PageUrls) -> None:
        self.flat = flat
        self.inline = inline
        self.urls = urls

    def read(self, structure: Structure, parts: dict[int, list[Stretch]]) -> Grid | None:
        """The grid of a data table, None when it shows no text.

        parts: for each cell and caption with text where its text is, nested tables left out.
        """
        plain: dict[int, str] = {}
        rich: dict[int, str] = {}
        inline = self.inline
        for part, stretches in parts.items():
            plain[part] = collapse(" ".join(self.flat.text(begin, end) for begin, end, _, _ in stretches))
            if inline is not None and any(last > first for _, _, first, last in stretches):
                rich[part] = collapse(" ".join(inline.write(a, b, self.flat.marks[c:d]) for a, b, c, d in stretches))
        rows = sorted(structure.rows, key=lambda row: {"thead": 0, "tfoot": 2}.get(row.section, 1))
        places = self._expand(rows, plain)
        shown = [number for number, row in enumerate(rows) if any(plain.get(cell) for cell in row.cells)]
        depth = self._header_depth([rows[number] for number in shown])
        grid = [[plain.get(cell, "") for cell in places[number]] for number in shown]
        rich_grid = [[rich.get(cell, plain.get(cell, "")) for cell in places[number]] for number in shown]
        grid, rich_grid = _collapse_header(grid, depth), _collapse_header(rich_grid, depth)
        lines = [" | ".join(row) for row in grid]
        caption = " ".join(plain[part] for part in structure.captions if plain.get(part))
        text = "\n".join([caption, *lines] if caption else lines)
        if not text:
            return None
        return Grid(text, grid, rich_grid if rich_grid != grid else None, self._html(structure, parts))

    def _expand(self, rows: list[Row], plain: dict[int, str]) -> list[list[int]]:
        """For each row the cell at each column, OUTSIDE for a gap. A row span ends with its row group."""
        flat = self.flat
        spans: dict[int, tuple[int, int]] = {}
        cells = characters = 0
        for row in rows:
            for cell in row.cells:
                attributes = flat.attributes[cell]
                if attributes and ("colspan" in attributes or "rowspan" in attributes):
                    spans[cell] = span(attributes.get("colspan")), span(attributes.get("rowspan"))
        if not spans:
            return [row.cells for row in rows]
        group_ends = _group_ends(rows)
        for number, row in enumerate(rows):
            for cell in row.cells:
                columns, high = spans.get(cell, (1, 1))
                area = columns * min(high, group_ends[number] - number)
                cells += area
                characters += area * len(plain.get(cell, ""))
        if cells > GRID_CELLS_FREE + GRID_CELLS_PER_CELL * sum(len(row.cells) for row in rows) or characters > LONGEST_GRID:
            return [row.cells for row in rows]
        places: list[list[int]] = []
        reaching: Reach = {}
        for number, row in enumerate(rows):
            line: list[int] = []
            for cell in row.cells:
                _fill_from_above(line, reaching)
                columns, high = spans.get(cell, (1, 1))
                end = min(number + high, group_ends[number])
                for _ in range(columns):
                    if len(line) in reaching:
                        break
                    if end > number + 1:
                        reaching[len(line)] = cell, end
                    line.append(cell)
            _fill_from_above(line, reaching)
            beyond = max(reaching, default=-1)
            while len(line) <= beyond:
                line.append(OUTSIDE)
                _fill_from_above(line, reaching)
            reaching = {column: reach for column, reach in reaching.items() if reach[1] > number + 1}
            places.append(line)
        return places

    def _header_depth(self, rows: list[Row]) -> int:
        heads = sum(row.section == "thead" for row in rows)
        if heads:
            return heads
        for depth, row in enumerate(rows):
            if not all(self.flat.tags[cell] == "th" for cell in row.cells):
                return depth
        return len(rows)

    def _html(self, structure: Structure, parts: dict[int, list[Stretch]]) -> str | None:
        """Cleaned markup of a table with merged cells."""
        flat = self.flat
        if not any(
            span(flat.attributes[c].get(name)) > 1 for row in structure.rows for c in row.cells for name in ("colspan", "rowspan")
        ):
            return None
        pieces = ["<table>"]
        captions = [self._cell_html(part, parts) for part in structure.captions if part in parts]
        if captions:
            pieces.append(f"<caption>{'<br>'.join(captions)}</caption>")
        section = ""
        for row in structure.rows:
            if row.section != section:
                pieces.append((f"</{section}>" if section else "") + f"<{row.section}>")
                section = row.section
            pieces.append("<tr>")
            for cell in row.cells:
                tag = flat.tags[cell]
                spans = "".join(
                    f' {name}="{count}"' for name in ("colspan", "rowspan") if (count := span(flat.attributes[cell].get(name))) > 1
                )
                pieces.append(f"<{tag}{spans}>{self._cell_html(cell, parts)}</{tag}>")
            pieces.append("</tr>")
        html = "".join([*pieces, f"</{section}>" if section else "", "</table>"])
        return html if len(html) <= LONGEST_HTML else None

    def _cell_html(self, cell: int, parts: dict[int, list[Stretch]]) -> str:
        """A cell's text with its links, sub- and superscripts; lines and blocks in it stand on lines of their own."""
        flat = self.flat
        pieces: list[str] = []
        for begin, end, first, last in parts.get(cell, ()):
            # Where a block in the cell begins or ends, and where a kept element does, in document order.
            edges = [(cut[2], BREAK) for cut in flat.cuts[self._cut_at(begin) : self._cut_at(end)]]
            for at, element in flat.marks[first:last]:
                tag = flat.tags[element if element >= 0 else ~element]
                if tag in KEPT_IN_HTML:
                    edges.append((at, f"</{tag}>" if element < 0 else self._open_tag(tag, element)))
            place = begin
            for at, written in sorted(edges, key=itemgetter(0)):
                pieces += (escape(flat.text(place, at), quote=False), written)
                place = at
            pieces += (escape(flat.text(place, end), quote=False), BREAK)
        lines = (" ".join(line.split()) for line in "".join(pieces).split(BREAK))
        return "<br>".join(line for line in lines if line)

    def _cut_at(self, place: int) -> int:
        return bisect_left(self.flat.cuts, place, key=itemgetter(2))

    def _open_tag(self, tag: str, element: int) -> str:
        if tag != "a":
            return f"<{tag}>"
        target = self.urls.link(self.flat.attributes[element].get("href"))
        return "<a>" if target is None else f'<a href="{escape(target)}">'


def _fill_from_above(line: list[int], reaching: Reach) -> None:
    while len(line) in reaching:
        line.append(reaching[len(line)][0])


def _group_ends(rows: list[Row]) -> list[int]:
    """For each row the number of the first row after its row group."""
    ends = [len(rows)] * len(rows)
    for number in range(len(rows) - 2, -1, -1):
        ends[number] = ends[number + 1] if rows[number].group == rows[number + 1].group else number + 1
    return ends


def _collapse_header(grid: list[list[str]], depth: int) -> list[list[str]]:
    """Several header rows as one: the distinct values of each column, joined by a space."""
    if depth < 2:
        return grid
    columns = max(len(row) for row in grid[:depth])
    header = [
        " ".join(dict.fromkeys(row[column] for row in grid[:depth] if column < len(row) and row[column]))
        for column in range(columns)
    ]
    return [header, *grid[depth:]]
