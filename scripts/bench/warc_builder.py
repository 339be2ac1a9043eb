"""Archives made by hand: warcio's writer would not write what these tests are about."""

from __future__ import annotations

import gzip
import zlib

SENTINEL_URL = "http://sentinel.example/"


def http_response(body: bytes, *headers: str, status: str = "200 OK", content_type: str | None = "text/html") -> bytes:
    """A response as a server sends it."""
    lines = [f"HTTP/1.1 {status}", *([f"Content-Type: {content_type}"] if content_type else []), *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def warc_record(
    content: bytes,
    url: str | None = "http://page.example/",
    *headers: str,
    warc_type: str = "response",
    length: int | str | None = 0,
    end: bytes = b"\r\n\r\n",
    record_id: str = "<urn:uuid:1>",
) -> bytes:
    """A record. length: what is added to the true length; a string is written as it is; None leaves it out."""
    lines = ["WARC/1.0", f"WARC-Type: {warc_type}", f"WARC-Record-ID: {record_id}", "WARC-Date: 2024-05-06T07:08:09Z"]
    if url is not None:
        lines.append(f"WARC-Target-URI: {url}")
    if warc_type in ("response", "revisit"):
        lines.append("Content-Type: application/http; msgtype=response")
    lines.extend(headers)
    if isinstance(length, int):
        lines.append(f"Content-Length: {len(content) + length}")
    elif length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join([*lines, "", ""]).encode() + content + end


def page(body: bytes, url: str = "http://page.example/", **record: object) -> bytes:
    """A record of an HTML page."""
    return warc_record(http_response(body), url, **record)  # type: ignore[arg-type]


def sentinel() -> bytes:
    """The record behind a fault, which must be read."""
    return page(b"<p>sentinel</p>", SENTINEL_URL, record_id="<urn:uuid:sentinel>")


def gzip_member(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def stored_member(data: bytes) -> bytes:
    """A gzip member that holds its data as it is."""
    return gzip.compress(data, 0, mtime=0)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def chunked(data: bytes, size: int = 7, last: bytes = b"0\r\n\r\n") -> bytes:
    chunks = (data[i : i + size] for i in range(0, len(data), size))
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + last
