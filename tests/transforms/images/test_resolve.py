"""One row a distinct URL, whatever the order in which it was seen (images.md 4, 9)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.images.resolve import resolve_image, want_image
from transforms.images.validate import ImageLimits
from transforms.records import Sighting, WantedImage

URL = "https://e.x/a.png"
KEY = b"k" * 16


def capture(date: str, digest: str = "sha1:A", file: str = "a.warc.gz", offset: int = 0) -> Sighting:
    return Sighting(URL, date=date, digest=digest, file=file, offset=offset, length=9)


def test_a_url_is_wanted_by_every_shard_that_mentions_it_once() -> None:
    wanted = want_image(KEY, [Sighting(URL, 3), Sighting(URL, 1), Sighting(URL, 3), capture("2026-01-01", offset=7)])
    assert wanted == WantedImage(KEY, URL, [1, 3], "a.warc.gz", 7, 9)


def test_a_capture_that_no_document_mentions_is_not_wanted() -> None:
    assert want_image(KEY, [capture("2026-01-01")]) is None


def test_a_url_without_a_capture_is_wanted_without_a_place() -> None:
    assert want_image(KEY, [Sighting(URL, 2)]) == WantedImage(KEY, URL, [2])


@pytest.mark.parametrize(
    ("captures", "place"),
    [
        ([capture("2026-02-01", offset=1), capture("2026-01-01", offset=2)], ("a.warc.gz", 2)),
        ([capture("2026-01-01", "sha1:B", offset=1), capture("2026-01-01", "sha1:A", offset=2)], ("a.warc.gz", 2)),
        ([capture("2026-01-01", file="b.warc.gz"), capture("2026-01-01", file="a.warc.gz", offset=5)], ("a.warc.gz", 5)),
    ],
)
def test_of_several_captures_the_earliest_counts(captures: list[Sighting], place: tuple[str, int]) -> None:
    wanted = want_image(KEY, [Sighting(URL, 0), *captures])
    assert wanted is not None
    assert (wanted.file, wanted.offset) == place


dates, digests, files = st.sampled_from(["2026-01-01", "2026-01-02"]), st.sampled_from(["a", "b"]), st.sampled_from("xy")
mentions = st.builds(Sighting, st.sampled_from([URL, URL + "#x"]), st.integers(0, 3))
sightings = st.one_of(mentions, st.builds(capture, dates, digests, files, st.integers(0, 3)))


@given(st.lists(sightings, max_size=8), st.integers(0, 99))
def test_arrival_does_not_matter(seen: list[Sighting], seed: int) -> None:
    shuffled = seen[:]
    random.Random(seed).shuffle(shuffled)
    assert want_image(KEY, seen) == want_image(KEY, shuffled)


def test_what_no_archive_holds_has_a_status_and_asks_nobody() -> None:
    outcome = resolve_image(WantedImage(KEY, URL, [2]), ImageLimits())
    assert (outcome.status, outcome.shards, outcome.sha256) == ("not_in_archive", [2], None)
