"""What an element hands down to the blocks inside it (blocks.md 7): region, article body, widget, quotes, lists, visibility.

A context is made only where something changes; all elements below share it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from transforms.blocks.evidence import (
    ARTICLE_BODY,
    BODY,
    CALLOUT,
    CALLOUT_WORDS,
    COMMENTS,
    CONSENT,
    FILTER,
    FURNITURE,
    HIDDEN,
    LANDMARK,
    LANDMARK_ROLES,
    RAIL,
    WIDGETS,
)
from transforms.blocks.tags import LISTS

NO_ELEMENT = -1

TAG_REGIONS = {"main": "main", "nav": "nav", "header": "header", "footer": "footer", "aside": "aside"}
# A <header> inside one of these heads a part of the page, not the page.
SECTIONING = frozenset({"article", "section", "main", "aside", "nav"})
BODY_TAGS = frozenset({"div", "section", "article", "main"})
# Tags whose depth counts.
NESTED_TAGS = frozenset({*LISTS, "dd", "blockquote"})
# Tags that change the context whatever their attributes are.
CHANGING_TAGS = frozenset({*TAG_REGIONS, *SECTIONING, *NESTED_TAGS, "fieldset", "dialog"})


class Context:
    """What holds inside an element. `body` and `widget` are numbers of elements and of widget candidates, -1 for none."""

    __slots__ = ("body", "fallback", "hidden", "in_main", "list_depth", "ordered", "quoted", "region", "sectioned", "widget")

    def __init__(self, above: Context | None = None) -> None:
        if above is None:
            self.region: str | None = None
            self.in_main = False
            self.sectioned = False
            self.hidden = False
            self.fallback = False
            self.body = NO_ELEMENT
            self.widget = NO_ELEMENT
            self.quoted = 0
            self.list_depth = 0
            self.ordered = False
        else:
            self.region = above.region
            self.in_main = above.in_main
            self.sectioned = above.sectioned
            self.hidden = above.hidden
            self.fallback = above.fallback
            self.body = above.body
            self.widget = above.widget
            self.quoted = above.quoted
            self.list_depth = above.list_depth
            self.ordered = above.ordered


@dataclass
class Widgets:
    """Elements that look like a widget, with the candidate each lies in, until the sizes are known."""

    flags: list[int] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    above: list[int] = field(default_factory=list)
    article_bodies: list[int] = field(default_factory=list)

    def add(self, flags: int, element: int, above: int) -> int:
        self.flags.append(flags)
        self.elements.append(element)
        self.above.append(above)
        return len(self.flags) - 1


def inner_context(
    context: Context, widgets: Widgets, element: int, tag: str, attributes: Mapping[str, str | None], flags: int
) -> Context:
    """The context inside an element; the outer one itself when nothing changes. flags: what its attributes say."""
    evidence = flags & WIDGETS
    if tag == "fieldset":
        evidence |= FILTER
    region = landmark(tag, attributes, flags, context.sectioned) if flags & LANDMARK or tag in TAG_REGIONS else None
    if flags & ARTICLE_BODY:
        widgets.article_bodies.append(element)
    is_body = bool(flags & (ARTICLE_BODY | BODY)) and context.body == NO_ELEMENT and tag in BODY_TAGS
    begins_section = tag in SECTIONING and not context.sectioned
    becomes_hidden = bool(flags & HIDDEN) and not context.hidden
    if not (region or evidence or is_body or begins_section or becomes_hidden or tag in NESTED_TAGS):
        return context
    inner = Context(context)
    if region is not None:
        inner.region = region
        inner.in_main = context.in_main or region == "main"
    if begins_section:
        inner.sectioned = True
    if becomes_hidden:
        inner.hidden = True
    if is_body:
        inner.body = element
    if tag in LISTS:
        inner.list_depth += 1
        inner.ordered = tag == "ol"
    elif tag == "dd":
        inner.list_depth += 1
    elif tag == "blockquote":
        inner.quoted += 1
    if evidence:
        inner.widget = widgets.add(evidence, element, context.widget)
    return inner


def landmark(tag: str, attributes: Mapping[str, str | None], flags: int, sectioned: bool) -> str | None:
    """The landmark an element is, role before tag; None for most. sectioned: it lies in a part of the page."""
    if tag == "aside" and is_callout(attributes, flags):
        return None
    if flags & LANDMARK:
        return next(LANDMARK_ROLES[role] for role in (attributes.get("role") or "").lower().split() if role in LANDMARK_ROLES)
    if tag == "header" and sectioned:
        return None
    return TAG_REGIONS.get(tag)


def is_callout(attributes: Mapping[str, str | None], flags: int) -> bool:
    label = (attributes.get("aria-label") or "").strip().lower()
    return bool(flags & CALLOUT) or label.startswith(CALLOUT_WORDS)


@dataclass(frozen=True)
class WidgetRule:
    """A kind of widget: what marks it, and what share of the page's words it may hold."""

    name: str
    flag: int
    most_share: float


# In the order they are tried on an element; the outermost element that passes decides (blocks.md 7, 14).
WIDGET_RULES = (
    WidgetRule("post-furniture", FURNITURE, 0.40),
    WidgetRule("rail", RAIL, 0.40),
    WidgetRule("consent", CONSENT, 0.92),
    WidgetRule("comments", COMMENTS, 0.92),
    WidgetRule("filter", FILTER, 0.40),
)


def widget_names(
    widgets: Widgets,
    tags: Sequence[str],
    ends: Sequence[int],
    attributes: Sequence[dict[str, str | None]],
    share: Callable[[int], float],
) -> list[str | None]:
    """The widget each candidate's content belongs to, None for none. share: of the page's words inside an element."""
    either = 0
    for flags in widgets.flags:
        either |= flags
    headlines = _elements_of(tags, ("h1",)) if either & RAIL else []
    inputs = _elements_of(tags, ("input", "select")) if either & FILTER else []

    def within(elements: Sequence[int], element: int) -> bool:
        at = bisect_left(elements, element)
        return at < len(elements) and elements[at] < ends[element]

    def only_checkboxes(element: int) -> bool:
        found = [e for e in inputs[bisect_left(inputs, element) : bisect_left(inputs, ends[element])] if tags[e] == "input"]
        return bool(found) and all((attributes[e].get("type") or "").lower() == "checkbox" for e in found)

    def passes(rule: WidgetRule, element: int) -> bool:
        if rule.name == "rail" and (within(headlines, element) or within(widgets.article_bodies, element)):
            return False
        if rule.name == "filter":
            if not within(inputs, element):
                return False
            if tags[element] == "fieldset" and not only_checkboxes(element):
                return False
        return share(element) <= rule.most_share

    names: list[str | None] = []
    for flags, element, above in zip(widgets.flags, widgets.elements, widgets.above, strict=True):
        name = names[above] if above != NO_ELEMENT else None
        if name is None:
            name = next((rule.name for rule in WIDGET_RULES if flags & rule.flag and passes(rule, element)), None)
        names.append(name)
    return names


def _elements_of(tags: Sequence[str], wanted: Sequence[str]) -> list[int]:
    found: list[int] = []
    for tag in wanted:
        element = -1
        for _ in range(tags.count(tag)):
            element = tags.index(tag, element + 1)
            found.append(element)
    return sorted(found)
