"""One request under guard: address, time, size (images.md 5.4 and 12)."""

from __future__ import annotations

import gzip
import socket
import ssl
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme

from scripts.bench.fault_server import FaultServer, Route, answer, cut, drip, endless, head, raw, redirect, reset, silent, tunnel
from transforms.images.network.addresses import AddressGuard
from transforms.images.network.config import NetworkConfig
from transforms.images.network.failure import Failure
from transforms.images.network.transport import Answer, Head, Target, Transport, parse_target, tls_context

CAP = 1 << 20
SETTINGS = NetworkConfig(
    user_agent_contact="https://crawler.example/about",
    allow_addresses=("127.0.0.0/8",),
    connect_timeout=2,
    read_timeout=0.3,
    total_deadline=0.8,
    max_bytes=CAP,
)


def want_success(head: Head) -> bool:
    return head.status == 200


def get(transport: Transport, url: str, seconds: float = 0.8) -> Answer | Failure:
    target = parse_target(url)
    return target if isinstance(target, Failure) else transport.get(target, time.monotonic() + seconds, want_success)


def status_of(found: Answer | Failure) -> str:
    return found.status if isinstance(found, Failure) else f"{found.head.status} {len(found.body)}"


FAULTS: dict[str, tuple[Route, str]] = {
    "/good": (answer(b"x" * 1000), "200 1000"),
    "/gone": (answer(b"no", 404), "404 0"),
    "/moved": (redirect("/good"), "302 0"),
    "/silent": (silent(2), "read_timeout"),
    "/drip-head": (drip(head(200, *["A: b"] * 99), 0.1), "fetch_deadline"),
    "/continue-for-ever": (drip(b"HTTP/1.1 100 Continue\r\n\r\n" * 5, 0.1, pieces=125), "fetch_deadline"),
    "/reset": (reset(), "connection_reset"),
    "/no-answer": (raw(b""), "connection_reset"),
    "/garbage": (raw(b"220 mail.example ready\r\n\r\n"), "http_other"),
    "/headers": (raw(head(200, *["A: b"] * 300)), "http_other"),
    "/long-header": (raw(head(200, "A: " + "b" * 70_000)), "http_other"),
    "/declared-too-large": (endless(300 << 20, f"Content-Length: {300 << 20}"), "too_large"),
    "/declared-just-too-large": (answer(bytes(2 * CAP), patience=2), "too_large"),
    "/too-large": (endless(300 << 20), "too_large"),
    "/chunks-too-large": (endless(300 << 20, chunked=True), "too_large"),
    "/cut": (cut(b"abc", 10), "short_body"),
    "/cut-chunk": (raw(head(200, "Transfer-Encoding: chunked") + b"5\r\nhel"), "short_body"),
    "/until-the-end": (raw(head(200) + b"body"), "200 4"),
    "/gzip": (answer(gzip.compress(b"y" * 5000), 200, "Content-Encoding: gzip"), "200 5000"),
    "/gzip-bomb": (answer(gzip.compress(bytes(2 * CAP)), 200, "Content-Encoding: gzip"), "too_large"),
    "/gzip-in-gzip": (answer(gzip.compress(gzip.compress(bytes(50 * CAP))), 200, "Content-Encoding: gzip, gzip"), "too_large"),
    "/gzip-cut": (answer(gzip.compress(b"y" * 5000)[:-9], 200, "Content-Encoding: gzip"), "short_body"),
    "/gzip-in-name-only": (answer(b"\x89PNG plain", 200, "Content-Encoding: gzip"), "200 10"),
    "/negative-length": (raw(head(200, "Content-Length: -5") + b"body"), "200 4"),
}  # fmt: skip


def test_each_fault_is_a_status_and_gives_its_memory_back() -> None:
    with FaultServer({path: route for path, (route, _) in FAULTS.items()}) as server:
        transport = Transport(SETTINGS)
        found = {path: get(transport, server.url(path)) for path in FAULTS}
        held = sum(len(answer.body) for answer in found.values() if isinstance(answer, Answer))
        transport.budget.give_back(held)
        assert transport.budget.take(SETTINGS.bytes_in_flight, time.monotonic())
    assert {path: status_of(what) for path, what in found.items()} == {path: expected for path, (_, expected) in FAULTS.items()}
    assert server.requests("/declared-just-too-large")[0].body_bytes == 0
    agents = {request.headers["user-agent"] for request in server.log}
    assert len(agents) == 1
    assert agents.pop().endswith("(+https://crawler.example/about)")


