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


def namespace_within(namespace: Namespace, node: LexborNode) -> Namespace:
    """Step for `inherited`: the namespace of node's children, from that of node and its siblings. A tree node does not tell."""
    tag = node.tag
    if namespace == "html":
        return "svg" if tag == "svg" else "math" if tag == "math" else "html"
    if namespace == "svg":
        return "html" if (tag or "").lower() in SVG_INTEGRATION else "svg"  # the parser writes foreignObject
    if tag == "annotation-xml":
        return "html" if (node.attributes.get("encoding") or "").lower() in HTML_ENCODINGS else "math"
    if tag == "svg" and node.parent is not None and node.parent.tag == "annotation-xml":
        return "svg"
    return "html" if tag in MATHML_INTEGRATION else "math"
