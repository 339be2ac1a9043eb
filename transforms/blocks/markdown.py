"""Blocks -> Markdown (blocks.md 12) and plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from transforms.blocks import WITHOUT_TEXT
from transforms.blocks.rich import longest_backticks, markdown_target
from transforms.records import Block

INDENT = 4  # spaces a list level; more below a wider marker, or what follows would not be in the item
LARGEST_ORDINAL = 999_999_999
DEFINITION_INDENT = "  "
LONGEST_FORMULA = 200  # characters of a `$…$` that is left alone
LEAST_FENCE = 3
# Ragged rows are padded while that does not make the table much longer.
PADDED_CELLS_PER_CELL = 64

_FORMULA = re.compile(rf"\$[^$\n]{{1,{LONGEST_FORMULA}}}\$")
_MATHEMATICAL = re.compile(r"[\\^_{}]")
_PRICE = re.compile(r"(?<!\\)\$(?=\d)")
# What would open a block at the start of a line: where the backslash goes is the group's end.
_OPENER = re.compile(
    r"""
    (?P<sign> ) (?: \#{1,6}(?=\s|\Z) | > | [-+*](?=\s|\Z) | (?:\*\s*){3,}\Z | (?:_\s*){3,}\Z | =+\s*\Z
                  | [|:\s]*-[-|:\s]*\Z  # a rule, or the line below a heading or the head of a table
                  | \[[^\[\]]*\]:       # the address of a link, which is not shown
                  | `{3,}(?=[^`]*\Z) | ~{3,} )
  | (?P<number> \d{1,9} ) (?= [.)] (?:\s|\Z) )
    """,
    re.VERBOSE,
)
_ACTIVE = re.compile(r"\\(?!\$)|[`*_\[\]<]|&(?=#?\w+;)")
# What Markdown would not show as written: a tag, an entity, the end of a link's label, the sign that makes a picture of a link.
# The tags and links that inline Markdown has itself stay what they are.
_NOT_SHOWN = re.compile(r"(?<!\\)<(?=[A-Za-z/!?])|&(?=#?\w+;)|!(?=\[)|\](?=\()")
_NOT_SHOWN_IN_RICH = re.compile(r"(?<!\\)<(?!/?su[bp]>)(?=[A-Za-z/!?])|&(?=#?\w+;)|!(?=\[)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_IN_ALT = re.compile(rf"[\[\]\\`]|{_NOT_SHOWN.pattern}")
_CLOSING_SIGNS = re.compile(r"(?:^|(?<=\s))(?=#+$)")
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?:[^()\s]|\([^()\s]*\))*\)")
_ANCHOR = re.compile(r"</?a\b[^>]*>")


@dataclass(frozen=True)
class Switches:
    """What `render_markdown` writes; see there."""

    include_images: bool = True
    include_tables: bool = True
    include_links: bool = True
    heading_offset: int = 0
    escape_text: bool = False
    front_matter: Mapping[str, str | None] | None = None
    only_main: bool = False


@dataclass(frozen=True)
class Piece:
    """A rendered block. follows: kinds of pieces it may stand under without a blank line. quoted: quotes around it. in_list: it
    belongs to the list above, which a blank line without quote marks would end.
    """

    text: str
    kind: str
    follows: frozenset[str] = frozenset()
    quoted: int = 0
    in_list: bool = False


def render_markdown(
    blocks: Iterable[Block],
    *,
    include_images: bool = True,
    include_tables: bool = True,
    include_links: bool = True,
    heading_offset: int = 0,
    escape_text: bool = False,
    front_matter: Mapping[str, str | None] | None = None,
    only_main: bool = False,
) -> str:
    """Writes blocks as Markdown; empty when none is shown.

    heading_offset: added to heading levels, clamped to 1-6. escape_text: escapes Markdown's signs in blocks without inline
    markup of their own. front_matter: names and values written before the text, as YAML. only_main: leaves out blocks with
    `excluded` set.
    """
    switches = Switches(include_images, include_tables, include_links, heading_offset, escape_text, front_matter, only_main)
    writer = _Writer(switches)
    pieces: list[Piece] = []
    rule_waits = False
    for block in blocks:
        if only_main and block.excluded is not None:
            continue
        if block.kind == "rule":
            rule_waits = bool(pieces)
            writer.leave()
            continue
        piece = writer.piece(block)
        if piece is None:
            continue
        if rule_waits:
            pieces.append(Piece("---", "rule"))
            rule_waits = False
        pieces.append(piece)
    parts: list[str] = []
    above = ""
    for piece in pieces:
        if parts:
            blank = "> " * piece.quoted if piece.in_list else ""
            parts.append("\n" if above in piece.follows else f"\n{blank.rstrip()}\n")
        parts.append(piece.text)
        above = piece.kind
    body = "".join(parts).strip()
    return _front_matter(front_matter) + (body + "\n" if body else "")


def plain_text(blocks: Iterable[Block]) -> str:
    """The texts of blocks joined by blank lines, without image alt texts and media sentences."""
    return "\n\n".join(block.text for block in blocks if block.kind not in WITHOUT_TEXT)


def _front_matter(values: Mapping[str, str | None] | None) -> str:
    if not values:
        return ""
    import json

    # A JSON string is a YAML string.
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "\n".join(["---", *lines, "---", "", ""])


class _Writer:
    """Writes one block after another.

    depth: rendered depth of the list item above, 0 outside a list. indents: by depth, where the content of an item there stands.
    quoted: number of quotes around the block above. defined: the block above is part of a definition.
    """

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.depth = 0
        self.indents = [0]
        self.quoted = 0
        self.defined = False

    def leave(self) -> None:
        """A rule ends the lists and definitions above it."""
        self.depth = 0
        self.defined = False

    def piece(self, block: Block) -> Piece | None:
        """A block as it is shown, None when it is not."""
        quoted = block.quoted + (block.kind == "quote")
        depth_above = self.depth if quoted == self.quoted else 0
        self.depth = depth_above
        text = _WRITERS[block.kind](self, block)
        if text is None:
            return None
        self.quoted = quoted
        self.defined = block.kind == "paragraph" and block.tag == "dd"
        if block.kind != "list-item" and not (block.kind == "paragraph" and block.level > 0 and block.tag not in ("dt", "dd")):
            self.depth = 0
        if quoted:
            text = "\n".join("> " * quoted + line if line else ("> " * quoted).rstrip() for line in text.split("\n"))
        # Only what stands in the same quote stands close.
        kind = f"{block.tag if block.tag in ('dt', 'dd') else block.kind}/{quoted}"
        follows: frozenset[str] = frozenset()
        if block.kind == "list-item":
            # A number other than 1 begins a list within an item only after a blank line.
            if self.depth <= depth_above or block.ordinal in (None, 1):
                follows = frozenset({kind})
        elif block.tag == "dd" and block.kind == "paragraph" and block.level == 0:
            follows = frozenset({f"dt/{quoted}"})
        return Piece(text, kind, follows, quoted, in_list=depth_above > 0 and self.depth > 0)

    def inline(self, block: Block) -> str:
        """A block's text with its inline markup, escaped where it would mean something else."""
        if block.rich_text is None:
            return self.plain(block.text)
        return shown_as_written(self.rich(block.rich_text), _NOT_SHOWN_IN_RICH)

    def plain(self, text: str) -> str:
        text = escape_prices(text)
        return _ACTIVE.sub(r"\\\g<0>", text) if self.switches.escape_text else shown_as_written(text, _NOT_SHOWN)

    def rich(self, rich: str) -> str:
        return escape_prices(rich if self.switches.include_links else without_links(rich))

    def heading(self, block: Block) -> str:
        level = min(max(block.level + self.switches.heading_offset, 1), 6)
        return "#" * level + " " + _CLOSING_SIGNS.sub(r"\\", self.inline(block).replace("\n", " "))

    def paragraph(self, block: Block) -> str:
        lines = [escape_opener(line) for line in self.inline(block).split("\n")]
        if block.tag == "dt":
            term = "\n".join(lines)
            return term if term.startswith("**") and term.endswith("**") and len(term) > 4 else f"**{term}**"
        if block.tag == "dd":
            # Elsewhere than below its definition it would be taken for a part of what stands above.
            mark = ": " if block.level == 0 else DEFINITION_INDENT if self.defined else ""
            return mark + ("\n" + DEFINITION_INDENT).join(lines)
        self.depth = min(block.level, self.depth)
        indent = " " * self.indents[self.depth]
        return indent + _hard_breaks(lines, indent)

    def list_item(self, block: Block) -> str:
        self.depth = min(max(block.level, 1), self.depth + 1)
        is_numbered = block.ordered and block.ordinal is not None and 0 <= block.ordinal <= LARGEST_ORDINAL
        marker = f"{block.ordinal}. " if is_numbered else "- "
        outer = self.indents[self.depth - 1]
        self.indents[self.depth :] = [outer + max(INDENT, len(marker))]
        aligned = "\n" + " " * (outer + len(marker))
        lines = [escape_opener(line) for line in self.inline(block).split("\n")]
        return " " * outer + marker + lines[0] + "".join(aligned + line if line else "\n" for line in lines[1:])

    def quote(self, block: Block) -> str:
        return _hard_breaks([escape_opener(line) for line in self.inline(block).split("\n")], "")

    def table(self, block: Block) -> str | None:
        if not self.switches.include_tables:
            return None
        if block.table_html is not None:
            return block.table_html if self.switches.include_links else _ANCHOR.sub("", block.table_html)
        if not block.rows:
            return self.paragraph(block)
        if block.rich_rows is not None:
            rows = [[shown_as_written(self.rich(cell), _NOT_SHOWN_IN_RICH) for cell in row] for row in block.rich_rows]
        else:
            rows = [[self.plain(cell) for cell in row] for row in block.rows]
        width = max(len(row) for row in rows)
        is_padded = width * len(rows) <= PADDED_CELLS_PER_CELL * sum(map(len, rows))
        # What stands beyond the head of a table is not shown.
        head, *others = [_table_line(row, width if is_padded or number == 0 else 0) for number, row in enumerate(rows)]
        lines = [head, "| " + " | ".join(["---"] * width) + " |", *others]
        if block.text.count("\n") >= len(rows):
            caption = escape_opener(self.plain(block.text.split("\n", 1)[0]))
            return caption + "\n\n" + "\n".join(lines)
        return "\n".join(lines)

    def code(self, block: Block) -> str:
        fence = "`" * max(LEAST_FENCE, longest_backticks(block.text) + 1)
        language = " ".join((block.language or "").replace("`", "").split())
        return f"{fence}{language}\n{block.text}\n{fence}"

    def image(self, block: Block) -> str | None:
        if not self.switches.include_images or not block.href:
            return None
        alt = _IN_ALT.sub(r"\\\g<0>", (block.alt or block.text).replace("\n", " "))
        image = f"![{alt}]({markdown_target(block.href)})"
        return f"[{image}]({markdown_target(block.link)})" if block.link and self.switches.include_links else image

    def emphasised(self, block: Block) -> str | None:
        if not block.text:
            return None
        parts = (f"*{part}*" for part in self.inline(block).split("\n\n"))
        return "\n".join(escape_opener(line) for line in "\n\n".join(parts).split("\n"))


