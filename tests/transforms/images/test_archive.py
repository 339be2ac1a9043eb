"""Which archived answer an image URL has (images.md 9; section 12, rows O1 to O3)."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.fetch_images import begin_look_up, continue_look_up
from transforms.images.archive import MAX_REDIRECTS, look_up, seconds_of
from transforms.images.optout import OptOutConfig
from transforms.images.urls import url_key
from transforms.images.wanted import LookUpConfig
from transforms.records import Sighting, WantedImage

URL = "https://e.x/a.png"
WANTED = WantedImage(url_key(URL), URL, [0], date="2024-06-01T00:00:00Z")


def capture(date: str = "2024-06-01T00:00:00Z", kind: str = "image", **fields: Any) -> Sighting:
    place = {"file": "a.warc.gz", "offset": 0, "length": 9, "digest": "sha1:A"}
    return Sighting(URL, kind, date, **{**place, **fields})


def redirect(url: str, target: str, **fields: Any) -> Sighting:
    return Sighting(url, "redirect", "2024-06-01T00:00:00Z", target=target, http_status=302, file="a", offset=0, length=1, **fields)


def follow(wanted: WantedImage, archive: list[Sighting]) -> WantedImage:
    """All rounds over an archive."""
    target: str | None = URL
    while target is not None:
        here = target
        wanted, target = look_up(wanted, [seen for seen in archive if url_key(seen.url) == url_key(here)], OptOutConfig())
    return wanted


def chain(hops: int) -> list[Sighting]:
    """URL -> 1 -> 2 ... -> an image, `hops` redirects away."""
    urls = [URL, *(f"https://e.x/{n}" for n in range(1, hops + 1))]
    steps = [redirect(url, target) for url, target in pairwise(urls)]
    return [*steps, Sighting(urls[-1], "image", "2024-01-01", file="b", offset=3, length=4)]


STATUSES = [
    ([], "not_in_archive"),
    ([capture()], None),
    ([capture(kind="error", http_status=404)], "archived_http_error"),
    ([capture(kind="revisit")], "revisit_unresolved"),
    ([capture(directives=["x-robots-tag: noai"])], "optout_header"),
    ([capture(directives=["x-robots-tag: otherbot: noai"])], None),
    ([redirect(URL, "https://e.x/b", directives=["x-robots-tag: noai"]), Sighting("https://e.x/b", "image")], "optout_header"),
    ([redirect(URL, "https://e.x/b")], "archived_redirect_unresolved"),
    ([redirect(URL, "https://e.x/b"), Sighting("https://e.x/b", "error", http_status=404)], "archived_http_error"),
    ([redirect(URL, "ftp://e.x/b")], "redirect_refused"),
    ([redirect(URL, "data:image/png;base64,AA")], "redirect_refused"),
    ([redirect(URL, URL + "#x")], "archived_redirect_unresolved"),
    ([redirect(URL, "https://e.x/b"), redirect("https://e.x/b", URL)], "archived_redirect_unresolved"),
    (chain(3), None),
    (chain(MAX_REDIRECTS), None),
    (chain(MAX_REDIRECTS + 1), "archived_redirect_unresolved"),
    # A body is what was asked for, whatever else was captured.
    ([capture(kind="error", http_status=404), redirect(URL, "https://e.x/b"), capture("2001-01-01")], None),
    ([capture(kind="error", http_status=404), *chain(1)], None),
]


@pytest.mark.parametrize(("archive", "status"), STATUSES)
def test_what_an_archive_answers_becomes_a_status_or_a_place(archive: list[Sighting], status: str | None) -> None:
    found = follow(WANTED, archive)
    assert found.status == status


@pytest.mark.parametrize(
    "answer",
    [capture(), capture(kind="error", http_status=404), capture(kind="revisit"), capture(directives=["x-robots-tag: noai"])],
)
def test_whatever_answers_is_named_by_its_place(answer: Sighting) -> None:
    found = follow(WANTED, [answer])
    assert (found.file, found.offset, found.captured) == (answer.file, answer.offset, answer.date)


def test_a_circle_is_told_from_a_long_way() -> None:
    circle = follow(WANTED, [redirect(URL, "https://e.x/b"), redirect("https://e.x/b", URL)])
    long = follow(WANTED, chain(MAX_REDIRECTS + 1))
    assert (circle.detail, circle.value) == (f"a circle: leads back to {URL}", None)
    assert (long.value, long.threshold) == (6, 5)


@pytest.mark.parametrize(
    ("captures", "offset"),
    [
        ([capture("2023-01-01T00:00:00Z", offset=1), capture("2024-05-01T00:00:00Z", offset=2)], 2),
        ([capture("2024-05-30T00:00:00Z", offset=1), capture("2024-06-02T00:00:00Z", offset=2)], 2),
        ([capture("20240530000000", offset=1), capture("2024-06-02T00:00:00Z", offset=2)], 2),
        ([capture("2024-05-31T00:00:00Z", offset=1), capture("2024-06-02T00:00:00Z", offset=2, digest="sha1:0")], 2),
        ([capture("2024-05-31T00:00:00Z", offset=2), capture("2024-06-02T00:00:00Z", offset=1)], 2),
        ([capture("", offset=1), capture("1999", offset=2)], 2),
        ([capture(offset=2, file="a"), capture(offset=1, file="b")], 2),
    ],
)
def test_of_several_captures_the_nearest_to_the_page_counts(captures: list[Sighting], offset: int) -> None:
    for order in (captures, captures[::-1]):
        found, _ = look_up(WANTED, order, OptOutConfig())
        assert found.offset == offset


def test_a_page_without_a_date_takes_the_same_capture_in_any_order() -> None:
    captures = [capture("2024-05-01", offset=1), capture("2023-05-01", offset=2)]
    wanted = WantedImage(WANTED.url_key, URL, [0])
    assert {look_up(wanted, order, OptOutConfig())[0].offset for order in (captures, captures[::-1])} == {2}


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("1970-01-02T00:00:00Z", 86400),
        ("19700102000000", 86400),
        ("1970-01-02T00:00:00.123456Z", 86400),
        ("1970-01-02", 86400),
        ("1970", 0),
        ("2024-13-99T00:00:00Z", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_dates_are_read_as_archives_write_them(date: str | None, seconds: int | None) -> None:
    assert seconds_of(date) == seconds


LETTERS = [f"https://e.x/{letter}" for letter in "abcd"]
ARCHIVED = st.one_of(
    st.builds(redirect, st.sampled_from(LETTERS), st.sampled_from(LETTERS)),
    st.builds(
        Sighting,
        st.sampled_from(LETTERS),
        st.sampled_from(["image", "error", "revisit"]),
        st.sampled_from(["2023", "2024-06-02"]),
        file=st.sampled_from("xy"),
        offset=st.integers(0, 3),
        length=st.just(1),
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(ARCHIVED, max_size=8), st.integers(0, 99))
def test_rounds_over_groups_settle_every_url_once_in_any_order(archive: list[Sighting], seed: int) -> None:
    """The rounds as the graph makes them, each group by itself, give what one walk over the whole archive gives."""

    def run(sightings: list[Sighting]) -> dict[str, WantedImage]:
        groups: dict[bytes, list[Sighting]] = {}
        for seen in sightings:
            groups.setdefault(url_key(seen.url), []).append(seen)
            if seen.target is not None:
                groups.setdefault(url_key(seen.target), []).append(Sighting(seen.target, "target"))
        steps = [step for key, group in groups.items() for step in begin_look_up(key, group, LookUpConfig(), OptOutConfig())]
        landings = [step for step in steps if step[1].seen is not None]
        settled: list[WantedImage] = []
        for _ in range(MAX_REDIRECTS + 1):
            settled += [look.wanted for _, look in steps if look.is_settled and look.wanted is not None]
            met: dict[bytes, list[Any]] = {}
            for key, look in [*landings, *(s for s in steps if s[1].wanted is not None and not s[1].is_settled)]:
                met.setdefault(key, []).append(look)
            steps = [step for key, looks in met.items() for step in continue_look_up(key, looks, OptOutConfig())]
        assert not steps
        assert len({wanted.url for wanted in settled}) == len(settled)
        return {wanted.url: wanted for wanted in settled}

    mentions = [Sighting(url, "mention", "2024-06-01", shard=0, documents=1) for url in LETTERS]
    shuffled = [*mentions, *archive]
    random.Random(seed).shuffle(shuffled)
    found = run(shuffled)
    assert found == run([*archive, *mentions])
    assert set(found) == set(LETTERS)
    for url, wanted in found.items():
        first = WantedImage(url_key(url), url, [0], date="2024-06-01")
        target: str | None = url
        while target is not None:
            here = target
            first, target = look_up(first, [seen for seen in archive if seen.url == here], OptOutConfig())
        assert wanted == first
