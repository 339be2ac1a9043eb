"""Bytes of an archive file, two layers below a record: the stored file, and the stream of records inside it.

    stored file   | gzip member | gzip member | damage | gzip member |       one plain file
    streams       | GzipMember  | GzipMember  |        | GzipMember  |       PlainFile     (and ZstdMember, as GzipMember)

A stream never raises on damage. It ends, and `fault` says why, so that the reader above names the place and goes on behind it.
"""

from __future__ import annotations

import re
import zlib
from typing import Any, BinaryIO, Literal

Fault = Literal["damaged", "truncated"]

BLOCK_BYTES = 256 * 1024  # read from the file at once
PIECE_BYTES = 32 * 1024  # given to the inflater at once
INFLATED_BYTES = 1024 * 1024  # taken from the inflater at once, so that a bomb costs no memory
FIRST_INFLATED_BYTES = 64  # shows whether a record begins, whatever comes later in the member
GZIP = 31  # zlib's window bits for a gzip wrapper

# A record start that stands where no length said so: end of record, version line, first header.
RECORD_START = re.compile(rb"\r?\n\r?\n(?=WARC/[01]\.\d+\r?\n[A-Za-z][A-Za-z-]*:)")
RECORD_START_BYTES = 64  # no match of RECORD_START needs more
ZSTD_PIECE_BYTES = 1024  # a byte can stand for 32 KiB
ZSTD_MAX_WINDOW = 128 * 1024 * 1024
MAX_REWOUND_BYTES = 256 * 1024 * 1024  # per stream; bounds what a stream full of false lengths can cost


class StoredFile:
    """Bytes of a file at any place; keeps one block.

    end: bytes from there on do not exist for the reader.
    """

    def __init__(self, handle: BinaryIO, end: int | None = None) -> None:
        self._handle = handle
        size = handle.seek(0, 2)
        self.size = size if end is None else min(size, end)
        self._block = memoryview(b"")
        self._block_offset = 0
        self._place = size

    def view(self, offset: int, size: int) -> memoryview:
        """At least one and at most `size` bytes at `offset`; none at the end of the file."""
        inside = offset - self._block_offset
        if not 0 <= inside < len(self._block):
            wanted = min(BLOCK_BYTES, self.size - offset)
            if wanted <= 0:
                return memoryview(b"")
            if self._place != offset:
                self._handle.seek(offset)
            self._block = memoryview(self._handle.read(wanted))
            self._block_offset, inside = offset, 0
            self._place = offset + len(self._block)
        return self._block[inside : inside + size]

    def read(self, offset: int, size: int) -> bytes:
        """The `size` bytes at `offset`, fewer only at the end of the file."""
        data = bytes(self.view(offset, size))
        while len(data) < size and (more := self.view(offset + len(data), size - len(data))):
            data += more
        return data

    def find(self, needle: bytes, offset: int) -> int | None:
        """Place of the first `needle` at or after `offset`, None when there is none."""
        overlap = len(needle) - 1
        while offset < self.size:
            block = self.read(offset, BLOCK_BYTES)
            found = block.find(needle)
            if found >= 0:
                return offset + found
            if offset + len(block) >= self.size:
                return None
            offset += len(block) - overlap
        return None


class RecordStream:
    """The bytes that records are parsed from, forward, with what was peeked at kept.

    position: how many bytes were taken. fault: None, or why the stream ended before its proper end; detail: the same in words.
    shared: whether other records may stand in this stream.
    """

    shared = False

    def __init__(self) -> None:
        self.position = 0
        self.fault: Fault | None = None
        self.detail = ""
        self._buffer = b""
        self._cursor = 0
        self._rewound = 0

    def extent(self, start: int) -> tuple[int, int]:
        """Offset and length, in the file, of the record that began at stream position `start` and was just read."""
        raise NotImplementedError

    def _fill(self) -> bytes:
        """The next bytes of the stream, none at its end."""
        raise NotImplementedError

    def peek(self, size: int) -> bytes:
        """The next `size` bytes without taking them, fewer only at the end."""
        while len(self._buffer) - self._cursor < size and (more := self._fill()):
            self._buffer = self._buffer[self._cursor :] + more
            self._cursor = 0
        return self._buffer[self._cursor : self._cursor + size]

    @property
    def at_end(self) -> bool:
        return not self.peek(1)

    @property
    def has_false_lengths(self) -> bool:
        """Whether so much was read twice for false lengths that no length of this stream is worth following any more."""
        return self._rewound > MAX_REWOUND_BYTES

    def _take(self, size: int) -> bytes:
        """At least one and at most `size` bytes; none at the end."""
        if self._cursor >= len(self._buffer):
            self._buffer, self._cursor = self._fill(), 0
        data = self._buffer[self._cursor : self._cursor + size]
        self._cursor += len(data)
        self.position += len(data)
        return data

    def read(self, size: int) -> bytes:
        """Takes `size` bytes, fewer only at the end."""
        parts = []
        while size > 0 and (data := self._take(size)):
            parts.append(data)
            size -= len(data)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def skip(self, size: int) -> int:
        """Takes `size` bytes without keeping them; returns how many there were."""
        left = size
        while left > 0 and (data := self._take(left)):
            left -= len(data)
        return size - left

    def drain(self) -> None:
        """Takes everything that is left."""
        while self._take(INFLATED_BYTES):
            pass

    def rewind(self, position: int, kept: bytes) -> bool:
        """Goes back to `position`. `kept`: the bytes that were read last, without a gap. False when that is not possible."""
        distance = self.position - position
        if distance > len(kept):
            return False
        self._rewound += distance
        self._buffer = kept[len(kept) - distance :] + self._buffer[self._cursor :]
        self._cursor = 0
        self.position = position
        return True

    def read_to_record_start(self, keep: int) -> tuple[bytes, int, bool]:
        """Takes everything up to the next record start, or to the end.

        Returns the bytes taken, those behind the first `keep` left out; how many of them come before the blank line that ends
        a record; and whether a record starts at the new position.
        """
        kept: list[bytes] = []
        taken = 0
        while True:
            window = self.peek(PIECE_BYTES)
            match = RECORD_START.search(window)
            last = match is not None or len(window) < PIECE_BYTES
            size = match.end() if match else len(window) if last else len(window) - RECORD_START_BYTES
            kept.append(window[: min(size, max(0, keep - taken))])
            self.skip(size)
            taken += size
            if last:
                return b"".join(kept), taken - (match.end() - match.start() if match else 0), match is not None


