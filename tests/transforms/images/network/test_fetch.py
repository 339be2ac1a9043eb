"""Wanted URLs become bodies or reasons, through the real img2dataset (images.md sections 5 to 7, fault table of section 12)."""

from __future__ import annotations

import dataclasses
import socket
import time
from collections import Counter
from collections.abc import Sequence

import pytest

from scripts.bench.fault_server import FaultServer, Route, answer, cut, drip, endless, head, in_turn, raw, redirect, reset, silent
from transforms.images.network.addresses import AddressGuard
from transforms.images.network.config import NetworkConfig
from transforms.images.network.downloader import fetch_urls
from transforms.images.network.fetch import Fetched
from transforms.images.network.transport import Transport
from transforms.images.optout import OptOutConfig
from transforms.images.statuses import STATUS_CLASSES

SETTINGS = NetworkConfig(
    user_agent_contact="https://crawler.example/about",
    allow_addresses=("127.0.0.0/8",),
    connect_timeout=2,
    read_timeout=0.3,
    total_deadline=1.0,
    url_deadline=10,
    max_bytes=1 << 20,
    delay_per_host=0.005,
    retry_delay=0.02,
    retry_after_max=2,
)
PICTURE = b"\x89PNG and so on"
OWN_NAMES = {"good.example": ["127.0.0.1"], "strict.example": ["127.0.0.1"], "mixed.example": ["93.184.215.14", "10.0.0.1"]}


def look_up(name: str) -> list[str]:
    if name not in OWN_NAMES:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    return OWN_NAMES[name]


def fetch(
    urls: Sequence[str], guard: AddressGuard | None = None, optout: OptOutConfig | None = None, **settings: object
) -> list[Fetched]:
    """What came of each URL, in order."""
    config = dataclasses.replace(SETTINGS, **settings)  # type: ignore[arg-type]
    transport = Transport(config, guard)
    found: list[Fetched] = []
    fetch_urls(urls, config, optout or OptOutConfig(), transport, found.append)
    transport.close()
    assert transport.budget.take(config.bytes_in_flight, time.monotonic()), "a body was not given back"
    return sorted(found, key=lambda fetched: fetched.index)


def status(fetched: Fetched) -> str:
    name = "ok" if fetched.failure is None else fetched.failure.status
    assert name in STATUS_CLASSES
    return name


def chain(length: int) -> dict[str, Route]:
    """Redirects /chain-LENGTH/0 to /chain-LENGTH/1 and so on, the last one to a picture."""
    hops = {f"/chain-{length}/{n}": redirect(f"/chain-{length}/{n + 1}") for n in range(length)}
    return {**hops, f"/chain-{length}/{length}": answer(PICTURE)}


# Path -> route, status, most requests for it, with two extra attempts.
TABLE: dict[str, tuple[Route | None, str, int]] = {
    "/good.png": (answer(PICTURE), "ok", 1),
    "/gone": (answer(b"", 410), "http_4xx", 1),
    "/absent": (None, "http_4xx", 1),
    "/teapot": (answer(b"", 204), "http_other", 1),
    "/no-location": (raw(head(302, "Content-Length: 0")), "http_other", 1),
    "/silent": (silent(1), "read_timeout", 3),
    "/drip": (drip(head(200, *["A: b"] * 99), 0.1), "fetch_deadline", 1),
    "/reset": (reset(), "connection_reset", 3),
    "/garbage": (raw(b"SSH-2.0-server\r\n\r\n"), "http_other", 1),
    "/too-large": (endless(30 << 20), "too_large", 1),
    "/too-large-declared": (endless(30 << 20, f"Content-Length: {30 << 20}"), "too_large", 1),
    "/cut": (cut(b"abc", 9), "short_body", 3),
    "/cut-once": (in_turn(cut(b"abc", 9), answer(PICTURE)), "ok", 2),
    "/503": (answer(b"", 503), "http_5xx", 3),
    "/503-wait": (in_turn(answer(b"", 503, "Retry-After: 1"), answer(PICTURE)), "ok", 2),
    "/503-long": (answer(b"", 503, "Retry-After: 3600"), "retry_later", 1),
    "/503-date": (answer(b"", 503, "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT"), "retry_later", 1),
    "/408": (in_turn(answer(b"", 408), answer(PICTURE)), "ok", 2),
    "/noai": (answer(PICTURE, 200, "X-Robots-Tag: noai", patience=2), "optout_header", 1),
    "/loop": (redirect("/loop"), "too_many_redirects", 6),
    "/to-file": (redirect("file:///etc/passwd"), "redirect_refused", 1),
    "/to-ftp": (redirect("ftp://127.0.0.1/a.png"), "redirect_refused", 1),
    "/to-nowhere": (redirect("http://"), "redirect_refused", 1),
    "/to-metadata": (redirect("http://169.254.169.254/latest/"), "blocked_address", 1),
    "/to-mapped": (redirect("http://[::ffff:10.0.0.1]/"), "blocked_address", 1),
    "/to-forbidden": (redirect("/forbidden/a.png"), "robots_disallow", 1),
    "/chain-5/0": (None, "ok", 1),
    "/chain-6/0": (None, "too_many_redirects", 1),
    "/forbidden/b.png": (answer(PICTURE), "robots_disallow", 0),
    "/sp%20ace,%C3%BC.png": (answer(PICTURE), "ok", 1),
}  # fmt: skip


