"""Caps on what is parsed (spec/parser.md, "Limits before the parse").

A parse cannot be interrupted, and deep nesting, a tag with very many attributes or formatting elements that are never closed take
quadratic time. One linear scan of the tags finds such a page first; what is over a limit is the same on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from transforms.html.elements import RAW_TEXT, ascii_lower
from transforms.html.nesting_bound import surely_within
from transforms.html.open_elements import ATTRIBUTE, ATTRIBUTES, OpenElements
from transforms.html.tree import LexborHTMLParser, parse_utf8


@dataclass(frozen=True, slots=True)
class LimitsConfig:
    """The largest page that is parsed. None switches a limit off.

    seconds and memory take effect where the extraction is isolated (transforms.documents.isolate).
    """

    bytes: int | None = field(default=8 * 2**20, metadata={"help": "size of the decoded page in UTF-8"})
    nesting: int | None = field(
        default=512, metadata={"help": "elements open at once, without void elements and those whose end tag may be omitted"}
    )
    attributes: int | None = field(default=1000, metadata={"help": "attributes on one tag"})
    nodes: int | None = field(default=500_000, metadata={"help": "elements in the tree"})
    seconds: float | None = field(
        default=30.0, metadata={"help": "clock time of the whole extraction of a page; with isolation only"}
    )
    memory: int | None = field(
        default=2 * 2**30, metadata={"help": "RAM of the extracting process, code and models included; with isolation only"}
    )


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A limit that a page is over: its rule, such as `limits.nesting`, the value found, and the limit.

    A scan ends at its first finding, so the value is what was reached up to there.
    """

    rule: str
    value: int
    threshold: int


# A tag with more attributes than a match takes is read on.
_MORE_ATTRIBUTES = re.compile(ATTRIBUTES)
_MARKUP = re.compile(rf"<(?:(/?)([a-zA-Z][^\t\n\f\r />]*)({ATTRIBUTES})|(!--|!\[CDATA\[|[!?/]))")
_COMMENT_END = re.compile(r"--!?>")
_RAW_TEXT_END = {name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII) for name in RAW_TEXT}
_SCRIPT_PART = re.compile(r"<!--(?!-?>)|-->|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII)


def parse_within(html: bytes, limits: LimitsConfig) -> LexborHTMLParser | Exceeded:
    """Parses a decoded page, given in UTF-8, that is within the limits; else the first limit that it is over.

    The nodes of the tree are counted where the scan of the tags has not shown that there cannot be too many.
    """
    if (exceeded := _over("limits.bytes", len(html), limits.bytes)) is not None:
        return exceeded
    if _is_surely_within(html, limits):
        return parse_utf8(html)
    if (exceeded := _exceeded_by_tags(html, limits)) is not None:
        return exceeded
    tree = parse_utf8(html)
    exceeded = None if limits.nodes is None else _over("limits.nodes", len(tree.tags("*")), limits.nodes)
    return tree if exceeded is None else exceeded


def exceeded_limit(html: bytes, limits: LimitsConfig) -> Exceeded | None:
    """The first limit that a decoded page, in UTF-8, is over before it is parsed; None when it may be parsed.

    Nodes are estimated here, from above: formatting elements that are opened again in each block can make a small page huge.
    """
    exceeded = _over("limits.bytes", len(html), limits.bytes)
    if exceeded is not None or _is_surely_within(html, limits):
        return exceeded
    return _exceeded_by_tags(html, limits)


def _is_surely_within(html: bytes, limits: LimitsConfig) -> bool:
    if limits.nesting is limits.attributes is limits.nodes is None:
        return True
    return surely_within(html, limits.nesting, limits.attributes, limits.nodes)


def _exceeded_by_tags(html: bytes, limits: LimitsConfig) -> Exceeded | None:
    text = html.decode("utf-8", "replace")
    elements = OpenElements()
    over = None
    longest = limits.attributes  # an attribute takes more than one character, so most tags need no count
    for kind, name, attributes in _tags(text, elements):
        if longest is not None and len(attributes) > longest:
            over = _over("limits.attributes", len(ATTRIBUTE.findall(attributes)), limits.attributes)
        if kind == "/":
            elements.end(name)
        else:
            elements.start(name, attributes, doubtful=kind == "?")
            over = over or _over("limits.nesting", elements.depth, limits.nesting)
            over = over or _over("limits.nodes", elements.opened, limits.nodes)
        if over:
            break
    return over


def _over(rule: str, value: int, threshold: int | None) -> Exceeded | None:
    return None if threshold is None or value <= threshold else Exceeded(rule, value, threshold)


def _tags(text: str, elements: OpenElements) -> Iterator[tuple[str, str, str]]:
    """The tags of a page: "/" for an end tag, name in lower case, source of the attributes. Comments and raw text are passed over.

    Where a start tag may as well be text, "?" stands for it. elements: as the caller keeps it up to date; what some markup means
    depends on where it is.
    """
    position = 0
    doubtful_end = 0  # what lies before may be markup or text
    while position < len(text):
        # Each round goes on until something moves the position other than tag by tag.
        for match in _MARKUP.finditer(text, position):
            closing, name, attributes, other = match.groups()
            if doubtful_end > match.start():
                if match.end() > doubtful_end:
                    position = doubtful_end
                    break
                if name and not closing:
                    yield "?", ascii_lower(name), attributes
                continue
            if other == "![CDATA[" and elements.namespace != "html":
                position = match.end()
                doubtful_end = _after(text, "]]>", position)
                break
            if other:
                position = _comment_end(text, match.end()) if other == "!--" else _after(text, ">", match.end())
                break
            name, end = ascii_lower(name), match.end()
            if end < len(text) and text[end] != ">":
                while more := _MORE_ATTRIBUTES.match(text, end):
                    if more.end() == end:
                        break
                    end = more.end()
                attributes = text[match.start(3) : end]
            is_raw_text = not closing and name in RAW_TEXT and elements.namespace == "html"  # before the caller takes the tag
            yield closing, name, attributes
            if is_raw_text and elements.framesets:  # in a frameset it is not
                doubtful_end = max(doubtful_end, _raw_text_end(text, name, end))
            elif is_raw_text:
                position = _raw_text_end(text, name, end)
                break
            if end != match.end():
                position = end
                break
        else:
            return


def _after(text: str, mark: str, position: int) -> int:
    found = text.find(mark, position)
    return len(text) if found < 0 else found + len(mark)


def _comment_end(text: str, position: int) -> int:
    for abrupt in (">", "->"):
        if text.startswith(abrupt, position):
            return position + len(abrupt)
    end = _COMMENT_END.search(text, position)
    return end.end() if end else len(text)


def _raw_text_end(text: str, name: str, position: int) -> int:
    if name == "plaintext":
        return len(text)
    if name == "script":
        return _script_end(text, position)
    end_tag = _RAW_TEXT_END[name].search(text, position)
    return end_tag.start() if end_tag else len(text)


def _script_end(text: str, position: int) -> int:
    """Where a script ends. Inside `<!--` a script in it hides one end tag (HTML Standard, "script data double escaped state")."""
    escaped = inner = False
    for part in _SCRIPT_PART.finditer(text, position):
        if part[0] == "<!--":
            escaped = True
        elif part[0] == "-->":
            escaped = inner = False
        elif inner:
            inner = not part[1]
        elif part[1]:
            return part.start()
        else:
            inner = escaped
    return len(text)
