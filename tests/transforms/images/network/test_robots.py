"""What a robots.txt lets us ask for (images.md section 6)."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.images.network.robots import MAX_BYTES, MAX_DELAY, parse_robots

HOST = "http://host.example"


@pytest.mark.parametrize(("text", "path", "allowed"), [
    ("User-agent: *\nDisallow: /img", "/img/a.png", False),
    ("User-agent: *\nDisallow: /img", "/a.png", True),
    ("User-agent: *\nDisallow:", "/a.png", True),
    ("User-agent: *\nDisallow: /\nAllow: /img/", "/img/a.png", True),
    ("User-agent: otherbot\nDisallow: /", "/a.png", True),
    ("User-agent: otherbot\nUser-agent: *\nDisallow: /", "/a.png", False),
    ("User-agent: *\nDisallow: /\n\nUser-agent: otherbot\nAllow: /", "/a.png", False),
    ("User-agent: *\nDisallow: /\nUser-agent: Interleaf\nDisallow: /x", "/a.png", True),
    ("User-agent: *\nAllow: /\nUser-agent: interleaf\nDisallow: /", "/a.png", False),
    ("useragent interleaf\nDisallow: /*.png$", "/a/b.png", False),
    ("User-agent: *\nDisallow: /ü", "/%C3%BC.png", False),
    ("\ufeffUser-agent: *\nDisallow: /", "/a.png", False),
    ("<html>not here</html>", "/a.png", True),
    ("", "/a.png", True),
])  # fmt: skip
def test_rules_for_us_and_for_everyone_count(text: str, path: str, allowed: bool) -> None:
    assert parse_robots(text.encode()).allows(HOST + path) is allowed


@pytest.mark.parametrize(("delay", "seconds"), [
    ("2.5", 2.5), ("0", 0.0), ("3600", MAX_DELAY), ("soon", 0.0), ("-1", 0.0), ("nan", 0.0), ("1e400", 0.0),
])  # fmt: skip
def test_a_crawl_delay_is_heeded_up_to_a_bound(delay: str, seconds: float) -> None:
    assert parse_robots(f"User-agent: *\nCrawl-delay: {delay}".encode()).delay == seconds


def test_rules_behind_the_bound_do_not_count() -> None:
    filler = b"# " + b"x" * MAX_BYTES + b"\n"
    assert parse_robots(filler + b"User-agent: *\nDisallow: /").allows(HOST + "/a.png")


def test_many_agents_with_many_rules_cost_no_more_than_their_length() -> None:
    agents = "".join(f"User-agent: bot{number}\n" for number in range(10_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(10_000))
    tracemalloc.start()
    assert parse_robots((agents + rules).encode()).allows(HOST + "/1")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20


@given(st.binary(max_size=300) | st.text(alphabet="User-agent:*\n Disallow/$%#", max_size=300).map(str.encode))
@settings(max_examples=100)
def test_no_input_raises(body: bytes) -> None:
    assert parse_robots(body).allows(HOST + "/a?b=c#d") in (True, False)
