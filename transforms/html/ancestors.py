"""What an element gets from the elements around it, at a cost linear in the tree however many elements ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from transforms.html.elements import HTML_ENCODINGS, MATHML_INTEGRATION, SVG_INTEGRATION
from transforms.html.tree import LexborNode

Value = TypeVar("Value")
Namespace = Literal["html", "svg", "math"]


def inherited(
    node: LexborNode | None, known: dict[int, Value], outermost: Value, step: Callable[[Value, LexborNode], Value]
) -> Value:
    """The value that `step` derives for node from its parent's value, from the document downwards.

    known: results so far by `mem_id`, kept by the caller while the tree lives unchanged, so that each node is visited once.
    outermost: the value above the topmost node, and of None.
    """
    unknown: list[tuple[int, LexborNode]] = []
    value = outermost
    while node is not None:
        key = node.mem_id
        if key in known:
            value = known[key]
            break
        unknown.append((key, node))
        node = node.parent
    for key, below in reversed(unknown):
        value = known[key] = step(value, below)
    return value


def namespace_of(node: LexborNode, known: dict[int, Namespace]) -> Namespace:
    """The namespace of an element, which a tree node does not tell. known: as in `inherited`."""
    return _own_namespace(inherited(node.parent, known, "html", _namespace_within), node)


def _own_namespace(surrounding: Namespace, node: LexborNode) -> Namespace:
    tag = node.tag
    if surrounding == "html" and (tag == "svg" or tag == "math"):
        return "svg" if tag == "svg" else "math"
    if surrounding == "math" and tag == "svg" and node.parent is not None and node.parent.tag == "annotation-xml":
        return "svg"
    return surrounding


def _namespace_within(surrounding: Namespace, node: LexborNode) -> Namespace:
    namespace, tag = _own_namespace(surrounding, node), node.tag or ""
    if namespace == "svg":
        return "html" if tag.lower() in SVG_INTEGRATION else "svg"  # the parser writes foreignObject
    if namespace == "math":
        encoding = node.attributes.get("encoding") if tag == "annotation-xml" else None
        return "html" if tag in MATHML_INTEGRATION or (encoding or "").lower() in HTML_ENCODINGS else "math"
    return "html"