def test_a_body_beyond_the_cap_costs_no_more_memory_than_the_cap() -> None:
    with FaultServer(
        {"/large": endless(300 << 20), "/bomb": answer(gzip.compress(bytes(60 * CAP)), 200, "Content-Encoding: gzip")}
    ) as server:
        transport = Transport(SETTINGS)
        tracemalloc.start()
        assert [status_of(get(transport, server.url(path), 20)) for path in ("/large", "/bomb")] == ["too_large"] * 2
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8 * CAP


def test_a_refusal_by_header_takes_no_byte_of_the_body() -> None:
    with FaultServer({"/refused": answer(bytes(1000), patience=2)}) as server:
        transport = Transport(SETTINGS)
        target = parse_target(server.url("/refused"))
        assert isinstance(target, Target)
        found = transport.get(target, time.monotonic() + 5, lambda head: Failure("optout_header", "noai"))
        assert status_of(found) == "optout_header"
        while server.log[0].finished is None:
            time.sleep(0.01)
    assert server.log[0].body_bytes == 0


@pytest.mark.parametrize("host", [
    "10.1.2.3", "169.254.169.254", "100.64.0.9", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "127.1",
    "localhost.example",
])  # fmt: skip
def test_nothing_is_connected_to_behind_the_guard(host: str, connects: list[str]) -> None:
    guard = AddressGuard(look_up=lambda _: ["127.0.0.1"])
    transport = Transport(NetworkConfig(user_agent_contact="https://crawler.example/"), guard)
    assert status_of(get(transport, f"http://{host}/a.png")) == "blocked_address"
    assert connects == []
    assert transport.connections == 0


def test_a_name_that_changes_its_answer_changes_nothing(connects: list[str]) -> None:
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    looked_up: list[str] = []

    def rebind(host: str) -> list[str]:
        looked_up.append(host)
        return next(answers)

    with FaultServer({"/a": raw(head(200) + b"one"), "/b": raw(head(200) + b"two")}) as server:
        transport = Transport(SETTINGS, AddressGuard(["127.0.0.0/8"], rebind))
        assert [status_of(get(transport, server.url(path, "rebind.example"))) for path in ("/a", "/b")] == ["200 3"] * 2
        assert {request.headers["host"] for request in server.log} == {f"rebind.example:{server.port}"}
    assert looked_up == ["rebind.example"]
    assert connects == ["127.0.0.1"] * 2


def test_connections_are_kept_and_one_that_ends_meanwhile_is_told_from_a_reset() -> None:
    with FaultServer({"/a": answer(b"a"), "/reset": reset()}) as server:
        transport = Transport(SETTINGS)
        assert [status_of(get(transport, server.url("/a"))) for _ in range(20)] == ["200 1"] * 20
        assert server.connections == 1
        found = [get(transport, server.url("/reset")) for _ in range(2)]
    assert [(f.status, f.on_kept_connection) for f in found if isinstance(f, Failure)] == [
        ("connection_reset", True),
        ("connection_reset", False),
    ]


def test_the_beginning_of_a_body_may_be_enough() -> None:
    with FaultServer({"/long": answer(b"z" * 5000)}) as server:
        target = parse_target(server.url("/long"))
        assert isinstance(target, Target)
        found = Transport(SETTINGS).get(target, time.monotonic() + 1, want_success, 1000)
    assert isinstance(found, Answer)
    assert found.body == b"z" * 1000


@pytest.mark.parametrize(("url", "status"), [
    ("ftp://e.example/a", "scheme_not_allowed"), ("file:///etc/passwd", "scheme_not_allowed"), ("http://", "bad_url"),
    ("a", "bad_url"),
    ("data:image/png;base64,AA", "scheme_not_allowed"),
])  # fmt: skip
def test_only_http_is_asked_for(url: str, status: str) -> None:
    found = parse_target(url)
    assert isinstance(found, Failure)
    assert found.status == status


@pytest.mark.parametrize(("url", "target"), [
    ("http://E.example:80/a b,c?q=ü#f", Target("http", "e.example", 80, "/a%20b,c?q=%C3%BC")),
    ("https://[2606:4700::1]/", Target("https", "2606:4700::1", 443, "/")),
    ("https://u:p@bücher.example:8443/", Target("https", "xn--bcher-kva.example", 8443, "/")),
])  # fmt: skip
def test_a_url_is_read_as_browsers_read_it(url: str, target: Target) -> None:
    assert parse_target(url) == target


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with FaultServer({"/a": answer(b"a")}) as server:
        assert status_of(get(Transport(SETTINGS), server.url("/a"))) == "200 1"


def behind(proxy: FaultServer, guard: AddressGuard | None = None) -> Transport:
    return Transport(replace(SETTINGS, allow_addresses=(), proxy=f"http://127.0.0.1:{proxy.port}", proxy_trusted=True), guard)


