"""Images of an archive in a run: redirects, refusals, revisits, several captures; every URL is counted once (images.md 9, 10)."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import random
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image
from run_helpers import run_build

from pipelines.run_rows import data_rows
from pipelines.verify import verify_run
from scripts.bench.warc_builder import gzip_member, http_response, warc_record
from transforms.images.statuses import STATUS_CLASSES

HOST = "http://e.example"
WORDS = (
    "The harbour was quiet in the morning, and the boats lay side by side in the pale light. "
    "People came down to the water with baskets and talked about the weather of the coming days."
)


def png(seed: int, side: int = 200) -> bytes:
    body = io.BytesIO()
    Image.frombytes("RGB", (side, side), random.Random(seed).randbytes(3 * side * side)).save(body, "PNG", compress_level=1)
    return body.getvalue()


def page(path: str, *images: str, head: str = "", date: str = "2024-05-06") -> bytes:
    tags = "".join(f"<p>{WORDS} {n}</p><img src='{src}'>" for n, src in enumerate(images))
    html = f"<html><head><title>{path}</title>{head}</head><body><h1>Harbour</h1>{f'<p>{WORDS}</p>' * 6}{tags}</body></html>"
    return record(path, html.encode(), "text/html", date=date)


def record(
    path: str, body: bytes, content_type: str = "image/png", *headers: str, status: str = "200 OK", date: str = "2024-05-06",
    warc: tuple[str, ...] = (), kind: str = "response",
) -> bytes:  # fmt: skip
    content = http_response(body, *headers, status=status, content_type=content_type)
    made = warc_record(content, HOST + path, *warc, record_id=f"<urn:{path}:{date}:{kind}>", warc_type=kind)
    return gzip_member(made.replace(b"2024-05-06", date.encode(), 1))


def moved(path: str, target: str) -> bytes:
    return record(path, b"", "text/html", f"Location: {target}", status="302 Found")


ARCHIVE: list[bytes] = [
    page("/a", "/ok.png", "/moved-1.png", "/round.png", "/lost.png", "/gone.png", "/kept.png", "/repeated.png", "/never.png"),
    page("/b", "/ok.png", "/dates.png", "/far.png", "/six.png", date="2024-05-06"),
    page("/c", "/only-here.png", "/ok.png", head="<meta name=robots content='noai'>"),
    record("/ok.png", png(1)),
    moved("/moved-1.png", "/moved-2.png"), moved("/moved-2.png", "http://e.example/moved-3.png"),
    moved("/moved-3.png", "moved-4.png#x"), record("/moved-4.png", png(2)),
    moved("/round.png", "/square.png"), moved("/square.png", "/round.png"),
    moved("/lost.png", "/nowhere.png"),
    record("/gone.png", b"no", "text/html", status="410 Gone"),
    record("/kept.png", png(3), "image/png", "X-Robots-Tag: otherbot: all", "X-Robots-Tag: NoAI"),
    record("/repeated.png", b"", warc=("WARC-Payload-Digest: sha1:NOT-HERE",), kind="revisit"),
    record("/only-here.png", png(4)),
    record("/dates.png", png(5), date="2020-01-01"), record("/dates.png", png(6), date="2024-05-01"),
    record("/dates.png", png(7), date="2024-06-01"),
    moved("/far.png", "/1.png"), *(moved(f"/{n}.png", f"/{n + 1}.png") for n in range(1, 5)), record("/5.png", png(8)),
    moved("/six.png", "/far.png"),
]  # fmt: skip

EXPECTED = {
    "/ok.png": "ok",
    "/moved-1.png": "ok",
    "/round.png": "archived_redirect_unresolved",
    "/lost.png": "archived_redirect_unresolved",
    "/gone.png": "archived_http_error",
    "/kept.png": "optout_header",
    "/repeated.png": "revisit_unresolved",
    "/never.png": "not_in_archive",
    "/only-here.png": "optout_page",
    "/dates.png": "ok",
    "/far.png": "ok",
    "/six.png": "archived_redirect_unresolved",
}


def build(folder: Path, files: list[list[bytes]], *overrides: str) -> Path:
    folder.mkdir()
    for number, members in enumerate(files):
        (folder / f"{number}.warc.gz").write_bytes(b"".join(members))
    repeated = [f"rules.{level}.{unit}_repetition=null" for level in ("document", "paragraph") for unit in ("char", "word")]
    settings = ["extract.main_content.method=off", "output.shards=1", *repeated, *overrides]
    assert run_build([str(folder / "*.warc.gz")], folder / "out", overrides=settings)[0] == 0
    return folder / "out"


def outcomes(run: Path) -> dict[str, dict[str, object]]:
    rows = [row for path in sorted((run / "stages/outcomes").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    assert len({row["url"] for row in rows}) == len(rows)
    return {str(row["url"]).removeprefix(HOST): row for row in rows}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("images")
    return build(folder / "run", [ARCHIVE[::2], ARCHIVE[1::2]])


def test_every_url_ends_with_its_status_and_all_are_counted(run: Path) -> None:
    found = outcomes(run)
    assert {path: row["status"] for path, row in found.items()} == EXPECTED
    stage = json.loads((run / "stats.json").read_text())["stages"]["images"]
    assert stage == {
        "in": len(EXPECTED),
        "out": sum(status == "ok" for status in EXPECTED.values()),
        "drops": dict(sorted(Counter(status for status in EXPECTED.values() if status != "ok").items())),
    }
    assert set(EXPECTED.values()) <= set(STATUS_CLASSES)
    for result in verify_run(run):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"


def test_a_chain_of_redirects_leads_to_the_bytes_and_is_recorded(run: Path) -> None:
    row = outcomes(run)["/moved-1.png"]
    assert (row["final_url"], row["hops"], row["source"]) == (f"{HOST}/moved-4.png#x", 3, "archive")
    (document,) = [row for row in data_rows(run) if row["url"] == f"{HOST}/a"]
    assert f"{HOST}/moved-1.png" in [node["image"]["url"] for node in document["nodes"] if node["image"] is not None]


def test_a_page_that_refuses_has_no_image_and_takes_none_from_another(run: Path) -> None:
    images = {row["url"]: sum(image is not None for image in row["images"]) for row in data_rows(run)}
    assert images[f"{HOST}/c"] == 0
    assert images[f"{HOST}/b"] == 3
    assert outcomes(run)["/only-here.png"]["detail"] == 'noai in "meta robots: noai"'
    assert outcomes(run)["/kept.png"]["detail"] == 'noai in "x-robots-tag: NoAI"'


def test_the_capture_nearest_to_the_page_is_taken_however_the_input_is_cut(run: Path, tmp_path: Path) -> None:
    assert outcomes(run)["/dates.png"]["date"] == "2024-05-01T07:08:09Z"
    shuffled = ARCHIVE[:]
    random.Random(5).shuffle(shuffled)
    other = outcomes(build(tmp_path / "other", [shuffled[n::5] for n in range(5)]))

    def facts(rows: dict[str, dict[str, object]]) -> dict[str, tuple[object, ...]]:
        return {path: tuple(row[k] for k in ("status", "sha256", "date", "final_url", "hops")) for path, row in rows.items()}

    assert facts(other) == facts(outcomes(run))


def test_settings_heed_no_refusal_or_drop_the_page_with_its_images(tmp_path: Path) -> None:
    heedless = build(tmp_path / "heedless", [ARCHIVE], "images.optout.enabled=false")
    found = {path: row["status"] for path, row in outcomes(heedless).items()}
    assert found == {**EXPECTED, "/kept.png": "ok", "/only-here.png": "ok"}
    strict = build(tmp_path / "strict", [ARCHIVE], "images.optout.on_page=page")
    assert {row["url"] for row in data_rows(strict)} == {f"{HOST}/a", f"{HOST}/b"}
    assert json.loads((strict / "stats.json").read_text())["stages"]["documents"]["drops"] == {"optout.page": 1}


def test_many_documents_that_share_a_few_images_look_each_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """100 documents, 50 images in each: 50 look-ups, 50 stored images, 5,000 references."""
    import transforms.images.resolve as resolve

    reads: Counter[int] = Counter()
    real = resolve.read_record

    def counting(file: str, offset: int, *rest: object) -> object:
        reads[offset] += 1
        return real(file, offset, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(resolve, "read_record", counting)
    images = [f"/{n}-shared.png" for n in range(50)]
    tags = "".join(f"<img src='{path}'>" for path in images)
    html = f"<h1>Harbour</h1>{f'<p>{WORDS}</p>' * 6}{tags}".encode()
    members = [record(path, png(n, 150)) for n, path in enumerate(images)]
    members += [record(f"/{n}", html, "text/html") for n in range(100)]
    folder = build(tmp_path / "run", [members], "rules.document.images.max=60")
    assert sorted(reads.values()) == [1] * 50
    rows = list(data_rows(folder))
    assert len(rows) == 100
    assert {sum(image is not None for image in row["images"]) for row in rows} == {50}
    stats = json.loads((folder / "stats.json").read_text())
    assert (stats["stages"]["images"], stats["stored_images"]) == ({"in": 50, "out": 50, "drops": {}}, 50)


def data_url(body: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(body).decode()}"


def test_images_that_stand_in_pages_are_stored_once_and_rejected_references_are_counted(tmp_path: Path) -> None:
    inside = data_url(png(1, 160))
    members = [
        page("/a", inside, "data:image/gif;base64,R0lGODlhAQABAAAAACw=", "ftp://e.example/x.png", "http://["),
        page("/b", inside, "/ok.png"),
        record("/ok.png", png(1, 160)),
    ]
    run = build(tmp_path / "run", [members[:1], members[1:]])
    found = outcomes(run)
    statuses = Counter((row["status"], row["source"]) for row in found.values())
    assert statuses == {
        ("ok", "inline"): 1,
        ("ok", "archive"): 1,
        ("placeholder", None): 1,
        ("scheme_not_allowed", None): 1,
        ("bad_url", None): 1,
    }
    stats = json.loads((run / "stats.json").read_text())
    assert stats["stored_images"] == 1
    assert stats["stages"]["images"]["in"] == 5
    images = {row["url"]: [node["image"] for node in row["nodes"] if node["image"] is not None] for row in data_rows(run)}
    assert [image["source"] for image in images[f"{HOST}/a"]] == ["inline"]
    assert images[f"{HOST}/a"][0]["candidates"][0]["origin"] == "inline"
    for result in verify_run(run):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"


def test_resized_images_are_stored_once_and_verified(tmp_path: Path) -> None:
    members = [page("/a", "/1.png", "/2.png", data_url(png(3, 160))), record("/1.png", png(1)), record("/2.png", png(1))]
    settings = ["images.resize.mode=border", "images.resize.size=64", "images.perceptual_hash=true", "output.inline_images=true"]
    run = build(tmp_path / "run", [members], *settings, "rules.image.width=null", "rules.image.height=null")
    rows = [row for path in sorted((run / "images").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    assert len(rows) == 2
    assert {(row["format"], row["width"], row["height"]) for row in rows} == {("JPEG", 64, 64)}
    assert {Image.open(io.BytesIO(row["bytes"])).size for row in rows} == {(64, 64)}
    sources = {hashlib.sha256(body).hexdigest() for body in (png(1), png(3, 160))}
    assert {row["source_sha256"] for row in rows} == sources
    assert all(len(row["perceptual_hash"]) == 16 for row in rows)
    (document,) = data_rows(run)
    assert {image["bytes"] for image in document["images"] if image is not None} == {row["bytes"] for row in rows}
    for result in verify_run(run):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"


def test_a_row_with_too_many_inline_images_is_flagged_and_loads(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    paths = [f"/{number}.png" for number in range(3)]
    members = [page("/a", *paths), page("/b", *paths[:2]), *(record(path, png(n)) for n, path in enumerate(paths))]
    run = build(tmp_path / "run", [members], "output.inline_images=true", "output.inline_max_images=2")
    rows = {row["url"]: row for row in data_rows(run)}
    assert {url: sum(image is not None for image in row["images"]) for url, row in rows.items()} == {f"{HOST}/a": 2, f"{HOST}/b": 2}
    assert {url: row["flags"] for url, row in rows.items()} == {f"{HOST}/a": ["inline_images_capped"], f"{HOST}/b": []}
    assert [node["image"]["sha256"] for node in rows[f"{HOST}/a"]["nodes"] if node["image"] is not None] == [
        hashlib.sha256(png(number)).hexdigest() for number in range(3)
    ]
    loaded = datasets.load_dataset("parquet", data_dir=str(run / "data"), split="train", cache_dir=str(tmp_path / "cache"))
    assert {image.size for row in loaded for image in row["images"] if image is not None} == {(200, 200)}
    for result in verify_run(run):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"


def test_images_of_too_many_documents_and_the_last_of_a_page_are_not_looked_for(tmp_path: Path) -> None:
    """Found in the archive they would be, all of them."""
    paths = [f"/{number}.png" for number in range(5)]
    pages = [page(f"/{number}", "/0.png", f"/{number}.png", "/4.png") for number in (1, 2, 3)]
    members = [*pages, *(record(path, png(number)) for number, path in enumerate(paths))]
    run = build(tmp_path / "run", [members[::2], members[1::2]], "images.max_per_page=2", "images.max_docs_per_url=2")
    found = {path: (row["status"], row["value"], row["threshold"]) for path, row in outcomes(run).items()}
    assert found == {
        "/0.png": ("too_common", 3, 2), **dict.fromkeys(paths[1:4], ("ok", None, None)), "/4.png": ("too_many_in_page", None, None),
    }  # fmt: skip
    drops = json.loads((run / "stats.json").read_text())["stages"]["images"]["drops"]
    assert drops == {"too_common": 1, "too_many_in_page": 1}
    kept = {row["url"]: [node["image"]["url"] for node in row["nodes"] if node["image"] is not None] for row in data_rows(run)}
    assert kept == {f"{HOST}/{number}": [f"{HOST}/{number}.png"] for number in (1, 2, 3)}
    for result in verify_run(run):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"


@pytest.mark.parametrize(("most", "flags"), [("3", ["suspected_placeholder"]), ("4", [])])
def test_an_archived_picture_that_many_urls_redirect_to_is_flagged(most: str, flags: list[str], tmp_path: Path) -> None:
    """Four URLs of one host lead to it, two of them by another URL of the same picture. One that is no redirect does not count."""
    paths = [f"/{number}.png" for number in range(4)]
    digest = ("WARC-Payload-Digest: sha1:ONE",)
    members = [page("/a", *paths, "/one.png"), page("/b", *paths)]
    members += [record("/one.png", png(1), warc=digest), record("/two.png", png(1), warc=digest)]
    members += [moved(path, "/two.png" if number % 2 else "/one.png") for number, path in enumerate(paths)]
    run = build(tmp_path / "run", [members[::2], members[1::2]], f"images.placeholder_urls={most}")
    found = outcomes(run)
    assert {found[path]["status"] for path in (*paths, "/one.png")} == {"ok"}
    assert {path: row["flags"] for path, row in found.items()} == {**dict.fromkeys(paths, flags), "/one.png": []}
    nodes = [node["image"] for row in data_rows(run) for node in row["nodes"] if node["image"] is not None]
    assert [image["flags"] for image in nodes] == [flags] * 2, "the first of each page; the others repeat it"


def test_backgrounds_are_images_on_demand(tmp_path: Path) -> None:
    html = f"<h1>Harbour</h1>{f'<p>{WORDS}</p>' * 6}<section style='background:url(/1.png)'><p>{WORDS}</p></section>".encode()
    members = [record("/a", html, "text/html"), record("/1.png", png(1))]
    assert outcomes(build(tmp_path / "off", [members])) == {}
    assert outcomes(build(tmp_path / "on", [members], "images.css_backgrounds=true"))["/1.png"]["status"] == "ok"