def test_each_fault_has_its_status_and_its_number_of_requests(connects: list[str]) -> None:
    routes = {path: route for path, (route, _, _) in TABLE.items() if route is not None}
    routes |= {**chain(5), **chain(6), "/429": in_turn(answer(b"", 429), answer(PICTURE))}
    routes |= {"/robots.txt": answer(b"User-agent: *\nDisallow: /forbidden", content_type="text/plain")}
    with FaultServer(routes) as server:
        elsewhere = {
            "file:///etc/passwd": "scheme_not_allowed",
            "ftp://127.0.0.1/a.png": "scheme_not_allowed",
            "http://10.1.2.3/a.png": "blocked_address",
            "http://2852039166/latest/meta-data": "blocked_address",
            "http://mixed.example/a.png": "blocked_address",
            "http://missing.example/a.png": "dns_error",
            f"http://127.0.0.1:{unused_port()}/a.png": "robots_unreachable",
            server.url("/429", "strict.example"): "ok",
        }
        urls = [server.url(path.replace("%20", " ").replace("%C3%BC", "ü")) for path in TABLE]
        found = fetch([*urls, *elsewhere], AddressGuard(["127.0.0.0/8"], look_up))
        expected = [what for _, what, _ in TABLE.values()] + list(elsewhere.values())
        asked = Counter(server.paths())
    names = [*TABLE, *elsewhere]
    assert dict(zip(names, map(status, found), strict=True)) == dict(zip(names, expected, strict=True))
    assert {path: asked[path] for path, (_, _, most) in TABLE.items() if asked[path] > most} == {}
    assert len(found) == len(expected)
    assert set(connects) == {"127.0.0.1"}
    assert {request.headers["user-agent"].partition("(")[2] for request in server.log} == {"+https://crawler.example/about)"}
    assert [request.body_bytes for request in server.requests("/noai")] == [0]
    assert all("authorization" not in request.headers and "cookie" not in request.headers for request in server.log)
    assert len(server.requests("/robots.txt")) == 2, "one for each name of the host"


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_what_was_fetched_is_told() -> None:
    routes = {"/a": redirect("/b"), "/b": answer(PICTURE, 200, "tdm-reservation: 1", content_type="image/gif")}
    with FaultServer(routes) as server:
        (found,) = fetch([server.url("/a")])
        assert found == Fetched(0, PICTURE, None, 200, server.url("/b"), 1, 1, "image/gif", ("tdm-reservation: 1",))


def test_a_reservation_refuses_where_that_is_asked_for() -> None:
    with FaultServer({"/a": answer(PICTURE, 200, "tdm-reservation: 1", patience=2)}) as server:
        (found,) = fetch([server.url("/a")], optout=OptOutConfig(tdm=True))
    assert status(found) == "optout_header"
    assert server.requests("/a")[0].body_bytes == 0


def test_opt_outs_may_be_switched_off() -> None:
    routes = {"/robots.txt": answer(b"User-agent: *\nDisallow: /"), "/a": answer(PICTURE, 200, "X-Robots-Tag: noai")}
    with FaultServer(routes) as server:
        (found,) = fetch([server.url("/a")], optout=OptOutConfig(enabled=False))
    assert status(found) == "ok"
    assert server.paths(robots=True) == ["/a"]


@pytest.mark.parametrize(("robots", "expected"), [
    (answer(b"", 404), "ok"),
    (answer(b"", 503), "robots_unreachable"),
    (silent(1), "robots_unreachable"),
    (reset(), "robots_unreachable"),
    (redirect("/robots.txt"), "ok"),
    (redirect("http://10.0.0.1/robots.txt"), "robots_unreachable"),
    (redirect("file:///etc/passwd"), "robots_unreachable"),
    (answer(b"User-agent: *\nDisallow: /\n" + b"# " + b"x" * 600_000), "robots_disallow"),
])  # fmt: skip
def test_robots_txt_is_asked_for_once_and_first(robots: Route, expected: str) -> None:
    with FaultServer({"/robots.txt": robots}, default=answer(PICTURE)) as server:
        found = fetch([server.url(f"/{number}") for number in range(3)])
        asked = server.paths(robots=True)
    assert list(map(status, found)) == [expected] * 3
    assert asked[0] == "/robots.txt"
    assert len([path for path in asked if path != "/robots.txt"]) == (3 if expected == "ok" else 0)


