"""One row a distinct URL, and what is dropped before anybody looks for it (images.md 3.4, 4)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.images.mentions import Mentions, mention_sighting
from transforms.images.wanted import LookUpConfig, want_image
from transforms.records import Document, ImageRef, Node, Sighting, Source

KEY = b"k" * 16
URL = "https://e.x/a.png"


def mention(url: str = URL, **fields: Any) -> Sighting:
    return Sighting(url, "mention", **{"shard": 0, "documents": 1, **fields})


CASES: list[tuple[list[Sighting], LookUpConfig, str | None]] = [
    ([mention()], LookUpConfig(), None),
    ([mention("https://e.x/a.svg")], LookUpConfig(), "rule_extension"),
    ([mention("https://e.x/a.SVG?v=1.png")], LookUpConfig(), "rule_extension"),
    ([mention("https://e.x/favicon.ico")], LookUpConfig(), "rule_extension"),
    ([mention("https://e.x/a.svg.png")], LookUpConfig(), None),
    ([mention("https://e.x/svg")], LookUpConfig(), None),
    ([mention("https://e.x/a.png?f=a.svg")], LookUpConfig(), None),
    ([mention("https://e.x/a.svg")], LookUpConfig(skip_extensions=()), None),
    ([mention("https://e.x/site-logo.png")], LookUpConfig(), "rule_word"),
    ([mention("https://e.x/siteLogo2.png")], LookUpConfig(), "rule_word"),
    ([mention("https://e.x/logos/a.png")], LookUpConfig(), None),
    ([mention("https://logo.e.x/a.png?icon")], LookUpConfig(), None),
    ([mention("https://e.x/логотип/a.png")], LookUpConfig(skip_words=("логотип",)), "rule_word"),
    ([mention("https://e.x/site-logo.png")], LookUpConfig(skip_words=()), None),
    ([mention(hint=149)], LookUpConfig(), "rule_hint"),
    ([mention(hint=150)], LookUpConfig(), None),
    ([mention(hint=0)], LookUpConfig(min_hint=0), None),
    ([mention(hint=1)], LookUpConfig(min_hint=None), None),
    ([mention(hint=90), mention(hint=400, shard=1)], LookUpConfig(), None),
    ([mention(hint=90), mention(shard=1)], LookUpConfig(), None),
    ([mention(documents=600), mention(documents=401, shard=1)], LookUpConfig(), "too_common"),
    ([mention(documents=600), mention(documents=400, shard=1)], LookUpConfig(), None),
    ([mention(documents=2000)], LookUpConfig(max_docs_per_url=None), None),
    ([mention(status="optout_page", detail="x")], LookUpConfig(), "optout_page"),
    ([mention(status="optout_page"), mention(shard=1)], LookUpConfig(), None),
    ([mention(status="too_many_in_page"), mention(status="optout_page", shard=1)], LookUpConfig(), "optout_page"),
    ([mention("ftp://e.x/a.svg", status="scheme_not_allowed")], LookUpConfig(), "scheme_not_allowed"),
]


@pytest.mark.parametrize(("mentions", "config", "status"), CASES)
def test_rules_before_the_look_up(mentions: list[Sighting], config: LookUpConfig, status: str | None) -> None:
    wanted = want_image(KEY, mentions, config)
    assert wanted is not None
    assert wanted.status == status


def test_a_url_is_wanted_by_every_shard_that_mentions_it_once_and_by_its_earliest_page() -> None:
    wanted = want_image(KEY, [mention(shard=3, date="2024"), mention(shard=1, date="2023"), mention(shard=3)], LookUpConfig())
    assert wanted is not None
    assert (wanted.url, wanted.shards, wanted.date, wanted.file) == (URL, [1, 3], "2023", None)


def test_a_url_that_no_document_mentions_is_not_wanted() -> None:
    assert want_image(KEY, [], LookUpConfig()) is None


def document(date: str, *images: ImageRef, rejected: tuple[tuple[str, str], ...] = ()) -> Document:
    nodes = tuple(Node(f"/img[{number}]", (number, number + 1), image=image) for number, image in enumerate(images))
    return Document(date, "https://e.x/", "e.x", Source("a", 0, 1), nodes, date=date, rejected=rejected)


def image(*urls: str, hints: tuple[int | None, ...] = (), skipped: str | None = None) -> ImageRef:
    return ImageRef(urls[0], urls, hints=hints or (None,) * len(urls), skipped=skipped)


def test_a_shard_has_one_row_a_url_however_often_it_is_mentioned() -> None:
    mentions = Mentions()
    for number in range(1_000):
        mentions.add(document(f"2024-01-{number % 9 + 1:02}", *(image(f"https://e.x/{n % 50}.png") for n in range(60))))
    rows = list(mentions.rows())
    assert len(rows) == 50
    assert {(row["documents"], row["date"]) for row in rows} == {(1_000, "2024-01-01")}
    assert [row["url_key"] for row in rows] == sorted(row["url_key"] for row in rows)


references = st.builds(
    image,
    st.sampled_from([URL, URL + "#x"]),
    hints=st.tuples(st.sampled_from([None, 90, 300])),
    skipped=st.sampled_from([None, "optout_page", "too_many_in_page"]),
)
documents = st.builds(document, st.sampled_from(["2023", "2024"]), references, references)


@settings(max_examples=100, deadline=None)
@given(st.lists(documents, min_size=1, max_size=6), st.integers(0, 99))
def test_how_documents_are_spread_over_shards_does_not_matter(given_: list[Document], seed: int) -> None:
    """Shards and the order of arrival change nothing but the list of the shards themselves."""

    def want(shards: list[list[Document]]) -> Any:
        seen = []
        for number, shard in enumerate(shards):
            mentions = Mentions()
            for item in shard:
                mentions.add(item)
            seen += [mention_sighting(row, number) for row in mentions.rows()]
        random.Random(seed).shuffle(seen)
        wanted = want_image(KEY, seen, LookUpConfig(max_docs_per_url=3))
        assert wanted is not None
        return (wanted.url, wanted.date, wanted.status, wanted.detail, wanted.value)

    middle = len(given_) // 2
    assert want([given_]) == want([given_[middle:][::-1], given_[:middle]])
