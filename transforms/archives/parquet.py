"""Parquet tables -> responses, in the memory that one page of the file needs, however large its row groups are (beam.md section 4).

A range is a range of row groups. The place of a row is its number in the file; its length is 1. Rules beside those of `tables`:
`read.damaged`, once for a file whose footer cannot be read, and once for the rest of a row group, with the number of rows lost.
"""

from __future__ import annotations

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

BATCH_ROWS = 16
BUFFER_BYTES = 1024 * 1024
"""Read at once from a column of a file that is not mapped; without a buffer Arrow reads the whole column chunk."""


@dataclass(frozen=True, slots=True)
class _RowGroup:
    """A row group. rows: their numbers in the file. size: its part of the file's bytes, by its bytes without compression."""

    number: int
    rows: range
    size: int


def read_parquet(
    path: str,
    start: int = 0,
    stop: int | None = None,
    *,
    table: TableConfig | None = None,
    limits: ReadLimits | None = None,
    opener: Opener = open_file,
) -> Iterator[Response | Drop]:
    """The rows of the row groups `[start, stop)`. Raises InputError when the file lacks a column that is needed."""
    with opener(path) as handle:
        file = _ParquetFile(path, handle)
        for group in file.groups[start:stop]:
            yield from file.read(group, group.rows, table or TableConfig(), limits or ReadLimits())
        if file.fault is not None and start == 0:
            yield drop_row(Source(path, 0, 0), "read.damaged", file.fault)


def read_parquet_row(
    path: str, row: int, *, table: TableConfig | None = None, limits: ReadLimits | None = None, opener: Opener = open_file
) -> Response | Drop:
    """The row of a number again; its row group is read up to there."""
    with opener(path) as handle:
        file = _ParquetFile(path, handle)
        for group in file.groups:
            if row in group.rows:
                return next(file.read(group, range(row, row + 1), table or TableConfig(), limits or ReadLimits()))
    return drop_row(Source(path, row, 1), "read.damaged", file.fault or f"the file has no row {row}")


def plan_row_groups(path: str, range_bytes: int, table: TableConfig, opener: Opener = open_file) -> list[tuple[int, int]]:
    """Ranges of whole row groups of at least `range_bytes` each, the last being smaller; one for a file that cannot be read.

    Raises InputError when the file lacks a column that is needed, or one of them cannot hold what it should.
    """
    with opener(path) as handle:
        file = _ParquetFile(path, handle)
    if file.schema is not None:
        check_types(path, file.schema, table.present(path, file.columns))
    return join_neighbours([group.size for group in file.groups], range_bytes) or [(0, 1)]


class _ParquetFile:
    """A file's schema and row groups. fault: why its footer cannot be read, None when it can."""

    def __init__(self, path: str, handle: BinaryIO) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path = path
        self.fault: str | None = None
        self.schema: pa.Schema | None = None
        self.columns: list[str] = []
        self.groups: list[_RowGroup] = []
        self._stored = MappedFile(handle)
        buffer_size = 0 if self._stored.is_mapped else BUFFER_BYTES
        try:
            self._file = pq.ParquetFile(self._stored.arrow_source(), pre_buffer=False, buffer_size=buffer_size)
            self.columns = self._file.schema_arrow.names
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            self.fault = f"no readable Parquet footer: {error}"
            return
        self.schema = self._file.schema_arrow
        # Not asked: the metadata of columns, on which Arrow ends the process where a footer is damaged in certain ways.
        groups = [self._file.metadata.row_group(number) for number in range(self._file.num_row_groups)]
        total = sum(max(0, group.total_byte_size) for group in groups) or 1
        first = 0
        for number, group in enumerate(groups):
            rows = range(first, first + max(0, group.num_rows))
            self.groups.append(_RowGroup(number, rows, self._stored.size * max(0, group.total_byte_size) // total))
            first = rows.stop

    def read(self, group: _RowGroup, wanted: range, table: TableConfig, limits: ReadLimits) -> Iterator[Response | Drop]:
        """The rows of a row group whose numbers are `wanted`; what cannot be read of it is one Drop."""
        import pyarrow as pa

        roles = table.present(self.path, self.columns)
        columns = list(dict.fromkeys(roles.values()))
        first, number = group.rows.start, wanted.start
        try:
            for batch in self._file.iter_batches(BATCH_ROWS, row_groups=[group.number], columns=columns, use_threads=False):
                if not set(columns) <= set(batch.schema.names):
                    raise pa.ArrowInvalid(f"the footer names {', '.join(columns)}, the data {', '.join(batch.schema.names)}")
                inside = batch.slice(max(0, number - first), max(0, min(first + batch.num_rows, wanted.stop) - number))
                for values in batch_rows(inside, roles):
                    item = read_row(values, Source(self.path, number, 1), limits.html_bytes)
                    yield item
                    number += 1
                    self._stored.used(len(item.body) if isinstance(item, Response) else 0)
                first += batch.num_rows
                if first >= wanted.stop:
                    return
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            lost = wanted.stop - number
            detail = f"{lost} rows lost of row group {group.number}: {error}"
            yield drop_row(Source(self.path, number, lost), "read.damaged", detail[:500], value=lost)
