"""One way into every input format: files -> ranges, a range -> its responses, a place -> what stands there.

format   unit of a range        place of a record (`Source`)
warc     bytes as stored        offset and length as stored
parquet  row groups             number of the row, 1
arrow    record batches         number of the row, 1
jsonl    bytes as stored        offset and length of the line, uncompressed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from transforms.archives.arrow import plan_batches, read_arrow, read_arrow_row
from transforms.archives.compressed import compression_of
from transforms.archives.formats import detect_format
from transforms.archives.jsonl import check_jsonl, read_jsonl, read_jsonl_row
from transforms.archives.parquet import plan_row_groups, read_parquet, read_parquet_row
from transforms.archives.ranges import FilePlan, cut_bytes, plan_ranges
from transforms.archives.settings import ReadSettings
from transforms.archives.warc import read_record, read_records
from transforms.files import Opener, open_file
from transforms.records import Drop, InputRange, Response, Revisit, Source


def plan_input(
    files: Iterable[tuple[str, int]], range_bytes: int, settings: ReadSettings | None = None, opener: Opener = open_file
) -> Iterator[InputRange]:
    """Cuts files, given as path and size in bytes in the order of their paths, into ranges, numbered over all files.

    Raises ValueError as `plan_ranges` does, and InputError for a table without the columns that are needed.
    """
    settings = settings or ReadSettings()
    return plan_ranges(files, range_bytes, lambda path, size: plan_file(path, size, range_bytes, settings, opener))


def plan_file(path: str, size: int, range_bytes: int, settings: ReadSettings | None = None, opener: Opener = open_file) -> FilePlan:
    """The format of a file and its ranges, each of about `range_bytes` bytes as stored where the format can be cut so."""
    settings = settings or ReadSettings()
    format_ = detect_format(path, opener) if settings.format == "auto" else settings.format
    if format_ == "parquet":
        return format_, plan_row_groups(path, range_bytes, settings.table, opener)
    if format_ == "arrow":
        return format_, plan_batches(path, range_bytes, settings.table, opener)
    if format_ == "jsonl":
        check_jsonl(path, settings.table, opener)
        with opener(path) as stored:
            if compression_of(stored) is not None:
                return format_, [(0, size)]
    return format_, cut_bytes(size, range_bytes)


READERS: dict[str, Callable[..., Iterator[Response | Drop]]] = {
    "parquet": read_parquet,
    "arrow": read_arrow,
    "jsonl": read_jsonl,
}


def read_range(
    range_: InputRange, settings: ReadSettings | None = None, opener: Opener = open_file
) -> Iterator[Response | Revisit | Drop]:
    """The responses and revisits of a range, and a Drop for every record or row that is none, in file order.

    Raises InputError for a table without the columns that are needed; errors of opening and reading the file are raised.
    """
    settings = settings or ReadSettings()
    if range_.format == "warc":
        return read_records(range_.file, range_.start, range_.stop, limits=settings.limits, opener=opener)
    read = READERS[range_.format]
    return read(range_.file, range_.start, range_.stop, table=settings.table, limits=settings.limits, opener=opener)


def read_source(source: Source, settings: ReadSettings | None = None, opener: Opener = open_file) -> Response | Drop:
    """Reads a record or row again at the place that its `Source` states. A Drop says why there is none."""
    settings = settings or ReadSettings()
    format_ = detect_format(source.file, opener) if settings.format == "auto" else settings.format
    if format_ == "warc":
        return read_record(source.file, source.offset, source.length, source.record_id, limits=settings.limits, opener=opener)
    table, limits = settings.table, settings.limits
    if format_ == "parquet":
        return read_parquet_row(source.file, source.offset, table=table, limits=limits, opener=opener)
    if format_ == "arrow":
        return read_arrow_row(source.file, source.offset, table=table, limits=limits, opener=opener)
    return read_jsonl_row(source.file, source.offset, source.length, table=table, limits=limits, opener=opener)