_WRITERS: dict[str, Callable[[_Writer, Block], str | None]] = {
    "heading": _Writer.heading,
    "paragraph": _Writer.paragraph,
    "list-item": _Writer.list_item,
    "quote": _Writer.quote,
    "table": _Writer.table,
    "code": _Writer.code,
    "image": _Writer.image,
    "figure-caption": _Writer.emphasised,
    "media": _Writer.emphasised,
}


def _hard_breaks(lines: Sequence[str], indent: str) -> str:
    """Lines of a paragraph; a single newline would be a space in Markdown."""
    parts: list[str] = []
    for number, line in enumerate(lines):
        if number:
            between_paragraphs = not line or not lines[number - 1]
            parts.append("\n" if between_paragraphs else "\\\n")
            if line:
                parts.append(indent)
        parts.append(line)
    return "".join(parts)


def _table_line(row: Sequence[str], width: int) -> str:
    cells = [cell.replace("|", "\\|").replace("\n", " ") for cell in row]
    return "| " + " | ".join([*cells, *[""] * (width - len(cells))]) + " |"


def escape_prices(text: str) -> str:
    """Escapes `$` before a digit, which Markdown with formulas would read as one; real formulas are left alone."""
    if "$" not in text:
        return text
    parts: list[str] = []
    place = 0
    for formula in _FORMULA.finditer(text):
        if _MATHEMATICAL.search(formula[0][1:-1]):
            parts += (_PRICE.sub(r"\\$", text[place : formula.start()]), formula[0])
            place = formula.end()
    return "".join(parts) + _PRICE.sub(r"\\$", text[place:])


def shown_as_written(text: str, not_shown: re.Pattern[str]) -> str:
    """Escapes what Markdown would not show, outside code spans; within one a line break is a space."""
    if not_shown.search(text) is None and not ("`" in text and "\n" in text):
        return text
    parts: list[str] = []
    place = 0
    for span in _CODE_SPAN.finditer(text):
        parts += (not_shown.sub(r"\\\g<0>", text[place : span.start()]), span[0].replace("\n", " "))
        place = span.end()
    return "".join(parts) + not_shown.sub(r"\\\g<0>", text[place:])


def escape_opener(line: str) -> str:
    """Escapes what would open a heading, quote, list, rule or code block at the start of a line."""
    opener = _OPENER.match(line)
    if opener is None:
        return line
    place = opener.end("number") if opener["number"] else 0
    return f"{line[:place]}\\{line[place:]}"


def without_links(rich: str) -> str:
    """Rich text with the labels of its links only."""
    return _LINK.sub(r"\1", rich)
