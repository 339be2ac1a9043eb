"""What is in a gzip or zstd file, as a stream in constant memory that says how it ended.

The standard readers end a cut zstd file without a word, and hand out as much as a bomb asks for; this one does neither.
"""

from __future__ import annotations

import io
import zlib
from typing import Any, BinaryIO, Literal, cast

from transforms.archives.content_codings import ZSTD_MAGIC, ZSTD_MAX_WINDOW
from transforms.archives.members import GZIP_MAGIC
from transforms.archives.streams import GZIP

Compression = Literal["gzip", "zstd"]

BUFFER_BYTES = 256 * 1024
OUTPUT_BYTES = 1024 * 1024


class BrokenContentError(Exception):
    """Compressed data that cannot be followed further; it becomes a Drop of `rule` where the content is read."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule, self.detail = rule, detail


def compression_of(stored: BinaryIO) -> Compression | None:
    """The compression of a file by its first bytes; the file is left at its beginning."""
    stored.seek(0)
    head = stored.read(len(ZSTD_MAGIC))
    stored.seek(0)
    return "gzip" if head.startswith(GZIP_MAGIC) else "zstd" if head == ZSTD_MAGIC else None


def open_content(stored: BinaryIO) -> BinaryIO:
    """What is in a file: the file itself, or a stream without its compression, which can be read forward only.

    Reading that stream raises BrokenContentError at damage, after all that stands before it.
    """
    compression = compression_of(stored)
    if compression is None:
        return stored
    return cast(BinaryIO, io.BufferedReader(_Content(stored, FRAMES[compression]), BUFFER_BYTES))


def read_head(stored: BinaryIO, size: int) -> bytes:
    """The first bytes of what is in a file, fewer where it ends or breaks off."""
    try:
        return open_content(stored).read(size)
    except BrokenContentError:
        return b""


class _Frame:
    """A gzip member or zstd frame while it is decoded. ended: its end was reached; rest: what was given to it and is not used."""

    piece_bytes: int
    ended = False
    rest = b""

    def decode(self, piece: bytes) -> bytes:
        """The next of what is in it, perhaps nothing yet. Raises BrokenContentError."""
        raise NotImplementedError


class _GzipMember(_Frame):
    piece_bytes = 32 * 1024

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(GZIP)

    def decode(self, piece: bytes) -> bytes:
        try:
            data = self._inflater.decompress(piece, OUTPUT_BYTES)
        except zlib.error as error:
            raise BrokenContentError("read.damaged", f"gzip: {error}") from None
        self.ended = self._inflater.eof
        self.rest = self._inflater.unused_data if self.ended else self._inflater.unconsumed_tail
        return data


class _ZstdFrame(_Frame):
    piece_bytes = 1024  # a byte can stand for 32 KiB, and the decoder has no limit for what it gives back

    def __init__(self) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._decoder = zstandard.ZstdDecompressor(max_window_size=ZSTD_MAX_WINDOW).decompressobj()

    def decode(self, piece: bytes) -> bytes:
        try:
            data = self._decoder.decompress(piece)
        except self._error as error:
            raise BrokenContentError("read.damaged", f"zstd: {error}") from None
        self.ended, self.rest = self._decoder.eof, self._decoder.unused_data
        return data


FRAMES: dict[Compression, type[_Frame]] = {"gzip": _GzipMember, "zstd": _ZstdFrame}


class _Content(io.RawIOBase):
    """What is in a compressed file, all its frames one behind the other; zeros between them are padding."""

    def __init__(self, stored: BinaryIO, frames: type[_Frame]) -> None:
        super().__init__()
        self._stored = stored
        self._open_frame = frames
        self._frame: _Frame | None = None
        self._pending = b""
        self._data = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._data:
            data = self._decode_more()
            if data is None:
                return 0
            self._data = memoryview(data)
        size = min(len(buffer), len(self._data))
        buffer[:size] = self._data[:size]
        self._data = self._data[size:]
        return size

    def _decode_more(self) -> bytes | None:
        """The next bytes, perhaps none yet; None at the end."""
        piece = self._pending or self._stored.read(self._open_frame.piece_bytes)
        self._pending = b""
        at_end = not piece
        if self._frame is None:
            piece = piece.lstrip(b"\0")
            if not piece:
                return None if at_end else b""
            self._frame = self._open_frame()
        frame = self._frame
        data = frame.decode(piece)
        self._pending = frame.rest
        if frame.ended:
            self._frame = None
        elif at_end and not data:
            raise BrokenContentError("read.truncated", "the file ends inside its compressed data")
        return data
