"""The whole demo site in the order a crawler would visit it, and the table of what should become of each URL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from scripts.demo_site.articles import article_resources
from scripts.demo_site.hostile import hostile_resources
from scripts.demo_site.pictures import UNASKED, UNRECORDED, picture_resources
from scripts.demo_site.resource import MAGAZINE, Resource

# Links from a letter carry a mark; the page behind is the same. Deduplication has to find that out.
MARKED_COPY_OF = f"{MAGAZINE}/articles/tea-leaves.html"
MARKED_COPY = f"{MARKED_COPY_OF}?utm_source=letter&utm_medium=email"


@cache
def build_site() -> tuple[Resource, ...]:
    """All responses, archive by archive: each page is followed by the pictures that only then become known.

    The same on every machine with the same versions of Pillow and brotli. Raises ValueError if two responses share a URL.
    """
    pages = [*article_resources(), *hostile_resources()]
    pages.extend(replace(page, url=MARKED_COPY, archive=1) for page in list(pages) if page.url == MARKED_COPY_OF)
    pictures = list(picture_resources())
    refuse_repeated_urls([*pages, *pictures])
    ordered = (resource for archive in archives(pages) for resource in visit(archive, pages, pictures))
    return tuple(ordered)


def archives(resources: Iterable[Resource]) -> list[int]:
    return sorted({resource.archive for resource in resources})


def visit(archive: int, pages: list[Resource], pictures: list[Resource]) -> list[Resource]:
    """The responses of one archive: a page, its pictures, the next page; what no page shows comes last."""
    waiting = {picture.url: picture for picture in pictures if picture.archive == archive}
    visited: list[Resource] = []
    for page in pages:
        if page.archive != archive:
            continue
        visited.append(page)
        visited.extend(waiting.pop(url) for url in page.usable_images or () if url in waiting)
    return [*visited, *waiting.values()]


def refuse_repeated_urls(resources: list[Resource]) -> None:
    seen: set[str] = set()
    for resource in resources:
        if resource.url in seen:
            raise ValueError(f"the demo site has two responses for {resource.url}; each URL may occur once")
        seen.add(resource.url)


def expected_pages() -> dict[str, str]:
    """URL of each recorded page -> `document`, or `drop:RULE` with the rule that ends it, up to and including extraction.

    Holds for the default configuration. Rules on documents and deduplication come later and may still drop a `document`.
    """
    return {
        resource.url: resource.expected for resource in build_site() if resource.kind == "page" and resource.expected is not None
    }


def expected_images() -> dict[str, str]:
    """URL of each picture -> its status (spec/images.md section 10) when a document asks the archive for it.

    `no_reference` marks pictures that no document may ask for. URLs that pages mention but nobody recorded are included, and so are
    pictures that stand in a page, by their names.
    """
    recorded = {resource.url: resource.expected for resource in build_site() if resource.kind == "image"}
    return {url: status for url, status in {**recorded, **UNRECORDED, **UNASKED}.items() if status is not None}


def expected_page_images() -> dict[str, tuple[str, ...]]:
    """URL of a page that becomes a document -> URLs of the pictures it shows, in order.

    Each is the best candidate that resolves to `ok` in the archive; pictures without such a candidate are left out. Rules on
    images (format, words in the URL) come later and may still remove one.
    """
    return {
        resource.url: resource.usable_images
        for resource in build_site()
        if resource.expected == "document" and resource.usable_images is not None
    }
