"""Which responses are pages (design.md `select`, field_reports.md D15) and images (images.md 9)."""

from __future__ import annotations

import random

import pytest

from transforms.archives.select import SelectConfig, is_image, sample_drop, select_page
from transforms.archives.sniff import sniff_type
from transforms.records import Page, Response, Source

SOURCE = Source("a.warc.gz", 12, 34, "<urn:uuid:1>", "sha1:A")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
HTML = b"<!DOCTYPE html><p>x"


def response(
    body: bytes = HTML,
    content_type: str | None = "text/html",
    status: int = 200,
    url: str = "https://www.example.org/news/a?b",
    date: str | None = "2024-05-06T07:08:09Z",
) -> Response:
    return Response(url, status, content_type, body, SOURCE, date, ("length_mismatch",), (("x-robots-tag", "noai"),))


def test_page_keeps_what_the_response_has():
    assert select_page(response(), SelectConfig()) == Page(
        "https://www.example.org/news/a?b",
        HTML,
        "text/html",
        SOURCE,
        "2024-05-06T07:08:09Z",
        ("length_mismatch",),
        (("x-robots-tag", "noai"),),
    )


CASES = [
    (response(status=404), {}, "select.status"),
    (response(status=404), {"status": (200, 404)}, None),
    (response(status=404), {"status": None}, None),
    (response(content_type="Text/HTML; charset=utf-8"), {}, None),
    (response(content_type="application/xhtml+xml"), {}, None),
    (response(content_type="text/plain"), {}, "select.mime"),
    (response(content_type="text/plain"), {"mime": ("text/plain",)}, None),
    (response(content_type="text/plain"), {"mime": None}, None),
    (response(PNG, "image/png"), {}, "select.mime"),
    # No type, or one that says nothing: sniffed.
    (response(content_type=None), {}, None),
    (response(content_type=""), {}, None),
    (response(content_type="html"), {}, None),
    (response(content_type="application/octet-stream"), {}, None),
    (response(b"\xef\xbb\xbf \n<HTML lang=en>", None), {}, None),
    (response(b"<!-- x --><p>", None), {}, None),
    (response(b"<?xml version='1.0'?><html xmlns='x'>", None), {}, None),
    (response(b"<?xml version='1.0'?><rss>", None), {}, "select.mime"),
    (response(b"just text", None), {}, "select.mime"),
    (response(b"<bodyguard>", None), {}, "select.mime"),
    (response(PNG, None), {}, "select.mime"),
    ("<html>日本".encode("utf-16-le"), {}, None),
    # D15 and its relatives.
    (response(PNG), {}, "select.sniffed_binary"),
    (response(b"%PDF-1.7"), {}, "select.sniffed_binary"),
    (response(b"\xff\xd8\xff\xe0" + bytes(9)), {}, "select.sniffed_binary"),
    (response(b"PK\x03\x04" + bytes(9)), {}, "select.sniffed_binary"),
    (response(random.Random(1).randbytes(3000)), {}, "select.sniffed_binary"),
    (response(b"plain words said to be HTML"), {}, None),
    (response(b"<p>one stray \x00 byte" + b"x" * 100), {}, None),
    (response(b"text with one stray \x00 byte" + b"x" * 100), {}, None),
    (response("<p>text".encode("utf-16-le")), {}, None),
    (response("これは".encode("iso2022_jp") * 9), {}, None),
    (response("Привет ".encode("cp1251") * 9), {}, None),
    (response(b""), {}, "select.empty_body"),
    (response(b" \r\n\t"), {}, "select.empty_body"),
    # Hosts and dates.
    (response(), {"allow": ("example.org",)}, None),
    (response(), {"allow": ("EXAMPLE.org/news/",)}, None),
    (response(), {"allow": ("example.org/blog/",)}, "select.allow"),
    (response(), {"allow": ("ample.org",)}, "select.allow"),
    (response(), {"allow": ()}, "select.allow"),
    (response(url="http://[broken"), {"allow": ("example.org",)}, "select.allow"),
    (response(), {"deny": ("example.org",)}, "select.deny"),
    (response(), {"deny": ("example.com",)}, None),
    (response(), {"deny": ()}, None),
    (response(), {"dates": ("2024-05-06", "2024-05-06")}, None),
    (response(), {"dates": ("2024", None)}, None),
    (response(), {"dates": (None, "2024-04")}, "select.date"),
    (response(), {"dates": ("2024-05-07", None)}, "select.date"),
    (response(date=None), {"dates": ("2000", None)}, "select.date"),
]


