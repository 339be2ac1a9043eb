"""The torture set: archives with one fault each, a sentinel record behind it, and what a reader should make of them.

Rows D of field_reports.md are named in the cases that stand for them. The tests hold our reader to it; `scripts.bench.readers`
shows what others make of it.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import brotli
import zstandard

from scripts.bench.warc_builder import (
    SENTINEL_URL,
    chunked,
    gzip_member,
    http_response,
    page,
    raw_deflate,
    sentinel,
    warc_record,
)

HTML = "<html><body><p>Grüße, 日本語, ไทย, العربية</p></body></html>".encode()
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
HTML_BYTES, IMAGE_BYTES = 4000, 8000
"""The caps that the cases about caps are about."""
URL = "http://page.example/"


def coded(body: bytes, *codings: str, transfer: str | None = None) -> bytes:
    headers = [f"Content-Encoding: {coding}" for coding in codings]
    return warc_record(http_response(body, *headers, *([f"Transfer-Encoding: {transfer}"] if transfer else [])))


def zeroed(data: bytes, place: int, count: int = 3) -> bytes:
    return data[:place] + bytes(count) + data[place + count :]


def wrong_checksum(data: bytes) -> bytes:
    member = gzip_member(data)
    return member[:-8] + bytes(4) + member[-4:]


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=False).compress(data)


def cut_page(size: int, *headers: str, end: bytes = b"") -> bytes:
    return warc_record(http_response(b"<html>".ljust(size - len(end), b"x") + end, *headers))


MEMBER = gzip_member(page(HTML))
READ = (URL, HTML)  # what a good page gives: URL and body, then the flags

Expected = tuple[object, ...] | str
"""(URL, body, flags…) of a response, or the rule of a drop."""


class TortureCase(NamedTuple):
    """One fault. before: the stored bytes before the sentinel's member. expected: what is read of them."""

    name: str
    before: bytes
    expected: Sequence[Expected]

    @property
    def archive(self) -> bytes:
        """The whole `.warc.gz`, the sentinel last."""
        return self.before + gzip_member(sentinel())


