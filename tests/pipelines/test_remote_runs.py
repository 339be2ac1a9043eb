"""A run whose input and output are behind a scheme: the same bytes, resumed after a fault, never a file that is not whole."""

from __future__ import annotations

import io
import shutil
from collections import Counter
from pathlib import Path

import pytest
from remote_file_systems import ClusterFileSystem, FolderFileSystem, ObjectStore
from run_helpers import interleaf, run_build, tree_hash

from pipelines.build import build_dataset
from pipelines.errors import RunError, UsageError
from pipelines.forecast import file_operations
from pipelines.report import write_report
from pipelines.run_folder import read_plan
from pipelines.verify import verify_run
from transforms import stored_path as paths
from transforms.stored_path import RemotePath, publish_copy, publish_text, stored_path


@pytest.fixture(params=[ClusterFileSystem, ObjectStore], ids=["cluster", "objects"])
def system(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[FolderFileSystem]:
    """An empty file system of each kind."""
    system: type[FolderFileSystem] = request.param
    root = tmp_path / "remote"
    (root / "bucket").mkdir(parents=True)
    monkeypatch.setattr(system, "root", root, raising=False)
    monkeypatch.setattr(system, "requests", Counter())
    monkeypatch.setattr(paths, "ATOMIC_SCHEMES", frozenset({"objects"}))
    return system


def build(patterns: list[str], output: str) -> str:
    stream = io.StringIO()
    assert build_dataset(config="default", overrides=(), patterns=patterns, output=output, workers=1, stream=stream) == 0
    return stream.getvalue()


def test_a_remote_output_has_the_bytes_of_a_local_one(finished: Path, crawl: Path, system: type[FolderFileSystem]) -> None:
    url = f"{system.scheme()}://bucket/out"
    said = build([str(crawl)], url)
    assert f"dataset: {url}/data" in said
    here = system.root / "bucket/out"
    assert tree_hash(here) == tree_hash(finished)
    assert not list(here.rglob("*.tmp*"))
    plan = read_plan(here)
    images = sum(1 for _ in (here / "images").iterdir())
    foretold = file_operations(plan, plan.documents - plan.revisits, images)
    # Lists of the planner, the log and a second look at a manifest are not worth a forecast; a factor would be.
    assert system.requests["create"] <= foretold["written"]
    assert 0.5 * foretold["opened"] < system.requests["open"] < 1.3 * foretold["opened"] + 10
    assert "finished already" in build([str(crawl)], url)


def test_a_run_from_remote_input_to_remote_output_is_sound(crawl: Path, system: type[FolderFileSystem], tmp_path: Path) -> None:
    shutil.copytree(crawl, system.root / "bucket/crawl")
    scheme = system.scheme()
    build([f"{scheme}://bucket/crawl/*.warc.gz"], f"{scheme}://bucket/runs/out/")
    copy = tmp_path / "copy"
    shutil.copytree(system.root / "bucket/runs/out", copy)
    for result in verify_run(copy, samples=20):
        assert not result.faults, result
        assert result.checked, result.name


def test_a_run_that_broke_off_is_resumed(
    finished: Path, crawl: Path, system: type[FolderFileSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{system.scheme()}://bucket/out"
    monkeypatch.setattr(system, "fail_after", 20)
    with pytest.raises(RunError, match=r"quota is used up.*the same command resumes"):
        build([str(crawl)], url)
    here = system.root / "bucket/out"
    assert (here / "run.yaml").is_file()
    assert not (here / "_SUCCESS").exists()
    monkeypatch.setattr(system, "fail_after", None)
    assert "resuming an earlier attempt" in build([str(crawl)], url)
    assert tree_hash(here) == tree_hash(finished)


def test_a_report_of_a_remote_run_is_written_there(finished: Path, system: type[FolderFileSystem]) -> None:
    shutil.copytree(finished, system.root / "bucket/out")
    (system.root / "bucket/out/report.html").unlink()
    assert str(write_report(RemotePath(f"{system.scheme()}://bucket/out"))).endswith("/report.html")
    assert (system.root / "bucket/out/report.html").read_bytes() == (finished / "report.html").read_bytes()


def test_a_folder_with_other_things_is_refused(crawl: Path, system: type[FolderFileSystem]) -> None:
    (system.root / "bucket/out/deeper").mkdir(parents=True)
    (system.root / "bucket/out/deeper/note.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"not empty and not a run folder \(it holds deeper/note.txt\)"):
        build([str(crawl)], f"{system.scheme()}://bucket/out")
    assert (system.root / "bucket/out/deeper/note.txt").read_text() == "mine"


def test_the_run_of_other_settings_is_refused(finished: Path, crawl: Path, system: type[FolderFileSystem]) -> None:
    shutil.copytree(finished, system.root / "bucket/out")
    with pytest.raises(UsageError, match="holds a run with other settings"):
        run_build([str(crawl)], RemotePath(f"{system.scheme()}://bucket/out"), overrides=["output.markdown=true"])


def test_a_file_is_published_whole_over_what_was_there(system: type[FolderFileSystem], tmp_path: Path) -> None:
    run = RemotePath(f"{system.scheme()}://bucket/run")
    for text in ("first", "second"):
        publish_text(text, run / "stages/a.json", run)
        assert (run / "stages/a.json").read_text() == text
    big = tmp_path / "big"
    big.write_bytes(bytes(range(256)) * 50_000)
    publish_copy(big, run / "big", run)
    assert (run / "big").read_bytes() == big.read_bytes()
    assert (run / "big").size() == 12_800_000
    assert [path.name for path in (run / "stages").glob("*.json")] == ["a.json"]


def test_what_is_missing_is_missing_as_it_is_here(system: type[FolderFileSystem]) -> None:
    missing = RemotePath(f"{system.scheme()}://bucket/none/a.json")
    with pytest.raises(FileNotFoundError, match=r"none/a\.json"):
        missing.read_text()
    assert not missing.is_file()
    assert list(missing.parent.glob("*")) == []
    missing.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("text", "shown", "name", "parent"),
    [("gs://bucket/a/b/", "gs://bucket/a/b", "b", "gs://bucket/a"), ("gs://bucket", "gs://bucket", "bucket", "gs:/")],
)
def test_remote_paths_keep_their_scheme(text: str, shown: str, name: str, parent: str) -> None:
    path = stored_path(text)
    assert (str(path), path.name, str(path.parent), str(path / "c")) == (shown, name, parent, f"{shown}/c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "--input", "pyproject.toml", "--output", "nosuch://bucket/out"], "nosuch://bucket/out: cannot be used"),
        (["verify", "gs://bucket/out"], "copy the run here"),
        (["retune", "gs://bucket/out", "--output", "new"], "copy the run here"),
        (["plan", "--compare", "gs://bucket/out"], "copy the run here"),
    ],
)
def test_what_cannot_be_done_remotely_names_the_remedy(arguments: list[str], message: str) -> None:
    result = interleaf(*arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
