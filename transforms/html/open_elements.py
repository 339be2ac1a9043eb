"""How deep a parse would nest, told from the tags alone.

A parser keeps a stack of open elements; here is as much of its rules (HTML Standard 13.2.6) as decides how high that stack gets.
Where the rules are left out, an element stays open too long: markup can look deeper than it is, not flatter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from transforms.html.elements import (
    BUTTON_SCOPE,
    CLOSED_AT_END,
    END_TAG_OMITTED,
    END_TAG_STOPS,
    END_TAGS_OUT_OF_FOREIGN,
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
    TABLE_INNER,
    VOID,
)

# One attribute in the source of a tag: its name, and its value in one of three forms. What is left over are spaces and slashes.
ATTRIBUTE = re.compile(
    r"""([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?"""
)

# All attributes of a tag up to its `>`, one a round. Nothing in it fails once begun: there is nothing to go back to, and the time
# is linear. Rounds are bounded because each costs memory. A quote counts only where a value begins, as in the standard's
# tokenizer: not in `=">`, which is a name, nor in `a=b=">`, a value without quotes.
ATTRIBUTE_ROUNDS = 4000
_VALUE = r"""[\t\n\f\r ]*=[\t\n\f\r ]*(?:"[^"]*"|'[^']*'|[^\t\n\f\r >]*)"""
ATTRIBUTES = rf"(?:[\t\n\f\r /]*[^\t\n\f\r />][^\t\n\f\r />=]*(?:{_VALUE}|)){{0,{ATTRIBUTE_ROUNDS}}}[\t\n\f\r /]*"

# An end tag looks at so many open elements on average, so that the scan stays linear; what is further up stays open.
AVERAGE_LOOK = 64
# The parser opens at most so many equal formatting elements again.
EQUAL_FORMATTING = 3


def is_self_closing(attributes: str) -> bool:
    """Whether a slash ends the tag, rather than an unquoted value in it."""
    return attributes.endswith("/") and ATTRIBUTE.sub("", attributes).endswith("/")


def _values(attributes: str) -> dict[str, str]:
    """The attributes of a tag by name in lower case; of equal ones the first."""
    found: dict[str, str] = {}
    for name, *values in ATTRIBUTE.findall(attributes):
        found.setdefault(name.lower(), "".join(values))
    return found


@dataclass(slots=True, eq=False)
class _Formatting:
    """A formatting element. listed: it is opened again when the element it is in ends. reopened: it was."""

    key: tuple[str, str]
    listed: bool = True
    reopened: bool = False


class OpenElements:
    """The stack of open elements by their names, fed with tags.

    depth: how many are open that count. opened: how many elements a parse would have made so far at most, with those that it opens
    again in each block.
    """

    def __init__(self) -> None:
        self.open_depth = 0
        self.framesets = 0  # in them there is nothing else
        self.opened = 0
        self.names: list[str] = []  # outermost first; "" where a formatting element was taken out from between others
        self.formatting: list[_Formatting | None] = []
        self.depth_below: list[int] = []  # without the element and all that are in it
        self.open_count: defaultdict[str, int] = defaultdict(int)
        # Listed formatting elements inside the innermost marker, equal ones together; and for each open marker those outside it.
        self.listed: defaultdict[tuple[str, str], list[_Formatting]] = defaultdict(list)
        self.listed_outside: list[tuple[int, defaultdict[tuple[str, str], list[_Formatting]]]] = []
        self.reopened_count = 0
        # Places of the elements in which the namespace changes, and to which.
        self.namespaces: list[tuple[int, str]] = []
        self.may_look_at = 0

    @property
    def depth(self) -> int:
        return self.open_depth + self.framesets

    @property
    def namespace(self) -> str:
        return self.namespaces[-1][1] if self.namespaces else "html"

    def start(self, name: str, attributes: str, *, doubtful: bool = False) -> None:
        """Takes a start tag: its name in lower case, the source of its attributes. A doubtful one opens, but ends nothing."""
        self.may_look_at += AVERAGE_LOOK
        self.opened += 1
        if name == "frameset":
            self.framesets += 1
            return
        if doubtful:
            self._push(name, counts=True)
            return
        if self.namespaces and self.namespace != "html":
            if name not in ENDS_FOREIGN and not (name == "font" and FONT_ATTRIBUTES & _values(attributes).keys()):
                self._start_foreign(name, attributes)
                return
            self._leave_foreign()
        if name in VOID or name in SINGLETONS or (name in TABLE_INNER and not self._in_table()):
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
            if is_self_closing(attributes):
                return
            self.namespaces.append((len(self.names), name))
        if name in SPECIAL:
            self.opened += self.reopened_count
        self._push(name, counts=name not in END_TAG_OMITTED or self._is_in_own_kind(name))
        if name in FORMATTING:
            self._list(_Formatting((name, attributes)))
        elif name in MARKERS:
            self.listed_outside.append((len(self.names) - 1, self.listed))
            self.listed = defaultdict(list)

    def end(self, name: str) -> None:
        """Takes an end tag: its name in lower case."""
        self.may_look_at += AVERAGE_LOOK
        if name in SPECIAL:
            self.opened += self.reopened_count
        if self.namespaces and name in END_TAGS_OUT_OF_FOREIGN:
            self._leave_foreign()
        if name in FORMATTING:
            self._end_formatting(name)
        elif name == "form":
            self._end_form()
        elif name == "frameset":
            self.framesets = max(0, self.framesets - 1)
        elif name in HEADINGS:
            self._end(HEADINGS, SCOPE)
        elif self.open_count[name]:
            if self.names[-1] == name:
                self._pop_to(len(self.names) - 1)
            else:
                self._end(frozenset({name}), END_TAG_STOPS.get(name, SCOPE if name in SPECIAL else SPECIAL))

    def _start_foreign(self, name: str, attributes: str) -> None:
        if is_self_closing(attributes):
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
        self._push(name, counts=True)

    def _leave_foreign(self) -> None:
        while self.namespace != "html":
            self._pop_to(self.namespaces[-1][0])

    def _in_table(self) -> bool:
        return self.open_count["table"] > 0 or self.open_count["template"] > 0

    def _is_in_own_kind(self, name: str) -> bool:
        """Whether an element of that name is open with nothing in between that counts, as in `<li><dd><li><dd>`."""
        for other in reversed(self.names[-AVERAGE_LOOK:]):
            if other == name:
                return True
            if other and other not in END_TAG_OMITTED:
                return False
        return False

    def _push(self, name: str, *, counts: bool, formatting: _Formatting | None = None) -> None:
        self.depth_below.append(self.open_depth)
        self.names.append(name)
        self.formatting.append(formatting)
        self.open_count[name] += 1
        self.open_depth += counts

    def _list(self, formatting: _Formatting) -> None:
        self.formatting[-1] = formatting
        equal = self.listed[formatting.key]
        if len(equal) == EQUAL_FORMATTING:
            equal.pop(0).listed = False
        equal.append(formatting)

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
        if not self.open_count[name]:
            return
        special = False
        for place in self._innermost_first():
            other = self.names[place]
            if other == name:
                formatting = self.formatting[place]
                if formatting is None or not formatting.listed:  # an element like others
                    if not special:
                        self._pop_to(place)
                    return
                self.listed[formatting.key].remove(formatting)
                formatting.listed = False
                if special:
                    self._take_out(place)
                else:
                    self._pop_to(place)
                return
            if other in SCOPE:
                return
            special = special or other in SPECIAL

    def _end_form(self) -> None:
        """Closes a form but not what is in it, unless the end tag may be omitted."""
        for place in self._innermost_first():
            if self.names[place] == "form":
                while self.names[-1] in CLOSED_AT_END or self.names[-1] in RUBY:
                    self._pop_to(len(self.names) - 1)
                self._take_out(place)
                return
            if self.names[place] in SCOPE:
                return

    def _take_out(self, place: int) -> None:
        """Closes an element but not those in it."""
        if place == len(self.names) - 1:
            self._pop_to(place)
            return
        formatting = self.formatting[place]
        self.open_count[self.names[place]] -= 1
        self.reopened_count -= formatting is not None and formatting.reopened
        self.names[place], self.formatting[place] = "", None

    def _innermost_first(self) -> Iterator[int]:
        """The places in the stack from its top, as far as they may be looked at."""
        for place in range(len(self.names) - 1, -1, -1):
            self.may_look_at -= 1
            if self.may_look_at < 0:
                return
            yield place

    def _pop_to(self, place: int) -> None:
        """Closes the element at place and all in it, and opens the listed formatting elements among them again."""
        reopen: list[_Formatting] = []
        for closed in range(len(self.names) - 1, place - 1, -1):
            self.open_count[self.names[closed]] -= 1
            formatting = self.formatting[closed]
            if formatting is not None:
                self.reopened_count -= formatting.reopened
                if formatting.listed:
                    reopen.append(formatting)
            elif self.listed_outside and self.listed_outside[-1][0] == closed:
                _, self.listed = self.listed_outside.pop()
                reopen.clear()  # they were listed inside the marker
        while place and not self.names[place - 1]:
            place -= 1
        self.open_depth = self.depth_below[place]
        del self.names[place:], self.formatting[place:], self.depth_below[place:]
        while self.namespaces and self.namespaces[-1][0] >= place:
            self.namespaces.pop()
        for formatting in reversed(reopen):
            formatting.reopened = True
            self._push(formatting.key[0], counts=True, formatting=formatting)
        self.reopened_count += len(reopen)
        self.opened += len(reopen)
