"""Revisits of pages and images in a run: joined to originals in other files, each counted once (field_reports.md D12)."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image
from run_helpers import run_build

from pipelines.run_rows import data_rows, drop_rows
from pipelines.verify import verify_run
from scripts.bench.warc_builder import gzip_member, http_response, warc_record

WORDS = (
    "The harbour was quiet in the morning, and the boats lay side by side in the pale light. "
    "People came down to the water with baskets and talked about the weather of the coming days."
)
PAGE = f"<html><head><title>Harbour</title></head><body><h1>Harbour</h1>{f'<p>{WORDS}</p>' * 6}<img src='/pier.png'></body></html>"


def picture() -> bytes:
    stream = io.BytesIO()
    Image.effect_noise((300, 200), 90).convert("RGB").save(stream, "PNG")
    return stream.getvalue()


def response(url: str, body: bytes, digest: str, content_type: str = "text/html", date: str = "2024-01-01T00:00:00Z") -> bytes:
    headers = (f"WARC-Payload-Digest: {digest}",)
    record = warc_record(http_response(body, content_type=content_type), url, *headers, record_id=f"<urn:{url}:{date}>")
    return gzip_member(record.replace(b"2024-05-06T07:08:09Z", date.encode(), 1))


def revisit(url: str, digest: str, date: str, *headers: str) -> bytes:
    named = [f"WARC-Payload-Digest: {digest}"] if digest else []
    record = warc_record(b"", url, *named, *headers, warc_type="revisit", record_id=f"<urn:{url}:{date}>")
    return gzip_member(record.replace(b"2024-05-06T07:08:09Z", date.encode(), 1))


REVISITS = b"".join(
    (
        revisit("http://a.example/page", "sha1:PAGE", "2024-02-02T00:00:00Z"),  # the same URL, later
        revisit("http://mirror.example/page", "sha1:page", "2024-03-03T00:00:00Z"),
        revisit("http://mirror.example/pier.png", "sha1:PIER", "2024-03-03T00:00:00Z"),
        revisit("http://a.example/gone", "sha1:GONE", "2024-03-03T00:00:00Z"),
        revisit("http://a.example/page", "sha1:PAGE", "2024-02-02T00:00:00Z"),  # the same record again
        revisit(
            "http://third.example/page",
            "",
            "2024-04-04T00:00:00Z",
            "WARC-Refers-To-Target-URI: http://a.example/page",
            "WARC-Refers-To-Date: 2024-01-01T00:00:00Z",
        ),
        revisit(
            "http://fourth.example/page",
            "sha1:OTHER",
            "2024-04-04T00:00:00Z",
            "WARC-Refers-To-Target-URI: http://a.example/page",
            "WARC-Refers-To-Date: 2024-01-01T00:00:00Z",
        ),
    )
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("revisits")
    (folder / "a.warc.gz").write_bytes(REVISITS)
    (folder / "b.warc.gz").write_bytes(
        response("http://a.example/page", PAGE.encode(), "sha1:PAGE")
        + response("http://a.example/pier.png", picture(), "sha1:PIER", "image/png")
    )
    assert run_build([str(folder / "*.warc.gz")], folder / "out", overrides=["input.range_bytes=100000", "output.shards=1"])[0] == 0
    return folder / "out"


def test_a_page_stands_under_each_url_and_date_with_the_place_of_its_bytes(run: Path) -> None:
    rows = list(data_rows(run))
    assert Counter((row["url"], row["date"][:7]) for row in rows) == {
        ("http://a.example/page", "2024-01"): 1,
        ("http://a.example/page", "2024-02"): 1,
        ("http://mirror.example/page", "2024-03"): 1,
        ("http://third.example/page", "2024-04"): 1,
    }
    assert len({row["id"] for row in rows}) == 4
    assert {(Path(row["source"]["file"]).name, row["source"]["offset"]) for row in rows} == {("b.warc.gz", 0)}
    assert len({row["texts"][0] for row in rows}) == 1


def test_an_image_that_a_revisit_answers_has_the_bytes_of_the_original(run: Path) -> None:
    images = {row["url"]: [node["image"] for node in row["nodes"] if node["image"]] for row in data_rows(run)}
    assert [image["url"] for image in images["http://mirror.example/page"]] == ["http://mirror.example/pier.png"]
    assert len({image["sha256"] for of_page in images.values() for image in of_page}) == 1


def test_what_is_not_resolved_is_named_and_everything_is_counted(run: Path) -> None:
    dropped = [(drop["rule"], drop["url"]) for drop in drop_rows(run) if drop["stage"] == "read"]
    assert sorted(dropped) == [
        ("read.revisit_repeated", "http://a.example/page"),
        ("read.revisit_unresolved", "http://a.example/gone"),
        ("read.revisit_unresolved", "http://fourth.example/page"),
    ]
    read = json.loads((run / "stats.json").read_text())["stages"]["read"]
    assert (read["in"], read["out"]) == (9, 6)
    for result in verify_run(run):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"
