"""The file-backed stages as plain functions, without a runner."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image

import transforms.extract_documents as extract_documents
from scripts.bench.warc_builder import gzip_member, http_response, warc_record
from scripts.make_demo_crawl import make_demo_crawl
from transforms.blocks.main_content.config import MainContentConfig
from transforms.documents.config import ExtractConfig
from transforms.extract_documents import MIN_ERRORS, ExtractSettings, extract_range
from transforms.fetch_images import begin_look_up, read_sightings, resolve_shard, shard_of, store_shard
from transforms.images.optout import OptOutConfig
from transforms.images.prepare import StoredImageConfig
from transforms.images.wanted import LookUpConfig
from transforms.records import InputRange, Outcome, Page, ShardManifest, Sighting
from transforms.shards.bodies import image_bytes
from transforms.shards.plan import ShardPlan, read_rows


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return sorted(make_demo_crawl(tmp_path_factory.mktemp("crawl")).files)


@pytest.fixture
def plan(tmp_path: Path) -> ShardPlan:
    return ShardPlan(str(tmp_path), "key", documents=1, outcomes=1, images=1, data=1)


def whole(path: Path) -> InputRange:
    return InputRange(0, str(path), 0, path.stat().st_size)


def outcomes_of(plan: ShardPlan, manifest: ShardManifest) -> list[Outcome]:
    grouped: dict[bytes, list[Sighting]] = {}
    for key, sighting in read_sightings(manifest, plan):
        grouped.setdefault(key, []).append(sighting)
    looked_up = [step for key, seen in grouped.items() for _, step in begin_look_up(key, seen, LookUpConfig(), OptOutConfig())]
    resolve_shard(0, [step.wanted for step in looked_up if step.wanted is not None and step.is_settled], plan, StoredImageConfig())
    return [Outcome(**row) for row in read_rows(plan.path("stages/outcomes", 0, 1))]


def test_a_finished_shard_is_found_and_not_made_again(archives: list[Path], plan: ShardPlan) -> None:
    first = extract_range(whole(archives[0]), plan, ExtractSettings())
    again = extract_range(whole(archives[0]), plan, ExtractSettings())
    assert first.cpu_seconds > 0
    assert again == dataclasses.replace(first, cpu_seconds=0.0)


def test_two_ranges_hold_the_documents_of_one(archives: list[Path], tmp_path: Path) -> None:
    size = archives[0].stat().st_size

    def ids(cuts: list[int], folder: Path) -> list[str]:
        plan = ShardPlan(str(folder), "key", len(cuts) - 1, 1, 1, 1)
        found: list[str] = []
        for index in range(len(cuts) - 1):
            extract_range(InputRange(index, str(archives[0]), cuts[index], cuts[index + 1]), plan, ExtractSettings())
            found += pq.read_table(plan.path("stages/documents", index, plan.documents))["id"].to_pylist()
        return found

    one = ids([0, size], tmp_path / "one")
    assert len(one) == len(set(one)) > 5
    assert ids([0, size // 3, size // 2, size], tmp_path / "three") == one


def test_an_unexpected_error_costs_its_page_and_names_its_place(
    archives: list[Path], plan: ShardPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = extract_documents.extract_document
    seen: list[str] = []

    def fail_once(page: Page, config: object, keep_blocks: bool) -> object:
        seen.append(page.url)
        if len(seen) == 2:
            raise ZeroDivisionError("planted")
        return real(page, config, keep_blocks)  # type: ignore[arg-type]

    monkeypatch.setattr(extract_documents, "extract_document", fail_once)
    manifest = extract_range(whole(archives[0]), plan, ExtractSettings())
    assert manifest.counts["documents/drop:extract.error"] == 1
    (drop,) = [row for row in read_rows(plan.path("drops", 0, 1, "part-documents")) if row["rule"] == "extract.error"]
    assert drop["url"] == seen[1]
    assert "ZeroDivisionError('planted') at test_stages.py:" in drop["detail"]


def test_errors_without_end_stop_the_run(archives: list[Path], plan: ShardPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(page: Page, config: object, keep_blocks: bool) -> object:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(extract_documents, "extract_document", fail)
    with pytest.raises(RuntimeError, match=r"demo-pages-0.warc.gz, offset \d+, http.*ZeroDivisionError"):
        extract_range(whole(archives[0]), plan, ExtractSettings())
    assert MIN_ERRORS == 5
    assert not Path(plan.folder, "stages").exists()


def test_images_are_stored_once_by_content_and_ordered(archives: list[Path], plan: ShardPlan) -> None:
    manifest = extract_range(whole(archives[2]), plan, ExtractSettings())
    good = [o for o in outcomes_of(plan, manifest) if o.status == "ok"]
    assert len(good) > len({o.sha256 for o in good}), "the demo site has one picture under two URLs"
    store_shard(0, [*good[::-1], *good], plan)
    stored = list(read_rows(plan.path("images", 0, 1)))
    assert [row["sha256"] for row in stored] == sorted({str(o.sha256) for o in good})


def test_an_archive_that_changed_under_the_run_stops_it(archives: list[Path], plan: ShardPlan) -> None:
    manifest = extract_range(whole(archives[2]), plan, ExtractSettings())
    first, second = [o for o in outcomes_of(plan, manifest) if o.status == "ok"][:2]
    moved = dataclasses.replace(first, offset=second.offset, length=second.length)
    with pytest.raises(RuntimeError, match="the input changed during the run"):
        image_bytes(moved, plan)


def test_shards_of_keys_are_within_their_number() -> None:
    keys = [bytes([i]) * 16 for i in range(256)]
    assert {shard_of(key, 7) for key in keys} == set(range(7))


def test_images_that_share_a_gzip_member_have_each_their_own_bytes(plan: ShardPlan, tmp_path: Path) -> None:
    pictures = {f"http://e.example/{side}.png": png(side) for side in (160, 170)}
    tags = "".join(f'<img src="{url}">' for url in pictures)
    page = f"<p>{'A long paragraph of plain words that the gate lets pass. ' * 20}</p>{tags}"
    records = [warc_record(http_response(page.encode()), "http://e.example/")]
    records += [
        warc_record(http_response(body, content_type="image/png"), url, record_id=f"<{url}>") for url, body in pictures.items()
    ]
    (tmp_path / "shared.warc.gz").write_bytes(gzip_member(b"".join(records)))
    settings = ExtractSettings(extract=ExtractConfig(main_content=MainContentConfig(method="off")))
    outcomes = outcomes_of(plan, extract_range(whole(tmp_path / "shared.warc.gz"), plan, settings))
    assert {o.url: image_bytes(o, plan) for o in outcomes} == pictures


def png(side: int) -> bytes:
    body = io.BytesIO()
    Image.new("RGB", (side, side), (side, 0, 0)).save(body, "PNG")
    return body.getvalue()
