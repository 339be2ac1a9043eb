"""HTTP content and transfer codings undone, under a cap, believing the bytes more than the header (beam.md section 4).

A coding that the header names and the body does not have is left out and counts as a mismatch; a body that ends early gives
what there is and counts as cut. No input raises, and no input costs more memory than the cap and one block.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from transforms.archives.sniff import looks_like_markup

PIECE_BYTES = 64 * 1024
OUTPUT_BYTES = 1024 * 1024
MAX_CODINGS = 8
"""More codings than this on one body are no mistake but an attack; the rest of them is not undone."""

ZSTD_PIECE_BYTES = 256
"""A zstd block of 4 bytes can stand for 128 KiB, and the decoder has no output limit: small pieces bound what one call gives."""
ZSTD_MAX_WINDOW = 32 * 1024 * 1024

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

CHUNK_SIZE = re.compile(rb"[ \t]*0*([0-9a-fA-F]{1,16})[ \t]*(?:;[^\n]*)?\r?\n")
CHUNK_LINE_BYTES = 4096

Ending = Literal["whole", "cut", "not coded", "too large"]


@dataclass(frozen=True, slots=True)
class DecodedBody:
    """A body without its codings. mismatch: the header named a coding that the body lacks. cut: a coding ended too early."""

    data: bytes
    mismatch: bool = False
    cut: bool = False
    too_large: bool = False


def decode_body(body: bytes, codings: list[str], limit: int) -> DecodedBody:
    """Undoes `codings`, given in the order in which they were applied (content codings, then transfer codings).

    limit: bytes; a body that grows beyond it is `too_large`, and comes back as far as it was read.
    """
    mismatch = len(codings) > MAX_CODINGS
    cut = False
    for coding in reversed(codings[-MAX_CODINGS:]):
        if coding in ("", "identity", "none"):
            continue
        decoder = DECODERS.get(coding)
        decoded, ending = decoder(body, limit) if decoder and body else (body, "not coded")
        if ending == "too large":
            return DecodedBody(decoded, mismatch, cut, too_large=True)
        if ending == "not coded":
            mismatch = mismatch or bool(body)
            continue
        cut = cut or ending == "cut"
        body = decoded
    return DecodedBody(body, mismatch, cut)


def _collect(pieces: Iterator[bytes], limit: int) -> tuple[bytes, bool]:
    """Joins pieces until there are more than `limit` bytes; the second value says whether that happened."""
    kept: list[bytes] = []
    size = 0
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size > limit:
            return b"".join(kept), True
    return b"".join(kept), False


def _decode(
    body: bytes, limit: int, errors: type[Exception], open_decoder: Callable[[], _Decoder], magic: bytes | None
) -> tuple[bytes, Ending]:
    """Runs a decoder over `body`, and again over what follows its end where that is another stream of the same coding.

    magic: how a body of this coding begins; without one, None, a body that fails anywhere was never coded. The same goes for
    a failure before any output, and for an unfinished body that reads as markup as it is.
    """
    if magic is not None and not body.startswith(magic):
        return body, "not coded"
    failed = False
    whole = False

    def pieces() -> Iterator[bytes]:
        nonlocal failed, whole
        rest = body
        while rest:
            decoder = open_decoder()
            before = whole
            whole = False
            try:
                yield from decoder.pieces(rest)
            except errors:
                failed = not before
                whole = before  # junk behind a complete stream is not part of the body
                return
            whole = decoder.ended
            rest = decoder.rest if decoder.ended else b""

    data, more = _collect(pieces(), limit)
    if more:
        return data, "too large"
    if whole:
        return data, "whole"
    if (magic is None and (failed or not data or looks_like_markup(body))) or (failed and not data):
        return body, "not coded"
    return data, "cut"


class _Decoder:
    """One stream of a coding. ended: its proper end was reached; rest: the bytes behind it."""

    ended = False
    rest = b""

    def pieces(self, body: bytes) -> Iterator[bytes]:
        raise NotImplementedError


class _Inflate(_Decoder):
    def __init__(self, window_bits: int) -> None:
        self._inflater = zlib.decompressobj(window_bits)

    def pieces(self, body: bytes) -> Iterator[bytes]:
        inflater = self._inflater
        view = memoryview(body)
        place = 0
        while not inflater.eof:
            piece: bytes | memoryview = inflater.unconsumed_tail
            if not piece:
                piece = view[place : place + PIECE_BYTES]
                place += len(piece)
            data = inflater.decompress(piece, OUTPUT_BYTES)
            if data:
                yield data
            elif not piece:
                return
        self.ended = True
        self.rest = body[place - len(inflater.unused_data) :]


class _Brotli(_Decoder):
    def pieces(self, body: bytes) -> Iterator[bytes]:
        import brotli

        decoder = brotli.Decompressor()
        view = memoryview(body)
        for place in range(0, len(body), PIECE_BYTES):
            yield decoder.process(view[place : place + PIECE_BYTES], output_buffer_limit=OUTPUT_BYTES)
            while not decoder.can_accept_more_data():
                yield decoder.process(b"", output_buffer_limit=OUTPUT_BYTES)
            if decoder.is_finished():
                break
        self.ended = decoder.is_finished()


class _Zstd(_Decoder):
    def pieces(self, body: bytes) -> Iterator[bytes]:
        import zstandard

        decoder = zstandard.ZstdDecompressor(max_window_size=ZSTD_MAX_WINDOW).decompressobj()
        for place in range(0, len(body), ZSTD_PIECE_BYTES):
            yield decoder.decompress(body[place : place + ZSTD_PIECE_BYTES])
            if decoder.eof:
                self.ended = True
                self.rest = decoder.unused_data + body[place + ZSTD_PIECE_BYTES :]
                return


def _gunzip(body: bytes, limit: int) -> tuple[bytes, Ending]:
    return _decode(body, limit, zlib.error, lambda: _Inflate(31), b"\x1f\x8b")


def _inflate(body: bytes, limit: int) -> tuple[bytes, Ending]:
    """`deflate` means a zlib wrapper, but many servers send the bare stream (RFC 9110, 8.4.1.2)."""
    if body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0:  # RFC 1950, 2.2
        decoded, ending = _decode(body, limit, zlib.error, lambda: _Inflate(15), b"")
        if ending != "not coded":
            return decoded, ending
    return _decode(body, limit, zlib.error, lambda: _Inflate(-15), None)


def _unbrotli(body: bytes, limit: int) -> tuple[bytes, Ending]:
    import brotli

    return _decode(body, limit, brotli.error, _Brotli, None)


def _unzstd(body: bytes, limit: int) -> tuple[bytes, Ending]:
    import zstandard

    return _decode(body, limit, zstandard.ZstdError, _Zstd, ZSTD_MAGIC)


def _dechunk(body: bytes, limit: int) -> tuple[bytes, Ending]:
    """Joins chunks. A last chunk of any number of zeros ends the body; what follows it, trailers or line ends, is left."""
    chunks: list[bytes] = []
    size = place = 0
    ending: Ending = "cut"
    while line := CHUNK_SIZE.match(body, place, place + CHUNK_LINE_BYTES):
        place = line.end()
        length = int(line[1], 16)
        if length == 0:
            ending = "whole"
            break
        chunk = body[place : place + length]
        place += length
        line_end = body[place : place + 2]
        if len(chunk) == length and line_end and line_end[:1] not in b"\r\n":
            break  # the line was text that happens to read as a number
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            return b"".join(chunks), "too large"
        place += 2 if line_end == b"\r\n" else 1
    if not chunks and ending != "whole":
        return body, "not coded"
    return b"".join(chunks), ending


DECODERS: dict[str, Callable[[bytes, int], tuple[bytes, Ending]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
    "chunked": _dechunk,
}