def test_a_proxy_of_the_configuration_is_told_the_whole_url_and_names_are_left_to_it(connects: list[str]) -> None:
    routes = {"http://name.example/a?b": answer(b"one"), "http://name.example:81/a": answer(b"two!")}
    with FaultServer(routes) as proxy:
        transport = behind(proxy)
        assert status_of(get(transport, "http://name.example/a?b")) == "200 3"
        assert status_of(get(transport, "http://name.example:81/a")) == "200 4"
        assert [request.headers["host"] for request in proxy.log] == ["name.example", "name.example:81"]
    assert connects == ["127.0.0.1"] * 2


@pytest.mark.parametrize("host", ["10.1.2.3", "127.0.0.1", "[::1]", "0x7f.1", "[::ffff:10.0.0.1]"])
def test_a_proxy_is_not_asked_for_a_private_address(host: str) -> None:
    with FaultServer(default=answer(b"secret")) as proxy:
        assert status_of(get(behind(proxy), f"http://{host}/a")) == "blocked_address"
        assert status_of(get(behind(proxy), f"https://{host}/a")) == "blocked_address"
        assert proxy.connections == 0


def test_a_proxy_that_is_not_found_says_nothing_about_the_image() -> None:
    def unknown(host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    transport = Transport(replace(SETTINGS, proxy="http://proxy.example:3128", proxy_trusted=True), AddressGuard((), unknown))
    assert status_of(get(transport, "http://e.example/a")) == "connect_error"


def test_tls_goes_through_a_proxy_as_a_tunnel_and_is_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "roots.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "roots.pem"))
    tls_context.cache_clear()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("good.example").configure_cert(context)
    with FaultServer({"/a": answer(b"body")}, context=context) as origin:
        routes = {
            "good.example:443": tunnel(origin.port),
            "other.example:443": tunnel(origin.port),
            "silent.example:443": silent(2),
        }
        with FaultServer(routes) as proxy:
            transport = behind(proxy)
            assert [status_of(get(transport, "https://good.example/a")) for _ in range(2)] == ["200 4"] * 2
            assert status_of(get(transport, "https://other.example/a")) == "tls_error"
            assert status_of(get(transport, "https://refused.example/a")) == "connect_error"
            assert status_of(get(transport, "https://silent.example/a")) in ("connect_timeout", "fetch_deadline")
            assert proxy.paths() == ["good.example:443", "other.example:443", "refused.example:443", "silent.example:443"]
        assert [request.headers["host"] for request in origin.log] == ["good.example"] * 2
    tls_context.cache_clear()


@pytest.mark.parametrize(("settings", "parts"), [
    ({"proxy": "http://proxy.example:3128"}, "proxy_trusted: true"),
    *(
        ({"proxy": proxy, "proxy_trusted": True}, "allowed: http://HOST:PORT")
        for proxy in ("proxy.example:3128", "http://proxy.example", "https://p.example:1", "http://u:p@p.example:1", "http://p.example:x",
                      "http://p.example:1/a", "http://[::1:1")
    ),
])  # fmt: skip
def test_a_proxy_must_be_trusted_and_a_url_without_secrets(settings: dict[str, Any], parts: str) -> None:
    with pytest.raises(ValueError, match="proxy") as caught:
        NetworkConfig(**settings)
    assert parts in str(caught.value)
    assert "u:p" not in str(caught.value)


def test_tls_is_verified_in_one_context_over_kept_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "roots.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "roots.pem"))
    tls_context.cache_clear()
    contexts = []
    create = ssl.create_default_context
    monkeypatch.setattr(ssl, "create_default_context", lambda: contexts.append(1) or create())

    def context(by: trustme.CA, name: str) -> ssl.SSLContext:
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        by.issue_cert(name).configure_cert(made)
        return made

    routes = {f"/{number}": answer(b"body") for number in range(200)} | {"/silent": silent(2), "/large": endless(300 << 20)}
    guard = AddressGuard(["127.0.0.0/8"], lambda _: ["127.0.0.1"])
    transport = Transport(SETTINGS, guard)
    with FaultServer(routes, context=context(authority, "good.example")) as server:
        assert {status_of(get(transport, server.url(f"/{number}", "good.example"))) for number in range(200)} == {"200 4"}
        assert server.connections == 1
        assert status_of(get(transport, server.url("/1", "other.example"))) == "tls_error"
        assert status_of(get(transport, server.url("/silent", "good.example"))) == "read_timeout"
        assert status_of(get(transport, server.url("/large", "good.example"), 20)) == "too_large"
    with FaultServer(routes, context=context(stranger, "bad.example")) as server:
        assert status_of(get(transport, server.url("/1", "bad.example"))) == "tls_error"
        assert server.log == []
    assert contexts == [1]
    tls_context.cache_clear()
