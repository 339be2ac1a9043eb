"""What a page says of its own kind: Open Graph, JSON-LD, its URL (main_content.md 3, page type and structured)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from transforms.blocks.names import names

MISSING = -1.0
LONGEST_DATA = 2_000_000  # characters of one script
MOST_VALUES = 50_000  # values looked at in a page's data
OPEN_GRAPH_TYPES = {"website": 1, "article": 2, "blog": 3, "profile": 4, "product": 5, "product.item": 5, "og:product": 5}
OTHER_TYPE = 6

# A schema.org type counts for the first row whose names it has, or whose ending.
TYPES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("forum", names("discussionforumposting qapage"), ()),
    ("job", names("jobposting course recipe howto"), ("event",)),
    ("article", names("blog report"), ("article", "posting")),
    ("product", names("product productgroup productmodel vehicle car book"), ()),
    ("list", names("itemlist offercatalog searchresultspage"), ("collection", "collectionpage")),
    ("faq", names("faqpage"), ()),
    ("breadcrumb", names("breadcrumblist"), ()),
    ("business", names("service hotel dentist attorney physician"), ("business", "store", "service", "restaurant", "organization")),
    ("software", names("webapplication"), ("application",)),
    ("video", names("videoobject"), ()),
    ("review", names("review aggregaterating"), ("review",)),
    ("page", names("webpage website"), ("page",)),
)
LONG_TEXTS = frozenset(names("articlebody text reviewbody description"))
LEAST_TEXT = 60  # characters
HEADLINES = ("headline",)
EXTENSIONS = {"html": 1, "htm": 1, "shtml": 1, "php": 2, "asp": 3, "aspx": 3, "jsp": 3, "cfm": 3, "md": 4, "txt": 4}
OTHER_EXTENSION = 5
# Habits of URLs, conventions of software rather than words of a language.
URL_HABITS = (
    (
        "forum",
        re.compile(
            r"(?:^|[/.])(?:forums?|community|threads?|topics?|discussions?|questions|viewtopic|showthread|board)(?:[/.]|$)|/t/"
        ),
    ),
    ("docs", re.compile(r"(?:^|[/.])(?:docs?|documentation|reference|manual|api|guides?|wiki|tutorials?|learn|man)(?:[/.]|$)")),
    ("shop", re.compile(r"(?:^|[/.])(?:shop|store|products?|item|dp|p|buy)(?:[/.]|$)")),
    ("collection", re.compile(r"(?:^|/)(?:collections?|categor(?:y|ies)|c|shop|catalog|search|tags?|browse)(?:/|$)")),
    ("blog", re.compile(r"(?:^|[/.])(?:blogs?|news|articles?|posts?|story|stories)(?:[/.]|$)|/(?:19|20)\d\d/")),
)
_COMMENT = re.compile(r"^\s*(?:<!--|/\*<!\[CDATA\[\*/|//<!\[CDATA\[)|(?:-->|/\*\]\]>\*/|//\]\]>)\s*$")


@dataclass(frozen=True)
class LinkedData:
    """From a page's JSON-LD. types: lower case. texts: long texts. headline: the first."""

    types: frozenset[str]
    texts: tuple[str, ...]
    headline: str | None


def read_linked_data(scripts: Sequence[str]) -> LinkedData:
    """Reads JSON-LD scripts; what is no JSON says nothing, as to a search engine."""
    types: set[str] = set()
    texts: list[str] = []
    headline: str | None = None
    left = MOST_VALUES
    for script in scripts:
        if len(script) > LONGEST_DATA:
            continue
        try:
            pending: list[Any] = [json.loads(_without_comment(script), strict=False)]
        except (ValueError, RecursionError):
            continue
        while pending and left:
            left -= 1
            value = pending.pop()
            if isinstance(value, list):
                pending.extend(reversed(value))
            elif isinstance(value, dict):
                for key, inner in value.items():
                    if key == "@type":
                        types.update(t.lower() for t in (inner if isinstance(inner, list) else [inner]) if isinstance(t, str))
                    elif isinstance(inner, str):
                        lowered = key.lower()
                        if lowered in LONG_TEXTS and len(inner) >= LEAST_TEXT:
                            texts.append(inner)
                        elif headline is None and lowered in HEADLINES:
                            headline = inner
                    elif isinstance(inner, dict | list):
                        pending.append(inner)
    return LinkedData(frozenset(types), tuple(texts), headline)


def _without_comment(script: str) -> str:
    """A script without the comment marks around it that hid it from old browsers; most have none, which their ends show."""
    bare = script.strip()
    return script if bare[:1] in "{[" and bare[-1:] in "}]" else _COMMENT.sub("", script)


def page_type_columns(url: str, metas: Mapping[str, str], data: LinkedData) -> list[float]:
    """22 numbers about the kind of the page, the same for all its blocks."""
    open_graph = metas.get("og:type")
    kind = MISSING if open_graph is None else float(OPEN_GRAPH_TYPES.get(open_graph.strip().lower(), OTHER_TYPE))
    present = {_type_row(name) for name in data.types}
    flags = [float(row in present) for row in range(len(TYPES))]
    host, path = _host_and_path(url)
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    stem, dot, extension = last.rpartition(".")
    if not (dot and extension.isalnum() and len(extension) <= 5):
        stem, extension = last, ""
    place = f"{host}{path}".lower()
    return [
        kind,
        *flags,
        float("article:published_time" in metas),
        float(min(len(segments), 20)),
        float(min(stem.count("-"), 40)),
        float(EXTENSIONS.get(extension.lower(), OTHER_EXTENSION)) if extension else 0.0,
        *(float(habit.search(place) is not None) for _, habit in URL_HABITS),
    ]


def _type_row(name: str) -> int | None:
    name = name.rpartition("/")[2]
    for row, (_, whole, endings) in enumerate(TYPES):
        if name in whole or (endings and name.endswith(endings)):
            return row
    return None


def _host_and_path(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:  # a bracket in the host; the page is read all the same
        return "", ""
    return parts.netloc.rpartition("@")[2].partition(":")[0], parts.path[:2000]