def test_robots_rules_of_a_redirect_target_are_those_of_its_own_host() -> None:
    with FaultServer({"/robots.txt": answer(b"User-agent: *\nDisallow: /private")}, default=answer(PICTURE)) as target:
        routes = {"/a": redirect(target.url("/private/a")), "/b": redirect(target.url("/b"))}
        with FaultServer(routes) as server:
            found = fetch([server.url("/a"), server.url("/b")])
        assert list(map(status, found)) == ["robots_disallow", "ok"]
        assert target.paths() == ["/b"]


def test_a_host_is_left_its_pauses_and_its_few_connections() -> None:
    with FaultServer(default=answer(PICTURE)) as server:
        began = time.monotonic()
        found = fetch([server.url(f"/{number}") for number in range(12)], delay_per_host=0.05)
        last = max(request.started for request in server.log)
        # 13 requests with robots.txt have 12 pauses between them; a busy machine can only make them longer.
        assert last - began >= 12 * 0.05
        assert Counter(map(status, found)) == {"ok": 12}
        assert server.connections <= 2


def test_a_host_has_no_more_requests_at_a_time_than_connections() -> None:
    def slow(exchange: object) -> bool:
        time.sleep(0.05)
        return bool(answer(PICTURE)(exchange))  # type: ignore[arg-type]

    with FaultServer(default=slow) as server:
        found = fetch([server.url(f"/{number}") for number in range(20)], connections_per_host=3, delay_per_host=0, read_timeout=5)
        assert Counter(map(status, found)) == {"ok": 20}
        assert 1 < server.busiest <= 3


def test_a_crawl_delay_counts_where_it_is_longer() -> None:
    with FaultServer({"/robots.txt": answer(b"User-agent: *\nCrawl-delay: 0.2")}, default=answer(PICTURE)) as server:
        fetch([server.url(f"/{number}") for number in range(3)])
        times = [request.started for request in server.log]
    assert times[-1] - times[0] >= 0.5  # three pauses of 0.2 s, less what a log entry may be late


def test_a_slow_host_does_not_hold_the_others() -> None:
    with FaultServer(default=silent(1)) as slow, FaultServer(default=answer(PICTURE)) as quick:
        slow.routes["/robots.txt"] = answer(b"", 404)
        urls = [slow.url(f"/{n}") for n in range(30)] + [quick.url(f"/{n}") for n in range(30)]
        found = fetch(urls, in_flight=4, extra_attempts=0, host_failures=3)
        assert Counter(map(status, found[30:])) == {"ok": 30}
        assert max(request.started for request in quick.log) < max(request.finished or 0.0 for request in slow.log)
        # The breaker: what was under way when it opened was asked for as well.
        assert len(slow.paths()) <= 3 + 2
        assert set(map(status, found[:30])) == {"read_timeout", "host_down"}


def test_a_server_that_limits_the_rate_gets_it() -> None:
    """Issue 62 of img2dataset: 429 above a rate."""
    arrivals: list[float] = []
    refused: list[float] = []

    def limited(exchange: object) -> bool:
        now = time.monotonic()
        too_fast = sum(now - other < 0.2 for other in arrivals) >= 4
        arrivals.append(now)
        refused.extend([now] * too_fast)
        return bool((answer(b"", 429) if too_fast else answer(PICTURE))(exchange))  # type: ignore[arg-type]

    with FaultServer(default=limited) as server:
        found = fetch([server.url(f"/{number}") for number in range(20)], delay_per_host=0.01, retry_delay=0.2, url_deadline=60)
    assert Counter(map(status, found)) == {"ok": 20}
    assert len(refused) <= 3, "after a 429 the host is asked less often"


def test_a_name_that_does_not_exist_is_looked_up_once() -> None:
    """Issue 361 of img2dataset."""
    looked_up: list[str] = []

    def count(name: str) -> list[str]:
        looked_up.append(name)
        return look_up(name)

    with FaultServer(default=answer(PICTURE)) as server:
        urls = [f"http://missing.example/{n}.png" for n in range(500)] + [server.url(f"/{n}", "good.example") for n in range(10)]
        found = fetch(urls, AddressGuard(["127.0.0.0/8"], count), delay_per_host=0.001)
    assert Counter(map(status, found[:500])) == {"dns_error": 500}
    assert Counter(map(status, found[500:])) == {"ok": 10}
    assert sorted(looked_up) == ["good.example", "missing.example"]


def test_the_deadline_of_a_url_ends_its_attempts() -> None:
    with FaultServer({"/a": answer(b"", 503)}) as server:
        (found,) = fetch([server.url("/a")], url_deadline=0.5, retry_delay=0.3, extra_attempts=50)
    assert status(found) == "http_5xx"
    assert 1 <= found.attempts < 5
