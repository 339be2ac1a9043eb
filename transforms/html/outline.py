"""A page's body as flat lists, read in one walk: what the `obelics` profile judges and reads without touching the tree again.

    <body>Tea <b>or</b><p>milk</p>

    stream   "Tea "  2  "or"  ~2  3  "milk"  ~3       texts, and elements where they begin and end
    tags     html body b p                           elements by number, in document order

The visible characters of any element are a difference of two running totals, so no rule walks a subtree to weigh it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from transforms.html.text_merge import normalise_text
from transforms.html.tree import LexborHTMLParser, LexborNode

Attributes = dict[str, "str | None"]
OUTSIDE, HTML, BODY = -1, 0, 1
# Their content is no text of the page; what is in a template is not in the tree.
UNREAD = frozenset({"script", "style", "template", "head", "iframe"})


@dataclass
class Outline:
    """Elements by number; `ends[e]` is one past the last descendant of e, `starts[e]` and `stops[e]` are its range in `stream`.

    stream: texts, normalised by obelics.md 4.1; `e` where an element begins, `~e` where it ends, if it has content. characters:
    visible ones inside each element, white space at the ends of a text not counted. noscripts: those with content.
    """

    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    attributes: list[Attributes] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)
    stream: list[str | int] = field(default_factory=list)
    noscripts: list[int] = field(default_factory=list)

    @cached_property
    def starts(self) -> list[int]:
        """Where each element begins in `stream`; few ask. Those that are not in it begin at 0."""
        starts = [0] * len(self.tags)
        for place, entry in enumerate(self.stream):
            if not isinstance(entry, str) and entry >= 0:
                starts[entry] = place
        return starts

    def add(self, tag: str, parent: int, attributes: Attributes) -> int:
        """Appends an element that has no content yet."""
        element = len(self.tags)
        self.tags.append(tag)
        self.parents.append(parent)
        self.attributes.append(attributes)
        self.ends.append(element + 1)
        self.stops.append(len(self.stream))
        self.characters.append(0)
        return element


def read_outline(tree: LexborHTMLParser) -> Outline:
    """Reads the body of a page. The tree is not changed; a page without one (frameset, nothing at all) gives an empty stream."""
    outline = Outline()
    html, body = tree.root, tree.body
    outline.add("html", OUTSIDE, html.attributes if html is not None and html.tag == "html" else {})
    outline.add("body", HTML, body.attributes if body is not None else {})
    if body is not None:
        _read(outline, body)
    outline.ends[HTML] = outline.ends[BODY]
    return outline


def _read(outline: Outline, body: LexborNode) -> None:
    tags, parents, all_attributes, ends = outline.tags, outline.parents, outline.attributes, outline.ends
    stops, characters, stream = outline.stops, outline.characters, outline.stream
    read = 0  # visible characters so far
    parent, read_before = BODY, 0
    stack: list[tuple[LexborNode, int, int]] = []
    node = body.first_child
    while True:
        while node is None:
            ends[parent] = len(tags)
            characters[parent] = read - read_before
            stops[parent] = len(stream)
            if not stack:
                return
            stream.append(~parent)
            stops[parent] += 1
            above, parent, read_before = stack.pop()
            node = above.next
        tag = node.tag
        if tag == "-text":
            text = node.text_content
            if text is None or text.isspace():
                stream.append(" ")
            else:
                words = " ".join(text.split())
                # The quick reading of what `normalise_text` says; characters that show nothing are never ASCII.
                if not words.isascii():
                    text = normalise_text(text.replace("\n", " "))
                    words = text.strip(" ")
                if words:
                    read += len(words)
                    stream.append(f"{' ' if text[0].isspace() else ''}{words}{' ' if text[-1].isspace() else ''}")
                elif text:
                    stream.append(" ")
            node = node.next
            continue
        if not tag or tag[0] == "-":  # a comment or processing instruction
            node = node.next
            continue
        element = len(tags)
        tags.append(tag)
        parents.append(parent)
        all_attributes.append(node.attributes)
        ends.append(element + 1)
        characters.append(0)
        stream.append(element)
        stops.append(len(stream))
        child = None if tag in UNREAD else node.first_child
        if child is None:
            node = node.next
        else:
            if tag == "noscript":
                outline.noscripts.append(element)
            stack.append((node, parent, read_before))
            node, parent, read_before = child, element, read
