"""Pictures that stand for many: too many URLs of one host redirect to them (images.md section 8). A filter decides what of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from transforms.archives.revisits import payload_key
from transforms.images.urls import host_of
from transforms.records import WantedImage

PLACEHOLDER = "suspected_placeholder"
"""The flag of such a picture."""


def redirected_to(wanted: WantedImage) -> bytes:
    """A key of the host and of what an archived redirect of it led to: the content by its digest, the URL where it has none.

    An image without a body is alone under its key.
    """
    if wanted.status is not None or not wanted.trail:
        return wanted.url_key
    content = payload_key(wanted.digest) or wanted.trail[-1].partition("#")[0]
    return hashlib.sha256(f"{host_of(wanted.url)} {content}".encode("utf-8", "surrogatepass")).digest()


def flag_placeholders(wanted: Iterable[WantedImage], most: int | None) -> Iterator[WantedImage]:
    """The images of one key; each is flagged where they are more than `most`, however many: they are not held in memory."""
    if most is None:
        yield from wanted
        return
    rest = iter(wanted)
    first = list(islice(rest, most + 1))
    is_placeholder = len(first) > most
    for image in chain(first, rest):
        is_flagged = is_placeholder and image.status is None and image.trail
        yield replace(image, flags=(*image.flags, PLACEHOLDER)) if is_flagged else image
