"""Bytes of an HTML page -> text, as a browser decodes them (models.md section 8, parser.md, field_reports.md C).

Order: byte order mark, HTTP charset, declaration in the first 1,024 bytes, valid UTF-8, detector, windows-1252. Labels and
encodings are those of the WHATWG Encoding standard. Python's codecs differ from it in places that pages do use, such as bytes
that windows-1252 leaves free, row 13 of Japanese sets, the Euro sign of Chinese ones; there the standard is followed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import webencodings

from transforms.archives.meta_charset import declared_charsets
from transforms.archives.sniff import UTF16_MARKUP

EncodingSource = Literal["bom", "header", "meta", "utf-8", "detector", "default"]

DETECTOR_BYTES = 64 * 1024
DETECTOR_LEAD_BYTES = 64
"""What the detector sees of the ASCII before the first byte that says something (C3: a long ASCII head misleads it)."""
MIN_CONFIDENCE = 0.5
MAX_ERROR_SHARE = 0.05
"""A guess under which more of the non-ASCII bytes than this make no sense is wrong."""
MIN_VALID_PER_ERROR = 4
"""So many valid multi-byte sequences for each bad byte make a page UTF-8 with errors; legacy text has far more bad ones."""

BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))

HEADER_CHARSET = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"',]+))""", re.IGNORECASE)
ISO_2022_JP = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")
NON_ASCII = re.compile(rb"[\x80-\xff]")
ASCII_LETTER = re.compile(rb"[A-Za-z]")
MARKUP = re.compile(rb"<(script|style)\b.*?(?:</\1|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)  # each byte is looked at once
SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"

MULTI_BYTE_CODECS = {
    "utf-8": "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp_ext",
}
SINGLE_BYTE_CODECS = {
    "iso-8859-8-i": "iso8859-8",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "windows-874": "cp874",
}
MENDED_BYTES = {"koi8-u": {0xAE: "\u045e", 0xBE: "\u040e"}}
"""Bytes that Python's codec reads in another way than the standard."""

# JIS X 0208 characters as Windows, and so the standard, maps them.
JAPANESE = {0x301C: 0xFF5E, 0x2016: 0x2225, 0x2212: 0xFF0D, 0x00A2: 0xFFE0, 0x00A3: 0xFFE1, 0x00AC: 0xFFE2}
# Python reads the bytes 0xA0, 0xFD, 0xFE and 0xFF of Shift_JIS as characters of private use; in the standard they are errors.
TRANSLATED = {"euc-jp": JAPANESE, "iso-2022-jp": JAPANESE, "shift_jis": dict.fromkeys(range(0xF8F0, 0xF8F4), ord(REPLACEMENT))}

# Share of the letters that must be foreign to ASCII before a guess counts; None: never believed. Latin alphabets use few such
# letters, others hardly any of ASCII.
MIN_FOREIGN_SHARE: dict[str, float | None] = {
    "windows-1252": 0.0,
    **dict.fromkeys(("iso-8859-2", "windows-1250", "windows-1254", "windows-1257", "windows-1258"), 0.01),
    **dict.fromkeys(("iso-8859-3", "iso-8859-4", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16"), None),
    **dict.fromkeys(("macintosh", "x-mac-cyrillic", "x-user-defined"), None),
}
MIN_FOREIGN_SHARE_ELSEWHERE = 0.1

# What the detector says -> a label, where it is not one itself.
DETECTOR_LABELS = {"uhc": "euc-kr", "cp949": "euc-kr", "mac-cyrillic": "x-mac-cyrillic"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page as text. encoding: WHATWG name in lower case. source: what named it. errors: U+FFFD written for bad bytes.

    as_sent: the bytes of the text in a page that is valid UTF-8, None for any other.
    """

    text: str
    encoding: str
    source: EncodingSource
    errors: int
    as_sent: bytes | None = field(default=None, repr=False, compare=False)

    @property
    def utf8(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode() if self.as_sent is None else self.as_sent


def decode_html(body: bytes, content_type: str | None = None) -> Decoded:
    """Decodes an HTML page; never fails, and the text can always be encoded again.

    content_type: the HTTP header as sent. Labels that name no encoding, or one that must not be decoded (utf-7, hz-gb-2312 and
    the others that the standard calls "replacement"), are passed over. A leading byte order mark is not part of the text.

    >>> decode_html(b"<p>caf\\xe9", "text/html; charset=latin1")
    Decoded(text='<p>café', encoding='windows-1252', source='header', errors=0)
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return _decode_as(body[len(mark) :], encoding, "bom")
    header = HEADER_CHARSET.search(content_type or "")
    if header is not None:
        named = _find_encoding(next(group for group in header.groups() if group is not None))
        if named is not None:
            return _decode_as(body, named, "header")
    for label in declared_charsets(body):
        named = _find_encoding(label)
        if named is not None:
            return _decode_as(body, META_INSTEAD.get(named, named), "meta")
    return _decode_undeclared(body)


META_INSTEAD = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
"""What a declaration means that can only be read because it is not true (HTML standard, prescan)."""


def _find_encoding(label: str) -> str | None:
    """WHATWG name for a label; None when there is none, or none that is ever decoded."""
    encoding = webencodings.lookup(label) if label.isascii() else None
    return None if encoding is None or encoding.name == "replacement" else str(encoding.name)


def _decode_undeclared(body: bytes) -> Decoded:
    if body.startswith(UTF16_MARKUP):
        return _decode_as(body, "utf-16le" if body.startswith(b"<") else "utf-16be", "detector")
    if NON_ASCII.search(body) is None:
        if ISO_2022_JP.search(body):
            return _decode_as(body, "iso-2022-jp", "detector")
        return Decoded(body.decode("ascii"), "utf-8", "utf-8", 0, as_sent=body)
    as_utf8 = _decode_as(body, "utf-8", "utf-8")
    if as_utf8.errors:
        valid = len(as_utf8.text) - len(as_utf8.text.encode("ascii", "ignore")) - as_utf8.errors
        if valid < MIN_VALID_PER_ERROR * as_utf8.errors:
            encoding = _detect(body)
            if encoding is None:
                return _decode_as(body, "windows-1252", "default")
            return _decode_as(body, encoding, "detector")
    return as_utf8


def _detect(body: bytes) -> str | None:
    """The detector's guess as a WHATWG name, where the page bears it out; else None.

    A few accents or typographic quotes in English make the detector name whatever alphabet they would fit as well. So a guess
    needs a share of the letters, and one that pages do not use is none.
    """
    import cchardet

    words = MARKUP.sub(b" ", body)
    first = NON_ASCII.search(words)
    if first is None:
        return None
    begin = max(0, first.start() - DETECTOR_LEAD_BYTES)
    words = words[begin : begin + DETECTOR_BYTES]
    guess = cchardet.detect(words)
    if (guess["confidence"] or 0.0) < MIN_CONFIDENCE:
        return None
    label = (guess["encoding"] or "").lower()
    encoding = _find_encoding(DETECTOR_LABELS.get(label, label))
    if encoding is None or encoding.startswith("utf-"):
        return None
    foreign = len(NON_ASCII.findall(words))
    share = MIN_FOREIGN_SHARE.get(encoding, MIN_FOREIGN_SHARE_ELSEWHERE)
    if share is None or foreign < share * (foreign + len(ASCII_LETTER.findall(words))):
        return None
    if _decode_as(words, encoding, "detector").errors > MAX_ERROR_SHARE * foreign:
        return None
    return encoding


def _decode_as(body: bytes, encoding: str, source: EncodingSource) -> Decoded:
    """Decodes by one encoding, every byte that it cannot read becoming U+FFFD."""
    if encoding == "utf-8" and (valid := _decode_valid_utf8(body, source)) is not None:
        return valid
    codec = MULTI_BYTE_CODECS.get(encoding)
    if codec is None:
        text, _ = codecs.charmap_decode(body, "strict", _single_byte_table(encoding))
    else:
        text = body.decode(codec, _ERROR_HANDLERS.get(encoding, "replace"))
    if encoding in TRANSLATED:
        text = text.translate(TRANSLATED[encoding])
    if encoding != "utf-8":
        text = SURROGATE.sub(REPLACEMENT, text)
    text = text.removeprefix("\ufeff")
    errors = text.count(REPLACEMENT)
    if errors and encoding == "utf-8":
        errors -= body.count(b"\xef\xbf\xbd")  # the page's own
    return Decoded(text, encoding, source, errors)


def _decode_valid_utf8(body: bytes, source: EncodingSource) -> Decoded | None:
    """Decodes UTF-8 without errors, as nearly all pages are; None for any other."""
    body = body.removeprefix(codecs.BOM_UTF8)
    try:
        return Decoded(body.decode(), "utf-8", source, 0, as_sent=body)
    except UnicodeDecodeError:
        return None


@cache
def _single_byte_table(encoding: str) -> str:
    """The 256 characters of a single-byte encoding. Where Python leaves 0x80-0x9F open, the standard has C1 controls."""
    if encoding == "x-user-defined":
        return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in range(256))
    codec = SINGLE_BYTE_CODECS.get(encoding, encoding)
    table = []
    for byte in range(256):
        character = MENDED_BYTES.get(encoding, {}).get(byte) or bytes([byte]).decode(codec, "replace")
        table.append(chr(byte) if character == REPLACEMENT and 0x80 <= byte <= 0x9F else character)
    return "".join(table)


def _mend_chinese(error: UnicodeError) -> tuple[str, int]:
    """0x80 is the Euro sign of GBK as Windows has it."""
    assert isinstance(error, UnicodeDecodeError)
    byte = error.object[error.start]
    return ("\u20ac" if byte == 0x80 else REPLACEMENT), error.start + 1


def _mend_japanese(error: UnicodeError) -> tuple[str, int]:
    """Characters of NEC and IBM, circled numbers and such, which Python knows in Shift_JIS only: same place, other arithmetic."""
    assert isinstance(error, UnicodeDecodeError)
    pair = error.object[error.start : error.start + 2]
    row, cell = ((byte & 0x7F) - 0x20 for byte in pair.ljust(2, b"\0"))
    if 1 <= row <= 94 and 1 <= cell <= 94:
        lead = (row - 1) // 2 + (0x81 if row <= 62 else 0xC1)
        trail = cell + 0x9E if row % 2 == 0 else cell + (0x3F if cell <= 63 else 0x40)
        character = bytes((lead, trail)).decode("cp932", "replace")
        if REPLACEMENT not in character:
            return character, error.start + 2
    return REPLACEMENT, error.start + 1


_ERROR_HANDLERS = {
    "gbk": "interleaf.chinese",
    "gb18030": "interleaf.chinese",
    "euc-jp": "interleaf.japanese",
    "iso-2022-jp": "interleaf.japanese",
}
codecs.register_error("interleaf.chinese", _mend_chinese)
codecs.register_error("interleaf.japanese", _mend_japanese)
