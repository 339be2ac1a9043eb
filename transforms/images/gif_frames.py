"""Frames of a GIF, counted from its block structure alone: no frame is decoded (images.md section 8, GIF89a specification)."""

from __future__ import annotations

HEADER_BYTES = 13
IMAGE_BYTES = 10
EXTENSION, IMAGE = 0x21, 0x2C


def count_gif_frames(body: bytes, most: int | None) -> tuple[int, bool]:
    """How many frames a GIF has, counted up to `most` and one; and whether its last block is whole.

    Bytes behind the trailer, or that are no block, end the file; a missing trailer is no fault.
    """
    place = HEADER_BYTES + _color_table_bytes(body[10:11])
    frames = 0
    while place < len(body) and (most is None or frames <= most):
        kind = body[place]
        if kind == EXTENSION:
            place = _behind_sub_blocks(body, place + 2)
        elif kind == IMAGE:
            frames += 1
            flags = body[place + IMAGE_BYTES - 1 : place + IMAGE_BYTES]
            place = _behind_sub_blocks(body, place + IMAGE_BYTES + _color_table_bytes(flags) + 1)
        else:
            break
        if place > len(body):
            return frames, False
    return frames, len(body) >= HEADER_BYTES


def _color_table_bytes(flags: bytes) -> int:
    """Size of the color table that a flag byte announces."""
    return 3 << ((flags[0] & 7) + 1) if flags and flags[0] & 0x80 else 0


def _behind_sub_blocks(body: bytes, place: int) -> int:
    """The place behind a chain of sub-blocks; beyond the end of the body where that is cut."""
    end = len(body)
    while place < end and (size := body[place]):
        place += 1 + size
    return place + 1