_CASES: list[tuple[str, bytes, Sequence[Expected]]] = [
    ("plain_page", MEMBER, [READ]),
    # Record lengths.
    ("D1_length_one_short", gzip_member(page(HTML, length=-1)), [(*READ, "length_mismatch")]),
    ("D1_length_far_short", gzip_member(page(HTML, length=-40)), [(*READ, "length_mismatch")]),
    ("D1_length_ends_in_http_header", gzip_member(page(HTML, length="20")), [(*READ, "length_mismatch")]),
    ("D1_length_zero", gzip_member(page(HTML, length="0")), [(*READ, "length_mismatch")]),
    ("D2_length_one_long", gzip_member(page(HTML, length=1)), [(*READ, "length_mismatch")]),
    ("D2_length_two_long", gzip_member(page(HTML, length=2)), [(*READ, "length_mismatch")]),
    ("D2_length_three_long", gzip_member(page(HTML, length=3)), [(*READ, "length_mismatch")]),
    ("D2_length_four_long", gzip_member(page(HTML, length=4)), [(*READ, "length_mismatch")]),
    ("D2_length_far_long", gzip_member(page(HTML, length=1000)), [(*READ, "length_mismatch")]),
    ("D13_length_claims_3_gb", gzip_member(page(HTML, length=3_000_000_000)), [(*READ, "length_mismatch")]),
    ("length_missing", gzip_member(page(HTML, length=None)), [(*READ, "length_mismatch")]),
    ("length_no_number", gzip_member(page(HTML, length="many")), [(*READ, "length_mismatch")]),
    ("length_negative", gzip_member(page(HTML, length="-5")), [(*READ, "length_mismatch")]),
    (
        "length_of_png_one_short",
        gzip_member(warc_record(http_response(PNG, content_type="image/png"), length=-1)),
        [(URL, PNG, "length_mismatch")],
    ),
    ("body_ends_in_line_ends", gzip_member(page(b"<p>a\r\n\r\n")), [(URL, b"<p>a\r\n\r\n")]),
    # Damage.
    ("D10_zeroed_inside", zeroed(MEMBER, 60), ["read.damaged"]),
    ("D10_zeroed_magic", MEMBER + zeroed(MEMBER, 0), [READ, "read.damaged"]),
    ("D10_first_member_has_no_magic", zeroed(MEMBER, 0), ["read.damaged"]),
    ("D10_wrong_checksum", wrong_checksum(page(HTML)), ["read.damaged"]),
    ("D10_two_spots", zeroed(MEMBER, 60) + MEMBER + zeroed(MEMBER, 60), ["read.damaged", READ, "read.damaged"]),
    ("junk_between_members", MEMBER + b"\x1f\x8b junk " * 9, [READ, "read.damaged"]),
    ("line_end_between_members", MEMBER + b"\r\n", [READ, "read.damaged"]),
    ("member_cut_in_the_middle_of_the_file", MEMBER[: len(MEMBER) // 2], ["read.damaged"]),
    ("member_without_record", MEMBER + gzip_member(b"<html>no record</html>"), [READ, "read.damaged"]),
    ("empty_member", MEMBER + gzip_member(b""), [READ]),
    ("D9_version_line_only", gzip_member(b"WARC/1.0\r\n\r\n"), ["read.malformed"]),
    ("D9_version_line_without_end", gzip_member(b"WARC/1.0"), ["read.malformed"]),
    (
        "header_too_long",
        gzip_member(page(HTML).replace(b"WARC-Date", b"X: " + b"y" * 1_100_000 + b"\r\nWARC-Date", 1)),
        ["read.malformed"],
    ),
    ("url_missing", gzip_member(warc_record(http_response(HTML), None)), ["read.malformed"]),
    ("no_http_status_line", gzip_member(warc_record(HTML)), ["read.malformed"]),
    # Several records in a member.
    ("shared_member", gzip_member(page(HTML) + page(HTML, "http://b.example/")), [READ, ("http://b.example/", HTML)]),
    (
        "shared_member_short_length",
        gzip_member(page(HTML, length=-9) + page(HTML, "http://b.example/")),
        [(*READ, "length_mismatch"), ("http://b.example/", HTML)],
    ),
    (
        "shared_member_long_length",
        gzip_member(page(HTML, length=99) + page(HTML, "http://b.example/") + page(HTML)),
        [(*READ, "length_mismatch"), ("http://b.example/", HTML), READ],
    ),
    (
        "shared_member_malformed_between",
        gzip_member(page(HTML) + b"WARC/1.0\r\n\r\n\r\n" + page(HTML)),
        [READ, "read.malformed", READ],
    ),
    ("D16_line_ends_missing", gzip_member(page(HTML, end=b"") + page(HTML)), [READ, READ]),
    (
        "D16_record_start_in_body",
        gzip_member(page(b"<pre>\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\r\n</pre>" + HTML)),
        [(URL, b"<pre>\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\r\n</pre>" + HTML)],
    ),
    # Codings.
    ("gzip", gzip_member(coded(gzip.compress(HTML), "gzip")), [READ]),
    ("gzip_in_two_members", gzip_member(coded(gzip.compress(HTML[:20]) + gzip.compress(HTML[20:]), "x-gzip")), [READ]),
    ("deflate_with_wrapper", gzip_member(coded(zlib.compress(HTML), "deflate")), [READ]),
    ("deflate_bare", gzip_member(coded(raw_deflate(HTML), "deflate")), [READ]),
    ("D6_brotli", gzip_member(coded(brotli.compress(HTML), "br")), [READ]),
    ("zstd", gzip_member(coded(zstd(HTML), "zstd")), [READ]),
    ("stack_in_one_header", gzip_member(coded(brotli.compress(gzip.compress(HTML)), "gzip, br")), [READ]),
    ("stack_in_two_headers", gzip_member(coded(zstd(gzip.compress(HTML)), "gzip", "zstd")), [READ]),
    ("chunked", gzip_member(coded(chunked(HTML), transfer="chunked")), [READ]),
    ("D7_chunked_and_gzip", gzip_member(coded(chunked(gzip.compress(HTML)), "gzip", transfer="chunked")), [READ]),
    ("transfer_gzip_chunked", gzip_member(coded(chunked(gzip.compress(HTML)), transfer="gzip, chunked")), [READ]),
    ("D3_last_chunk_of_zeros", gzip_member(coded(chunked(HTML, last=b"00000000\r\n\r\n\r\n"), transfer="chunked")), [READ]),
    ("D3_very_many_zeros", gzip_member(coded(chunked(HTML, last=b"0" * 40 + b"\r\n\r\n"), transfer="chunked")), [READ]),
    (
        "chunk_extension_and_trailer",
        gzip_member(coded(b"%X;name=value\r\n%s\r\n0\r\nX: y\r\n\r\n" % (len(HTML), HTML), transfer="chunked")),
        [READ],
    ),
    ("identity", gzip_member(coded(HTML, "identity")), [READ]),
    *(
        (f"lying_{coding}", gzip_member(coded(HTML, coding)), [(*READ, "encoding_mismatch")])
        for coding in ("gzip", "deflate", "br", "zstd", "compress", "utf-8")
    ),
    ("lying_br_on_text", gzip_member(coded(b"no markup here", "br")), [(URL, b"no markup here", "encoding_mismatch")]),
    ("lying_chunked", gzip_member(coded(HTML, transfer="chunked")), [(*READ, "encoding_mismatch")]),
    ("lying_chunked_hex", gzip_member(coded(b"1\r\nto 3", transfer="chunked")), [(URL, b"1\r\nto 3", "encoding_mismatch")]),
    ("lying_outer_of_stack", gzip_member(coded(gzip.compress(HTML), "gzip, br")), [(*READ, "encoding_mismatch")]),
    ("coded_body_of_nothing", gzip_member(coded(b"", "gzip", transfer="chunked")), [(URL, b"")]),
    ("gzip_ends_early", gzip_member(coded(gzip.compress(HTML, 0)[:-20], "gzip")), [(URL, HTML[:-12], "maybe_truncated")]),
    (
        "chunks_end_early",
        gzip_member(coded(chunked(b"<p>one two", size=4, last=b""), transfer="chunked")),
        [(URL, b"<p>one two", "maybe_truncated")],
    ),
    # Truncation that the record or the evidence tells of.
    ("warc_truncated", gzip_member(warc_record(http_response(HTML), URL, "WARC-Truncated: length")), [(*READ, "warc_truncated")]),
    (
        "http_length_larger",
        gzip_member(cut_page(500, "Content-Length: 900")),
        [(URL, b"<html>".ljust(500, b"x"), "maybe_truncated")],
    ),
    (
        "http_length_larger_but_complete",
        gzip_member(cut_page(500, "Content-Length: 900", end=b"</HTML>")),
        [(URL, b"<html>".ljust(493, b"x") + b"</HTML>")],
    ),
    # Caps.
    ("too_large_as_stored", gzip_member(cut_page(4001)), ["read.too_large"]),
    ("as_large_as_allowed", gzip_member(cut_page(4000)), [(URL, b"<html>".ljust(4000, b"x"))]),
    ("too_large_when_decoded", gzip_member(coded(gzip.compress(bytes(5000)), "gzip")), ["read.too_large"]),
    *(
        (f"bomb_{coding}", gzip_member(coded(pack(bytes(50_000_000)), coding)), ["read.too_large"])
        for coding, pack in (("gzip", gzip.compress), ("br", lambda data: brotli.compress(data, quality=1)), ("zstd", zstd))
    ),
    ("image_has_its_own_cap", gzip_member(warc_record(http_response(PNG * 6, content_type="image/png"))), [(URL, PNG * 6)]),
    ("image_by_bytes_has_it_too", gzip_member(warc_record(http_response(PNG * 6, content_type=None))), [(URL, PNG * 6)]),
    ("image_over_its_cap", gzip_member(warc_record(http_response(PNG * 8, content_type="image/png"))), ["read.too_large"]),
    # Record types.
    ("D12_revisit", gzip_member(warc_record(http_response(b""), warc_type="revisit")), ["read.revisit_unresolved"]),
    ("D12_revisit_without_content", gzip_member(warc_record(b"", warc_type="revisit")), ["read.revisit_unresolved"]),
    ("resource", gzip_member(warc_record(HTML, URL, "Content-Type: text/html", warc_type="resource")), [READ]),
    *(
        (f"type_{kind}", gzip_member(warc_record(b"a: b\r\n", URL, warc_type=kind)), [])
        for kind in ("warcinfo", "request", "metadata", "conversion", "continuation")
    ),
    ("dns", gzip_member(warc_record(b"20240506\r\npage.example. 300 IN A 1.2.3.4", "dns:page.example")), []),
    (
        "url_in_brackets",
        gzip_member(warc_record(http_response(HTML), "<http://page.example/a b>")),
        [("http://page.example/a%20b", HTML)],
    ),
    ("http_header_only", gzip_member(warc_record(b"HTTP/1.1 204 No Content\r\nX: y", length=0)), [(URL, b"")]),
    (
        "lf_only_headers",
        gzip_member(page(HTML).replace(b"\r\n", b"\n").replace(b"Content-Length", b"Old")),
        [(*READ, "length_mismatch")],
    ),
]

CASES = [TortureCase(*case) for case in _CASES]
SENTINEL = (SENTINEL_URL, b"<p>sentinel</p>")
