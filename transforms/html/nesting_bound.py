"""A quick answer for nearly every page: its tags nest, and carry attributes, well within the limits.

Most end tags close the innermost element. So this takes only those for effective of which that is certain, and leaves an element
open in any other case. What it finds open is then at least what a parser has open, for a fraction of the cost of `open_elements`;
only a page that it cannot vouch for is looked at in full.
"""

from __future__ import annotations

import re

from transforms.html.elements import (
    CLOSED_AT_END,
    CLOSED_AT_END_OF_TABLE,
    CLOSED_BY_ITSELF,
    ENDS_FOREIGN,
    MATHML_INTEGRATION,
    SINGLETONS,
    SPECIAL,
    SVG_INTEGRATION,
    TABLE_PARTS,
    VOID,
)
from transforms.html.open_elements import ATTRIBUTE

# One match a tag, a comment, or a raw text element up to its end tag. As in `limits`, nothing fails once begun, and a tag is
# matched in at most so many rounds; a tag with that many `=` is left to the full scan.
_ROUNDS = 4000
_ATTRIBUTES = rf"""[^>=]*(?:=[\t\n\f\r ]*(?:"[^"]*"|'[^']*')?[^>=]*){{0,{_ROUNDS}}}"""
_RAW_TEXT = r"script|style|textarea|title|iframe|noembed|noframes|xmp"
_MARKUP = re.compile(
    rf"""
    <(?:
        (?i:({_RAW_TEXT})(?=[\t\n\f\r />])) ({_ATTRIBUTES}) >? [^<]* ((?:<(?!/(?i:\1)[\t\n\f\r />])[^<]*)*)
      | (/?[a-zA-Z][^\t\n\f\r />]*|!\[CDATA\[) ({_ATTRIBUTES})
      | !--(?:-?>|[^-]*(?:-(?!-!?>)[^-]*)*)
      | [!?/][^>]*
    )
    """,
    re.VERBOSE | re.ASCII,
)
_FOREIGN = frozenset({"svg", "math"})
_FOREIGN_INTEGRATION = SVG_INTEGRATION | MATHML_INTEGRATION | {"annotation-xml"}
_NOT_OPENED = VOID | SINGLETONS
_ENDS_FOREIGN = ENDS_FOREIGN | {"font"}


def surely_within(text: str, max_nesting: int | None, max_attributes: int | None, max_nodes: int | None) -> bool:
    """Whether a page is certainly within the limits; False when that cannot be told cheaply. None for a limit that is off."""
    matches = _MARKUP.findall(text)
    deepest = len(matches) if max_nesting is None else max_nesting
    longest = min(_ROUNDS, len(text) if max_attributes is None else max_attributes)
    open_names: list[str] = []
    foreign = reopened = 0
    for raw_text, raw_attributes, content, name, attributes in matches:
        if not name.islower() and name.isascii():
            name = name.lower()
        if raw_text:
            # In SVG it is no raw text; after `<!--` a script in a script hides an end tag.
            if content and (foreign or ("<!--" in content and "<script" in content.lower())):
                return False
            attributes = raw_attributes
        elif name[:1] == "/":
            name = name[1:]
            if open_names and open_names[-1] == name:
                open_names.pop()
                foreign -= name in _FOREIGN
            elif name in SPECIAL and not foreign:
                # Only unclosed elements whose end tag may be omitted stand between?
                closed = CLOSED_AT_END_OF_TABLE if name in TABLE_PARTS else CLOSED_AT_END
                place = len(open_names) - 1
                while place >= 0 and open_names[place] in closed and open_names[place] != name:
                    place -= 1
                if place >= 0 and open_names[place] == name:
                    del open_names[place:]
                else:
                    reopened = max(reopened, len(open_names))
            else:
                reopened = max(reopened, len(open_names))
        elif name == "![CDATA[":  # text or a comment, by where it is
            return False
        elif name:
            if foreign:
                if name in _ENDS_FOREIGN or open_names[-1] in _FOREIGN_INTEGRATION:
                    return False
                if not (attributes[-1:] == "/" and ATTRIBUTE.sub("", attributes)[-1:] == "/"):
                    open_names.append(name)
            elif name not in _NOT_OPENED and not (name in CLOSED_BY_ITSELF and open_names and open_names[-1] == name):
                open_names.append(name)
            foreign += name in _FOREIGN
            if len(open_names) > deepest:
                return False
        if len(attributes) > longest and (
            attributes.count("=") >= _ROUNDS or (max_attributes and len(ATTRIBUTE.findall(attributes)) > max_attributes)
        ):
            return False
    # An end tag that was not taken may leave formatting elements to be opened again at every tag.
    return max_nodes is None or len(matches) * (1 + reopened) <= max_nodes
