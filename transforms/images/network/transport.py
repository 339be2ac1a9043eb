"""One HTTP request under guard: address, time, size (images.md 5.4).

    answer = transport.get(target, deadline, look)      # an Answer or a Failure, never an exception

Redirects are answers like any other: whoever asks decides whether to follow, so that the next hop passes the same guard, the
robots rules of its host and its host's limits. Proxies of the environment are not used.
"""

from __future__ import annotations

import http.client
import logging
import socket
import ssl
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import ada_url
import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from transforms.archives.content_codings import decode_body
from transforms.images.network.addresses import AddressGuard
from transforms.images.network.config import NetworkConfig
from transforms.images.network.failure import Failure

PRODUCT = "interleaf"
PIECE_BYTES = 64 * 1024
DRAIN_BYTES = 16 * 1024
"""A body that is not wanted and no larger than this is read after all: that costs less than a new connection."""
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """A URL in the parts that a request needs. host: without the brackets of IPv6. path: with the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host and port: what politeness, robots and connections belong to."""
        return f"{self.host}:{self.port}"


def parse_target(url: str) -> Target | Failure:
    """The target of an absolute URL; a Failure for one that is none, or of another scheme than http and https.

    >>> parse_target("https://e.x:8443/a?b#c").authority
    'e.x:8443'
    """
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return Failure("bad_url", "not a URL")
    scheme = str(parsed.protocol).removesuffix(":")
    if scheme not in PORTS:
        return Failure("scheme_not_allowed", f"{scheme}: is not http or https")
    host = str(parsed.hostname).removeprefix("[").removesuffix("]")
    if not host:
        return Failure("bad_url", "no host")
    return Target(scheme, host, int(parsed.port or PORTS[scheme]), f"{parsed.pathname}{parsed.search}")


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of a response, before its body. headers: names in lower case, in order, repeated ones apart."""

    status: int
    headers: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str | None:
        """The first header of a name, given in lower case."""
        return next((value for key, value in self.headers if key == name), None)

    def get_all(self, name: str) -> list[str]:
        """All headers of a name, given in lower case."""
        return [value for key, value in self.headers if key == name]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response. body: decoded, and empty where it was not wanted. requests: 2 where a reset connection was replaced silently."""

    head: Head
    body: bytes
    requests: int = 1


Look = Callable[[Head], "Failure | bool"]
"""Looks at the head before the first byte of the body is read: a Failure refuses it, False does without it."""


