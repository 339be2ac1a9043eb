"""Arrow tables -> responses: the stream format that `datasets` writes, and the file format, which is a stream in a frame.

Both are walked from message to message by their headers (Arrow columnar format, "Encapsulated message format"), so that a range
of record batches is found without reading the others. A local file is mapped into memory and its batches are not copied. The
place of a row is its number in the file; its length is 1. Rules beside those of `tables`: `read.damaged` (a batch that cannot be
read, with its rows; a file that begins with no schema) and `read.truncated` (the file ends inside a batch).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from transforms.archives.mapped import MappedFile
from transforms.archives.ranges import join_neighbours
from transforms.archives.settings import ReadLimits
from transforms.archives.tables import TableConfig, batch_rows, check_types, drop_row, read_row
from transforms.files import Opener, open_file
from transforms.records import Drop, Response, Source

if TYPE_CHECKING:
    import pyarrow as pa

FILE_MAGIC = b"ARROW1"
FILE_MAGIC_BYTES = 8  # with its padding
CONTINUATION = b"\xff\xff\xff\xff"
MAX_METADATA_BYTES = 64 * 1024 * 1024
SCHEMA, DICTIONARY_BATCH, RECORD_BATCH = 1, 2, 3  # Message.fbs, MessageHeader


@dataclass(frozen=True, slots=True)
class _Message:
    """A message of a stream. offset, size: its bytes in the file. rows, first_row: of a record batch."""

    kind: int
    offset: int
    size: int
    rows: int = 0
    first_row: int = 0


def read_arrow(
    path: str,
    start: int = 0,
    stop: int | None = None,
    *,
    table: TableConfig | None = None,
    limits: ReadLimits | None = None,
    opener: Opener = open_file,
) -> Iterator[Response | Drop]:
    """The rows of the record batches `[start, stop)`. Raises InputError when the file lacks a column that is needed.

    What stands behind the last batch that could be walked to, damage or a cut, belongs to that batch's range.
    """
    with opener(path) as handle:
        file = _ArrowFile(path, handle)
        for batch in file.batches[start:stop]:
            yield from file.read(batch, range(file.rows), table or TableConfig(), limits or ReadLimits())
        last = max(1, len(file.batches))
        if file.rule is not None and start < last and (stop is None or stop >= last):
            yield drop_row(Source(path, file.rows, 0), file.rule, file.detail)


def read_arrow_row(
    path: str, row: int, *, table: TableConfig | None = None, limits: ReadLimits | None = None, opener: Opener = open_file
) -> Response | Drop:
    """The row of a number again."""
    with opener(path) as handle:
        file = _ArrowFile(path, handle)
        for batch in file.batches:
            if batch.first_row <= row < batch.first_row + batch.rows:
                return next(file.read(batch, range(row, row + 1), table or TableConfig(), limits or ReadLimits()))
    return drop_row(Source(path, row, 1), "read.damaged", file.detail or f"the file has {file.rows} rows")


def plan_batches(path: str, range_bytes: int, table: TableConfig, opener: Opener = open_file) -> list[tuple[int, int]]:
    """Ranges of whole record batches of at least `range_bytes` each, the last being smaller; one for a file without a batch.

    Raises InputError when the file lacks a column that is needed, or one of them cannot hold what it should.
    """
    with opener(path) as handle:
        file = _ArrowFile(path, handle)
    if file.schema is not None:
        check_types(path, file.schema, table.present(path, file.columns))
    return join_neighbours([batch.size for batch in file.batches], range_bytes) or [(0, 1)]


class _ArrowFile:
    """A file's schema and record batches. rule, detail: why it could not be walked to its end, None when it could."""

    def __init__(self, path: str, handle: BinaryIO) -> None:
        import pyarrow as pa

        self.path = path
        self._stored = MappedFile(handle)
        self._schema: _Message | None = None
        self._dictionaries: list[_Message] = []
        self.batches: list[_Message] = []
        self.rows = 0
        self.rule: str | None = None
        self.detail = ""
        self._walk()
        self.schema: pa.Schema | None = None
        self.columns: list[str] = []
        try:
            if self._schema is not None:
                schema = pa.ipc.read_schema(pa.py_buffer(self._bytes(self._schema)))
                self.columns = schema.names
                self.schema = schema
            elif self.rule is None and self._stored.size:
                self.rule, self.detail = "read.damaged", "the file begins with no Arrow schema"
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            self.rule, self.detail = "read.damaged", f"no readable Arrow schema: {error}"
        if self.schema is None:
            self.batches, self.rows = [], 0

    def _bytes(self, message: _Message) -> memoryview:
        return self._stored.view(message.offset, message.size)

    def _walk(self) -> None:
        """Finds the messages, from header to header; stops where there is none."""
        stored = self._stored
        offset = FILE_MAGIC_BYTES if bytes(stored.view(0, len(FILE_MAGIC))) == FILE_MAGIC else 0
        while offset < stored.size:
            prefix = bytes(stored.view(offset, 8))
            header = 8 if prefix[:4] == CONTINUATION else 4  # before version 0.15 the length stood alone
            size = int.from_bytes(prefix[header - 4 : header], "little", signed=True)
            if len(prefix) >= header and size == 0:
                return  # end of stream; the file format has a footer behind it
            is_length = 0 < size <= MAX_METADATA_BYTES
            message = _parse_message(bytes(stored.view(offset + header, size)), offset, header, self.rows) if is_length else None
            behind = offset + (message.size if message is not None else header + size if is_length else header)
            if behind > stored.size:
                self.rule, self.detail = "read.truncated", f"the file ends inside the Arrow message at byte {offset}"
                return
            if message is None:
                self.rule, self.detail = "read.damaged", f"no Arrow message at byte {offset} of {stored.size}"
                return
            if message.kind == RECORD_BATCH:
                self.batches.append(message)
                self.rows += message.rows
            elif message.kind == DICTIONARY_BATCH:
                self._dictionaries.append(message)
            elif self._schema is None:
                self._schema = message
            offset = behind

    def read(self, message: _Message, wanted: range, table: TableConfig, limits: ReadLimits) -> Iterator[Response | Drop]:
        """The rows of a batch whose numbers are `wanted`; what cannot be read of it is one Drop."""
        import pyarrow as pa

        if self.schema is None:
            return
        roles = table.present(self.path, self.columns)
        number = max(message.first_row, wanted.start)
        stop = min(message.first_row + message.rows, wanted.stop)
        try:
            batch = self._open(message)
            for values in batch_rows(batch.slice(number - message.first_row, stop - number), roles):
                item = read_row(values, Source(self.path, number, 1), limits.html_bytes)
                yield item
                number += 1
                self._stored.used(len(item.body) if isinstance(item, Response) else 0)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            lost = stop - number
            detail = f"{lost} rows lost of the record batch at byte {message.offset}: {error}"
            yield drop_row(Source(self.path, number, lost), "read.damaged", detail[:500], value=lost)

    def _open(self, message: _Message) -> pa.RecordBatch:
        """A record batch, not copied. One that needs dictionaries is read as a stream of its own with them in front, and is."""
        import pyarrow as pa

        if not self._dictionaries:
            return pa.ipc.read_record_batch(pa.ipc.read_message(pa.py_buffer(self._bytes(message))), self.schema)
        before = [self._schema, *(d for d in self._dictionaries if d.offset < message.offset)]
        stream = b"".join(self._bytes(part) for part in (*before, message) if part is not None)
        return pa.ipc.open_stream(pa.py_buffer(stream)).read_next_batch()


