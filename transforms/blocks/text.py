"""White space, lines and words (blocks.md 3.1). Raw text has BREAK where the page has `<br>`."""

from __future__ import annotations

import re
import string

from transforms.blocks.flat import BREAK

OF_ASCII_WORDS = (string.ascii_letters + string.digits + "_").encode()
ASCII_WORDS_APART = bytes(ord(" ") if byte < 128 and byte not in OF_ASCII_WORDS else byte for byte in range(256))
"""For `bytes.translate`: a space for every ASCII character that is of no word. What `\\w+` finds in ASCII, in half the time."""

_MANY_NEWLINES = re.compile(r"\n{3,}")


def collapse(raw: str) -> str:
    """One line: every run of white space is one space, line breaks too."""
    return " ".join(raw.split())


def lines_of(raw: str) -> list[str]:
    """The lines between line breaks, each trimmed; empty ones too."""
    return [" ".join(line.split()) for line in raw.split(BREAK)]


def flowing(raw: str) -> str:
    """One block of text with its line breaks as newlines, never more than two in a row."""
    if BREAK not in raw:
        return " ".join(raw.split())
    return _MANY_NEWLINES.sub("\n\n", "\n".join(lines_of(raw)).strip("\n"))


def paragraphs(raw: str) -> list[tuple[int, str]]:
    """The texts between blank lines, each with the number of its first line."""
    found: list[tuple[int, str]] = []
    group: list[str] = []
    for number, line in enumerate(lines_of(raw)):
        if line:
            group.append(line)
        elif group:
            found.append((number - len(group), "\n".join(group)))
            group = []
        last = number
    if group:
        found.append((last + 1 - len(group), "\n".join(group)))
    return found
