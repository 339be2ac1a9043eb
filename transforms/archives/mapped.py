"""A file whose bytes Arrow can use without copying them: mapped into memory where it is local, read where it is not."""

from __future__ import annotations

import io
import mmap
from contextlib import suppress
from typing import Any, BinaryIO

RELEASED_BYTES = 32 * 1024 * 1024
"""After so many bytes of bodies the mapped pages are given back, so that what was read does not gather in memory."""


class MappedFile:
    """Bytes of an open file at any place."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        self.size = handle.seek(0, io.SEEK_END)
        self._used = 0
        self._map: mmap.mmap | None = None
        with suppress(OSError, ValueError, AttributeError):  # no file of this machine, or an empty one
            self._map = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)

    def view(self, offset: int, size: int) -> memoryview:
        """The bytes at `offset`, fewer only at the end of the file."""
        if self._map is not None:
            return memoryview(self._map)[offset : offset + size]
        self._handle.seek(offset)
        return memoryview(self._handle.read(size))

    def arrow_source(self) -> Any:
        """The file as Arrow reads it."""
        import pyarrow as pa

        return pa.BufferReader(pa.py_buffer(self._map)) if self._map is not None else self._handle

    @property
    def is_mapped(self) -> bool:
        return self._map is not None

    def used(self, size: int) -> None:
        """Says that `size` more bytes were used. Now and then that takes the mapped pages out of this process's memory; they
        come back from the file when they are looked at again."""
        self._used += size
        if self._used >= RELEASED_BYTES and self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)
            self._used = 0
