"""JSONL tables, plain, gzip or zstd -> responses: one object a line, read line by line whatever a line claims to be.

A range of a plain file is a range of its bytes, and owns the lines that start in it; a compressed file is read by the range that
starts at 0. The place of a row is the byte offset of its line, without compression, and the line's length. Rules beside those of
`tables`: `read.damaged` and `read.truncated` (compression that breaks off, and a last line that does).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from transforms.archives.compressed import BrokenContentError, open_content
from transforms.archives.settings import ReadLimits
from transforms.archives.tables import TableConfig, drop_row, read_row
from transforms.files import InputError, Opener, open_file
from transforms.records import Drop, Response, Source

LINE_BYTES_PER_HTML_BYTE = 8
"""A line may be so much longer than the HTML in it: an escape takes six bytes, and other columns stand beside it."""
SKIP_BYTES = 1024 * 1024
CHECKED_ROWS = 100
DECODER = json.JSONDecoder(strict=False)  # control characters in texts are no reason to lose a page
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_jsonl(
    path: str,
    start: int = 0,
    stop: int | None = None,
    *,
    table: TableConfig | None = None,
    limits: ReadLimits | None = None,
    opener: Opener = open_file,
) -> Iterator[Response | Drop]:
    """The rows whose lines start in `[start, stop)`; all of a compressed file when `start` is 0, else none."""
    table, limits = table or TableConfig(), limits or ReadLimits()
    with opener(path) as stored:
        lines = open_content(stored)
        offset = 0
        if lines is not stored:
            stop = None if start == 0 else 0
        elif start > 0:
            lines.seek(start - 1)
            offset = start - 1 + _skip_line(lines)
        while stop is None or offset < stop:
            try:
                line, length = _read_line(lines, limits)
            except BrokenContentError as broken:
                yield drop_row(Source(path, offset, 0), broken.rule, broken.detail)
                return
            if not length:
                return
            item = _read_row(line, Source(path, offset, length), table, limits)
            if item is not None:
                yield item
            offset += length


def read_jsonl_row(
    path: str,
    offset: int,
    length: int,
    *,
    table: TableConfig | None = None,
    limits: ReadLimits | None = None,
    opener: Opener = open_file,
) -> Response | Drop:
    """The row of a line again. Of a compressed file, everything before it is inflated."""
    source = Source(path, offset, length)
    limits = limits or ReadLimits()
    with opener(path) as stored:
        lines = open_content(stored)
        try:
            if lines is stored:
                lines.seek(offset)
            else:
                _skip(lines, offset)
            line, size = _read_line(lines, limits)
        except BrokenContentError as broken:
            return drop_row(source, broken.rule, broken.detail)
    item = _read_row(line, source, table or TableConfig(), limits) if size == length else None
    return item or drop_row(source, "read.damaged", f"no row of {length} bytes at {offset}")


def check_jsonl(path: str, table: TableConfig, opener: Opener = open_file) -> None:
    """Raises InputError when none of the first rows has the URL or the HTML column: then no row is wrong, the configuration is."""
    columns: dict[str, None] = {}
    with opener(path) as stored:
        lines = open_content(stored)
        for _ in range(CHECKED_ROWS):
            try:
                line, length = _read_line(lines, ReadLimits())
            except BrokenContentError:
                break
            if not length:
                break
            row = _parse(line or b"")
            if isinstance(row, dict):
                columns.update(dict.fromkeys(row))
    if columns:
        try:
            table.present(path, tuple(columns))
        except InputError as error:
            raise InputError(f"{error} (looked at the first {CHECKED_ROWS} rows)") from None


def _skip(lines: BinaryIO, size: int) -> None:
    while size > 0 and (data := lines.read(min(size, SKIP_BYTES))):
        size -= len(data)


def _skip_line(lines: BinaryIO) -> int:
    """Takes the rest of a line; its length."""
    length = 0
    while data := lines.readline(SKIP_BYTES):
        length += len(data)
        if data.endswith(b"\n"):
            break
    return length


def _read_line(lines: BinaryIO, limits: ReadLimits) -> tuple[bytes | None, int]:
    """A line and its length, 0 at the end; None for one that is longer than any row may be."""
    longest = LINE_BYTES_PER_HTML_BYTE * limits.html_bytes
    line = lines.readline(longest + 1)
    if len(line) <= longest or line.endswith(b"\n"):
        return line, len(line)
    return None, len(line) + _skip_line(lines)


def _read_row(line: bytes | None, source: Source, table: TableConfig, limits: ReadLimits) -> Response | Drop | None:
    """The row of a line; None for a blank one."""
    if line is None:
        longest = LINE_BYTES_PER_HTML_BYTE * limits.html_bytes
        return drop_row(source, "read.too_large", "line", value=source.length, threshold=longest)
    if not line.strip():
        return None
    row = _parse(line)
    if isinstance(row, str) and not line.endswith(b"\n"):
        return drop_row(source, "read.truncated", f"the file ends inside a row: {row}")
    if not isinstance(row, dict):
        return drop_row(source, "read.bad_row", row if isinstance(row, str) else "the line is no JSON object")
    return read_row({role: row.get(column) for role, column in table.roles().items()}, source, limits.html_bytes)


def _parse(line: bytes) -> dict[str, Any] | str | None:
    """The object of a line, None when it holds another value, and why when it cannot be read. Bad bytes are replaced."""
    try:
        row = DECODER.decode(line.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        return f"no JSON: {error}"
    return row if isinstance(row, dict) else None
