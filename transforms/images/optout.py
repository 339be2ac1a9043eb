"""What site owners say about the use of their pages and images, and when that is a refusal (images.md section 6).

A directive is kept as the line it came from, `NAME: VALUE`:

    x-robots-tag: noai, noimageai      HTTP header, one line each time it is sent
    tdm-reservation: 1                 HTTP header of the TDM Reservation Protocol
    meta robots: noai                  `<meta name=robots content=noai>`
    meta tdm-reservation: 1            `<meta name=tdm-reservation content=1>`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

AGENT = "interleaf"
"""The name by which directives may address this project alone."""

REFUSING = ("noai", "noimageai", "noml", "noindex", "noimageindex", "none")

ROBOTS_HEADER = "x-robots-tag"
TDM = "tdm-reservation"
HEADERS = (ROBOTS_HEADER, TDM)
META_NAMES = ("robots", AGENT, TDM)
EVERYONE = ("*", "robots")

MAX_LINES = 20
MAX_CHARACTERS = 4000

# Directives with a value behind a colon, which therefore is no agent before it (robots meta tag specification).
WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
# What is behind the comma of a date such as `Fri, 25 Jun 2010 15:00:00 GMT`.
_DATE_REST = re.compile(r"\d[^,]*\d:\d\d")


@dataclass(frozen=True)
class OptOutConfig:
    """Which words of an owner are a refusal, and what a page's refusal costs."""

    enabled: bool = field(default=True, metadata={"help": "heed what owners say in headers and pages"})
    tdm: bool = field(default=False, metadata={"help": "take `tdm-reservation: 1` for a refusal as well; it is recorded anyway"})
    directives: tuple[str, ...] = field(default=REFUSING, metadata={"help": "robots directives that refuse"})
    on_page: Literal["images", "page"] = field(
        default="images", metadata={"help": "what a refusal in a page or its headers drops: its images, or the page with them"}
    )


def header_directives(headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The lines of a response that say something about its use. headers: names in lower case.

    >>> header_directives([("server", "x"), ("x-robots-tag", "noai")])
    ('x-robots-tag: noai',)
    """
    return bounded(f"{name}: {' '.join(value.split())}" for name, value in headers if name in HEADERS)


def meta_directives(metas: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The lines of a page's `<meta>` elements that say something about its use. metas: name and content as written."""
    named = ((name.strip().lower(), content) for name, content in metas)
    return bounded(f"meta {name}: {' '.join(content.split())}" for name, content in named if name in META_NAMES)


def bounded(lines: Iterable[str]) -> tuple[str, ...]:
    """The first lines, cut to a length: nobody may make a row large with them."""
    return tuple(line[:MAX_CHARACTERS] for line, _ in zip(lines, range(MAX_LINES), strict=False))


def find_refusal(lines: Iterable[str], config: OptOutConfig, agent: str = AGENT) -> str | None:
    """The first directive that refuses, with the line it stands in; None when none does, or when refusals are not heeded.

    agent: our name in lower case; what is said to others is not for us.

    >>> find_refusal(["x-robots-tag: otherbot: noindex", "x-robots-tag: noai, nofollow"], OptOutConfig())
    'noai in "x-robots-tag: noai, nofollow"'
    """
    if not config.enabled:
        return None
    for line in lines:
        name, _, value = line.partition(": ")
        if name.endswith(TDM):
            if config.tdm and value.strip() == "1":
                return f'{TDM} in "{line}"'
            continue
        # In a page the element's name is the agent.
        for addressed, directive in robots_directives(value):
            if (addressed is None or addressed in EVERYONE or addressed == agent) and directive in config.directives:
                return f'{directive} in "{line}"'
    return None


def robots_directives(value: str) -> Iterator[tuple[str | None, str]]:
    """Agent, None for everyone, and directive of each item of a robots value, both in lower case.

    An agent holds for what follows it in the line. The value of `unavailable_after` may itself have commas and colons.

    >>> list(robots_directives("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, NoAI"))
    [(None, 'unavailable_after'), (None, 'noai')]
    """
    agent: str | None = None
    in_date = False
    for item in map(str.strip, value.lower().split(",")):
        if in_date and _DATE_REST.match(item):
            in_date = False
            continue
        before, colon, after = item.partition(":")
        name = before.rstrip()
        is_agent = bool(colon and name) and name not in WITH_VALUE and not any(map(str.isspace, name))
        in_date = name == "unavailable_after"
        if is_agent:
            agent = name
        yield agent, after.lstrip() if is_agent else name
