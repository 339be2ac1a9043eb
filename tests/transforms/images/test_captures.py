"""What an archived response says about the image at its URL (images.md 9)."""

from __future__ import annotations

import pytest

from transforms.archives.warc import UNRESOLVED
from transforms.images.captures import capture_row, capture_sighting, unresolved_row
from transforms.images.urls import url_key
from transforms.records import Drop, Response, Sighting, Source

URL = "https://e.x/d/a.png"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(30)
SOURCE = Source("a.warc.gz", 4, 5, "<id>", "sha1:A")


def response(status: int = 200, body: bytes = PNG, content_type: str | None = "image/png", **headers: str) -> Response:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(URL, status, content_type, body, SOURCE, "2024-01-01T00:00:00Z", headers=pairs)


@pytest.mark.parametrize(
    ("given", "kind", "target"),
    [
        (response(), "image", None),
        (response(content_type="text/html"), "image", None),
        (response(body=b"<html>"), "image", None),
        (response(body=b"<html>", content_type="text/html"), None, None),
        (response(404), "error", None),
        (response(500, b"<html>", "text/html"), "error", None),
        (response(301, b"", None, location="b.png"), "redirect", "https://e.x/d/b.png"),
        (response(302, location=" //c.x/b.png "), "redirect", "https://c.x/b.png"),
        (response(303, location="/größe.png"), "redirect", "https://e.x/gr%C3%B6%C3%9Fe.png"),
        (response(307, location="https://user:secret@c.x/b"), "redirect", "https://c.x/b"),
        (response(308, location="ftp://c.x/b"), "redirect", "ftp://c.x/b"),
        (response(301), "error", None),
        (response(302, location="http://["), "error", None),
        (response(304, location="b.png"), "error", None),
        (response(300, location="b.png"), "error", None),
    ],
)
def test_kinds_of_capture(given: Response, kind: str | None, target: str | None) -> None:
    row = capture_row(given)
    assert (None if row is None else (row["kind"], row["target"])) == (None if kind is None else (kind, target))


def test_a_row_keeps_the_place_the_date_and_what_the_owner_says() -> None:
    row = capture_row(response(x_robots_tag="noai", server="x"))
    assert row is not None
    assert row["url_key"] == url_key(URL)
    assert capture_sighting(row) == Sighting(
        URL, "image", "2024-01-01T00:00:00Z", file="a.warc.gz", offset=4, length=5, record_id="<id>", digest="sha1:A",
        http_status=200, directives=["x-robots-tag: noai"],
    )  # fmt: skip


def test_a_revisit_without_its_original_is_known_by_its_url() -> None:
    row = unresolved_row(Drop("read", UNRESOLVED, "record", "<id>", URL, file="a", offset=3))
    assert row is not None
    assert (row["kind"], row["url_key"], capture_sighting(row).offset) == ("revisit", url_key(URL), 3)
    assert unresolved_row(Drop("read", UNRESOLVED, "record", "<id>")) is None
