"""The shard writer: whole or absent, the same bytes again, found by its manifest (beam.md 5.2)."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.records import Drop, ShardManifest
from transforms.shards.writer import ShardWriter, file_sha256, find_finished, manifest_path, shard_name

SCHEMA = pa.schema([("n", pa.int64()), ("text", pa.string())])
DROP = Drop("read", "read.damaged", "record", "r1", value=3.0, threshold=2.0)


def write(run: Path, rows: int = 250, key: str = "k") -> ShardManifest:
    with ShardWriter(run, "documents", 1, 4, key) as shard:
        main = shard.table("stages/documents", SCHEMA)
        for number in range(rows):
            main.append({"n": number, "text": None})
        shard.drop([DROP, DROP])
        return shard.commit({"documents/in": rows + 2, "documents/out": rows})


def tree(run: Path) -> dict[str, str]:
    return {str(p.relative_to(run)): file_sha256(p) for p in sorted(run.rglob("*")) if p.is_file()}


def test_a_commit_makes_files_with_deterministic_names_and_a_manifest(tmp_path: Path) -> None:
    manifest = write(tmp_path)
    name = "part-00001-of-00004"
    assert set(tree(tmp_path)) == {
        f"stages/documents/{name}.parquet", f"stages/documents/{name}.json", "drops/part-documents-00001-of-00004.parquet"
    }  # fmt: skip
    assert manifest.rows == 250
    assert manifest.counts == {"documents/in": 252, "documents/out": 250, "read/drop:read.damaged": 2}
    assert manifest.files == {k: v for k, v in tree(tmp_path).items() if k.endswith(".parquet")}
    assert shard_name(1, 4) == name


def test_the_schema_is_written_whatever_the_rows_hold(tmp_path: Path) -> None:
    write(tmp_path, rows=0)
    write(tmp_path / "nulls", rows=3)
    for run in (tmp_path, tmp_path / "nulls"):
        assert pq.read_schema(run / "stages/documents/part-00001-of-00004.parquet").equals(SCHEMA)


def test_a_row_is_given_by_names_or_as_a_record_with_these_attributes(tmp_path: Path) -> None:
    with ShardWriter(tmp_path, "documents", 1, 4, "k") as shard:
        main = shard.table("stages/documents", SCHEMA)
        main.append({"text": "x", "else": 3})
        main.append_record(SimpleNamespace(text="y", n=2, other=5))
        shard.commit({})
    rows = pq.read_table(tmp_path / "stages/documents/part-00001-of-00004.parquet").to_pylist()
    assert rows == [{"n": None, "text": "x"}, {"n": 2, "text": "y"}]


def test_writing_again_gives_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a")
    write(tmp_path / "b")
    before = tree(tmp_path / "a")
    assert before == tree(tmp_path / "b")
    write(tmp_path / "a")
    assert tree(tmp_path / "a") == before


def test_row_groups_are_small(tmp_path: Path) -> None:
    write(tmp_path)
    groups = pq.ParquetFile(tmp_path / "stages/documents/part-00001-of-00004.parquet").metadata
    assert [groups.row_group(i).num_rows for i in range(groups.num_row_groups)] == [100, 100, 50]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with ShardWriter(tmp_path, "documents", 0, 1, "k") as shard:
            shard.table("stages/documents", SCHEMA).append({"n": 1, "text": "x"})
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        fail()
    assert tree(tmp_path) == {}


def test_a_finished_shard_is_found_with_what_it_counted(tmp_path: Path) -> None:
    manifest = write(tmp_path)
    found = find_finished(tmp_path, "documents", 1, 4, "k")
    assert found is not None
    assert found.cpu_seconds == 0
    assert {f: getattr(found, f) for f in ("rows", "bytes", "sha256", "files", "counts")} == {
        f: getattr(manifest, f) for f in ("rows", "bytes", "sha256", "files", "counts")
    }


@pytest.mark.parametrize(
    "harm",
    ["other key", "file gone", "file changed", "drops gone", "manifest gone", "manifest cut", "manifest foreign"],
)
def test_a_shard_that_is_not_whole_is_made_again(tmp_path: Path, harm: str) -> None:
    write(tmp_path)
    main = tmp_path / "stages/documents/part-00001-of-00004.parquet"
    manifest = manifest_path(tmp_path, "documents", 1, 4)
    match harm:
        case "file gone":
            main.unlink()
        case "file changed":
            main.write_bytes(main.read_bytes()[:-1] + b"x")
        case "drops gone":
            (tmp_path / "drops/part-documents-00001-of-00004.parquet").unlink()
        case "manifest gone":
            manifest.unlink()
        case "manifest cut":
            manifest.write_text(manifest.read_text()[:40])
        case "manifest foreign":
            manifest.write_text(json.dumps({"run_key": "k", "other": 1}))
    assert find_finished(tmp_path, "documents", 1, 4, "other" if harm == "other key" else "k") is None
