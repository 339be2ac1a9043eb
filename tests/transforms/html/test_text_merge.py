"""Merging of texts by the strongest separator (obelics.md 4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.html.text_merge import STRENGTH, Run, TextMerger, merge_runs, normalise_text

# The worked example of obelics.md 4.3: text, path, merged so far.
BODY, DIV = ("body",), ("body", "div")
WORKED_EXAMPLE = [
    (" ", BODY, ""),
    (" this is a test ", DIV, "this is a test"),
    ("Heading", (*DIV, "h1"), "this is a test\n\nHeading"),
    (" ", DIV, "this is a test\n\nHeading"),
    (" p-inner ", (*DIV, "p"), "this is a test\n\nHeading\n\np-inner"),
    (" p-trailing ", DIV, "this is a test\n\nHeading\n\np-inner\n\np-trailing"),
    (" ", BODY, "this is a test\n\nHeading\n\np-inner\n\np-trailing"),
]


@pytest.mark.parametrize("steps", range(1, len(WORKED_EXAMPLE) + 1))
def test_worked_example_of_the_specification(steps: int) -> None:
    runs = [Run(text, path) for text, path, _ in WORKED_EXAMPLE[:steps]]
    assert merge_runs(runs).text == WORKED_EXAMPLE[steps - 1][2]


@pytest.mark.parametrize(
    ("runs", "merged"),
    [
        ([("a", ("body", "div")), ("b", ("body", "div[2]"))], "a\nb"),
        ([("a", ("body", "p")), ("b", ("body",))], "a\n\nb"),
        ([("x ", ("body", "p")), ("y", ("body", "p")), ("z", ("body", "p"))], "x yz"),
        ([("k", ("body", "dl", "dt")), ("v", ("body", "dl", "dd"))], "k\nv"),
        ([("T", ("body", "h1")), ("u", ("body", "div")), (" v ", ("body", "div"))], "T\n\nu v"),
        ([("a\nb ", ("body",)), ("c", ("body",))], "a\nb c"),
        ([("a\n\n\nb", ("body", "p"))], "a\n\nb"),
        # A weaker separator never replaces a stronger one seen before a blank text.
        ([("a", ("body", "p")), (" ", ("body",)), ("b", ("body",))], "a\n\nb"),
        ([(" ", ("body",))], ""),
        ([], ""),
    ],
)
def test_neighbours_are_joined_by_the_strongest_separator(runs: list[tuple[str, tuple[str, ...]]], merged: str) -> None:
    assert merge_runs([Run(text, path) for text, path in runs]).text == merged


def test_the_merged_text_stands_where_the_last_run_stood() -> None:
    assert merge_runs([Run("a", ("body", "p")), Run("b", ("body", "p[2]"))]).path == ("body", "p[2]")


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("a \t b", "a b"),
        ("a\u00a0\u2009b", "a b"),
        ("zero\u200bwidth\u2060\ufeff so\u00adft", "zerowidth soft"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        (" a \n b ", " a\nb "),
        ("a \n \n\n b", "a\n\nb"),
    ],
)
def test_white_space_is_one_space_and_invisible_characters_go(text: str, normal: str) -> None:
    assert normalise_text(text) == normal


texts = st.text(alphabet="ab \n\u00a0\u200b", max_size=12)
paths = st.lists(st.sampled_from(["div", "p", "span", "p[2]", "div[2]"]), max_size=4).map(tuple)
runs = st.lists(st.builds(Run, texts, paths), max_size=12)


@given(runs)
def test_no_character_is_lost_or_made(some: list[Run]) -> None:
    merged = merge_runs(some).text
    assert "".join(merged.split()) == "".join("".join(run.text for run in some).replace("\u200b", "").split())


@given(runs)
def test_no_more_than_one_blank_line_and_none_at_the_ends(some: list[Run]) -> None:
    merged = merge_runs(some).text
    assert merged == merged.strip()
    assert "\n\n\n" not in merged
    assert "  " not in merged


@given(st.lists(st.sampled_from(STRENGTH), max_size=5))
def test_the_order_of_separators_does_not_matter(separators: list[str]) -> None:
    def joined(order: list[str]) -> str:
        merger = TextMerger()
        merger.append("a")
        for separator in order:
            merger.separate(separator)  # type: ignore[arg-type]
        merger.append("b")
        return merger.text()

    strongest = max(separators, key=STRENGTH.index, default="")  # type: ignore[arg-type]
    assert joined(separators) == joined(separators[::-1]) == f"a{strongest}b"
