"""What a host's robots.txt lets us ask for (images.md section 6, RFC 9309)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transforms.images.optout import AGENT

if TYPE_CHECKING:
    from protego import Protego

MAX_BYTES = 500 * 1024
"""What is read of it; rules behind do not count (RFC 9309, 2.5)."""

MAX_DELAY = 30.0
"""Seconds; a longer crawl-delay counts as this."""

# As generous as the parser.
_AGENT_LINE = re.compile(r"[ \t]*user[- ]?agent[ \t]*[: \t][ \t]*([^#]*)", re.IGNORECASE)
_NOBODY = "-"


@dataclass(frozen=True)
class RobotsRules:
    """The rules of one host for us. delay: seconds that it asks to leave between two requests, 0 where it asks nothing."""

    delay: float = 0.0
    parsed: Protego | None = None

    def allows(self, url: str) -> bool:
        """Whether a URL may be asked for."""
        return self.parsed is None or bool(self.parsed.can_fetch(url, AGENT))


ALLOW_ALL = RobotsRules()


def parse_robots(body: bytes) -> RobotsRules:
    """The rules in a robots.txt. No input raises, and none costs more than in proportion to its length.

    >>> parse_robots(b"User-agent: *\\nDisallow: /img").allows("http://e.example/img/a.png")
    False
    """
    from protego import Protego

    text = body[:MAX_BYTES].decode("utf-8-sig", "replace")
    parsed = Protego.parse("\n".join(map(_for_us, text.splitlines())))
    return RobotsRules(min(float(parsed.crawl_delay(AGENT) or 0.0), MAX_DELAY), parsed)


def _for_us(line: str) -> str:
    """A line as it is, but all agents that are not us made one.

    The parser stores each rule once for each agent of its group: thousands of both in one file would be millions of rules.
    """
    found = _AGENT_LINE.match(line)
    if found is None:
        return line
    name = found[1].strip().lower().replace("*", "")
    return line if not name or name in AGENT else f"User-agent: {_NOBODY}"
