"""A small web site of our own writing, made to be crawled: articles in many languages, image tricks and hostile pages.

`build_site()` gives every response; `expected_pages()`, `expected_images()` and `expected_page_images()` say what the pipeline
should make of them. `scripts.make_demo_crawl` serves and records it.
"""

from scripts.demo_site.resource import NO_REFERENCE, Resource
from scripts.demo_site.site import build_site, expected_images, expected_page_images, expected_pages

__all__ = ["NO_REFERENCE", "Resource", "build_site", "expected_images", "expected_page_images", "expected_pages"]
