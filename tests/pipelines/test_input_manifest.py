"""What a run reads is a sorted list in a file, and no list of it is ever in memory (beam.md section 4)."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from pipelines.config import load_config
from pipelines.errors import UsageError
from pipelines.input_manifest import read_manifest, write_input_manifest
from pipelines.run_folder import plan_run


def entries(count: int, size: int = 10**9) -> str:
    """Lines of archives that are not there: whoever opened one would fail."""
    return "".join(
        json.dumps({"path": f"gs://bucket/{number * 7919 % count:06d}.warc.gz", "bytes": 10**9}) + "\n" for number in range(count)
    )


def test_files_are_listed_once_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b.warc", "a.warc", "ä.warc", "Z.warc", "字.warc", "𝔘.warc", "empty.warc"):
        (tmp_path / name).write_bytes(b"" if name == "empty.warc" else b"12")
    lists_folder = tmp_path / "lists"
    lists_folder.mkdir()
    lists = [str(tmp_path), f"{tmp_path}/a*", f"{tmp_path}/*.warc", str(tmp_path / "b.warc")]
    summary = write_input_manifest(lists_folder / "lines.jsonl", lists)
    names = [Path(json.loads(line)["path"]).name for line in (lists_folder / "lines.jsonl").read_text().splitlines()]
    assert names == ["Z.warc", "a.warc", "b.warc", "empty.warc", "ä.warc", "字.warc", "𝔘.warc"]
    assert (summary.files, summary.bytes, summary.empty) == (7, 12, 1)
    assert summary.named_empty == (str(tmp_path / "empty.warc"),)
    again = write_input_manifest(lists_folder / "again.jsonl", lists[::-1])
    assert again == summary


def test_a_manifest_may_be_of_paths_of_objects_and_compressed(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"123")
    text = f'{tmp_path}/a.warc\n\n  {{"path": "gs://bucket/b.warc", "bytes": 5}}\r\n'
    (tmp_path / "list.txt").write_text(text)
    (tmp_path / "list.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("list.txt", "list.gz"):
        assert list(read_manifest(str(tmp_path / name))) == [(f"{tmp_path}/a.warc", 3), ("gs://bucket/b.warc", 5)]


def test_the_manifest_of_a_run_is_the_input_of_another(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(entries(5))
    config = load_config(None, ["input.format=warc"])
    one = plan_run(tmp_path / "out", config, [], [str(tmp_path / "list")])
    two = plan_run(tmp_path / "out", config, [], [str(Path(one.lists.name) / "input.jsonl")])
    assert two.plan == one.plan
    assert two.input == one.input


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("absent.warc\n", "line 1: absent.warc: no such file"),
        ("\n{nonsense\n", "line 2: {nonsense is no entry"),
        ('{"path": 3}', "line 1"),
        ('{"path": "a", "bytes": -1}', "line 1"),
        ('{"path": "a", "bytes": true}', "line 1"),
        ('{"bytes": 1}', "line 1"),
        ("\n\n", "names no file"),
        ('{"path": "gs://b/a", "bytes": 1}\n{"path": "gs://b/a", "bytes": 2}\n', "gs://b/a is given twice"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "list").write_text(text)
    with pytest.raises(UsageError, match="--input") as raised:
        plan_run(tmp_path / "out", load_config(None, ["input.format=warc"]), [], [str(tmp_path / "list")])
    assert message in str(raised.value)


def test_a_manifest_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match=r"--input-manifest nowhere\.txt: cannot be read"):
        list(read_manifest("nowhere.txt"))


def test_planning_holds_no_list_of_the_input(tmp_path: Path) -> None:
    config = load_config(None, ["input.format=warc"])
    peaks = []
    for count in (20, 4000):
        manifest = tmp_path / f"{count}.jsonl"
        manifest.write_text(entries(count))
        tracemalloc.start()
        run = plan_run(tmp_path / "out", config, [], [str(manifest)])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert (run.input.files, run.ranges) == (count, 15 * count)
    # 4,000 files in 60,000 ranges are 20 MB as objects.
    assert peaks[1] - peaks[0] < 1_000_000
