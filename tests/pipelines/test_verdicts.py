"""Whatever a run kept or dropped can be explained: each rule's value and threshold, from what the run has stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_helpers import interleaf

from filters.rules import RULES
from pipelines.errors import UsageError
from pipelines.run_rows import data_rows, drop_rows
from pipelines.verdicts import show_verdicts


def verdicts_of(run: Path, url: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert show_verdicts(str(run), url, as_json=True) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_drop_is_explained_by_the_verdict_that_made_it(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drops = [drop for drop in drop_rows(finished) if drop["rule"] in RULES]
    assert {drop["stage"] for drop in drops} >= {"image_nodes", "paragraphs"}
    for drop in drops[::4]:
        found = [v for v in verdicts_of(finished, drop["url"], capsys) if v["target"] == drop["target_id"]]
        failed = next(v for v in found if v["verdict"] == "fail")
        assert failed["rule"] == drop["rule"]
        if drop["value"] is not None:
            assert (failed["value"], failed["threshold"]) == (drop["value"], drop["threshold"])


def test_a_row_is_explained_by_verdicts_that_all_pass(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for row in list(data_rows(finished))[::5]:
        found = verdicts_of(finished, row["url"], capsys)
        parts = [v for v in found if v["target"] == f"{row['id']}#part{row['part']}"]
        assert [v["rule"] for v in parts] == [rule for rule in RULES if rule.startswith("document.")]
        assert {v["verdict"] for v in parts} <= {"pass", "skip"}
        (words,) = [v for v in parts if v["rule"] == "document.words"]
        assert (words["value"], words["op"], words["threshold"]) == (row["scores"]["words"], ">=", 10)


def test_for_people_each_thing_has_its_fate_and_its_values(finished: Path) -> None:
    drop = next(drop for drop in drop_rows(finished) if drop["rule"] == "paragraph.words")
    result = interleaf("page", str(finished), "--url", drop["url"])
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith(f"dropped {drop['target_id'].partition('#')[2]} "))
    assert f"words {drop['value']:.4g} >= {drop['threshold']:.4g} FAILS" in lines[place + 1].replace(".0 ", " ")
    assert any(line.startswith("kept    part0") for line in lines)


def test_a_page_that_was_not_judged_is_said_to_be_so(finished: Path) -> None:
    with pytest.raises(UsageError, match=r"no document of http://no.where/ was judged"):
        show_verdicts(str(finished), "http://no.where/", as_json=False)
    with pytest.raises(UsageError, match="give the --url"):
        show_verdicts(str(finished), None, as_json=False)
