"""Wrong input and wrong use end in one clear message or in a drop: never in a trace, never in silent success."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from run_helpers import interleaf, run_build

from pipelines.errors import RunError, UsageError
from pipelines.input_manifest import find_input
from pipelines.runners import resolve_runner


def archive(crawl: Path) -> Path:
    return sorted(crawl.glob("*.warc.gz"))[0]


def drops(run: Path, stage: str = "read") -> dict[str, int]:
    found: dict[str, int] = json.loads((run / "stats.json").read_text())["stages"][stage]["drops"]
    return found


def test_a_truncated_archive_is_read_to_its_end_and_said_to_be_cut(crawl: Path, tmp_path: Path) -> None:
    whole = archive(crawl).read_bytes()
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(whole[: len(whole) * 3 // 4])
    _, said = run_build([str(cut)], tmp_path / "out")
    run_build([str(archive(crawl))], tmp_path / "whole")
    # What the cut went through still has bytes: it goes on with a flag, and the summary says so.
    assert "archive_truncated 1" in said
    counts = [json.loads((tmp_path / run / "stats.json").read_text())["stages"]["read"]["in"] for run in ("out", "whole")]
    assert 0 < counts[0] < counts[1]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.warc.gz", b"not an archive at all, just text\n" * 100),
        ("page.warc", b"<!doctype html><title>x</title>" * 100),
        ("noise.warc.gz", bytes(range(256)) * 40),
        ("inner.warc.gz", gzip.compress(b"text that is no record\n" * 50)),
    ],
)
def test_a_file_that_is_no_archive_is_a_drop(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    status, said = run_build([str(path)], tmp_path / "out")
    assert status == 0
    assert sum(drops(tmp_path / "out").values()) >= 1
    assert "0 pages in" in said
    assert "dropped in read: read." in said


def test_an_empty_file_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "empty.warc.gz").touch()
    _, said = run_build([str(tmp_path)], tmp_path / "out")
    assert "empty.warc.gz is empty" in said


def test_a_damaged_record_costs_itself_alone(crawl: Path, tmp_path: Path) -> None:
    content = bytearray(archive(crawl).read_bytes())
    third = len(content) // 3
    content[third : third + 40] = bytes(40)
    damaged = tmp_path / "damaged.warc.gz"
    damaged.write_bytes(content)
    run_build([str(damaged)], tmp_path / "out")
    assert drops(tmp_path / "out").get("read.damaged") == 1


@pytest.mark.parametrize(
    ("arguments", "status", "parts"),
    [
        (["build", "--input", "nowhere/*.warc.gz", "--output", "{out}"], 2, ["nowhere/*.warc.gz", "no such file"]),
        (["build", "--input", "{crawl}", "--output", "{file}"], 2, ["{file}", "file"]),
        (["build", "--input", "{crawl}", "--output", "{file}/below"], 2, ["{file}/below", "file"]),
        (["build", "--input", "{crawl}", "--output", "{full}"], 2, ["not a run folder", "note.txt"]),
        (["build", "--input", "{crawl}", "--output", "{out}", "--config", "absent"], 2, ["absent", "default"]),
        (["build", "--input", "{crawl}", "--output", "{out}", "--set", "gate=1"], 2, ["gate", "unknown key"]),
        (["build", "--input", "{crawl}", "--output", "{out}", "--set", "perplexity.models.en={file}"], 2, ["{file}", "ARPA"]),
        (["build", "--input", "{crawl}", "--output", "{out}", "--set", "perplexity.models.xx=m"], 2, ["unknown language", "'xx'"]),
        (["build", "--input", "{crawl}", "--output", "{out}", "--workers", "0"], 2, ["--workers 0", "at least 1"]),
        (["build", "--input", "{crawl}", "--output", "{out}", "--no_such_option=1"], 2, ["no_such_option", "unknown"]),
        (["verify", "{full}"], 2, ["not a run folder"]),
        (["report", "{full}"], 2, ["stats.json"]),
        (["page"], 2, ["archive"]),
        (["page", "--html", "absent.html", "--url", "http://e.x/"], 2, ["absent.html", "No such file"]),
        (["page", "{archive}", "--url", "http://not.there/"], 2, ["not.there", "not in it"]),
        (["page", "{archive}", "--offset", "17"], 2, ["offset 17"]),
        (["bild"], 2, ["build", "verify"]),
    ],
)
def test_wrong_use_is_one_message_and_status_two(
    crawl: Path, tmp_path: Path, arguments: list[str], status: int, parts: list[str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine")
    (tmp_path / "file").write_text("a file")
    names = {
        "out": tmp_path / "out", "full": tmp_path / "full", "file": tmp_path / "file", "crawl": crawl, "archive": archive(crawl)
    }  # fmt: skip
    result = interleaf(*(a.format(**names) for a in arguments))
    assert result.returncode == status
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    for part in parts:
        assert part.format(**names) in result.stderr
    assert (tmp_path / "full" / "note.txt").read_text() == "mine"


def test_an_output_that_cannot_be_written_is_named() -> None:
    result = interleaf("build", "--input", "pyproject.toml", "--output", "/proc/interleaf")
    assert result.returncode == 2
    assert "/proc/interleaf: cannot be written" in result.stderr


def test_the_run_folder_of_another_configuration_is_refused_and_named(finished: Path, crawl: Path) -> None:
    with pytest.raises(UsageError, match=r"other settings \(config.rules.document.words.min: 10 there, 11 now\)"):
        run_build([str(crawl)], finished, overrides=["rules.document.words.min=11"])


def test_the_run_folder_of_another_input_is_refused_and_named(finished: Path, crawl: Path) -> None:
    with pytest.raises(UsageError, match="input: 3 files"):
        run_build([str(archive(crawl))], finished)


def test_an_unfinished_run_is_not_verified(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_bytes((finished / "run.yaml").read_bytes())
    result = interleaf("verify", str(tmp_path))
    assert result.returncode == 2
    assert "not finished" in result.stderr


def test_verify_finds_a_changed_byte(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    shard = sorted((tmp_path / "run/data").iterdir())[0]
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    (tmp_path / "run/data/stranger.parquet").write_bytes(b"")
    result = interleaf("verify", str(tmp_path / "run"), "--samples", "5")
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "FAULT  hashes of all files" in result.stdout
    assert "FAULT  no other files" in result.stdout
    assert str(shard) in result.stdout


def test_an_input_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"x")
    path.chmod(stat.S_IWUSR)
    with pytest.raises(UsageError, match="permissions"):
        list(find_input([str(path)]))


def test_an_unexpected_error_ends_the_run_with_its_cause_and_the_file_that_has_the_trace(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transforms.extract_documents as stage

    def fail(*_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(stage, "document_row", fail)
    with pytest.raises(RunError, match=r"the run failed: ZeroDivisionError: planted.*error.log.*resumes"):
        run_build([str(crawl)], tmp_path / "out")
    assert "document_row" in (tmp_path / "out/error.log").read_text()
    assert not (tmp_path / "out/_SUCCESS").exists()
    monkeypatch.undo()
    run_build([str(crawl)], tmp_path / "out")
    assert (tmp_path / "out/_SUCCESS").exists()
    assert not (tmp_path / "out/error.log").exists()


def test_what_worker_processes_print_goes_to_the_log(crawl: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert run_build([str(crawl)], output)[0] == 0
    # A file where the images belong: no worker can write its shard.
    shutil.rmtree(output / "images")
    (output / "_SUCCESS").unlink()
    (output / "images").touch()
    result = interleaf("build", "--input", str(crawl), "--output", str(output), "--workers", "2")
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert f"File exists: '{output}/images'" in result.stderr
    assert "store_shard" in (output / "error.log").read_text()
    (output / "images").unlink()
    result = interleaf("build", "--input", str(crawl), "--output", str(output), "--workers", "2")
    assert result.returncode == 0, result.stderr
    assert not (output / "error.log").exists()


@pytest.mark.parametrize("runner", ["local", "DirectRunner", "PrismRunner"])
def test_the_engine_is_said_once(runner: str) -> None:
    engine = resolve_runner(runner, None, ["--x=1"])
    assert runner in engine.text or "local" in engine.text
    assert engine.arguments[-1] == "--x=1"


@pytest.mark.parametrize("command", [(), ("build",), ("verify",), ("report",), ("page",)])
def test_help_teaches(command: tuple[str, ...]) -> None:
    result = interleaf(*command, "--help")
    assert result.returncode == 0
    assert "interleaf" in result.stdout
    if command in (("build",), ("page",)):
        assert "Examples:" in result.stdout
