"""What is taken out before blocks are read, and why (blocks.md 3.3)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from transforms.html.css_display import declared_display

LEAST_SIDE = 32  # CSS pixels; a smaller declared side makes a picture or an embed a pixel
OFF_SCREEN = -999.0  # CSS pixels
KEPT_HEADINGS = frozenset({"h1", "h2", "h3"})
KEPT_HEADING_WORDS = 4
DIALOG_TAGS = frozenset({"dialog", "div", "section", "aside", "form"})
PERMALINK_GLYPHS = frozenset("¶🔗⚓↩")
# These are permalinks only inside the elements below; variation selectors and joiners are no text of their own.
HEADING_GLYPHS = frozenset("#§")
GLYPH_PARENTS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption", "figcaption", "summary"})
_MODIFIERS = "\ufe0e\ufe0f\u200b\u200d"
_NEGATIVE = re.compile(r"-\s*\d{2,}")
_LARGE_NEGATIVE = re.compile(r"-\d{2,}")
_LENGTH = re.compile(r"(-\d+(?:\.\d+)?)\s*(px|r?em)?\s*(?:!important)?\s*")
_PIXELS_PER_UNIT = {None: 1.0, "px": 1.0, "em": 16.0, "rem": 16.0}


class Style(NamedTuple):
    """What a style attribute says about visibility."""

    hidden: bool
    display_none: bool
    off_screen: bool


_NO_STYLE = Style(False, False, False)


@lru_cache(maxsize=4096)
def read_style(style: str) -> Style:
    """Reads `display`, `visibility` and off-screen positions from a style attribute."""
    lowered = style.lower()
    # `text-indent` and positions far off need a long negative number.
    far = "-" in lowered and ("99" in lowered or _NEGATIVE.search(lowered) is not None)
    if "none" not in lowered and "hidden" not in lowered and not far:
        return _NO_STYLE
    display_none = "none" in lowered and declared_display(style) == "none"
    declarations: dict[str, str] = {}
    for declaration in lowered.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            declarations[name.strip()] = value.strip()
    invisible = declarations.get("visibility", "").removesuffix("!important").strip() == "hidden"
    positioned = "position" in declarations
    off_screen = far and (
        _is_far(declarations.get("text-indent"))
        or (positioned and (_is_far(declarations.get("left")) or _is_far(declarations.get("top"))))
    )
    return Style(display_none or invisible, display_none, off_screen)


def _is_far(value: str | None) -> bool:
    match = _LENGTH.fullmatch(value) if value else None
    return match is not None and float(match[1]) * _PIXELS_PER_UNIT[match[2]] <= OFF_SCREEN


def style_of(attributes: dict[str, str | None]) -> Style:
    style = attributes.get("style")
    return read_style(style) if style else _NO_STYLE


def is_closed_dialog(tag: str, attributes: dict[str, str | None], has_role: bool) -> bool:
    """Whether an element is a dialog that is not open. has_role: its role is one of a dialog."""
    if tag == "dialog" and "open" not in attributes:
        return True
    if not has_role or tag not in DIALOG_TAGS:
        return False
    return "hidden" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true"


def is_pixel(attributes: dict[str, str | None]) -> bool:
    """A declared width or height that is an integer under 32; what a style sheet says does not count."""
    for name in ("width", "height"):
        value = attributes.get(name)
        if value is not None:
            value = value.strip()
            if value.isascii() and value.isdigit() and int(value[:9]) < LEAST_SIDE:
                return True
    return False


def is_permalink_glyph(text: str, in_heading: bool) -> bool:
    """Whether the whole text of a link within the page is glyphs that mark a permalink."""
    glyphs = text.strip().strip(_MODIFIERS)
    if not glyphs or len(glyphs) > 8:
        return False
    allowed = PERMALINK_GLYPHS | HEADING_GLYPHS if in_heading else PERMALINK_GLYPHS
    return all(glyph in allowed or glyph in _MODIFIERS or glyph.isspace() for glyph in glyphs)


MOST_LAYERS = 10
"""How many `url(` of a style are looked at."""


def background_image(style: str) -> str | None:
    """The first image of the property `background` or `background-image` of an inline style, as written; None for none.

    >>> background_image("color: red; background: #fff url( 'a b.png' ) no-repeat")
    'a b.png'
    """
    place = -1
    for _ in range(MOST_LAYERS):
        place = style.find("url(", place + 1)
        if place < 0:
            break
        name = style[style.rfind(";", 0, place) + 1 : place].partition(":")[0]
        if name.strip().lower() in ("background", "background-image"):
            written = style[place + len("url(") :].lstrip()
            end = written[:1] if written[:1] in ("'", '"') else ")"
            return (written[1:] if end != ")" else written).partition(end)[0].strip() or None
    return None
