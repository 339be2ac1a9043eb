"""Inline Markdown of a stretch of text (blocks.md 3.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from transforms.blocks.flat import BREAK, Flat, Mark
from transforms.blocks.links import PageUrls
from transforms.blocks.tags import MARKS

_SUPERSCRIPTS = (
    ("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾"),
    ("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"),
    ("ABDEGHIJKLMNOPRTUVW", "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ"),
    ("βγδθφχ", "ᵝᵞᵟᶿᵠᵡ"),
)
_SUBSCRIPTS = (
    ("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
    ("aehijklmnoprstuvx", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"),
    ("βγρφχ", "ᵦᵧᵨᵩᵪ"),
)


def _glyphs(table: Sequence[tuple[str, str]]) -> dict[str, str]:
    return {plain: glyph for plains, glyphs in table for plain, glyph in zip(plains, glyphs, strict=True)}


GLYPHS = {"sup": _glyphs(_SUPERSCRIPTS), "sub": _glyphs(_SUBSCRIPTS)}
DELIMITERS = {"strong": "**", "em": "*"}
_BACKTICKS = re.compile("`+")
_BRACKET = re.compile(r"[\[\]]")
_NOT_IN_TARGET = re.compile(r"[\s<>\\]")


class Inline:
    """Writes stretches of a page's text as inline Markdown."""

    def __init__(self, flat: Flat, urls: PageUrls) -> None:
        self.flat = flat
        self.urls = urls

    def write(self, begin: int, end: int, marks: Sequence[Mark], opened: Sequence[int] = ()) -> str:
        """Raw rich text of a stretch. opened: marked elements it begins in; those still open at its end are closed there."""
        tags, texts = self.flat.tags, self.flat.texts
        if len(marks) == 2 and not opened:
            (first, element), (last, _) = marks
            inner = self.decorate(element, MARKS[tags[element]], "".join(texts[first:last]))
            return "".join(texts[begin:first]) + inner + "".join(texts[last:end])
        parts: list[str] = []
        stack: list[tuple[int, str, bool, list[str]]] = []  # open elements: their kind, if they add marks, the parts before
        kinds: dict[str, int] = {}
        net = sum(1 if element >= 0 else -1 for _, element in marks)
        opening = [(begin, element) for element in opened]
        for place, element in (*opening, *marks, *[(end, -1)] * (len(opening) + net)):
            if place > begin:
                parts += texts[begin:place]
                begin = place
            if element >= 0:
                kind = MARKS[tags[element]]
                # Bold in bold adds nothing, and nothing is marked within code.
                adds = kind not in kinds and "code" not in kinds
                stack.append((element, kind, adds, parts))
                kinds[kind] = kinds.get(kind, 0) + 1
                if adds:
                    parts = []
            elif stack:
                element, kind, adds, outer = stack.pop()
                kinds[kind] -= 1
                if not kinds[kind]:
                    del kinds[kind]
                if adds:
                    outer.append(self.decorate(element, kind, "".join(parts)))
                    parts = outer
        parts += texts[begin:end]
        return "".join(parts)

    def decorate(self, element: int, kind: str, inner: str) -> str:
        """One marked element. Its edge spaces go outside the marks, and a mark never spans a blank line."""
        if not inner or inner.isspace():
            return inner
        if BREAK in inner and (lines := inner.split(BREAK)) and any(not line.strip() for line in lines[1:-1]):
            return self.decorate_paragraphs(element, kind, lines)
        core = inner.strip()
        marked = self.mark(element, kind, core)
        if len(core) == len(inner):
            return marked
        begin = inner.index(core)
        return inner[:begin] + marked + inner[begin + len(core) :]

    def decorate_paragraphs(self, element: int, kind: str, lines: list[str]) -> str:
        parts: list[str] = []
        paragraph: list[str] = []
        for line in [*lines, ""]:
            if line.strip():
                paragraph.append(line)
                continue
            if paragraph:
                parts.append(self.decorate(element, kind, BREAK.join(paragraph)))
                paragraph = []
            parts.append(line)
        return BREAK.join(parts[:-1])

    def mark(self, element: int, kind: str, core: str) -> str:
        if kind in DELIMITERS:
            return DELIMITERS[kind] + core + DELIMITERS[kind]
        if kind == "code":
            ticks = "`" * (longest_backticks(core) + 1)
            padding = " " if core.startswith("`") or core.endswith("`") else ""
            return ticks + padding + core + padding + ticks
        if kind == "link":
            target = self.urls.link(self.flat.attributes[element].get("href"))
            return core if target is None else f"[{balanced(core)}]({markdown_target(target)})"
        glyphs = GLYPHS[kind]
        if all(character in glyphs or character.isspace() for character in core):
            return "".join(glyphs.get(character, character) for character in core)
        return f"<{kind}>{core}</{kind}>"


def longest_backticks(text: str) -> int:
    """Length of the longest run of backticks."""
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def balanced(label: str) -> str:
    """A link's label that ends where its text does: brackets are escaped unless they pair up, and make no link within."""
    label = label.replace("](", "]\\(")
    depth = 0
    for bracket in _BRACKET.findall(label):
        depth += 1 if bracket == "[" else -1
        if depth < 0:
            break
    return label if depth == 0 else _BRACKET.sub(r"\\\g<0>", label)


def markdown_target(url: str) -> str:
    """A URL that ends where its link does: parentheses are encoded unless they pair up, one level deep, white space always."""
    url = _NOT_IN_TARGET.sub(lambda found: quote(found[0]), url)
    if "(" not in url and ")" not in url:
        return url
    depth = 0
    for character in url:
        depth += (character == "(") - (character == ")")
        if depth not in (0, 1):
            break
    return url if depth == 0 else url.replace("(", "%28").replace(")", "%29")
