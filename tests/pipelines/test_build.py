"""The main job end to end on the demo crawl: every page and every image has the fate that the site's makers expect."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from run_helpers import run_build, tree_hash

from pipelines.report import write_report
from pipelines.run_rows import data_rows, drop_rows
from pipelines.verify import verify_run
from scripts.demo_site import NO_REFERENCE, expected_images, expected_page_images, expected_pages
from transforms.fetch_images import read_outcomes
from transforms.records import Outcome, ShardManifest
from transforms.shards.plan import ShardPlan


def plan_of(run: Path) -> ShardPlan:
    description = yaml.safe_load((run / "run.yaml").read_text())
    return ShardPlan(str(run), description["run_key"], **description["shards"])


def outcomes_of(run: Path) -> dict[str, Outcome]:
    plan = plan_of(run)
    manifests = [ShardManifest("outcomes", i, plan.outcomes, 0, 0, "", {}, {}) for i in range(plan.outcomes)]
    return {outcome.url: outcome for manifest in manifests for outcome in read_outcomes(manifest, plan)}


def test_the_run_is_sound(finished: Path) -> None:
    for result in verify_run(finished):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"
        assert result.checked, result.name


def test_each_page_is_a_document_or_a_drop_as_expected(finished: Path) -> None:
    fates: dict[str, set[str]] = {}
    plan = plan_of(finished)
    for index in range(plan.documents):
        for url in pq.read_table(plan.path("stages/documents", index, plan.documents))["url"].to_pylist():
            fates.setdefault(url, set()).add("document")
    for drop in drop_rows(finished):
        if drop["stage"] in ("read", "documents"):
            fates.setdefault(drop["url"], set()).add(f"drop:{drop['rule']}")
    expected = expected_pages()
    assert {url: fates.get(url) for url in expected} == {url: {fate} for url, fate in expected.items()}


def test_each_image_has_the_status_as_expected(finished: Path) -> None:
    found = {url: outcome.status for url, outcome in outcomes_of(finished).items()}
    expected = expected_images()
    assert {url: found.get(url, NO_REFERENCE) for url in expected} == expected
    assert sum(status != NO_REFERENCE for status in expected.values()) == len(found)


def test_documents_have_their_images_in_order(finished: Path) -> None:
    kept: dict[str, list[str]] = {}
    for row in data_rows(finished):
        urls = [node["image"]["url"] for node in row["nodes"] if node["image"] is not None]
        kept.setdefault(row["url"], []).extend(urls)
    expected = expected_page_images()
    with_images = [url for url in kept if kept[url] and url in expected]
    assert len(with_images) > 10
    for url in with_images:
        positions = [expected[url].index(image) for image in kept[url] if image in expected[url]]
        assert positions == sorted(positions), url


def test_every_stage_counts_what_it_dropped(finished: Path) -> None:
    stats = json.loads((finished / "stats.json").read_text())
    rows = Counter((drop["stage"], drop["rule"]) for drop in drop_rows(finished))
    for stage, numbers in stats["stages"].items():
        assert numbers["in"] == numbers["out"] + sum(numbers["drops"].values()), stage
        assert numbers["drops"] == {rule: count for (of, rule), count in rows.items() if of == stage}


def test_the_data_folder_holds_nothing_but_shards(finished: Path) -> None:
    plan = plan_of(finished)
    names = {f"train-{i:05d}-of-{plan.data:05d}.parquet" for i in range(plan.data)}
    found = list((finished / "data").iterdir())
    assert {path.name for path in found} <= names
    assert all(pq.read_metadata(path).num_rows for path in found)
    assert not (finished / ".tmp").exists()
    assert (finished / "_SUCCESS").read_text().strip() == plan.key


def test_the_report_and_the_card_stand_beside_the_data(finished: Path) -> None:
    report = (finished / "report.html").read_text()
    assert "paragraph.words" in report
    assert "select.status" in report
    header = yaml.safe_load((finished / "README.md").read_text().split("---\n")[1])
    rows = sum(1 for _ in data_rows(finished))
    assert header["dataset_info"]["splits"] == [
        {"name": "train", "num_examples": rows, "num_bytes": sum(p.stat().st_size for p in (finished / "data").iterdir())}
    ]


def test_blocks_markdown_and_inline_images_are_added_on_demand(crawl: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    switches = ["output.blocks=true", "output.markdown=true", "output.inline_images=true", "output.shards=2"]
    run_build([str(crawl)], tmp_path / "out", overrides=switches)
    assert len(list((tmp_path / "out/data").iterdir())) == 2
    for result in verify_run(tmp_path / "out", samples=20):
        assert not result.faults, result
    rows = datasets.load_dataset("parquet", data_dir=str(tmp_path / "out/data"), split="train", cache_dir=str(tmp_path / "cache"))
    row = next(row for row in rows if any(row["images"]))
    image = next(image for image in row["images"] if image is not None)
    node = next(node for node in row["nodes"] if node["image"] is not None)["image"]
    assert image.size == (node["width"], node["height"])
    assert row["markdown"].strip()
    assert json.loads(row["blocks"])[0]["kind"]


def test_an_input_without_a_page_gives_an_empty_dataset_that_opens(tmp_path: Path) -> None:
    empty = tmp_path / "empty.warc.gz"
    empty.touch()
    status, said = run_build([str(empty)], tmp_path / "out")
    assert status == 0
    assert f"warning: {empty} is empty" in said
    assert "0 pages in, 0 documents out" in said
    for result in verify_run(tmp_path / "out"):
        assert not result.faults, result


def test_a_shard_without_rows_has_no_file_so_that_the_dataset_loads(crawl: Path, tmp_path: Path) -> None:
    """`datasets` fails on a file without rows that stands before one with rows."""
    content = sorted(crawl.glob("*.warc.gz"))[0].read_bytes()
    for name in "abcd":
        (tmp_path / f"{name}.warc.gz").write_bytes(content[:200])
    (tmp_path / "e.warc.gz").write_bytes(content)
    run_build([str(tmp_path / "*.warc.gz")], tmp_path / "out")
    plan = plan_of(tmp_path / "out")
    (only,) = [path.name for path in (tmp_path / "out/data").iterdir()]
    assert only != f"train-{0:05d}-of-{plan.data:05d}.parquet"
    for result in verify_run(tmp_path / "out"):
        assert not result.faults, result


def test_a_finished_run_is_not_made_again(finished: Path, crawl: Path) -> None:
    before = tree_hash(finished)
    status, said = run_build([str(crawl)], finished)
    assert status == 0
    assert "finished already" in said
    assert tree_hash(finished) == before


def test_a_report_written_again_leaves_nothing_behind(finished: Path) -> None:
    before = tree_hash(finished)
    write_report(finished)
    assert tree_hash(finished) == before
    assert not (finished / ".tmp").exists()
