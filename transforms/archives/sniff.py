"""What a body is by its first bytes, after the MIME Sniffing standard (mimesniff.spec.whatwg.org) where that matters here."""

from __future__ import annotations

import re

HEADER_BYTES = 1445
"""How many first bytes are looked at (MIME Sniffing, "resource header")."""

# Sorted by how often a crawl holds them; the first match wins.
SIGNATURES: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), mime)
    for pattern, mime in (
        (rb"\xff\xd8\xff", "image/jpeg"),
        (rb"\x89PNG\r\n\x1a\n", "image/png"),
        (rb"GIF8[79]a", "image/gif"),
        (rb"RIFF....WEBP", "image/webp"),
        (rb"....ftypavi[fs]", "image/avif"),
        (rb"....ftyp(?:mif1|msf1|miaf).{0,64}?avi[fs]", "image/avif"),
        (rb"....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)", "image/heif"),
        (rb"....ftyp", "video/mp4"),
        (rb"BM....\0\0\0\0", "image/bmp"),
        (rb"II\*\0|MM\0\*", "image/tiff"),
        (rb"\0\0[\x01\x02]\0[^\0]\0", "image/x-icon"),
        (rb"\0\0\0\x0cJXL \r\n\x87\n|\xff\x0a", "image/jxl"),
        (rb"\0\0\0\x0cjP  \r\n\x87\n|\xff\x4f\xff\x51", "image/jp2"),
        (rb"8BPS", "image/vnd.adobe.photoshop"),
        (rb"%PDF-", "application/pdf"),
        (rb"%!PS-Adobe-", "application/postscript"),
        (rb"PK\x03\x04", "application/zip"),
        (rb"\x1f\x8b\x08", "application/gzip"),
        (rb"Rar!\x1a\x07", "application/x-rar-compressed"),
        (rb"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
        (rb"\xfd7zXZ\0", "application/x-xz"),
        (rb"\x28\xb5\x2f\xfd", "application/zstd"),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword"),
        (rb"\x7fELF|MZ\x90\0", "application/octet-stream"),
        (rb"ID3[\x02-\x04]", "audio/mpeg"),
        (rb"OggS\0", "application/ogg"),
        (rb"RIFF....WAVE", "audio/wave"),
        (rb"RIFF....AVI ", "video/avi"),
        (rb"\x1a\x45\xdf\xa3", "video/webm"),
        (rb"FLV\x01", "video/x-flv"),
        (rb"wOF[F2]", "font/woff"),
        (rb"\0\x01\0\0|OTTO|ttcf", "font/ttf"),
        (rb"[CFZ]WS[\x01-\x1f]", "application/x-shockwave-flash"),
    )
)

ACCEPTED_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"})

# A tag of MIME Sniffing's table, ended by a space or ">"; a declaration and a comment need no more than their first characters.
HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*(?:<!--|<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p"
    rb"|meta|link|base|article|main|section|header|nav|center|frameset)[\t\n\f\r >/])",
    re.IGNORECASE,
)
XML_START = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*<\?xml", re.IGNORECASE)
XHTML_ROOT = re.compile(rb"<(?:!doctype )?html[\t\n\f\r >]", re.IGNORECASE)
SVG_ROOT = re.compile(rb"<(?:!doctype )?svg[\t\n\f\r >]", re.IGNORECASE)

BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
UTF16_MARKUP = (b"<\0", b"\0<")

BINARY_BYTES = bytes(byte for byte in range(0x20) if byte not in b"\t\n\f\r\x1b")
MAX_BINARY_SHARE = 0.02
"""A stray control character does not make a page binary; random bytes hold 10 % of them."""


def sniff_signature(body: bytes) -> str | None:
    """MIME type of a known binary format by its first bytes, else None."""
    head = body[:HEADER_BYTES]
    return next((mime for pattern, mime in SIGNATURES if pattern.match(head)), None)


def looks_like_markup(body: bytes) -> bool:
    """Whether a body starts as HTML or XML does."""
    head = body[:HEADER_BYTES]
    return HTML_START.match(head) is not None or XML_START.match(head) is not None


def looks_binary(body: bytes) -> bool:
    """Whether a body that is said to be text is not: a known signature, or too many control characters.

    Markup, a byte order mark, and UTF-16 without one are text whatever follows.
    """
    head = body[:HEADER_BYTES]
    if looks_like_markup(head) or head.startswith(BYTE_ORDER_MARKS) or head.startswith(UTF16_MARKUP):
        return False
    if sniff_signature(head) is not None:
        return True
    return len(head) - len(head.translate(None, BINARY_BYTES)) > MAX_BINARY_SHARE * len(head)


def sniff_type(body: bytes) -> str:
    """MIME type of a body that has no usable Content-Type."""
    head = body[:HEADER_BYTES]
    if XML_START.match(head):
        if SVG_ROOT.search(head):
            return "image/svg+xml"
        return "application/xhtml+xml" if XHTML_ROOT.search(head) else "text/xml"
    if HTML_START.match(head) or ((head.startswith(UTF16_MARKUP) or head[2:4] in UTF16_MARKUP) and _utf16_html(head)):
        return "text/html"
    signature = sniff_signature(head)
    if signature is not None:
        return signature
    return "application/octet-stream" if looks_binary(head) else "text/plain"


def _utf16_html(head: bytes) -> bool:
    return HTML_START.match(head.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").replace(b"\0", b"")) is not None
