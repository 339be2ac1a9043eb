"""Repeats and restated wholes (blocks.md 10, 11)."""

from __future__ import annotations

import random

import pytest
from block_shapes import blocks_of
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.blocks.dedup import deduplicate
from transforms.records import Block

TABLE = "<table><tr><th>q</th><th>r</th></tr></table>"
CASES = [
    ("a later copy of prose goes", "<p>NEW</p><p>q</p><p>NEW</p>", ["NEW", "q"], ["dedup.repeat"]),
    ("white space and case do not count", "<p>Ka · 2m</p><p>KA·2M</p>", ["Ka · 2m"], ["dedup.repeat"]),
    ("case is folded", "<p>STRASSE</p><p>straße</p>", ["STRASSE"], ["dedup.repeat"]),
    ("nor does the kind", "<p>a</p><ul><li>a</ul>", ["a"], ["dedup.repeat"]),
    ("a heading outranks what is none", "<p>a</p><p>b</p><h1>A</h1>", ["b", "A"], ["dedup.outranked"]),
    ("but not another heading", "<h2>a</h2><h1>a</h1>", ["a"], ["dedup.repeat"]),
    ("content outranks chrome", "<nav>a</nav><p>a</p>", ["a"], ["dedup.outranked"]),
    ("chrome does not outrank chrome", "<nav>a</nav><footer>a</footer>", ["a"], ["dedup.repeat"]),
    ("the last kept copy is compared", "<nav>a</nav><p>a</p><h1>a</h1>", ["a"], ["dedup.outranked", "dedup.outranked"]),
    ("rules are never repeats", "<p>a</p><hr><p>b</p><hr><p>c</p>", ["a", "", "b", "", "c"], []),
    ("nor images without a text", "<img src=i><img src=i>", ["", ""], []),
    (
        "images with one alt and two sources are two",
        "<img src=1 alt=p><img src=2 alt=p><img src=1 alt=p>",
        ["p", "p"],
        ["dedup.repeat"],
    ),
    ("a table in other company stays", f"<p>a</p>{TABLE}<p>b</p>{TABLE}", ["a", "q | r", "b", "q | r"], []),
    ("code too", "<p>a</p><pre>x</pre><p>b</p><pre>x</pre>", ["a", "x", "b", "x"], []),
    ("right after the first it goes", f"<p>a</p>{TABLE}{TABLE}", ["a", "q | r"], ["dedup.copied_run"]),
    (
        "with the neighbour before it goes",
        f"<p>a</p>{TABLE}<p>b</p><p>a</p>{TABLE}<p>c</p>",
        ["a", "q | r", "b", "c"],
        ["dedup.repeat", "dedup.copied_run"],
    ),
    (
        "with the neighbour after it goes",
        f"{TABLE}<p>a</p><p>b</p>{TABLE}<p>a</p>",
        ["q | r", "a", "b"],
        ["dedup.copied_run", "dedup.repeat"],
    ),
    (
        "a neighbour that was there before proves nothing",
        f"<p>a</p><p>b</p><p>a</p>{TABLE}<p>a</p>{TABLE}",
        ["a", "b", "q | r", "q | r"],
        ["dedup.repeat", "dedup.repeat"],
    ),
    ("an image without text is no neighbour", f"<img src=1>{TABLE}<p>b</p><img src=1>{TABLE}", ["", "q | r", "b", "", "q | r"], []),
]


@pytest.mark.parametrize(("rule", "html", "texts", "rules"), CASES, ids=[case[0] for case in CASES])
def test_repeats(rule: str, html: str, texts: list[str], rules: list[str]) -> None:
    found = deduplicate(blocks_of(html))
    assert [block.text for block in found.kept] == texts
    assert [repeat.rule for repeat in found.repeats] == rules


def test_a_repeat_names_the_copy_that_is_kept() -> None:
    found = deduplicate(blocks_of("<nav>a</nav><p>a</p><p>b</p><p>b</p>"))
    assert [(repeat.block.xpath, repeat.twin_path) for repeat in found.repeats] == [
        ("/html/body/nav", "/html/body/p[1]"),
        ("/html/body/p[3]", "/html/body/p[2]"),
    ]


