"""The parity report on a fixed fifth of the pages (obelics.md 9)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Hashable
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.bench.compare_obelics import word_f1
from scripts.bench.obelics_alignment import matches

ROOT = Path(__file__).resolve().parents[2]


def test_a_fifth_of_the_pages_is_explained(shared: Path) -> None:
    """Less than 2 % of characters and images may stay unexplained: the command fails otherwise."""
    archives = sorted((shared / "data/wcxb").glob("*.warc.gz"))
    tables = ["--reference", shared / "oracle/obelics_wcxb_dev.parquet", "--truth", shared / "data/wcxb/dev.parquet"]
    command = [sys.executable, "-m", "scripts.bench.compare_obelics", *archives, *tables, "--every", "5"]
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("300 pages, 2887345 characters, 4058 images")
    rows = {line.split("|")[1].strip(): line.split("|") for line in done.stdout.splitlines() if line.startswith("| ")}
    assert float(rows["unexplained"][3]) < 0.1
    assert float(rows.get("parser", ["0"] * 4)[3]) <= 0.5
    ours, reference = (float(cell) for cell in rows["all"][3:5])
    assert ours > reference


@pytest.mark.parametrize(
    ("text", "truth", "f1"),
    [("a b", "a b", 1.0), ("a b c d", "a b", 2 / 3), ("", "a", 0.0), ("a", "", 0.0), ("", "", 1.0), ("A a", "a", 2 / 3)],
)
def test_word_f1(text: str, truth: str, f1: float) -> None:
    assert word_f1(text, truth) == pytest.approx(f1)


@given(st.lists(st.integers(0, 9), max_size=40), st.lists(st.integers(0, 9), max_size=40))
def test_matches_are_equal_runs_in_order(first: list[Hashable], second: list[Hashable]) -> None:
    at = other = 0
    for start, place, length in matches(first, second):
        assert start >= at
        assert place >= other
        assert length > 0
        assert first[start : start + length] == second[place : place + length]
        at, other = start + length, place + length


def test_matches_find_what_a_plain_comparison_finds() -> None:
    first, second = list("the old bridge at the end"), list("a bridge at the old old end")
    plain = sum(block.size for block in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks())
    assert sum(length for _, _, length in matches(first, second)) >= plain
