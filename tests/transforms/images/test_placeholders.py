"""Archived pictures that too many URLs of one host redirect to (images.md 8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import pytest

from transforms.images.placeholders import PLACEHOLDER, flag_placeholders, redirected_to
from transforms.images.urls import url_key
from transforms.records import WantedImage


def moved(number: int, host: str = "e.x", target: str = "https://e.x/one.png", digest: str | None = "sha1:ONE") -> WantedImage:
    url = f"https://{host}/{number}.png"
    return WantedImage(url_key(url), url, [0], trail=(target,), file="a", offset=number, length=1, digest=digest)


def flagged(wanted: list[WantedImage], most: int | None) -> list[str]:
    groups = defaultdict(list)
    for image in wanted:
        groups[redirected_to(image)].append(image)
    found = [image for group in groups.values() for image in flag_placeholders(group, most)]
    assert sorted(image.url for image in found) == sorted(image.url for image in wanted)
    return sorted(image.url for image in found if tuple(image.flags) == (PLACEHOLDER,))


OTHER = "https://e.x/two.png"
LOST = WantedImage(b"k", "https://e.x/lost.png", [0], status="archived_redirect_unresolved", trail=("https://e.x/one.png",))


@pytest.mark.parametrize(("wanted", "most", "number"), [
    ([moved(n) for n in range(4)], 3, 4),
    ([moved(n) for n in range(3)], 3, 0),
    ([moved(0)], 0, 1),
    ([moved(n) for n in range(4)], None, 0),
    ([moved(0), moved(1, target=OTHER, digest="sha1:one")], 1, 2),
    ([moved(n, target=f"https://e.x/one.png#{n}", digest=None) for n in range(4)], 3, 4),
    ([moved(0, digest=None), moved(1, target=OTHER, digest=None)], 1, 0),
    ([moved(n, host=f"{n % 2}.x") for n in range(4)], 3, 0),
    ([*(moved(n) for n in range(3)), LOST], 3, 0),
    ([WantedImage(b"k", "https://e.x/one.png", [0], file="a", offset=0, length=1, digest="sha1:ONE")], 0, 0),
])  # fmt: skip
def test_a_content_that_more_urls_of_a_host_redirect_to_is_flagged(
    wanted: list[WantedImage], most: int | None, number: int
) -> None:
    assert len(flagged(wanted, most)) == number


def test_a_million_urls_of_one_content_are_not_held_in_memory() -> None:
    handed_out = 0

    def arriving() -> Iterator[WantedImage]:
        nonlocal handed_out
        for number in range(1_000):
            handed_out += 1
            yield moved(number)

    found = flag_placeholders(arriving(), 3)
    assert next(found).flags == (PLACEHOLDER,)
    assert handed_out == 4
    assert sum(1 for _ in found) == 999