class Member(RecordStream):
    """A part of a compressed file that is decoded by itself. Its end is known once it is read, or when `end` is asked for."""

    def __init__(self, file: StoredFile, offset: int) -> None:
        super().__init__()
        self.offset = offset
        self._file = file
        self._next = offset
        self._end: int | None = None

    @property
    def ended(self) -> bool:
        """Whether the member's proper end was reached, its checksum being right."""
        raise NotImplementedError

    @property
    def end(self) -> int:
        """Offset in the file behind this member; behind its readable part where it has a fault. Keeps the stream's place."""
        if self.ended or self.fault:
            return self._next
        if self._end is None:
            ahead = self._ahead()
            while ahead._fill():
                pass
            self._end = ahead._next
        return self._end

    def _ahead(self) -> Member:
        """The same member, from here on or from its beginning, to run to its end."""
        raise NotImplementedError

    def extent(self, start: int) -> tuple[int, int]:
        return self.offset, self.end - self.offset


class GzipMember(Member):
    """One gzip member, inflated as it is read."""

    def __init__(self, file: StoredFile, offset: int) -> None:
        super().__init__(file, offset)
        self._inflater = zlib.decompressobj(GZIP)
        self._most = FIRST_INFLATED_BYTES

    def _fill(self) -> bytes:
        inflater = self._inflater
        while not inflater.eof and self.fault is None:
            piece: bytes | memoryview = inflater.unconsumed_tail
            if not piece:
                piece = self._file.view(self._next, PIECE_BYTES)
                if len(piece) < PIECE_BYTES:  # pieces must not depend on where the reading of the file began
                    piece = self._file.read(self._next, PIECE_BYTES)
                self._next += len(piece)
            most, self._most = self._most, INFLATED_BYTES
            try:
                data = inflater.decompress(piece, most)
            except zlib.error as error:
                self.fault, self.detail = "damaged", f"gzip member: {error}"
                return b""
            if inflater.eof:
                self._next -= len(inflater.unused_data)
            elif not piece and not data:
                self.fault, self.detail = "truncated", "the file ends inside a gzip member"
            if data:
                return data
        return b""

    @property
    def ended(self) -> bool:
        return self._inflater.eof

    def _ahead(self) -> Member:
        ahead = GzipMember(self._file, self.offset)
        ahead._inflater, ahead._next = self._inflater.copy(), self._next
        return ahead


class ZstdMember(Member):
    """One zstd frame. The decoder has no limit for what it gives back, so that it is given little at once."""

    def __init__(self, file: StoredFile, offset: int, dictionary: Any = None) -> None:
        import zstandard

        super().__init__(file, offset)
        self._dictionary = dictionary
        self._error = zstandard.ZstdError
        self._decoder = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=ZSTD_MAX_WINDOW).decompressobj()

    def _fill(self) -> bytes:
        while not self._decoder.eof and self.fault is None:
            piece = self._file.read(self._next, ZSTD_PIECE_BYTES)
            self._next += len(piece)
            if not piece:
                self.fault, self.detail = "truncated", "the file ends inside a zstd frame"
                return b""
            try:
                data: bytes = self._decoder.decompress(piece)
            except self._error as error:
                self.fault, self.detail = "damaged", f"zstd frame: {error}"
                return b""
            if self._decoder.eof:
                self._next -= len(self._decoder.unused_data)
            if data:
                return data
        return b""

    @property
    def ended(self) -> bool:
        return bool(self._decoder.eof)

    def _ahead(self) -> Member:
        return ZstdMember(self._file, self.offset, self._dictionary)


class PlainFile(RecordStream):
    """An archive without compression: one stream, in which places are offsets of the file."""

    shared = True

    def __init__(self, file: StoredFile, offset: int = 0) -> None:
        super().__init__()
        self._file = file
        self.position = offset

    def _fill(self) -> bytes:
        ahead = self.position + len(self._buffer) - self._cursor
        return bytes(self._file.view(ahead, BLOCK_BYTES))

    def skip(self, size: int) -> int:
        buffered = len(self._buffer) - self._cursor
        if size <= buffered:
            return super().skip(size)
        taken = min(size, self._file.size - self.position)
        self._buffer, self._cursor = b"", 0
        self.position += taken
        return taken

    def rewind(self, position: int, kept: bytes) -> bool:
        self._rewound += self.position - position
        self._buffer, self._cursor = b"", 0
        self.position = position
        return True

    def extent(self, start: int) -> tuple[int, int]:
        while self.peek(1) in (b"\r", b"\n"):
            self.skip(1)
        return start, self.position - start
