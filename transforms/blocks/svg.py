"""Diagrams: an svg whose labels are worth reading (blocks.md 4.11)."""

from __future__ import annotations

from transforms.html.tree import LexborNode

LEAST_LABELS = 2
LEAST_WORDS = 3
LABEL_SEPARATOR = " · "
NOT_LABELS = frozenset({"title", "desc"})


def diagram_labels(node: LexborNode) -> tuple[str, bool]:
    """The labels of an svg joined in document order, and whether they make it a diagram; fewer are an icon's."""
    if not node.text(skip_empty=True).strip():
        return "", False
    labels = [label for text in node.css("text") if (label := _label(text))]
    joined = LABEL_SEPARATOR.join(labels)
    words = sum(len(label.split()) for label in labels)
    return joined, len(labels) >= LEAST_LABELS or words >= LEAST_WORDS


def _label(text: LexborNode) -> str:
    if text.first_child is not None and text.css_first("title, desc") is None:
        return " ".join(text.text().split())
    pieces: list[str] = []
    skipped: int | None = None
    for node in text.traverse(include_text=True):
        if node.tag in NOT_LABELS:
            skipped = node.mem_id
        elif node.tag == "-text" and (node.parent is None or node.parent.mem_id != skipped):
            pieces.append(node.text_content or "")
    return " ".join("".join(pieces).split())