def _parse_message(metadata: bytes, offset: int, header: int, first_row: int) -> _Message | None:
    """The message of a header (a FlatBuffers table: version, header type, header, body length); None when it is none."""
    try:
        message = _FlatTable(metadata, struct.unpack_from("<I", metadata, 0)[0])
        kind, body_bytes = message.read(1, "<B"), message.read(3, "<q")
        rows = 0
        if kind == RECORD_BATCH:
            place = message.place(2)
            rows = _FlatTable(metadata, place + struct.unpack_from("<I", metadata, place)[0]).read(0, "<q") if place else -1
    except struct.error:
        return None
    if kind not in (SCHEMA, DICTIONARY_BATCH, RECORD_BATCH) or body_bytes < 0 or rows < 0:
        return None
    return _Message(kind, offset, header + len(metadata) + body_bytes, rows, first_row)


class _FlatTable:
    """A table of a FlatBuffers message. Reading beyond the message raises struct.error."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self._place = place
        self._vtable = place - struct.unpack_from("<i", data, place)[0]
        if self._vtable < 0:
            raise struct.error("vtable before the message")
        self._vtable_bytes = struct.unpack_from("<H", data, self._vtable)[0]

    def place(self, number: int) -> int:
        """Where a field stands, 0 when it has its default."""
        entry = 4 + 2 * number
        if entry + 2 > self._vtable_bytes:
            return 0
        inside = struct.unpack_from("<H", self._data, self._vtable + entry)[0]
        return self._place + inside if inside else 0

    def read(self, number: int, form: str) -> int:
        """A whole number, 0 when the field has its default."""
        place = self.place(number)
        return int(struct.unpack_from(form, self._data, place)[0]) if place else 0
