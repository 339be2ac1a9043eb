"""What the tags of HTML mean for blocks (blocks.md 3.1, 3.3, 4.1). Tables only; the rules that use them are elsewhere."""

from __future__ import annotations

from enum import IntEnum

from transforms.blocks.names import names

HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = frozenset({"ul", "ol", "menu"})
# Elements whose own text is a paragraph with their tag but never a list item (blocks.md 4.5).
BARE_TEXT_ONLY = frozenset({"ul", "ol", "menu", "dl", "figure"})
# Innermost of these with text becomes a block (blocks.md 4.1).
TEXT_CONTAINERS = frozenset(
    names(
        """body p div section article main aside header footer nav li dt dd td th caption summary details address label button
        legend center form fieldset figure ul ol menu dl"""
    )
)
EMBEDS = frozenset({"video", "audio", "iframe", "embed", "object"})
EMBEDS_WITH_FALLBACK = frozenset({"video", "audio", "object"})
# Elements that show nothing, or not as text (blocks.md 3.3). The raw text of noframes and noembed is shown by no browser.
SILENT = frozenset(names("script style param noframes noembed link meta title base head"))
FORM_CHOICES = frozenset({"select", "datalist", "textarea"})
# Elements that inline Markdown marks (blocks.md 3.2), by the mark they share.
MARKS = {"a": "link", "strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "sup": "sup", "sub": "sub"}
# Elements without a role of their own that many pages have.
COMMON = frozenset(names("span small u s font time abbr cite big mark q ins del kbd var samp picture source input center hgroup"))


class Role(IntEnum):
    """What the walk does at an element."""

    CLOSE = 0  # in a list of cuts: the end of an element
    TRANSPARENT = 1
    MARK = 2  # transparent, but Markdown marks it
    SPACED = 3  # transparent, but its text is set off by spaces
    MUTED = 4  # its pictures are read, its text is not
    WITHOUT_ELEMENT = 5  # its content is read as if the element were not there

    # Emitted on their own if they hold text, and so they cut the text around them.
    CONTAINER = 10
    ITEM = 11
    DEFINITION = 12
    HEADING = 13
    TABLE = 14
    QUOTE = 15
    CAPTION = 16
    CODE = 17
    DIAGRAM = 18
    FORMULA = 19
    RULE = 20

    SPECIAL = 30  # has a reader of its own

    # No element is noted for these.
    SILENT = 40  # shows nothing, separates words
    COMMENT = 41  # nothing at all
    LINE_BREAK = 42
    UNWRAPPED = 43  # its content is read, or a host shows it elsewhere


def _roles() -> dict[str, int]:
    roles: dict[str, int] = dict.fromkeys(COMMON, Role.TRANSPARENT)
    roles.update(dict.fromkeys(TEXT_CONTAINERS, Role.CONTAINER))
    roles.update(dict.fromkeys(MARKS, Role.MARK))
    roles.update(dict.fromkeys(HEADINGS, Role.HEADING))
    roles.update(dict.fromkeys(("thead", "tbody", "tfoot", "tr"), Role.SPACED))
    roles.update(li=Role.ITEM, dt=Role.DEFINITION, dd=Role.DEFINITION)
    roles.update(table=Role.TABLE, blockquote=Role.QUOTE, figcaption=Role.CAPTION)
    roles.update(dict.fromkeys((*FORM_CHOICES, *EMBEDS, "hr", "img", "svg", "math", "pre", "noscript"), Role.SPECIAL))
    roles.update(dict.fromkeys(SILENT, Role.SILENT))
    roles["-text"] = Role.SILENT  # one without content
    # A processing instruction has no tag; the walk reads "" for it.
    roles.update(dict.fromkeys(("-comment", "-doctype", "-document", ""), Role.COMMENT))
    roles.update(br=Role.LINE_BREAK, template=Role.UNWRAPPED, slot=Role.UNWRAPPED)
    return {tag: int(role) for tag, role in roles.items()}


ROLES = _roles()
SHARED_ROLES = {tag: (tag, role) for tag, role in ROLES.items()}
"""The roles with their tags: a tree makes a string for every element, and what reads a thousand of one content is slow."""
