"""A run over tables: the same documents as from the archive, sound by `verify`, provenance included."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from run_helpers import interleaf, run_build

from pipelines.config import ConfigError, load_config
from pipelines.errors import UsageError
from pipelines.run_rows import data_rows, drop_rows
from pipelines.verify import verify_run
from transforms.archives.domains import load_domains
from transforms.archives.warc import read_warc
from transforms.records import Page


@pytest.fixture(scope="module")
def pages(crawl: Path) -> list[Page]:
    found = [item for path in sorted(crawl.iterdir()) for item in read_warc(str(path)) if isinstance(item, Page)]
    return found[:30]


def write_tables(pages: list[Page], folder: Path) -> None:
    """A third of the pages in each format."""
    rows = [{"address": p.url, "body": p.body, "content_type": p.content_type, "date": p.date} for p in pages]
    pq.write_table(pa.Table.from_pylist(rows[:10]), folder / "a.parquet", row_group_size=4)
    table = pa.Table.from_pylist(rows[10:20])
    with pa.ipc.new_stream(str(folder / "b.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=4)
    texts = [{**row, "body": row["body"].decode("utf-8", "replace")} for row in rows[20:]]
    lines = "".join(json.dumps(row) + "\n" for row in [*texts, {"address": None}])
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "notes.txt").write_text("no archive")


COLUMNS = ["input.url_column=address", "input.html_column=body", "input.range_bytes=1"]


def test_tables_give_the_documents_of_the_archive(pages: list[Page], crawl: Path, finished: Path, tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    write_tables(pages, tables)
    assert run_build([str(tables)], tmp_path / "out", overrides=COLUMNS)[0] == 0
    for result in verify_run(tmp_path / "out"):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"
    urls = {page.url for page in pages}
    # A table has no images, and so nothing that stands between texts.
    ours = {row["url"]: "\n\n".join(filter(None, row["texts"])) for row in data_rows(tmp_path / "out")}
    theirs = {row["url"]: "\n\n".join(filter(None, row["texts"])) for row in data_rows(finished) if row["url"] in urls}
    assert len(ours) > 10
    common = ours.keys() & theirs.keys()
    assert len(common) > 10
    assert {url: ours[url] for url in common} == {url: theirs[url] for url in common}
    assert [drop["rule"] for drop in drop_rows(tmp_path / "out") if drop["stage"] == "read"] == ["read.null_url"]


def test_a_wrong_column_is_told_before_anything_runs(pages: list[Page], tmp_path: Path) -> None:
    write_tables(pages, tmp_path)
    with pytest.raises(UsageError, match=r"a\.parquet: has no column 'url'; its columns: address, .*input\.url_column"):
        run_build([str(tmp_path / "a.parquet")], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_sample_is_counted_and_sound(crawl: Path, finished: Path, tmp_path: Path) -> None:
    assert run_build([str(crawl)], tmp_path / "out", overrides=["input.sample=0.3"])[0] == 0
    for result in verify_run(tmp_path / "out"):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"
    stages, whole = (json.loads((run / "stats.json").read_text())["stages"]["read"] for run in (tmp_path / "out", finished))
    assert stages["in"] == whole["in"]
    assert stages["drops"]["select.sample"] > 20
    urls = {row["url"] for row in data_rows(tmp_path / "out")}
    assert urls < {row["url"] for row in data_rows(finished)}


def test_other_content_of_a_list_of_domains_is_another_run(crawl: Path, tmp_path: Path) -> None:
    domains = tmp_path / "domains.txt"
    domains.write_text("demo.interleaf.example")
    overrides = [f"select.deny_file={domains}"]
    assert run_build([str(crawl)], tmp_path / "out", overrides=overrides)[0] == 0
    assert not any("//demo.interleaf.example" in row["url"] for row in data_rows(tmp_path / "out"))
    domains.write_text("other.example")
    load_domains.cache_clear()  # a new process would
    with pytest.raises(UsageError, match=f"domains of {domains}"):
        run_build([str(crawl)], tmp_path / "out", overrides=overrides)


@pytest.mark.parametrize("sample", ["0", "-0.1", "1.5", "many"])
def test_a_sample_is_a_share(sample: str) -> None:
    with pytest.raises(ConfigError, match="sample"):
        load_config(None, [f"input.sample={sample}"])


def test_the_command_takes_a_sample(crawl: Path, tmp_path: Path) -> None:
    done = interleaf("build", "--input", str(crawl), "--output", str(tmp_path / "out"), "--sample", "7")
    assert done.returncode == 2
    assert "input.sample" in done.stderr or "sample: 7" in done.stderr


@pytest.mark.parametrize(("name", "number", "offset"), [("a.parquet", 3, "3"), ("b.arrow", 15, "5"), ("c.jsonl.gz", 20, "0")])
def test_a_page_of_a_table_is_shown_by_its_url_or_its_place(
    name: str, number: int, offset: str, pages: list[Page], tmp_path: Path
) -> None:
    write_tables(pages, tmp_path)
    columns = [part for column in COLUMNS for part in ("--set", column)]
    shown = {}
    for place in (["--url", pages[number].url], ["--offset", offset]):
        result = interleaf("page", str(tmp_path / name), *place, "--stage", "blocks", *columns)
        assert result.returncode == 0, result.stderr
        shown[place[0]] = result.stdout
    assert shown["--url"] == shown["--offset"]
    assert pages[number].url in shown["--url"]


def test_a_page_of_a_table_without_its_columns_says_what_to_set(pages: list[Page], tmp_path: Path) -> None:
    write_tables(pages, tmp_path)
    result = interleaf("page", str(tmp_path / "a.parquet"), "--url", pages[0].url)
    assert result.returncode == 2
    assert "input.url_column" in result.stderr
