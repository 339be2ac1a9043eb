"""Code editors drawn in the page: CodeMirror, Monaco, Ace (blocks.md 4.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from transforms.blocks.code import declared_language
from transforms.blocks.flat import Attributes, Code, Flat
from transforms.blocks.tags import Role
from transforms.html.tree import LexborNode

LANGUAGE_ATTRIBUTES = ("data-language", "data-lang", "data-mode-id", "language")
LEVELS_ASKED = 5  # the editor itself and 4 elements around it
LEAST_VIEWPORT = 20  # characters
CODE = int(Role.CODE)


@dataclass(frozen=True)
class Editor:
    """How an editor draws its text. content, line: classes of the layer with the text and of a line in it."""

    name: str
    content: str
    line: str
    sorted_by_top: bool = False
    language: str | None = None  # attribute of the content layer, or of the editor


EDITORS = (
    Editor("cm-editor", "cm-content", "cm-line", language="data-language"),
    Editor("CodeMirror", "CodeMirror-code", "CodeMirror-line"),
    Editor("monaco-editor", "view-lines", "view-line", sorted_by_top=True, language="data-mode-id"),
    Editor("ace_editor", "ace_text-layer", "ace_line"),
)
_TOP = re.compile(r"(?:^|;)\s*top\s*:\s*(-?\d+(?:\.\d+)?)px")


def read_editor(node: LexborNode) -> Code | None:
    """Reads an editor's lines as one piece of code; None when it shows nothing."""
    attributes = node.attributes
    classes = (attributes.get("class") or "").split()
    editor = next(editor for editor in EDITORS if editor.name in classes)
    lines: list[tuple[float, str]] = []
    language: str | None = None
    for content in node.css("." + editor.content):
        found = content.attributes
        language = language or (found.get(editor.language) if editor.language else None)
        drawn = content.iter() if editor.sorted_by_top else content.css("." + editor.line)
        for line in drawn:
            line_attributes = line.attributes
            if editor.line in (line_attributes.get("class") or "").split():
                top = _TOP.search(line_attributes.get("style") or "") if editor.sorted_by_top else None
                lines.append((float(top[1]) if top else 0.0, line.text().replace("\xa0", " ").rstrip()))
    if editor.sorted_by_top:
        lines.sort(key=lambda line: line[0])
    texts = [text for _, text in lines]
    while texts and not texts[0].strip():
        texts.pop(0)
    while texts and not texts[-1].strip():
        texts.pop()
    if not texts:
        return None
    if not language and editor.language:
        language = attributes.get(editor.language)
    return Code("\n".join(texts), language or _language_around(node, attributes), is_editor=True)


def _language_around(node: LexborNode, attributes: Attributes) -> str | None:
    around: LexborNode | None = node
    for _ in range(LEVELS_ASKED):
        if around is None:
            break
        found = around.attributes
        for name in LANGUAGE_ATTRIBUTES:
            value = (found.get(name) or "").strip()
            if value:
                return value
        around = around.parent
    inner = [code.attributes for code in node.css("code")]
    return declared_language([attributes, *inner])


def take_viewports(flat: Flat) -> frozenset[int]:
    """Completes editors from the hidden `<pre>` they were made of, and gives the numbers of those (blocks.md 4.9).

    An editor draws only the lines in view. A hidden `<pre>` that begins with them has the whole.
    """
    editors = [element for element, code in flat.codes.items() if code.is_editor and len(code.text) >= LEAST_VIEWPORT]
    if not editors:
        return frozenset()
    hidden: dict[str, list[int]] = {}
    for role, element, _, _, _, context in flat.cuts:
        if role == CODE and context.hidden and not flat.codes[element].is_editor:
            hidden.setdefault(flat.codes[element].text[:LEAST_VIEWPORT], []).append(element)
    taken: set[int] = set()
    for editor in editors:
        code = flat.codes[editor]
        waiting = hidden.get(code.text[:LEAST_VIEWPORT], [])
        if waiting and flat.codes[waiting[0]].text.startswith(code.text):
            whole = waiting.pop(0)
            taken.add(whole)
            flat.codes[editor] = Code(flat.codes[whole].text, code.language, is_editor=True)
    return frozenset(taken)
