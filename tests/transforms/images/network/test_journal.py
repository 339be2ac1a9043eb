"""A worker that is killed loses no answer: what its journal has is whole, and what was cut is as if it had not been written."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from transforms.images.network.journal import Journal
from transforms.records import Outcome


def outcome(number: int, body: bytes = b"") -> Outcome:
    sha256 = hashlib.sha256(body).hexdigest() if body else None
    status = "ok" if body else "http_4xx"
    return Outcome(bytes([number]) * 16, f"http://e.example/{number}\udcff", status, (1, 2), source="network", sha256=sha256)


ROWS = [(outcome(3), b""), (outcome(1, b"first"), b"first"), (outcome(2, b"second" * 1000), b"second" * 1000)]


def written(path: Path, key: str = "key") -> list[tuple[Outcome, bytes]]:
    with Journal(path, key) as journal:
        for row, body in ROWS:
            journal.add(row, body)
        return plain(journal)


def plain(journal: Journal) -> list[tuple[Outcome, bytes]]:
    return [
        (Outcome(**{n: tuple(v) if isinstance(v := getattr(row, n), list) else v for n in Outcome.__slots__}), body)
        for row, body in journal.rows()
    ]


def test_what_was_written_is_there_again_by_key(tmp_path: Path) -> None:
    expected = sorted(ROWS, key=lambda row: row[0].url_key)
    assert written(tmp_path / "j") == expected
    with Journal(tmp_path / "j", "key") as journal:
        assert plain(journal) == expected
        assert [row.url_key in journal for row, _ in ROWS] == [True] * 3


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_line_that_was_cut_is_left_out_and_written_again(tmp_path: Path, cut: int) -> None:
    expected = written(tmp_path / "j")
    path = tmp_path / "j.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    with Journal(tmp_path / "j", "key") as journal:
        assert [row.url_key in journal for row, _ in ROWS] == [True, True, cut == 1]
        journal.add(*ROWS[2])
    with Journal(tmp_path / "j", "key") as journal:
        assert plain(journal) == expected


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_a_body_that_is_not_what_its_line_says_is_left_out(tmp_path: Path, damage: str) -> None:
    written(tmp_path / "j")
    path = tmp_path / "j.bodies"
    body = path.read_bytes()
    path.write_bytes({"cut": body[:-1], "changed": body[:-1] + b"x", "gone": b""}[damage])
    with Journal(tmp_path / "j", "key") as journal:
        assert ROWS[0][0].url_key in journal
        assert ROWS[2][0].url_key not in journal
        journal.add(*ROWS[2])
    with Journal(tmp_path / "j", "key") as journal:
        assert plain(journal)[-2 if damage != "gone" else 0][1] == ROWS[2][1]


def test_the_journal_of_other_settings_is_begun_anew(tmp_path: Path) -> None:
    written(tmp_path / "j", "old")
    with Journal(tmp_path / "j", "new") as journal:
        assert plain(journal) == []