class Transport:
    """Connections, kept alive by host, that only ever lead to addresses the guard has checked. One TLS context for all.

    Thread-safe. `connections` counts those opened, lookups included in none.
    """

    def __init__(self, config: NetworkConfig, guard: AddressGuard | None = None) -> None:
        self._config = config
        self._guard = guard or AddressGuard(config.allow_addresses)
        self._headers = {
            "User-Agent": f"{PRODUCT}/{metadata.version('interleaf')} (+{config.user_agent_contact})",
            "Accept": "image/*,*/*;q=0.8",
            "Accept-Encoding": "identity",
        }
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[HTTPConnection]] = defaultdict(list)
        self._addresses: dict[str, tuple[str, ...] | Failure] = {}
        self._context: ssl.SSLContext | None = None
        # It warns of every header that is not well formed.
        logging.getLogger("urllib3.connection").setLevel(logging.ERROR)
        self.connections = 0
        self.budget = ByteBudget(config.bytes_in_flight)

    def get(self, target: Target, deadline: float, look: Look, max_bytes: int | None = None) -> Answer | Failure:
        """GET. deadline: of the monotonic clock, for lookup, connection, head and body together. max_bytes: instead of the usual.

        The body's bytes count against `budget` until its reader gives them back.
        """
        requests = 1
        while True:
            connection = self._take_idle(target) or self._connect(target, deadline)
            if isinstance(connection, Failure):
                return connection
            is_reused, connection.has_answered = connection.has_answered, False
            try:
                found = self._exchange(connection, target, deadline, look, max_bytes or self._config.max_bytes)
            except Exception as error:  # noqa: BLE001  a hostile server may make the client raise anything; each is a status
                found = _failure_of(error, deadline)
            if isinstance(found, Failure) or connection.sock is None:
                connection.close()
            else:
                connection.has_answered = True
                with self._lock:
                    self._idle[target.scheme, target.authority].append(connection)
            # A server may close a kept connection just when the next request is under way; no byte of an answer came then.
            if isinstance(found, Failure) and found.status == "connection_reset" and is_reused and not connection.has_head:
                requests += 1
                continue
            return Answer(found.head, found.body, requests) if isinstance(found, Answer) else found

    def forget(self, authority: str) -> None:
        """Closes what is kept for a host and port."""
        with self._lock:
            connections = [c for scheme in PORTS for c in self._idle.pop((scheme, authority), [])]
        for connection in connections:
            connection.close()

    def close(self) -> None:
        """Closes all kept connections."""
        for _, authority in list(self._idle):
            self.forget(authority)

    def resolve(self, host: str, deadline: float) -> tuple[str, ...] | Failure:
        """The checked addresses of a host; a host is looked up once."""
        with self._lock:
            known = self._addresses.get(host)
        if known is None:
            known = self._guard.resolve(host, min(self._config.connect_timeout, max(deadline - time.monotonic(), 0)))
            if not isinstance(known, Failure) or known.status != "dns_temporary":
                with self._lock:
                    known = self._addresses.setdefault(host, known)
        return known

    def _take_idle(self, target: Target) -> _Connection | None:
        while True:
            with self._lock:
                kept = self._idle.get((target.scheme, target.authority))
                connection = kept.pop() if kept else None
            if connection is None:
                return None
            if connection.is_connected:
                return connection  # type: ignore[return-value]
            connection.close()

    def _connect(self, target: Target, deadline: float) -> _Connection | Failure:
        addresses = self.resolve(target.host, deadline)
        if isinstance(addresses, Failure):
            return addresses
        connection: _Connection
        if target.scheme == "https":
            connection = _GuardedHTTPS(target.host, target.port, ssl_context=self._tls_context())
        else:
            connection = _GuardedHTTP(target.host, target.port)
        failure = Failure("connect_error", f"{target.authority}: no address")
        for address in addresses:
            left = min(self._config.connect_timeout, deadline - time.monotonic())
            if left <= 0:
                return Failure("fetch_deadline", "the deadline was reached before a connection")
            connection.address, connection.timeout = address, left
            with self._lock:
                self.connections += 1
            try:
                connection.connect()
            except Exception as error:  # noqa: BLE001  as in `get`
                connection.close()
                failure = _connect_failure_of(error, target.authority)
                continue
            return connection
        return failure

    def _exchange(self, connection: _Connection, target: Target, deadline: float, look: Look, max_bytes: int) -> Answer | Failure:
        connection.has_head = False
        connection.timeout = max(min(self._config.read_timeout, deadline - time.monotonic()), 0.001)
        if isinstance(connection.sock, _DeadlineReads):
            connection.sock.deadline, connection.sock.read_timeout = deadline, self._config.read_timeout
        connection.request("GET", target.path, headers=self._headers, preload_content=False, decode_content=False)
        response = connection.getresponse()
        connection.has_head = True
        head = Head(response.status, tuple((name.lower(), value) for name, value in response.headers.iteritems()))
        wanted = look(head)
        if isinstance(wanted, Failure):
            return wanted
        declared = response.length_remaining
        if wanted is False:
            if declared is None or declared > DRAIN_BYTES:
                connection.close()
            else:
                _read_all(response, DRAIN_BYTES)
            return Answer(head, b"")
        if declared is not None and declared > max_bytes:
            return Failure("too_large", "Content-Length", declared, max_bytes, response.status)
        reserved = declared if declared is not None else max_bytes
        if not self.budget.take(reserved, deadline):
            return Failure("fetch_deadline", "the deadline was reached before there was memory for the body")
        kept = 0
        try:
            body = _read_all(response, max_bytes)
            if body is None:
                return Failure("too_large", "the body goes on beyond the cap", None, max_bytes, response.status)
            decoded = _decoded(body, head, max_bytes)
            if isinstance(decoded, Failure):
                return decoded
            kept = len(decoded)
            return Answer(head, decoded)
        finally:
            self.budget.give_back(reserved - kept)

    def _tls_context(self) -> ssl.SSLContext:
        with self._lock:
            if self._context is None:
                self._context = ssl.create_default_context()
                self._context.sslsocket_class = _DeadlineTLSSocket
            return self._context


class ByteBudget:
    """Bytes that may be held at a time. What is larger than the whole counts as the whole."""

    def __init__(self, total: int) -> None:
        self._total = self._left = total
        self._changed = threading.Condition()

    def take(self, count: int, deadline: float) -> bool:
        """Waits until `count` bytes are free; False when that was not before the deadline."""
        count = min(count, self._total)
        with self._changed:
            if not self._changed.wait_for(lambda: self._left >= count, max(deadline - time.monotonic(), 0)):
                return False
            self._left -= count
            return True

    def give_back(self, count: int) -> None:
        """Frees bytes; a negative number takes them without a wait."""
        with self._changed:
            self._left = min(self._left + count, self._total)
            self._changed.notify_all()


