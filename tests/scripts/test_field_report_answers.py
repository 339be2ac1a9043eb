"""The list of what shows each claim and each row of field_reports.md names tests that exist, and leaves no row out."""

from __future__ import annotations

from pathlib import Path

from scripts.field_reports import load_answers, lost_tests, rows_of


def test_every_test_that_is_named_exists() -> None:
    for answers in load_answers().values():
        assert lost_tests(answers) == []


def test_a_test_that_does_not_exist_is_found() -> None:
    assert lost_tests({"A1": ["test_field_reports.py::test_nothing", "nowhere.py::test_a"]}) == [
        "nowhere.py::test_a",
        "test_field_reports.py::test_nothing",
    ]


def test_a_row_without_tests_says_that_it_is_planned_and_why() -> None:
    for answers in load_answers().values():
        for row, answer in answers.items():
            assert answer if isinstance(answer, list) else answer.startswith("planned; "), row


def test_every_claim_and_row_of_the_specification_is_answered(shared: Path) -> None:
    sections = load_answers()
    rows = rows_of((shared / "spec/field_reports.md").read_text(encoding="utf-8"))
    assert len(rows) > 80
    assert set(rows) == {*sections["claims"], *sections["rows"]}
