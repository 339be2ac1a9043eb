"""What the bytes of a wanted image are worth (images.md 8, 9)."""

from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path

import pytest
from PIL import Image

from scripts.bench.warc_builder import chunked, gzip_member, http_response, warc_record
from transforms.images.inline import read_data_url
from transforms.images.prepare import StoredImageConfig
from transforms.images.resize import ResizeConfig
from transforms.images.resolve import resolve_image
from transforms.records import WantedImage

URL = "https://e.x/a.png"
KEY = b"k" * 16


def picture(width: int = 200) -> bytes:
    body = io.BytesIO()
    Image.new("RGB", (width, width * 4 // 5), (1, 2, 3)).save(body, "PNG")
    return body.getvalue()


PNG = picture()


def nothing_inline(file: str, offset: int, length: int) -> bytes:
    raise AssertionError(f"{file} was read")


def test_what_is_settled_already_is_not_read() -> None:
    wanted = WantedImage(KEY, URL, [2], status="rule_word", value=1, threshold=0, file="nowhere", offset=0, length=1)
    outcome, stored = resolve_image(wanted, StoredImageConfig(), nothing_inline)
    assert stored == b""
    assert (outcome.status, outcome.shards, outcome.value, outcome.sha256) == ("rule_word", [2], 1, None)


LENGTH = f"Content-Length: {len(PNG)}"
CASES = [
    # body as stored, HTTP headers, WARC headers, status, flags
    (PNG, [LENGTH], [], "ok", ()),
    (PNG, [], [], "ok", ()),
    (PNG, ["Content-Length: 1"], [], "ok", ()),
    (PNG, [f"Content-Length: {len(PNG) + 1}"], [], "short_body", ("warc_truncated",)),
    (PNG[:-40], [LENGTH], [], "short_body", ("warc_truncated",)),
    (PNG[:-40], [LENGTH], ["WARC-Truncated: length"], "short_body", ("warc_truncated",)),
    (PNG[:-40], [], ["WARC-Truncated: length"], "truncated_image", ("warc_truncated",)),
    (PNG[:-40], [], [], "truncated_image", ()),
    (PNG, [LENGTH], ["WARC-Truncated: time"], "ok", ("warc_truncated",)),
    (gzip_member(PNG), ["Content-Encoding: gzip", f"Content-Length: {len(PNG) * 9}"], [], "ok", ("warc_truncated",)),
    (gzip_member(PNG), ["Content-Encoding: gzip", f"Content-Length: {len(gzip_member(PNG))}"], [], "ok", ()),
    (chunked(PNG, 99), ["Transfer-Encoding: chunked", LENGTH], [], "ok", ()),
    (chunked(PNG, 99)[:150], ["Transfer-Encoding: chunked"], [], "truncated_image", ("warc_truncated",)),
    (b"", [LENGTH], [], "empty_body", ("warc_truncated",)),
]


@pytest.mark.parametrize(("body", "headers", "warc_headers", "status", "flags"), CASES)
def test_a_cut_body_is_told_and_flagged(
    body: bytes, headers: list[str], warc_headers: list[str], status: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    record = gzip_member(warc_record(http_response(body, *headers, content_type="image/png"), URL, *warc_headers))
    (tmp_path / "a.warc.gz").write_bytes(record)
    wanted = WantedImage(KEY, URL, [0], file=str(tmp_path / "a.warc.gz"), offset=0, length=len(record), captured="2024")
    outcome, stored = resolve_image(wanted, StoredImageConfig(), nothing_inline)
    assert (outcome.status, outcome.flags) == (status, flags)
    assert stored == (PNG if status == "ok" else b"")
    assert (outcome.source, outcome.date, outcome.content_type) == ("archive", "2024", "image/png")


def test_an_image_behind_redirects_says_where_it_was_found(tmp_path: Path) -> None:
    record = gzip_member(warc_record(http_response(PNG, content_type="image/png"), "https://e.x/c.png"))
    (tmp_path / "a.warc.gz").write_bytes(record)
    place = {"file": str(tmp_path / "a.warc.gz"), "offset": 0, "length": len(record)}
    wanted = WantedImage(KEY, URL, [0], trail=["https://e.x/b.png", "https://e.x/c.png"], **place)
    outcome, _ = resolve_image(wanted, StoredImageConfig(), nothing_inline)
    assert (outcome.status, outcome.url, outcome.final_url, outcome.hops) == ("ok", URL, "https://e.x/c.png", 2)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (PNG, "ok"),
        (PNG[:-40], "truncated_image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "unsupported_format"),
        (picture(3), "placeholder"),
        (picture(4), "too_small"),
    ],
)
def test_an_image_in_a_page_is_validated_as_any_other(body: bytes, status: str) -> None:
    image = read_data_url("data:image/png;base64," + base64.b64encode(body).decode())
    assert image is not None
    wanted = WantedImage(KEY, image.url, [0], file="stages/inline/a.bodies", offset=6, length=len(body))
    bodies = {"stages/inline/a.bodies": b"before" + body}
    outcome, stored = resolve_image(wanted, StoredImageConfig(), lambda file, at, size: bodies[file][at : at + size])
    assert (outcome.status, outcome.source) == (status, "inline")
    assert stored == (body if status == "ok" else b"")


def test_a_resize_mode_changes_what_is_stored_and_nothing_of_where_it_came_from(tmp_path: Path) -> None:
    record = gzip_member(warc_record(http_response(PNG, content_type="image/png"), URL))
    (tmp_path / "a.warc.gz").write_bytes(record)
    wanted = WantedImage(KEY, URL, [0], file=str(tmp_path / "a.warc.gz"), offset=0, length=len(record))
    plain, _ = resolve_image(wanted, StoredImageConfig(), nothing_inline)
    resized, stored = resolve_image(wanted, StoredImageConfig(resize=ResizeConfig(mode="keep_ratio", size=80)), nothing_inline)
    assert (resized.format, resized.width, resized.height, resized.bytes) == ("JPEG", 100, 80, len(stored))
    assert (resized.source_sha256, resized.file, resized.offset) == (plain.sha256, plain.file, plain.offset)
    assert resized.sha256 == hashlib.sha256(stored).hexdigest()
