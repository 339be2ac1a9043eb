"""The one place that parses HTML (spec/parser.md)."""

from __future__ import annotations

from codecs import BOM_UTF8

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

__all__ = ["LexborHTMLParser", "LexborNode", "parse_html", "parse_utf8"]


def parse_utf8(html: bytes) -> LexborHTMLParser:
    """Parses a decoded page in UTF-8, such as `Decoded.utf8`, into a tree as `parse_html` does. The bytes are not looked at."""
    return LexborHTMLParser(html.removeprefix(BOM_UTF8), options=LexborDocumentOptions.WO_EVENTS)


def parse_html(text: str) -> LexborHTMLParser:
    """Parses a decoded page into a tree.

    Without events, so that `<selectedcontent>` does not repeat an option's text, and without scripting, so that `noscript` is
    markup. A leading byte order mark is removed: as text it would move the content of `head` into `body`. A lone surrogate is
    dropped by the parser; `transforms.archives.encoding` decodes so that none occurs.

    `transforms.html.limits.parse_within` looks at a page first: a parse cannot be interrupted, and deep nesting takes quadratic
    time.

    Raises `TypeError` for anything but `str`: the parser would take bytes as UTF-8, whatever the page says.
    """
    if not isinstance(text, str):
        raise TypeError(f"parse_html needs the decoded page as str, got {type(text).__name__}; decode with decode_html first")
    return parse_utf8(text.encode("utf-8", "ignore"))
