"""Where an image of a page may be had from, and in which order to try (blocks.md 4.10, images.md 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from transforms.records import Candidate

Attributes = Mapping[str, "str | None"]
Resolve = Callable[["str | None"], "str | None"]

# In the order of preference for an image's identity.
URL_ATTRIBUTES = ("src", "data-src", "data-lazy-src", "data-lazy", "data-original")
SRCSET_ATTRIBUTES = ("srcset", "data-srcset", "data-lazy-srcset")
# What Pillow decodes for us (images.md 8). A source of another type is tried last.
ACCEPTED_TYPES = frozenset({"image/jpeg", "image/jpg", "image/pjpeg", "image/png", "image/webp", "image/gif", "image/avif"})
LEAST_SIDE = 150  # pixels; `images.min_side`

# HTML Standard, "parse a srcset attribute". Its white space is ASCII only.
_URL = re.compile(r"[ \t\n\f\r,]*([^ \t\n\f\r]+)")
# What nearly all are: a URL without a comma at either end, one descriptor. Reads the same as the two rules below.
_USUAL = re.compile(
    r"[ \t\n\f\r]*([^ \t\n\f\r,](?:[^ \t\n\f\r]*[^ \t\n\f\r,])?)[ \t\n\f\r]+([1-9]\d*w|\d+(?:\.\d+)?x)[ \t\n\f\r]*(?:,|\Z)"
)
_DESCRIPTORS = re.compile(r"((?:[^,(]|\([^)]*(?:\)|\Z))*)(?:,|\Z)")
_ASCII_SPACE = " \t\n\f\r"
_WIDTH = re.compile(r"\d+w")
_HEIGHT = re.compile(r"\d+h")
_DENSITY = re.compile(r"(-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)x")
# What a lazy attribute holds where it is a switch and no URL.
_SWITCHES = frozenset({"true", "false", "1", "0", "yes", "no", "on", "off", "lazy", "eager", "auto", "none", "null", "undefined"})
# A lazy attribute may hold a srcset whatever its name is.
_IS_SRCSET = re.compile(r"\s\d+(?:\.\d+)?[wx]\s*(?:,|\Z)")
# A size in a file name: `photo-60x40.jpg`, `60x-1.png`. One pixel stands for "no limit" there, not for a size.
_NAMED_SIZE = re.compile(r"(?<!\d)(\d{1,5})x-?(\d{1,5})(?!\d)")
_NO_LIMIT = 1


def parse_srcset(srcset: str) -> list[tuple[str, str | None]]:
    """The URLs of a srcset with their descriptors as written, None where there is none (HTML Standard).

    A URL may contain commas; a candidate with an invalid descriptor is left out.

    >>> parse_srcset("a,b.jpg 1x, c.jpg 2x,d.jpg")
    [('a,b.jpg', '1x'), ('c.jpg', '2x'), ('d.jpg', None)]
    """
    found: list[tuple[str, str | None]] = []
    position = 0
    while usual := _USUAL.match(srcset, position):
        found.append((usual[1], usual[2]))
        position = usual.end()
    while match := _URL.match(srcset, position):
        url, position = match[1], match.end()
        if url.endswith(","):
            if url := url.rstrip(","):
                found.append((url, None))
            continue
        described = _DESCRIPTORS.match(srcset, position)
        assert described is not None  # it matches the empty string
        position = described.end()
        descriptors = described[1].strip(_ASCII_SPACE)
        if not descriptors:
            found.append((url, None))
        elif _are_valid(descriptors.split()):
            found.append((url, " ".join(descriptors.split())))
    return found


def _are_valid(descriptors: Sequence[str]) -> bool:
    width = height = density = False
    for descriptor in descriptors:
        if _WIDTH.fullmatch(descriptor):
            if width or density or int(descriptor[:-1]) == 0:
                return False
            width = True
        elif _HEIGHT.fullmatch(descriptor):
            if height or density or int(descriptor[:-1]) == 0:
                return False
            height = True
        elif found := _DENSITY.fullmatch(descriptor):
            if width or height or density or float(found[1]) < 0:
                return False
            density = True
        else:
            return False
    return width or not height


def collect_candidates(
    images: Iterable[Attributes],
    sources: Iterable[Attributes],
    resolve: Resolve,
    url_attributes: Sequence[str] = URL_ATTRIBUTES,
) -> list[Candidate]:
    """All distinct URLs an image may be had from; the first is its identity (blocks.md 4.10).

    images: the attributes of the `<img>` and of its noscript twins. sources: of the `<source>`s of the enclosing `<picture>`.
    resolve: gives the absolute URL of a reference, or None when it cannot be fetched. url_attributes: where to look, in order.
    """
    found: dict[str, Candidate] = {}
    images = list(images)
    for number, attributes in enumerate(images):
        for name in url_attributes:
            value = attributes.get(name)
            if not value or (name != "src" and value.strip().lower() in _SWITCHES):
                continue
            if name != "src" and _IS_SRCSET.search(value):
                _collect_srcset(value, {"from": "img"}, resolve, found)
                continue
            url = resolve(value)
            if url is not None and url not in found:
                found[url] = {"url": url, "descriptor": None, "from": "img"}
        _collect_srcsets(attributes, {"from": "img"}, resolve, found)
        if number == 0:
            for source in sources:
                origin: Candidate = {"from": "source"}
                if source.get("media"):
                    origin["media"] = source["media"] or ""
                if source.get("type"):
                    origin["type"] = source["type"] or ""
                _collect_srcsets(source, origin, resolve, found)
    return list(found.values())


def _collect_srcsets(attributes: Attributes, origin: Candidate, resolve: Resolve, found: dict[str, Candidate]) -> None:
    for name in SRCSET_ATTRIBUTES:
        srcset = attributes.get(name)
        if srcset:
            _collect_srcset(srcset, origin, resolve, found)


def _collect_srcset(srcset: str, origin: Candidate, resolve: Resolve, found: dict[str, Candidate]) -> None:
    for reference, descriptor in parse_srcset(srcset):
        url = resolve(reference)
        if url is None:
            continue
        known = found.get(url)
        if known is None:
            found[url] = {"url": url, "descriptor": descriptor, **origin}
        elif known["descriptor"] is None:
            known["descriptor"] = descriptor


def download_order(
    candidates: Sequence[Candidate],
    *,
    width: str | None = None,
    min_side: int | None = LEAST_SIDE,
    accepted_types: frozenset[str] = ACCEPTED_TYPES,
) -> tuple[str, ...]:
    """The candidates' URLs, best first (images.md 3.1, blocks.md 4.10).

    1. declared widths, descending: a `w` descriptor, or an `x` descriptor times the `width` attribute
    2. other densities, descending
    3. undeclared ones in page order, but the identity last: a lazy attribute names the picture, `src` often a placeholder
    4. those whose file name gives a side under min_side (None switches this off)
    5. sources of a type that is not decoded

    A function of the arguments alone. width: the attribute as written.
    """
    if len(candidates) < 2:  # as most images have it
        return tuple(candidate["url"] for candidate in candidates)
    rendered = int(width) if width and width.isascii() and width.isdigit() and len(width) < 6 else None

    def rank(position: int) -> tuple[bool, int, float, int]:
        candidate = candidates[position]
        group, size = _size(candidate, rendered)
        if min_side is not None and _is_small(candidate["url"], group, size, min_side):
            group = _SMALL
        comes_last = group == _UNKNOWN and position == 0 and candidate["from"] == "img"
        type_name = candidate.get("type", "").split(";")[0].strip().lower()
        return (bool(type_name) and type_name not in accepted_types, group, -size, position + len(candidates) * comes_last)

    return tuple(candidates[position]["url"] for position in sorted(range(len(candidates)), key=rank))


def candidate_origins(candidates: Sequence[Candidate], urls: Sequence[str]) -> tuple[str, ...]:
    """Where the page has each of `urls`: `img` or `source`."""
    by_url = {candidate["url"]: candidate["from"] for candidate in candidates}
    return tuple(by_url[url] for url in urls)


def size_hints(
    candidates: Sequence[Candidate], urls: Sequence[str], *, width: str | None = None, height: str | None = None
) -> tuple[int | None, ...]:
    """How large the page says each of `urls` is, pixels of the shorter side that it names; None where it says nothing.

    A descriptor counts, else digits in the file name, else the attributes. width, height: declared, whole pixels or a percentage.
    """
    sides = [int(side) for side in (width, height) if side and side.isdigit() and int(side) > _NO_LIMIT]
    rendered = int(width) if width and width.isdigit() else None
    by_url = {candidate["url"]: candidate for candidate in candidates}
    return tuple(_hint(by_url[url], rendered, sides) for url in urls)


def _hint(candidate: Candidate, rendered: int | None, sides: Sequence[int]) -> int | None:
    group, size = _size(candidate, rendered)
    if group == _DECLARED:
        return int(min(size, _MOST_PIXELS))
    named = [side for side in _named_sides(candidate["url"]) if side > _NO_LIMIT]
    if named or group == _DENSE:
        return min(named, default=None)
    return min(sides, default=None)


_DECLARED, _DENSE, _UNKNOWN, _SMALL = range(4)
_MOST_PIXELS = 10**9


def _size(candidate: Candidate, rendered: int | None) -> tuple[int, float]:
    for descriptor in (candidate.get("descriptor") or "").split():
        if _WIDTH.fullmatch(descriptor):
            return _DECLARED, float(descriptor[:-1])
        if found := _DENSITY.fullmatch(descriptor):
            density = float(found[1])
            return (_DENSE, density) if rendered is None else (_DECLARED, density * rendered)
    return _UNKNOWN, 0.0


def _is_small(url: str, group: int, size: float, min_side: int) -> bool:
    if group == _DECLARED:
        return size < min_side
    return any(_NO_LIMIT < side < min_side for side in _named_sides(url))


def _named_sides(url: str) -> tuple[int, ...]:
    """The size that digits of a file name state."""
    named = _NAMED_SIZE.search(url.partition("?")[0].rpartition("/")[2])
    return tuple(map(int, named.groups())) if named is not None else ()
