"""Which images of a row have their bytes in it: bytes are multiplied by references there, so a row has a cap (images.md 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transforms.documents.parts import KeptNode

CAPPED = "inline_images_capped"
"""The flag of a document with images over the cap: they stay references, which `nodes` and the image shards hold."""


@dataclass(frozen=True)
class InlineCaps:
    """What the images in one row may be at most, repeated ones counted each time; None: no cap. bytes: of stored bodies."""

    images: int | None = 50
    bytes: int | None = 64 * 2**20


def inline_positions(nodes: Sequence[KeptNode], caps: InlineCaps) -> list[int]:
    """The positions of the images that come into the row: in reading order, each that fits beside those before it."""
    chosen: list[int] = []
    total = 0
    for position, node in enumerate(nodes):
        if node.outcome is None or node.outcome.sha256 is None:
            continue
        size = node.outcome.bytes or 0
        is_one_too_many = caps.images is not None and len(chosen) >= caps.images
        if is_one_too_many or (caps.bytes is not None and total + size > caps.bytes):
            continue
        chosen.append(position)
        total += size
    return chosen
