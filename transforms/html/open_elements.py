"""How deep a parse would nest, told from the tags alone.

A parser keeps a stack of open elements; here is as much of its rules (HTML Standard 13.2.6) as decides how high that stack gets.
Where the rules are left out, an element stays open too long: markup can look deeper than it is, not flatter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from transforms.html.elements import (
    BUTTON_SCOPE,
    END_TAG_OMITTED,
    END_TAG_STOPS,
    ENDS_FOREIGN,
    ENDS_PARAGRAPH,
    FONT_ATTRIBUTES,
    FORMATTING,
    HEADINGS,
    HTML_ENCODINGS,
    IMPLIED_END,
    IMPLIED_END_OF_INNERMOST,
    MARKERS,
    MATHML_INTEGRATION,
    ONE_AT_A_TIME,
    PARAGRAPH,
    RUBY,
    SCOPE,
    SINGLETONS,
    SPECIAL,
    SVG_INTEGRATION,
    VOID,
)

# One attribute in the source of a tag: its name, and its value in one of three forms. What is left over are spaces and slashes.
ATTRIBUTE = re.compile(
    r"""([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?"""
)

# An end tag looks at so many open elements on average, so that the scan stays linear; what is further up stays open.
AVERAGE_LOOK = 64
# The parser opens at most so many equal formatting elements again.
EQUAL_FORMATTING = 3


def _values(attributes: str) -> dict[str, str]:
    """The attributes of a tag by name in lower case; of equal ones the first."""
    found: dict[str, str] = {}
    for name, *values in ATTRIBUTE.findall(attributes):
        found.setdefault(name.lower(), "".join(values))
    return found


class OpenElements:
    """The stack of open elements by their names, fed with tags.

    depth: how many are open that count, with the formatting elements that will be opened again. opened: how many elements a parse
    would have made so far at most, those that it opens again in each block included.
    """

    def __init__(self) -> None:
        self.names: list[str] = []  # outermost first; "" where a formatting element was taken out from between others
        self.attributes: list[str] = []  # by which equal formatting elements are told
        self.depth_below: list[int] = []  # without the element and all that are in it
        self.open_count: defaultdict[str, int] = defaultdict(int)
        self.may_look_at = 0
        self.open_depth = 0
        self.opened = 0
        # Formatting elements that wait to be opened again, as attributes by name; and those outside each open marker.
        self.waiting: defaultdict[str, list[str]] = defaultdict(list)
        self.waiting_count = 0
        self.outside: list[tuple[int, defaultdict[str, list[str]], int]] = []
        # Places of the elements in which the namespace changes, and to which.
        self.namespaces: list[tuple[int, str]] = []

    @property
    def depth(self) -> int:
        return self.open_depth + self.waiting_count

    @property
    def namespace(self) -> str:
        return self.namespaces[-1][1] if self.namespaces else "html"

    def start(self, name: str, attributes: str) -> None:
        """Takes a start tag: its name in lower case, the source of its attributes."""
        self.may_look_at += AVERAGE_LOOK
        if self.namespaces and self.namespace != "html":
            if name not in ENDS_FOREIGN and not (name == "font" and FONT_ATTRIBUTES & _values(attributes).keys()):
                self._start_foreign(name, attributes)
                return
            while self.namespace != "html":
                self._pop_to(self.namespaces[-1][0])
        self.opened += 1
        if name in VOID or name in SINGLETONS:
            return
        if name in ENDS_PARAGRAPH and self.open_count["p"]:
            self._end(PARAGRAPH, BUTTON_SCOPE)
        if name in IMPLIED_END:
            self._end(*IMPLIED_END[name])
        elif name in IMPLIED_END_OF_INNERMOST:
            ended = IMPLIED_END_OF_INNERMOST[name]
            if self.names and self.names[-1] in ended and (name not in RUBY or "ruby" in self.names[-AVERAGE_LOOK:]):
                self._pop_to(len(self.names) - 1)
        elif name in ONE_AT_A_TIME:
            self._end_formatting(name)
        if name == "svg" or name == "math":
            self.namespaces.append((len(self.names), name))
        if name in SPECIAL:
            self.opened += self.waiting_count
        self._push(name, attributes, counts=name not in END_TAG_OMITTED or self._is_in_own_kind(name))
        if name in MARKERS:
            self.outside.append((len(self.names) - 1, self.waiting, self.waiting_count))
            self.open_depth += self.waiting_count
            self.waiting, self.waiting_count = defaultdict(list), 0

    def end(self, name: str) -> None:
        """Takes an end tag: its name in lower case."""
        self.may_look_at += AVERAGE_LOOK
        if name in FORMATTING:
            self._end_formatting(name)
        elif name in HEADINGS:
            self._end(HEADINGS, SCOPE)
        elif self.open_count[name]:
            if name in SPECIAL:
                self.opened += self.waiting_count
            if self.names[-1] == name:
                self._pop_to(len(self.names) - 1)
            else:
                self._end(frozenset({name}), END_TAG_STOPS.get(name, SCOPE if name in SPECIAL else SPECIAL))

    def _start_foreign(self, name: str, attributes: str) -> None:
        self.opened += 1
        if attributes.endswith("/") and ATTRIBUTE.sub("", attributes).endswith("/"):
            return
        namespace = within = self.namespace
        if namespace == "svg":
            within = "html" if name in SVG_INTEGRATION else "svg"
        elif name in MATHML_INTEGRATION or (
            name == "annotation-xml" and _values(attributes).get("encoding", "").lower() in HTML_ENCODINGS
        ):
            within = "html"
        elif name == "svg" and self.names[-1] == "annotation-xml":
            within = "svg"
        if within != namespace:
            self.namespaces.append((len(self.names), within))
        self._push(name, attributes, counts=True)

    def _is_in_own_kind(self, name: str) -> bool:
        """Whether an element of that name is open with nothing in between that counts, as in `<li><dd><li><dd>`."""
        for other in reversed(self.names[-AVERAGE_LOOK:]):
            if other == name:
                return True
            if other and other not in END_TAG_OMITTED:
                return False
        return False

    def _push(self, name: str, attributes: str, *, counts: bool) -> None:
        self.depth_below.append(self.open_depth)
        self.names.append(name)
        self.attributes.append(attributes)
        self.open_count[name] += 1
        self.open_depth += counts

    def _end(self, wanted: frozenset[str], stops: frozenset[str]) -> None:
        """Closes the innermost wanted element and all in it, unless a stop or too much is in between."""
        for place in self._innermost_first():
            if self.names[place] in wanted:
                self._pop_to(place)
                return
            if self.names[place] in stops:
                return

    def _end_formatting(self, name: str) -> None:
        """Closes a formatting element but not the special elements in it ("adoption agency")."""
        if self.open_count[name]:
            special = False
            for place in self._innermost_first():
                other = self.names[place]
                if other == name:
                    self.names[place] = ""
                    self.open_count[name] -= 1
                    if not special:
                        self._pop_to(place)
                    return
                if other in SCOPE:
                    return
                special = special or other in SPECIAL
        if self.waiting[name]:
            self.waiting[name].pop()
            self.waiting_count -= 1

    def _innermost_first(self) -> Iterator[int]:
        """The places in the stack from its top, as far as they may be looked at."""
        for place in range(len(self.names) - 1, -1, -1):
            self.may_look_at -= 1
            if self.may_look_at < 0:
                return
            yield place

    def _pop_to(self, place: int) -> None:
        """Closes the element at place and all in it."""
        for closed in range(len(self.names) - 1, place - 1, -1):
            name = self.names[closed]
            self.open_count[name] -= 1
            if name in FORMATTING:
                equal = self.waiting[name]
                if equal[-AVERAGE_LOOK:].count(self.attributes[closed]) < EQUAL_FORMATTING:
                    equal.append(self.attributes[closed])
                    self.waiting_count += 1
            elif self.outside and self.outside[-1][0] == closed:
                _, self.waiting, self.waiting_count = self.outside.pop()
        while place and not self.names[place - 1]:
            place -= 1
        self.open_depth = self.depth_below[place]
        del self.names[place:], self.attributes[place:], self.depth_below[place:]
        while self.namespaces and self.namespaces[-1][0] >= place:
            self.namespaces.pop()
