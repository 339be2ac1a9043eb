"""Records of one stream -> responses: where a record ends, what its headers say, and what its body is (field_reports.md D)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeadersParser

from transforms.archives.content_codings import decode_body
from transforms.archives.select import STAGE, media_type
from transforms.archives.settings import MEBIBYTE, ReadLimits
from transforms.archives.sniff import sniff_signature
from transforms.archives.streams import RECORD_START, RecordStream
from transforms.records import Drop, Response, Revisit, Source

HEADER_PEEK_BYTES = 8 * 1024
MAX_HEADER_BYTES = MEBIBYTE
SNIFFED_BYTES = 96

HTTP_RECORD_TYPES = frozenset({"response", "revisit"})
HTTP_SCHEMES = ("http:", "https:")
VERSION_LINE = re.compile(rb"WARC/\d[^\n]*\n[A-Za-z][^\n]*:")  # and one field
STATUS_LINE = re.compile(rb"HTTP/\d", re.IGNORECASE)

BLANK_LINE = re.compile(rb"\r?\n[ \t]*\r?\n")
RECORD_END = b"\r\n\r\n"
RECORD_ENDS = (RECORD_END, b"\n\n")
BETWEEN_RECORDS = re.compile(rb"([\r\n]*)(?:WARC/|W?A?R?C?\Z)")  # a file can end inside the word
BETWEEN_BYTES = 64

HTML_TYPES = ("text/html", "application/xhtml+xml")
HTML_END = b"</html"
HTML_END_BYTES = 4096


class _UnreadableError(Exception):
    """A record that ends as a Drop; caught where the record began."""

    def __init__(self, rule: str, detail: str, value: float | None = None, threshold: float | None = None) -> None:
        super().__init__(detail)
        self.rule, self.detail, self.value, self.threshold = rule, detail, value, threshold


@dataclass(frozen=True, slots=True)
class _Headers:
    """A header block as warcio parses it. pairs: names in lower case, in the order sent. size: bytes of the block."""

    status_line: str
    pairs: tuple[tuple[str, str], ...]
    size: int

    def get(self, name: str) -> str | None:
        """The first header of a name."""
        return next((value for key, value in self.pairs if key == name), None)

    def get_list(self, name: str) -> list[str]:
        """The comma-separated values of all headers of a name, in lower case."""
        return [item.strip().lower() for key, value in self.pairs if key == name for item in value.split(",")]

    def get_length(self) -> int | None:
        """Content-Length, None when it is missing or no number."""
        value = (self.get("content-length") or "").strip()
        return int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None


@dataclass(frozen=True, slots=True)
class _Body:
    """The bytes behind a record's headers. size: of all of them, data: those that were kept. mismatch: the length is false."""

    data: bytes
    size: int
    mismatch: bool = False
    cut: bool = False