def words(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [f"w{chance.randrange(10_000)}" for _ in range(count)]


def page(*texts: list[str]) -> list[Block]:
    return blocks_of("".join(f"<p>{' '.join(text)}</p>" for text in texts))


PARTS = [words(seed, 60) for seed in range(4)]


def sized(*counts: int) -> list[list[str]]:
    return [part[:count] for part, count in zip(PARTS, counts, strict=True)]


def joined(*counts: int) -> list[str]:
    return [word for part in sized(*counts) for word in part]


WHOLE = [word for part in PARTS for word in part]


@pytest.mark.parametrize(
    ("rule", "blocks", "dropped"),
    [
        ("a container of its parts goes", page(*PARTS, WHOLE), [4]),
        ("wherever it stands", page(WHOLE, *PARTS), [0]),
        ("a near-copy of one block is a revision", page(WHOLE, [*WHOLE[:-1], "other"]), []),
        ("half from one block is a revision", page(WHOLE[:123], WHOLE[123:], WHOLE), []),
        ("less than half is not", page(WHOLE[:122], WHOLE[122:], WHOLE), [2]),
        ("unique text stays", page(PARTS[0], PARTS[1], WHOLE), []),
        ("149 words are too few", page(*sized(37, 37, 37, 38), joined(37, 37, 37, 38)), []),
        ("150 words are enough", page(*sized(37, 37, 38, 38), joined(37, 37, 38, 38)), [4]),
        ("case does not count", page(*PARTS, [word.upper() for word in WHOLE]), [4]),
    ],
)
def test_restated_whole(rule: str, blocks: list[Block], dropped: list[int]) -> None:
    assert [repeat.block.dom_index for repeat in deduplicate(blocks).repeats if repeat.rule == "dedup.restated"] == dropped, rule


def test_runs_of_six_words_are_compared() -> None:
    """Of 19 words of a part 14 runs of six stand in it, but only 13 of seven: 75 % against 69 % of the whole's."""
    parts = [words(seed, 19) for seed in range(100, 120)]
    found = deduplicate(page(*parts, [word for part in parts for word in part]))
    assert [repeat.block.dom_index for repeat in found.repeats] == [20]


def test_a_dropped_whole_supplies_nothing() -> None:
    """The second whole is covered only together with what is unique to the first, which goes."""
    parts = [words(seed, 47) for seed in range(200, 204)]
    others = [words(seed, 40) for seed in (210, 211)]
    unique = words(220, 52)
    first = [word for part in parts for word in part] + unique
    second = [*unique, *others[0], *others[1], *words(230, 28)]
    found = deduplicate(page(*parts, *others, first, second))
    assert [repeat.block.dom_index for repeat in found.repeats] == [6]


def test_wholes_that_restate_each_other_are_revisions() -> None:
    assert deduplicate(page(*PARTS, WHOLE, WHOLE[30:] + WHOLE[:30])).repeats == ()


BLOCKS = st.lists(
    st.builds(
        Block,
        kind=st.sampled_from(["paragraph", "heading", "table", "code", "image", "rule"]),
        text=st.sampled_from(["", "a", "A ", "b", "c", "d"]),
        tag=st.just("p"),
        xpath=st.text("xyz", max_size=3),
        dom_index=st.integers(0, 99),
        region=st.sampled_from([None, "main", "nav"]),
        href=st.sampled_from([None, "https://e.x/1"]),
    ),
    max_size=30,
)


@settings(max_examples=150, deadline=None)
@given(BLOCKS)
def test_every_block_is_kept_or_a_repeat_and_no_text_is_lost(blocks: list[Block]) -> None:
    found = deduplicate(blocks)
    kept_and_left = sorted([*map(id, found.kept), *(id(repeat.block) for repeat in found.repeats)])
    assert kept_and_left == sorted(map(id, blocks))

    def keys(some: list[Block]) -> set[tuple[str, str | None]]:
        return {("".join(block.text.split()).casefold(), block.href) for block in some}

    assert keys(list(found.kept)) == keys(blocks)
    assert deduplicate(found.kept).kept == found.kept or any(block.kind in ("table", "code") for block in blocks)