@pytest.mark.parametrize(("given", "config", "rule"), CASES)
def test_selects(given, config, rule):
    given = given if isinstance(given, Response) else response(given)
    selected = select_page(given, SelectConfig(**config))
    if rule is None:
        assert isinstance(selected, Page)
    else:
        assert (selected.rule, selected.target_id, selected.url, selected.file, selected.offset) == (
            rule,
            "<urn:uuid:1>",
            given.url,
            "a.warc.gz",
            12,
        )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (response(PNG, "image/png"), True),
        (response(PNG, "image/png", status=404), False),
        (response(PNG, "text/html"), True),
        (response(b"RIFF\0\0\0\0WEBPVP8 ", None), True),
        (response(b"\0\0\0\x1cftypavif\0\0\0\0", None), True),
        (response(b"GIF89a", None), True),
        (response(b"<svg>", "image/svg+xml"), True),
        (response(HTML), False),
        (response(b"", None), False),
    ],
)
def test_images_by_header_or_bytes(given, expected):
    assert is_image(given) is expected


@pytest.mark.parametrize(
    ("body", "mime"),
    [
        (b"<?xml version='1.0'?><svg xmlns='x'>", "image/svg+xml"),
        (b"\0\0\0\x18ftypheic", "image/heif"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", "image/avif"),
        (b"\0\0\0\x18ftypisom", "video/mp4"),
        (bytes(100), "application/octet-stream"),
        (b"a,b", "text/plain"),
    ],
)
def test_sniffs(body, mime):
    assert sniff_type(body) == mime


LANGUAGE_CASES = [
    (b"<html lang=de><p>x", (), None),
    (b"<html lang='de-AT'><p>x", (), None),
    (b'<!DOCTYPE html>\n<HTML class="a" LANG="DE" dir=ltr><p>x', (), None),
    (b"<html lang=en><p>x", (), "select.language"),
    (b'<html xmlns="x" xml:lang="fr" lang="fr">', (), "select.language"),
    (b"<html><p>x", ("de",), None),
    (b"<html><p>x", ("en-US",), "select.language"),
    (b"<html><p>x", ("en, de",), None),
    (b"<html><p>x", ("en", "de"), None),
    (b"<html lang=en><p>x", ("de",), None),
    (b"<html><p>x", (), None),
    (b"<html lang=''><p>x", (), None),
    (b"<html lang=qq><p>x", (), None),
    (b"<html><p lang=en>x", (), None),
    (b"<html data-lang=en><p>x", (), None),
    (b"<html><p>x", ("*",), None),
]


@pytest.mark.parametrize(("body", "header", "rule"), LANGUAGE_CASES)
def test_a_page_that_says_it_is_in_another_language_is_left_out(body, header, rule):
    page = Response("http://a.example/", 200, "text/html", body, SOURCE, headers=tuple(("content-language", v) for v in header))
    item = select_page(page, SelectConfig(languages=("deu",)))
    assert (None if isinstance(item, Page) else item.rule) == rule
    assert isinstance(select_page(page, SelectConfig()), Page)


def test_an_unknown_language_code_is_no_configuration():
    with pytest.raises(ValueError, match="unknown language code"):
        SelectConfig(languages=("klingonish",))


URLS = [f"https://e.example/{i}" for i in range(4000)]


def test_a_sample_is_a_share_of_the_urls_and_a_smaller_one_is_part_of_it():
    kept = {share: {url for url in URLS if sample_drop(response(url=url), share) is None} for share in (0.01, 0.1, 1.0)}
    assert kept[0.01] < kept[0.1] < kept[1.0] == set(URLS)
    assert 300 < len(kept[0.1]) < 500
    assert all(sample_drop(response(url=url), None) is None for url in URLS[:3])


def test_what_is_not_in_the_sample_is_a_drop_with_its_place_and_the_share():
    drops = [drop for url in URLS if (drop := sample_drop(response(url=url), 0.5)) is not None]
    assert all(drop.rule == "select.sample" and drop.threshold == 0.5 <= drop.value < 1 for drop in drops)
    assert drops[0].target_id == SOURCE.record_id