class RecordReader:
    """Reads the records of one file's streams. path: the file's name in drops and sources."""

    def __init__(self, path: str, limits: ReadLimits) -> None:
        self.path = path
        self.limits = limits
        self._warc_parser = StatusAndHeadersParser(ArcWarcRecordLoader.WARC_TYPES, verify=False)
        self._http_parser = StatusAndHeadersParser(ArcWarcRecordLoader.HTTP_TYPES, verify=False)

    def drop(
        self,
        rule: str,
        offset: int,
        detail: str,
        value: float | None = None,
        threshold: float | None = None,
        record_id: str | None = None,
        url: str | None = None,
    ) -> Drop:
        """A Drop for the record at `offset`."""
        target = record_id or f"{self.path}:{offset}"
        return Drop(STAGE, rule, "record", target, url, value, threshold, detail, self.path, offset)

    def read_stream(self, stream: RecordStream, start: int = 0, stop: int | None = None) -> Iterator[Response | Revisit | Drop]:
        """The responses and revisits among the records that start at positions in `[start, stop)` of a stream."""
        while True:
            while stream.peek(1) in (b"\r", b"\n"):
                stream.skip(1)
            begin = stream.position
            if stream.at_end or (stop is not None and begin >= stop):
                return
            record_id = url = None
            item: Response | Revisit | Drop | None
            try:
                warc = _read_headers(stream, self._warc_parser, VERSION_LINE)
                if warc is None:
                    raise _unreadable_header(stream)
                if begin < start and _skip_whole(stream, warc.get_length()):
                    continue
                record_id, url = warc.get("warc-record-id"), _target_url(warc)
                item = self._read_record(stream, begin, warc, url)
            except _UnreadableError as error:
                offset, _ = stream.extent(begin)
                item = self.drop(error.rule, offset, error.detail, error.value, error.threshold, record_id, url)
            if item is not None and begin >= start:
                yield item
            stream.shared = True

    def _read_record(self, stream: RecordStream, begin: int, warc: _Headers, url: str | None) -> Response | Revisit | None:
        """The record behind `warc`, taken from the stream to its end; None when it is not a response."""
        declared = warc.get_length()
        record_type = (warc.get("warc-type") or "").lower()
        is_http = record_type in HTTP_RECORD_TYPES and (url or "http:").lower().startswith(HTTP_SCHEMES)
        http = _read_headers(stream, self._http_parser, STATUS_LINE, declared) if is_http else None
        if http is not None and declared is not None:
            declared = max(0, declared - http.size)
        content_type = (http or warc).get("content-type")
        limit = self._limit(content_type, stream)
        expected = http.get_length() if http is not None and not http.get("transfer-encoding") else None
        body = _read_body(stream, declared, limit, expected)
        if not is_http and record_type != "resource":
            return None
        if url is None:
            raise _UnreadableError("read.malformed", "no WARC-Target-URI")
        if record_type == "revisit":
            refers_to = (warc.get("warc-refers-to-target-uri") or "", warc.get("warc-refers-to-date") or "")
            return Revisit(url, self._source(stream, begin, warc), warc.get("warc-date"), refers_to)
        if is_http and http is None:
            raise _UnreadableError("read.truncated" if body.cut else "read.malformed", "no HTTP status line")
        if body.size > limit:
            raise _UnreadableError("read.too_large", "stored body", body.size, limit)
        codings = http.get_list("content-encoding") + http.get_list("transfer-encoding") if http is not None else []
        decoded = decode_body(body.data, codings, limit)
        if decoded.too_large:
            detail = f"decoded body, read until it was over the limit; stored: {body.size} bytes"
            raise _UnreadableError("read.too_large", detail, len(decoded.data), limit)
        if body.cut and not decoded.data:
            raise _UnreadableError("read.truncated", "the file ends before the first byte of the body")
        flags = [
            flag
            for flag, holds in (
                ("length_mismatch", body.mismatch),
                ("encoding_mismatch", decoded.mismatch),
                ("archive_truncated", body.cut),
                ("warc_truncated", warc.get("warc-truncated") is not None),
            )
            if holds
        ]
        if not {"archive_truncated", "warc_truncated"} & set(flags):
            ending = decoded.data[-HTML_END_BYTES:].lower() if media_type(content_type) in HTML_TYPES else None
            if decoded.cut or _seems_cut(body.size, expected, ending):
                flags.append("maybe_truncated")
        return Response(
            url,
            _status(http),
            content_type,
            decoded.data,
            self._source(stream, begin, warc),
            warc.get("warc-date"),
            tuple(flags),
            http.pairs if http is not None else (),
        )

    def _source(self, stream: RecordStream, begin: int, warc: _Headers) -> Source:
        return Source(self.path, *stream.extent(begin), warc.get("warc-record-id"), warc.get("warc-payload-digest"))

    def _limit(self, content_type: str | None, stream: RecordStream) -> int:
        """The cap for a body that is about to be read."""
        sniffed = sniff_signature(stream.peek(SNIFFED_BYTES)) or ""
        is_image = media_type(content_type).startswith("image/") or sniffed.startswith("image/")
        return self.limits.image_bytes if is_image else self.limits.html_bytes


def _status(http: _Headers | None) -> int:
    """The code of the status line; 200 for a record without one, 0 for a line without a code."""
    code = http.status_line[:3] if http is not None else "200"
    return int(code) if code.isascii() and code.isdigit() else 0


def _target_url(warc: _Headers) -> str | None:
    """WARC-Target-URI without the angle brackets that some writers put around it (warcio does the same)."""
    url = (warc.get("warc-target-uri") or "").strip()
    if url.startswith("<") and url.endswith(">"):
        url = url[1:-1]
    return url.replace(" ", "%20") or None


def _seems_cut(size: int, expected: int | None, ending: bytes | None) -> bool:
    """Whether a stored body of `size` bytes was cut though nobody says so (field_reports.md D11).

    expected: its HTTP length. ending: the last bytes of an HTML body, None for other types. HTML with its end tag is whole.
    """
    if ending is not None and HTML_END in ending:
        return False
    return (expected is not None and size < expected) or (ending is not None and size > 0 and size % MEBIBYTE == 0)


def _unreadable_header(stream: RecordStream) -> _UnreadableError:
    """Why no WARC header was found; the stream goes on to the next record."""
    beginning = stream.peek(MAX_HEADER_BYTES)
    if len(beginning) < MAX_HEADER_BYTES and stream.fault and not RECORD_START.search(beginning):
        stream.skip(len(beginning))
        return _UnreadableError(f"read.{stream.fault}", stream.detail)
    stream.read_to_record_start(0)
    return _UnreadableError("read.malformed", f"no WARC header with fields: {beginning[:40]!r}")


