"""Blocks -> Markdown (blocks.md 12) and plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from transforms.blocks import WITHOUT_TEXT
from transforms.blocks.rich import longest_backticks, markdown_target
from transforms.records import Block

INDENT = 4  # spaces a list level
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
    (?P<sign> ) (?: \#{1,6}(?=\s|\Z) | > | [-+*](?=\s|\Z) | (?:-\s*){3,}\Z | (?:\*\s*){3,}\Z | (?:_\s*){3,}\Z | =+\s*\Z
                  | `{3,}(?=[^`]*\Z) | ~{3,} )
  | (?P<number> \d{1,9} ) (?= [.)] (?:\s|\Z) )
    """,
    re.VERBOSE,
)
_ACTIVE = re.compile(r"([\\`*_\[\]<])")
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
    """A rendered block. follows: kinds of pieces it may stand under without a blank line."""

    text: str
    kind: str
    follows: frozenset[str] = frozenset()


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
            parts.append("\n" if above in piece.follows else "\n\n")
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
    """Writes one block after another. depth: rendered depth of the list item above, 0 outside a list."""

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.depth = 0

    def piece(self, block: Block) -> Piece | None:
        """A block as it is shown, None when it is not."""
        write = _WRITERS[block.kind]
        text = write(self, block)
        if text is None:
            return None
        if block.kind != "list-item" and not (block.kind == "paragraph" and block.level > 0):
            self.depth = 0
        quoted = block.quoted + (block.kind == "quote")
        if quoted:
            text = "\n".join(("> " * quoted + line).rstrip() for line in text.split("\n"))
        # Only what stands in the same quote stands close.
        kind = f"{block.tag if block.tag in ('dt', 'dd') else block.kind}/{quoted}"
        follows: frozenset[str] = frozenset()
        if block.kind == "list-item":
            follows = frozenset({kind})
        elif block.tag == "dd" and block.kind == "paragraph" and block.level == 0:
            follows = frozenset({f"dt/{quoted}"})
        return Piece(text, kind, follows)

    def inline(self, block: Block) -> str:
        """A block's text with its inline markup, escaped where it would mean something else."""
        if block.rich_text is None:
            text = _ACTIVE.sub(r"\\\1", block.text) if self.switches.escape_text else block.text
        else:
            text = block.rich_text if self.switches.include_links else without_links(block.rich_text)
        return escape_prices(text)

    def heading(self, block: Block) -> str:
        level = min(max(block.level + self.switches.heading_offset, 1), 6)
        return "#" * level + " " + self.inline(block).replace("\n", " ")

    def paragraph(self, block: Block) -> str:
        lines = [escape_opener(line) for line in self.inline(block).split("\n")]
        if block.tag == "dt":
            term = "\n".join(lines)
            return term if term.startswith("**") and term.endswith("**") and len(term) > 4 else f"**{term}**"
        if block.tag == "dd":
            return (": " if block.level == 0 else DEFINITION_INDENT) + ("\n" + DEFINITION_INDENT).join(lines)
        depth = min(block.level, self.depth)
        indent = " " * (INDENT * depth)
        return indent + _hard_breaks(lines, indent)

    def list_item(self, block: Block) -> str:
        self.depth = min(max(block.level, 1), self.depth + 1)
        marker = f"{block.ordinal}. " if block.ordered and block.ordinal is not None else "- "
        indent = " " * (INDENT * (self.depth - 1))
        lines = [escape_opener(line) for line in self.inline(block).split("\n")]
        return indent + marker + ("\n" + indent + " " * len(marker)).join(lines)

    def quote(self, block: Block) -> str:
        return _hard_breaks([escape_opener(line) for line in self.inline(block).split("\n")], "")

    def table(self, block: Block) -> str | None:
        if not self.switches.include_tables:
            return None
        if block.table_html is not None:
            return block.table_html if self.switches.include_links else _ANCHOR.sub("", block.table_html)
        rows = block.rich_rows or block.rows
        if not rows:
            return self.paragraph(block)
        if not self.switches.include_links:
            rows = [[without_links(cell) for cell in row] for row in rows]
        width = max(len(row) for row in rows)
        if width * len(rows) > PADDED_CELLS_PER_CELL * sum(map(len, rows)):
            width = 0
        lines = [_table_line(row, width) for row in rows]
        lines.insert(1, "| " + " | ".join(["---"] * max(len(rows[0]), width)) + " |")
        caption = block.text.split("\n", 1)[0] if block.text.count("\n") >= len(rows) else None
        return "\n".join(lines) if caption is None else caption + "\n\n" + "\n".join(lines)

    def code(self, block: Block) -> str:
        fence = "`" * max(LEAST_FENCE, longest_backticks(block.text) + 1)
        return f"{fence}{block.language or ''}\n{block.text}\n{fence}"

    def image(self, block: Block) -> str | None:
        if not self.switches.include_images or not block.href:
            return None
        alt = re.sub(r"([\[\]])", r"\\\1", (block.alt or block.text).replace("\n", " "))
        image = f"![{alt}]({markdown_target(block.href)})"
        return f"[{image}]({markdown_target(block.link)})" if block.link and self.switches.include_links else image

    def emphasised(self, block: Block) -> str | None:
        return f"*{self.inline(block)}*" if block.text else None


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
    cells = [escape_prices(cell).replace("|", "\\|").replace("\n", " ") for cell in row]
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
