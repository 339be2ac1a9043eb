"""Charset declarations in a page's first bytes: the prescan of the HTML standard, 13.2.3.2.

`http-equiv`, `content` and `charset` count only as attributes of a `meta` tag; comments, other tags and their attribute values
are stepped over, so a declaration inside them is not one.
"""

from __future__ import annotations

import re

PRESCAN_BYTES = 1024

SPACE_OR_SLASH = b"\t\n\f\r /"
COMMENT = re.compile(rb"<!--")
META = re.compile(rb"<meta[\t\n\f\r /]", re.IGNORECASE)
TAG = re.compile(rb"</?[a-zA-Z][^\t\n\f\r >]*")
BOGUS_COMMENT = re.compile(rb"<[!/?]")
ATTRIBUTE = re.compile(
    rb"(=?[^\t\n\f\r /=>]*)"  # a name may begin with "="
    rb"(?:[\t\n\f\r ]*=[\t\n\f\r ]*"
    rb"(?:\"([^\"]*)(?:\"|\Z)|'([^']*)(?:'|\Z)|([^\t\n\f\r >]*)))?"
)
CONTENT_CHARSET = re.compile(
    rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\"'\t\n\f\r ;][^\t\n\f\r ;]*))", re.IGNORECASE
)
XML_ENCODING = re.compile(rb"<\?xml[^>]*?encoding[\x00-\x20]*=[\x00-\x20]*([\"'])(.*?)\1[^>]*>", re.DOTALL)


def declared_charsets(body: bytes) -> list[str]:
    """Labels that the first 1,024 bytes declare, in order: those of `meta` tags, then that of an XML declaration.

    Each is as written. Which of them names an encoding is not looked at here; the first that does is the page's.
    """
    head = body[:PRESCAN_BYTES]
    if head.startswith((b"<\0?\0x\0", b"\0<\0?\0x")):
        return ["utf-16le" if head.startswith(b"<") else "utf-16be"]
    labels: list[str] = []
    place = 0
    while (place := head.find(b"<", place)) >= 0:
        if COMMENT.match(head, place):
            end = head.find(b"-->", place + 2)  # "<!-->" is a whole comment
            if end < 0:
                break
            place = end + 3
        elif META.match(head, place):
            attributes, place = _read_attributes(head, place + 5)
            label = _meta_label(attributes)
            if label is not None:
                labels.append(label)
        elif tag := TAG.match(head, place):
            _, place = _read_attributes(head, tag.end())
        elif BOGUS_COMMENT.match(head, place):
            end = head.find(b">", place)
            if end < 0:
                break
            place = end + 1
        else:
            place += 1
    declaration = XML_ENCODING.match(head)
    if declaration and not set(declaration[2]) & set(range(0x21)):
        labels.append(declaration[2].decode("latin-1"))
    return labels


def _meta_label(attributes: dict[bytes, bytes]) -> str | None:
    """The label of a meta tag: `charset`, else that in `content` if the tag is a Content-Type pragma."""
    if b"charset" in attributes:
        return attributes[b"charset"].decode("latin-1")
    if attributes.get(b"http-equiv") == b"content-type":
        match = CONTENT_CHARSET.search(attributes.get(b"content", b""))
        if match:
            return next(group for group in match.groups() if group is not None).decode("latin-1")
    return None


def _read_attributes(head: bytes, place: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes of a tag, values in lower case, the first of each name; and the place of its end.

    A tag that the first bytes cut off gives no attributes: the standard stops there.
    """
    attributes: dict[bytes, bytes] = {}
    while True:
        while place < len(head) and head[place] in SPACE_OR_SLASH:
            place += 1
        if place >= len(head):
            return {}, place
        if head[place : place + 1] == b">":
            return attributes, place
        match = ATTRIBUTE.match(head, place)
        assert match is not None  # every part of the pattern may be empty
        name, *values = match.groups()
        value = next((text for text in values if text is not None), b"")
        attributes.setdefault(name.lower(), value.lower())
        place = match.end()