def _read_headers(
    stream: RecordStream, parser: StatusAndHeadersParser, first_line: re.Pattern[bytes], declared: int | None = None
) -> _Headers | None:
    """Takes the header block that the stream is at; takes nothing and returns None where there is none.

    declared: length of the record's content, where it is known; a block does not go beyond it if the record really ends there.
    """
    size = HEADER_PEEK_BYTES
    block = stream.peek(size)
    if not first_line.match(block):
        return None
    while (end := BLANK_LINE.search(block)) is None and len(block) == size:
        if size >= MAX_HEADER_BYTES:
            return None
        size *= 2
        block = stream.peek(size)
    if end is None and stream.fault:
        return None
    block = block[: end.end()] if end else block
    if declared is not None and len(block) > declared and _ends_record(stream.peek(declared + BETWEEN_BYTES)[declared:]):
        block = block[:declared]
    lines = io.BytesIO(block)
    parsed = parser.parse(lines)
    taken = lines.tell()
    stream.skip(taken)
    pairs = tuple((name.lower(), value) for name, value in parsed.headers)
    return _Headers(parsed.statusline, pairs, taken)


def _ends_record(tail: bytes) -> bool:
    """Whether bytes behind a record's content are what may stand there: line ends, then a record or nothing."""
    return BETWEEN_RECORDS.match(tail) is not None


def _skip_whole(stream: RecordStream, declared: int | None) -> bool:
    """Skips the content of a record whose length is right; otherwise stays before it."""
    begin = stream.position
    if declared is not None and stream.skip(declared) == declared and _ends_record(stream.peek(BETWEEN_BYTES)):
        return True
    stream.rewind(begin, b"")
    return False


def _read_body(stream: RecordStream, declared: int | None, limit: int, expected: int | None) -> _Body:
    """Takes a body and keeps up to `limit` bytes of it, and one more that tells that it is larger.

    declared: what the record says is left of it, believed when the record ends there. Otherwise the body goes on to the next
    record or the end of the stream, or stops before a record that stands inside it. expected: the HTTP length, which decides
    whether line ends behind the content belong to it.
    """
    if declared is None or stream.has_false_lengths:
        return _read_to_next_record(stream, b"", 0, declared, limit)
    data = stream.read(min(declared, limit + 1))
    size = len(data)
    if size == limit + 1:
        size += stream.skip(declared - size)
    if size < declared:
        if _reached_fault(stream, b""):
            return _Body(data, size, cut=True)
    elif _ends_record(tail := stream.peek(BETWEEN_BYTES)):
        cut = _reached_fault(stream, tail)
        excess = 0 if cut or expected == size or size > len(data) else _excess(data, tail)
        return _Body(data[: size - excess] if excess else data, size - excess, mismatch=excess > 0, cut=cut)
    return _read_to_next_record(stream, data, size, declared, limit)


def _read_to_next_record(stream: RecordStream, data: bytes, size: int, declared: int | None, limit: int) -> _Body:
    """The body of a record whose length is false or missing, of which `size` bytes are read and `data` is kept."""
    begin = stream.position - size
    is_kept = size == len(data)
    inside = RECORD_START.search(data)
    if inside and stream.shared and stream.rewind(begin + inside.end(), data if is_kept else b""):
        return _Body(data[: inside.start()], inside.start(), mismatch=True)
    rest, more, found = stream.read_to_record_start(limit + 1 - size if is_kept else 0)
    is_kept = is_kept and stream.position - begin == size + len(rest)
    if inside and found and is_kept and stream.rewind(begin + inside.end(), data + rest):
        return _Body(data[: inside.start()], inside.start(), mismatch=True)
    if found:
        return _Body(data + rest[:more], size + more, mismatch=True)
    if _reached_fault(stream, b""):
        return _Body(data + rest, size + more, cut=True)
    kept = data + rest
    end_bytes = next((len(end) for end in RECORD_ENDS if kept.endswith(end)), 0)
    size += more - end_bytes
    # A plain file that ends before the record does, and not as records end, was cut.
    cut = stream.shared and not end_bytes and declared is not None and size < declared
    return _Body(kept[: len(kept) - end_bytes], size, mismatch=not cut, cut=cut)


def _reached_fault(stream: RecordStream, tail: bytes) -> bool:
    """Whether the stream broke off where it stands, `tail` being what is left of it. Damage there spoils the record."""
    if len(tail) >= BETWEEN_BYTES or b"WARC/" in tail or not stream.fault:
        return False
    if stream.fault == "damaged":
        stream.skip(len(tail))
        raise _UnreadableError("read.damaged", stream.detail)
    return True


def _excess(data: bytes, tail: bytes) -> int:
    """How many bytes of the line ends that close a record a length that is a little too large took into `data` (D2)."""
    if tail.startswith(RECORD_END):
        return 0
    for excess in range(1, len(RECORD_END) + 1):
        if (data[-excess:] + tail).startswith(RECORD_END) and len(data) >= excess:
            return excess
    return 0
