"""Rows of tables -> responses: what a row must have, and what is made of what it has (design.md, `input`).

Rules: `read.null_url`, `read.null_html` (missing, null or, for the URL, blank), `read.bad_row` (a value that is neither text nor
bytes), `read.too_large`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from transforms.archives.select import STAGE, media_type
from transforms.files import InputError
from transforms.records import Drop, Response, Source

if TYPE_CHECKING:
    import pyarrow as pa

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
FRACTION = re.compile(r"(?<=:\d\d)\.\d+")
CRAWL_DATE = re.compile(r"\d{14}\Z")  # as index files of crawls write it


@dataclass(frozen=True, slots=True)
class TableConfig:
    """Columns of Arrow, Parquet and JSONL inputs. url, html: must be there. The others are used where a file has them.

    date: text in ISO 8601 or 14 digits, or a timestamp, UTC unless it says otherwise. content_type: the HTTP header.
    language: as in Content-Language, a hint for `select.languages`.
    """

    url: str = "url"
    html: str = "html"
    date: str | None = "date"
    content_type: str | None = "content_type"
    language: str | None = "language"

    def roles(self) -> dict[str, str]:
        """Column by what it is for, `url` and `html` first; columns that are switched off are left out."""
        named = {role: getattr(self, role) for role in ("url", "html", "date", "content_type", "language")}
        return {role: column for role, column in named.items() if column is not None}

    def present(self, path: str, columns: Sequence[str]) -> dict[str, str]:
        """The part of `roles` that a file with `columns` has. Raises InputError when url or html is not among them."""
        for role in ("url", "html"):
            column = getattr(self, role)
            if column not in columns:
                raise InputError(
                    f"{path}: has no column {column!r}; its columns: {', '.join(columns) or 'none'}; "
                    f"set input.{role}_column to the one with the {'URL' if role == 'url' else 'HTML'} of each page"
                )
            if columns.count(column) > 1:
                raise InputError(f"{path}: has the column {column!r} {columns.count(column)} times: {', '.join(columns)}")
        return {role: column for role, column in self.roles().items() if columns.count(column) == 1}


def read_row(values: Mapping[str, Any], source: Source, max_bytes: int, flags: tuple[str, ...] = ()) -> Response | Drop:
    """A row as a response with status 200. values: by the roles of `TableConfig`; max_bytes: of the HTML as UTF-8.

    HTML as text becomes UTF-8, whatever charset its header named when it was bytes; HTML as bytes is left as it is.
    """
    url, html = values.get("url"), values.get("html")
    if not isinstance(url, str | bytes | None):
        return drop_row(source, "read.bad_row", f"the URL is of type {type(url).__name__}, and must be text")
    name = (_text(url) or "").strip()
    if not name:
        return drop_row(source, "read.null_url", "the row has no URL")
    if html is None:
        return drop_row(source, "read.null_html", "the row has no HTML", name)
    if not isinstance(html, str | bytes):
        return drop_row(source, "read.bad_row", f"the HTML is of type {type(html).__name__}, and must be text or bytes", name)
    body = html if isinstance(html, bytes) else to_utf8(html)
    if len(body) > max_bytes:
        return drop_row(source, "read.too_large", "HTML of the row", name, len(body), max_bytes)
    content_type = _text(values.get("content_type")) or "text/html"
    if isinstance(html, str | Utf8):
        content_type = f"{media_type(content_type)}; charset=utf-8"
    language = _text(values.get("language"))
    headers = (("content-type", content_type), *((("content-language", language),) if language else ()))
    return Response(name, 200, content_type, body, source, iso_date(_text(values.get("date"))), flags, headers)


class Utf8(bytes):
    """Text that is still encoded, as Arrow stores it; not always valid."""


def to_utf8(text: str) -> bytes:
    """Text as bytes, halves of surrogate pairs, which JSON can write, joined where they meet and replaced where they do not."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def batch_rows(batch: pa.RecordBatch, roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow batch by role, one at a time: as Python values, a batch may be more than memory has room for."""
    columns = [(role, *_readable(batch.column(name))) for role, name in roles.items()]
    for row in range(batch.num_rows):
        yield {
            role: value if value is None or convert is None else convert(value)
            for role, column, convert in columns
            for value in (column[row].as_py(),)
        }


def check_types(path: str, schema: pa.Schema, roles: Mapping[str, str]) -> None:
    """Raises InputError when the URL or HTML column of a file cannot hold what it should."""
    import pyarrow as pa

    for role in ("url", "html"):
        of = schema.field(roles[role]).type
        of = of.value_type if pa.types.is_dictionary(of) else of
        if not (_is_text(of) or _is_bytes(of) or pa.types.is_null(of)):
            raise InputError(
                f"{path}: column {roles[role]!r} is of type {of}, and must be text or bytes; its columns: "
                f"{', '.join(schema.names)}; set input.{role}_column to another"
            )


def iso_date(text: str | None) -> str | None:
    """A date as ISO 8601 in UTC, to the second; a day stays a day. None for what is no date.

    >>> iso_date("2024-05-06 09:08:09+02:00")
    '2024-05-06T07:08:09Z'
    """
    text = (text or "").strip()
    if ISO_DATE.match(text):
        return text
    try:
        if CRAWL_DATE.match(text):
            date = datetime.strptime(text, "%Y%m%d%H%M%S")
        else:
            date = datetime.fromisoformat(FRACTION.sub("", text).replace("Z", "+00:00").replace("z", "+00:00"))
        date = date.replace(tzinfo=timezone.utc) if date.tzinfo is None else date.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None
    return date.strftime("%Y-%m-%dT%H:%M:%SZ")


def _readable(column: pa.Array) -> tuple[pa.Array, Callable[[Any], Any] | None]:
    """A column whose values can be had without an error, and what makes of one of them what it stands for.

    Places that point out of the column, as damage makes them, raise ArrowInvalid here instead of reading foreign memory later.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column.validate(full=True)
        column = column.dictionary_decode()
    of = column.type
    if _is_text(of):
        is_large = pa.types.is_large_string(of)
        is_view = pa.types.is_string_view(of)
        column = column.cast(pa.large_binary() if is_large else pa.binary_view() if is_view else pa.binary())
        column.validate(full=True)
        return column, Utf8
    column.validate(full=True)
    if pa.types.is_timestamp(of) or pa.types.is_date(of):
        seconds = column.cast(pa.timestamp("s", getattr(of, "tz", None)), safe=False).cast(pa.int64())
        return seconds, _date_of_seconds
    return column, None


def _is_text(of: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of))


def _is_bytes(of: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_binary(of) or pa.types.is_large_binary(of) or pa.types.is_binary_view(of) or pa.types.is_fixed_size_binary(of)
    )


def _date_of_seconds(seconds: int) -> str | None:
    try:
        return (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
    except OverflowError:
        return None


def _text(value: Any) -> str | None:
    """Text of a value that may be text; None for anything else."""
    if isinstance(value, str):
        value = to_utf8(value)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else None


def drop_row(
    source: Source, rule: str, detail: str, url: str | None = None, value: float | None = None, threshold: float | None = None
) -> Drop:
    """A Drop of the row at `source`."""
    target = f"{source.file}:{source.offset}"
    return Drop(STAGE, rule, "record", target, url, value, threshold, detail, source.file, source.offset)
