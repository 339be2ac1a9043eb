"""What a page's images are mentions of: the first ones, unless the page refuses (images.md 3.4, 6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from transforms.images.mentions import Mentions, ReferenceConfig, skip_images
from transforms.records import Document, ImageRef, Node, Paragraph, Source


def document(*names: str | None) -> Document:
    """Of images by name, None for a text."""
    nodes = []
    for number, name in enumerate(names):
        place = (f"/p[{number}]", (number, number + 1))
        if name is None:
            nodes.append(Node(*place, paragraphs=(Paragraph("Text", "paragraph", "", *place),)))
        else:
            url = f"https://e.x/{name}.png"
            nodes.append(Node(*place, image=ImageRef(url, (url,))))
    return Document("0" * 32, "https://e.x/", "e.x", Source("a", 0, 1), tuple(nodes))


def skip(page: Document, refusal: str | None, most: int | None) -> Document:
    return replace(page, nodes=skip_images(page.nodes, refusal, most))


def skipped(found: Document) -> list[str | None]:
    return [node.image.skipped for node in found.nodes if node.image is not None]


MANY = "too_many_in_page"


@pytest.mark.parametrize(("refusal", "most", "statuses"), [
    (None, 4, [None] * 4), (None, 3, [None, None, None, MANY]), (None, 1, [None, MANY, MANY, MANY]), (None, 0, [MANY] * 4),
    (None, None, [None] * 4), ("meta robots: noai", 3, ["optout_page"] * 4), ("meta robots: noai", None, ["optout_page"] * 4),
])  # fmt: skip
def test_images_over_the_number_of_a_page_are_skipped_and_texts_do_not_count(
    refusal: str | None, most: int | None, statuses: list[str | None]
) -> None:
    page = document("a", None, None, "b", "c", None, "d")
    found = skip(page, refusal, most)
    assert skipped(found) == statuses
    assert [node.text for node in found.nodes] == [node.text for node in page.nodes]


def test_a_page_has_fifty_images_unless_told_otherwise() -> None:
    found = skip(document(*(f"{number}" for number in range(52))), None, ReferenceConfig().max_per_page)
    assert skipped(found) == [None] * 50 + [MANY] * 2
    assert [node.image.skip_detail for node in found.nodes[50:] if node.image] == [
        "image 51 of the page, at most 50", "image 52 of the page, at most 50",
    ]  # fmt: skip


def test_a_skipped_image_is_looked_for_where_another_mention_asks_for_it() -> None:
    mentions = Mentions()
    mentions.add(skip(document("a", "b", "a", "c"), None, 2))
    mentions.add(skip(document("c"), None, 2))
    mentions.add(skip(document("b", "a", "d"), None, 2))
    assert {row["url"]: row["status"] for row in mentions.rows()} == {
        "https://e.x/a.png": None, "https://e.x/b.png": None, "https://e.x/c.png": None, "https://e.x/d.png": MANY,
    }  # fmt: skip