class _DeadlineReads:
    """A socket whose every read ends at the deadline: headers that come a byte at a time cannot hold a thread."""

    deadline = float("inf")
    read_timeout = 10.0

    def recv_into(self, *arguments: Any, **options: Any) -> int:
        left = min(self.deadline - time.monotonic(), self.read_timeout)
        if left <= 0:
            raise TimeoutError("deadline")
        self.settimeout(left)  # type: ignore[attr-defined]
        return int(super().recv_into(*arguments, **options))  # type: ignore[misc]


class _DeadlineSocket(_DeadlineReads, socket.socket):
    pass


class _DeadlineTLSSocket(_DeadlineReads, ssl.SSLSocket):
    pass


class _ToAddress:
    """A connection to the checked address instead of the name; the name stays in the `Host` header and in the certificate check."""

    address = ""
    has_answered = False
    has_head = False

    def _new_conn(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        connected = _DeadlineSocket(family, socket.SOCK_STREAM)
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connected.settimeout(self.timeout)  # type: ignore[attr-defined]
            connected.connect((self.address, self.port))  # type: ignore[attr-defined]
        except BaseException:
            connected.close()
            raise
        return connected


class _GuardedHTTP(_ToAddress, HTTPConnection):
    pass


class _GuardedHTTPS(_ToAddress, HTTPSConnection):
    pass


_Connection = _GuardedHTTP | _GuardedHTTPS


def _read_all(response: urllib3.BaseHTTPResponse, most: int) -> bytes | None:
    """The raw body, read as it arrives; None where it is longer than `most`."""
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(PIECE_BYTES, decode_content=False):
        size += len(piece)
        if size > most:
            return None
        pieces.append(piece)
    return b"".join(pieces)


def _decoded(body: bytes, head: Head, max_bytes: int) -> bytes | Failure:
    """A body without the content codings that were not asked for. What is no coding in truth is left as it is."""
    codings = [coding.strip().lower() for value in head.get_all("content-encoding") for coding in value.split(",")]
    if not any(coding not in ("", "identity") for coding in codings):
        return body
    decoded = decode_body(body, codings, max_bytes)
    if decoded.too_large:
        return Failure("too_large", f"decoded from {', '.join(codings)}"[:100], None, max_bytes, head.status)
    if decoded.cut:
        return Failure("short_body", "the coded body ends early", len(body), None, head.status)
    return decoded.data


def _causes(error: BaseException | None) -> Iterable[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _find(error: BaseException, *kinds: type[BaseException]) -> BaseException | None:
    return next((cause for cause in _causes(error) if isinstance(cause, kinds)), None)


def _failure_of(error: Exception, deadline: float) -> Failure:
    """What an exception of a connected client means. No text of it is passed on: it may hold addresses and bytes."""
    if isinstance(error, MemoryError):
        raise error
    if _find(error, urllib3.exceptions.IncompleteRead, http.client.IncompleteRead) is not None:
        return Failure("short_body", "fewer bytes than declared")
    if _find(error, TimeoutError, urllib3.exceptions.TimeoutError) is not None:
        if time.monotonic() >= deadline:
            return Failure("fetch_deadline", "the deadline was reached")
        return Failure("read_timeout", "no byte for too long")
    if _find(error, http.client.RemoteDisconnected, ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError) is not None:
        return Failure("connection_reset", type(error).__name__)
    if _find(error, ssl.SSLError) is not None:
        return Failure("tls_error", type(error).__name__)
    if isinstance(error, OSError):
        return Failure("connection_reset", type(error).__name__)
    return Failure("http_other", f"not understood as HTTP: {type(error).__name__}")


def _connect_failure_of(error: Exception, authority: str) -> Failure:
    if isinstance(error, MemoryError):
        raise error
    if _find(error, TimeoutError) is not None:
        return Failure("connect_timeout", authority)
    verification = _find(error, ssl.SSLCertVerificationError)
    if verification is not None:
        return Failure("tls_error", f"{authority}: {getattr(verification, 'verify_message', 'certificate refused')}")
    if _find(error, ssl.SSLError) is not None:
        return Failure("tls_error", f"{authority}: {getattr(_find(error, ssl.SSLError), 'reason', None) or 'handshake refused'}")
    if isinstance(error, ConnectionResetError):
        return Failure("connection_reset", authority)
    return Failure("connect_error", f"{authority}: {getattr(error, 'strerror', None) or type(error).__name__}")
