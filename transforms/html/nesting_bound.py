"""A quick answer for nearly every page: its tags nest, and carry attributes, well within the limits.

Most end tags close the innermost element. So this takes only those for effective of which that is certain, and leaves an element
open in any other case. What it finds open is then at least what a parser has open, for a fraction of the cost of `open_elements`;
only a page that it cannot vouch for is looked at in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

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
)
from transforms.html.open_elements import ATTRIBUTE, ATTRIBUTE_ROUNDS, ATTRIBUTES, is_self_closing

# One match a tag, a comment, or a raw text element up to its end tag. A tag with more attributes than are matched at once is left
# to the full scan. What nearly all attributes look like is read quicker; only what is left of a tag after them is kept. CDATA is
# matched as raw text is, and is never vouched for.
_PLAIN_ROUNDS = 60
_PLAIN_ATTRIBUTES = rf"""(?:[ ][^\t\n\f\r />="']+="[^"]*"){{0,{_PLAIN_ROUNDS}}}"""
_RAW_TEXT = r"(?:script|style|textarea|title|iframe|noembed|noframes|xmp)(?=[\t\n\f\r />])|!\[CDATA\["
_MARKUP = re.compile(
    rf"""
    <(?:
        (?=[sStTiInNxX!]) (?i:({_RAW_TEXT})) ({ATTRIBUTES}) >? [^<]* ((?:<(?!/(?i:\1)[\t\n\f\r />])[^<]*)*)
      | (/?[a-zA-Z][^\t\n\f\r />]*) (?:>|{_PLAIN_ATTRIBUTES} (?:>|([ ]?/?(?=>)|{ATTRIBUTES})))
      | !--(?:-?>|[^-]*(?:-(?!-!?>)[^-]*)*)
      | [!?/][^>]*
    )
    """.encode(),
    re.VERBOSE,
)
_NONE = b" "  # no name has a space
_MANY = 500_000
# So many elements may a tag imply, as a cell its row and the group of that; and a page html, head and body.
_IMPLIED = 3


def _end_tags(names: Iterable[str]) -> frozenset[bytes]:
    return frozenset(b"/" + name.encode() for name in names)


_FOREIGN = _end_tags({"svg", "math"})
# After these, what is markup and what is text depends on where they are.
_DOUBTFUL = _end_tags({"frameset", "plaintext"})
_CDATA = b"!"
_INTEGRATION_END = _end_tags(SVG_INTEGRATION | MATHML_INTEGRATION | {"annotation-xml"})
_ENDS_FOREIGN = _end_tags(ENDS_FOREIGN | {"font"})
# End tags of which `open_elements` does not say that they close everything in the innermost element of their name.
_NOT_OF_FOREIGN_ALONE = _end_tags(SPECIAL | FORMATTING | END_TAGS_OUT_OF_FOREIGN)
_SPECIAL_END = _end_tags(name for name in SPECIAL if END_TAG_STOPS.get(name) is not SPECIAL)
_FORMATTING_END = _end_tags(FORMATTING)
_CLOSED_BY_ITSELF = _end_tags(CLOSED_BY_ITSELF)
_CLOSED_AT_END = _end_tags(CLOSED_AT_END)
_CLOSED_AT_END_OF = dict.fromkeys(_end_tags(TABLE_PARTS), _end_tags(CLOSED_AT_END_OF_TABLE))
# The end tag of an element that stays open after its start tag, empty of one that does not; of most elements.
_END_TAGS = {end_tag[1:]: end_tag for end_tag in _end_tags(SPECIAL | FORMATTING | {"span"})}
_END_TAGS |= {end_tag[1:]: b"" for end_tag in _end_tags(VOID | SINGLETONS)}
# Of those that need a further look.
_NOTED = _FORMATTING_END | _DOUBTFUL | _FOREIGN


def surely_within(html: bytes, max_nesting: int | None, max_attributes: int | None, max_nodes: int | None) -> bool:
    """Whether a page is certainly within the limits; False when that cannot be told cheaply. None for a limit that is off.

    html: the decoded page in UTF-8, which is read faster than text. max_nodes: of the tree that a parser makes of it, with those
    that no tag stands for.
    """
    if len(html) > 3 * _MANY and html.count(b"<") > _MANY:  # matches take memory
        return False
    if max_attributes is not None and max_attributes < _PLAIN_ROUNDS:  # plain attributes are not counted
        return False
    matches = _MARKUP.findall(html)
    deepest = 1 + (len(matches) if max_nesting is None else max_nesting)  # with the one that stands for none
    longest = min(ATTRIBUTE_ROUNDS - 1, len(html) if max_attributes is None else max_attributes - _PLAIN_ROUNDS)
    expected: list[bytes] = [_NONE]  # the end tags of the open elements, outermost first; none is for no element
    top = _NONE  # the last of them
    formatting = most_formatting = 0  # open formatting elements
    tags = iter(matches)
    for raw_text, raw_attributes, content, name, attributes in tags:
        if name == top:
            expected.pop()
            top = expected[-1]
            if formatting and name in _FORMATTING_END:
                formatting -= 1
        else:
            end_tag = _END_TAGS.get(name)
            if end_tag is None:
                if not name:
                    attributes = raw_attributes
                    if raw_text and (len(expected) >= deepest or raw_text.startswith(_CDATA)):
                        return False
                    # After `<!--` a script in a script hides an end tag.
                    if content and b"<!--" in content and _hides_end_tag(raw_text, content):
                        return False
                elif name.startswith(b"/"):
                    if _end_is_near(name.lower(), expected):
                        formatting -= expected.pop() in _FORMATTING_END
                        top = expected[-1]
                else:
                    name = name.lower()
                    end_tag = _END_TAGS.get(name, b"/" + name)
            if end_tag and (end_tag != top or end_tag not in _CLOSED_BY_ITSELF):
                expected.append(end_tag)
                top = end_tag
                if len(expected) > deepest:
                    return False
                if end_tag in _NOTED:
                    if end_tag in _FORMATTING_END:
                        formatting += 1
                        if formatting > most_formatting:
                            most_formatting = formatting
                    elif end_tag in _DOUBTFUL or not _foreign_is_within(
                        attributes, tags, expected, deepest, longest, max_attributes
                    ):
                        return False
                    else:
                        top = expected[-1]
        # Most tags have nothing left of their attributes.
        if attributes and len(attributes) > longest and _may_be_too_many(attributes, max_attributes):
            return False
    # A tag may close all of them, and open them again.
    return max_nodes is None or _IMPLIED + len(matches) * (1 + _IMPLIED + 2 * most_formatting) <= max_nodes


def _foreign_is_within(
    attributes: bytes,
    tags: Iterator[tuple[bytes, ...]],
    expected: list[bytes],
    deepest: int,
    longest: int,
    max_attributes: int | None,
) -> bool:
    """Takes the tags of the SVG or MathML element that is the innermost open one, up to its end, if all within is certain.

    attributes: of its own tag.
    """
    if _is_self_closing(attributes):
        expected.pop()
        return True
    outermost = len(expected) - 1
    for raw_text, raw_attributes, content, name, attributes in tags:
        if name == expected[-1]:
            expected.pop()
        elif not name:
            # Here it is no raw text, but it is inside what holds HTML.
            if content or raw_text.startswith(_CDATA) or (raw_text and expected[-1] in _INTEGRATION_END):
                return False
            attributes = raw_attributes
            if raw_text and not _is_self_closing(attributes):
                expected.append(b"/" + raw_text.lower())
        elif name.startswith(b"/"):
            if not _ends_foreign(name.lower(), expected, outermost):
                return False
        else:
            end_tag = b"/" + name.lower()
            if end_tag in _DOUBTFUL or end_tag in _ENDS_FOREIGN or expected[-1] in _INTEGRATION_END:
                return False
            if not _is_self_closing(attributes):
                expected.append(end_tag)
        if len(expected) > deepest or (len(attributes) > longest and _may_be_too_many(attributes, max_attributes)):
            return False
        if len(expected) <= outermost:
            return True
    return True


def _may_be_too_many(attributes: bytes, max_attributes: int | None) -> bool:
    """Whether a tag may have more attributes than allowed, of which those that are left after the plain ones are given."""
    count = len(ATTRIBUTE.findall(attributes.decode("utf-8", "replace")))
    return count >= ATTRIBUTE_ROUNDS or (max_attributes is not None and _PLAIN_ROUNDS + count > max_attributes)


def _is_self_closing(attributes: bytes) -> bool:
    return attributes == b"/" or (attributes.endswith(b"/") and is_self_closing(attributes.decode("utf-8", "replace")))


def _hides_end_tag(raw_text: bytes, content: bytes) -> bool:
    return raw_text.lower() == b"script" and b"<script" in content.partition(b"<!--")[2].lower()


def _ends_foreign(end_tag: bytes, expected: list[bytes], foreign: int) -> bool:
    """Takes away the innermost foreign element that an end tag closes, with all in it; False when there is none.

    Such a tag may close an element around the foreign ones, and them with it.
    """
    if end_tag in _NOT_OF_FOREIGN_ALONE:
        return False
    place = len(expected) - 1
    while place > foreign and expected[place] != end_tag and expected[place] not in _NOT_OF_FOREIGN_ALONE:
        place -= 1
    if expected[place] != end_tag:
        return False
    del expected[place:]
    return True


def _end_is_near(end_tag: bytes, expected: list[bytes]) -> bool:
    """Whether an end tag closes an element in which only unclosed ones are whose end tag may be omitted; takes those away."""
    if expected[-1] == end_tag:  # written in another case
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
