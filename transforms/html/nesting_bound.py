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
    END_TAG_STOPS,
    END_TAGS_OUT_OF_FOREIGN,
    ENDS_FOREIGN,
    FORMATTING,
    MATHML_INTEGRATION,
    SINGLETONS,
    SPECIAL,
    SVG_INTEGRATION,
    TABLE_PARTS,
    VOID,
    ascii_lower,
)
from transforms.html.open_elements import ATTRIBUTE, is_self_closing

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
_MANY = 500_000
_FOREIGN = frozenset({"svg", "math"})
_FOREIGN_END = frozenset({"/svg", "/math"})
_INTEGRATION_END = frozenset("/" + name for name in SVG_INTEGRATION | MATHML_INTEGRATION | {"annotation-xml"})
_ENDS_FOREIGN = ENDS_FOREIGN | {"font"}
_END_TAGS_OUT_OF_FOREIGN = frozenset("/" + name for name in END_TAGS_OUT_OF_FOREIGN)
# After these, what is markup and what is text depends on where they are.
_DOUBTFUL = frozenset({"![CDATA[", "frameset", "plaintext"})
_SPECIAL_END = frozenset("/" + name for name in SPECIAL if END_TAG_STOPS.get(name) is not SPECIAL)
_CLOSED_AT_END = frozenset("/" + name for name in CLOSED_AT_END)
_CLOSED_AT_END_OF = {"/" + name: frozenset("/" + part for part in CLOSED_AT_END_OF_TABLE) for name in TABLE_PARTS}
# The end tag of an element that stays open after its start tag, "" of one that does not.
_END_TAGS = {name: "/" + name for name in SPECIAL | FORMATTING | _FOREIGN | {"span"}} | dict.fromkeys(VOID | SINGLETONS, "")


def surely_within(text: str, max_nesting: int | None, max_attributes: int | None, max_nodes: int | None) -> bool:
    """Whether a page is certainly within the limits; False when that cannot be told cheaply. None for a limit that is off."""
    if len(text) > 3 * _MANY and text.count("<") > _MANY:  # matches take memory
        return False
    matches = _MARKUP.findall(text)
    deepest = len(matches) if max_nesting is None else max_nesting
    longest = min(_ROUNDS, len(text) if max_attributes is None else max_attributes)
    expected: list[str] = []  # the end tags of the open elements, outermost first
    foreign = most_left_open = 0
    for raw_text, raw_attributes, content, name, attributes in matches:
        if not name:
            attributes = raw_attributes
            # In SVG it is no raw text; after `<!--` a script in a script hides an end tag.
            if content and (foreign or ("<!--" in content and "<script" in content.lower())):
                return False
            if raw_text and len(expected) >= deepest:
                return False
        elif name[0] == "/":
            if foreign and ascii_lower(name) in _END_TAGS_OUT_OF_FOREIGN:
                return False
            if expected and (expected[-1] == name or _end_is_near(ascii_lower(name), expected)):
                foreign -= expected.pop() in _FOREIGN_END
            else:
                most_left_open = max(most_left_open, len(expected))
        else:
            end_tag = _END_TAGS.get(name)
            if end_tag is None:
                name = ascii_lower(name)
                end_tag = _END_TAGS.get(name, "/" + name)
            if foreign or name in _DOUBTFUL:
                if name in _DOUBTFUL or name in _ENDS_FOREIGN or expected[-1] in _INTEGRATION_END:
                    return False
                end_tag = "" if is_self_closing(attributes) else "/" + name
            elif name in CLOSED_BY_ITSELF:
                end_tag = "" if expected and expected[-1] == end_tag else end_tag
            elif name in _FOREIGN and is_self_closing(attributes):
                end_tag = ""
            if end_tag:
                expected.append(end_tag)
                foreign += end_tag in _FOREIGN_END
                if len(expected) > deepest:
                    return False
        if len(attributes) > longest and (
            attributes.count("=") >= _ROUNDS or (max_attributes is not None and len(ATTRIBUTE.findall(attributes)) > max_attributes)
        ):
            return False
    # An end tag that was not taken may leave formatting elements to be opened again at every tag.
    return max_nodes is None or len(matches) * (1 + most_left_open) <= max_nodes


def _end_is_near(end_tag: str, expected: list[str]) -> bool:
    """Whether an end tag closes an element in which only unclosed ones are whose end tag may be omitted; takes those away."""
    if expected[-1] == end_tag:
        return True
    if end_tag not in _SPECIAL_END:
        return False
    closed = _CLOSED_AT_END_OF.get(end_tag, _CLOSED_AT_END)
    place = len(expected) - 1
    while place >= 0 and expected[place] in closed and expected[place] != end_tag:
        place -= 1
    if place < 0 or expected[place] != end_tag:
        return False
    del expected[place + 1 :]
    return True
