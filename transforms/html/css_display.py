"""What `display` a `style` attribute declares, by the rules of CSS.

Only what the question needs of CSS Syntax 3 (declaration lists), CSS Cascade (`!important`) and CSS Display 3 (which values are
valid). A substring test would be wrong both ways: `display:none;display:block` shows an element, `display:none!important;
display:block` hides it, and `display:none foo` says nothing at all.
"""

from __future__ import annotations

import re
from itertools import pairwise

# One token that can hide a `;` or `:` from the declaration list, or a stretch without any. The last alternative takes a single
# character, so that every text is consumed, in linear time. A string that meets a line end is broken and ends there.
_TOKEN = re.compile(
    r"""
    (?P<comment> /\* [^*]* (?:\*+ [^*/] [^*]*)* (?:\*+/ | \**\Z) )
  | (?P<string>  " [^"\\\n\r\f]* (?:\\(?:[\s\S]|\Z) [^"\\\n\r\f]*)* "?
               | ' [^'\\\n\r\f]* (?:\\(?:[\s\S]|\Z) [^'\\\n\r\f]*)* '? )
  | (?P<url>     [uU][rR][lL]\( [ \t\n\r\f]* (?!["' \t\n\r\f]) [^)\\]* (?:\\(?:[\s\S]|\Z) [^)\\]*)* \)? )
  | (?P<word>    (?: [-_a-zA-Z0-9\x80-\U0010ffff]+ | \\[0-9a-fA-F]{1,6}(?:\r\n|[ \t\n\r\f])? | \\[^\n\r\f] )+ )
  | (?P<space>   [ \t\n\r\f]+ )
  | (?P<sign>    [\s\S] )
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|([\s\S]))")
_CLOSING = {"(": ")", "[": "]", "{": "}"}

_OUTSIDE = frozenset({"block", "inline", "run-in"})
_INSIDE = frozenset({"flow", "flow-root", "table", "flex", "grid", "ruby", "math"})
_FLOWING = frozenset({"flow", "flow-root"})
# CSS Display 3 section 2, CSS Cascade 5 section 7.3, and the prefixed values of the Compatibility Standard.
_SINGLE = frozenset(
    {
        "none",
        "contents",
        "list-item",
        "inline-block",
        "inline-table",
        "inline-flex",
        "inline-grid",
        "table-row-group",
        "table-header-group",
        "table-footer-group",
        "table-row",
        "table-cell",
        "table-column-group",
        "table-column",
        "table-caption",
        "ruby-base",
        "ruby-text",
        "ruby-base-container",
        "ruby-text-container",
        "initial",
        "inherit",
        "unset",
        "revert",
        "revert-layer",
        "-webkit-box",
        "-webkit-inline-box",
        "-webkit-flex",
        "-webkit-inline-flex",
    }
)
# A value with one of these is valid when declared; what it stands for is not known without the stylesheets.
_SUBSTITUTIONS = frozenset({"var", "env"})


def declared_display(style: str) -> str | None:
    """The `display` value that a `style` attribute declares, in lower case; None when it declares none.

    The last valid declaration wins, and an `!important` one beats those without. Comments, strings and blocks are skipped,
    escapes are resolved, an invalid value is as if it were not there (spec/readerable.md, row `style`).

    >>> declared_display("display:none; DISPLAY: Block"), declared_display("display:none!important;display:block")
    ('block', 'none')
    """
    declared: str | None = None
    important = False
    for name, value in _declarations(style):
        if name != "display":
            continue
        is_important = len(value) >= 2 and value[-2:] == ["!", "important"]
        words = value[:-2] if is_important else value
        if _is_display(words) and (is_important or not important):
            declared, important = " ".join(words), is_important
    return declared


def _declarations(style: str) -> list[tuple[str, list[str]]]:
    """Name and value words of each `name: value` at the top level. Spaces and comments only separate."""
    found: list[tuple[str, list[str]]] = []
    pieces: list[str] = []
    awaited: list[str] = []  # the closing brackets of the open blocks, innermost last

    def finish() -> None:
        if len(pieces) >= 2 and pieces[1] == ":":
            found.append((pieces[0], pieces[2:]))
        pieces.clear()

    for match in _TOKEN.finditer(style):
        kind, token = match.lastgroup, match.group()
        if kind in ("comment", "space"):
            continue
        if kind == "word":
            token = _unescaped(token).lower()
        elif kind == "sign":
            if awaited and token == awaited[-1]:
                awaited.pop()
            elif token in _CLOSING:
                awaited.append(_CLOSING[token])
            elif token == ";" and not awaited:
                finish()
                continue
        pieces.append(token)
    finish()
    return found


def _unescaped(word: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[2]
        code = int(match[1], 16)
        return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"

    return _ESCAPE.sub(character, word) if "\\" in word else word


def _is_display(words: list[str]) -> bool:
    if any(name in _SUBSTITUTIONS and following == "(" for name, following in pairwise(words)):
        return True
    if len(words) == 1 and (words[0] in _SINGLE or words[0] in _OUTSIDE or words[0] in _INSIDE):
        return True
    # <outside> || <inside>, or list-item with an optional outside and a flowing inside, each once, in any order
    outside = [word for word in words if word in _OUTSIDE]
    inside = [word for word in words if word in _INSIDE]
    items = words.count("list-item")
    if not words or len(outside) > 1 or len(inside) > 1 or items > 1 or len(outside) + len(inside) + items != len(words):
        return False
    return not items or not inside or inside[0] in _FLOWING
