"""One HTTP request under guard: address, time, size (images.md 5.4).

    answer = transport.get(target, deadline, look)      # an Answer or a Failure, never an exception

Redirects are answers like any other: whoever asks decides whether to follow, so that the next hop passes the same guard, the
robots rules of its host and its host's limits. Proxies of the environment are not used. Behind a proxy of the configuration a
target's name is not looked up here, so the guard sees only targets that are addresses.
"""

from __future__ import annotations

import functools
import http.client
import logging
import socket
import ssl
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any

import ada_url
import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from transforms.archives.content_codings import decode_body
from transforms.images.network.addresses import AddressGuard, is_address
from transforms.images.network.config import NetworkConfig, parse_proxy
from transforms.images.network.failure import Failure

PRODUCT = "interleaf"
PIECE_BYTES = 64 * 1024
DRAIN_BYTES = 16 * 1024
"""A body that is not wanted and no larger than this is read after all: that costs less than a new connection."""
CLIENT_ERRORS = (OSError, http.client.HTTPException, urllib3.exceptions.HTTPError, ValueError)
"""What the client raises for what a server does; ValueError for headers that are no text."""
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

    @property
    def netloc(self) -> str:
        """Host and port as a URL has them: IPv6 in brackets, no port where it is the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


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
    """A response. body: decoded, and empty where it was not wanted."""

    head: Head
    body: bytes


Resolve = Callable[[str, float], "tuple[str, ...] | Failure"]
"""Host and seconds -> addresses."""
Look = Callable[[Head], "Failure | bool"]
"""Looks at the head before the first byte of the body is read: a Failure refuses it, False does without it."""


class Transport:
    """Connections, kept alive by host, that only ever lead to addresses the guard has checked. One TLS context for all.

    Thread-safe. `connections` counts those opened, lookups included in none.
    """

    def __init__(self, config: NetworkConfig, guard: AddressGuard | None = None) -> None:
        self._config = config
        self._proxy = None if config.proxy is None else parse_proxy(config.proxy)
        self._guard = guard or AddressGuard(config.allow_addresses)
        self._headers = {
            "User-Agent": f"{PRODUCT}/{metadata.version('interleaf')} (+{config.user_agent_contact})",
            "Accept": "image/*,*/*;q=0.8",
            "Accept-Encoding": "identity",
        }
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[HTTPConnection]] = defaultdict(list)
        self._addresses: dict[str, tuple[str, ...] | Failure] = {}
        # It warns of every header that is not well formed.
        logging.getLogger("urllib3.connection").setLevel(logging.ERROR)
        self.connections = 0
        self.budget = ByteBudget(config.bytes_in_flight)

    def get(self, target: Target, deadline: float, look: Look, most: int | None = None) -> Answer | Failure:
        """GET. deadline: of the monotonic clock, for lookup, connection, head and body together.

        most: bytes of the body that are read of a longer one; None: a body above `max_bytes` is refused. The body's bytes count
        against `budget` until its reader gives them back.
        """
        connection = self._take_idle(target) or self._connect(target, deadline)
        if isinstance(connection, Failure):
            return connection
        is_kept, connection.has_head = connection.has_head, False
        try:
            found = self._exchange(connection, target, deadline, look, most)
        except CLIENT_ERRORS as error:
            found = _failure_of(error, deadline)
        if isinstance(found, Answer) and connection.sock is not None:
            with self._lock:
                self._idle[target.scheme, target.authority].append(connection)
            return found
        connection.close()
        if isinstance(found, Failure) and found.status == "connection_reset" and is_kept and not connection.has_head:
            return replace(found, on_kept_connection=True)
        return found

    def close(self) -> None:
        """Closes all kept connections."""
        with self._lock:
            connections = [connection for kept in self._idle.values() for connection in kept]
            self._idle.clear()
        for connection in connections:
            connection.close()

    def resolve(self, host: str, deadline: float) -> tuple[str, ...] | Failure:
        """The addresses to connect to for a host, checked; a host is looked up once.

        Behind a proxy they are those of the proxy, which is trusted and may be private; a target that is an address is checked.
        """
        if self._proxy is not None:
            refused = self._checked(host, deadline, self._guard.resolve) if is_address(host) else None
            if isinstance(refused, Failure):
                return refused
            found = self._checked(self._proxy[0], deadline, self._guard.look_up)
            # A proxy that is not found says nothing about the image.
            return Failure("connect_error", f"the proxy: {found.detail}") if isinstance(found, Failure) else found
        return self._checked(host, deadline, self._guard.resolve)

    def _checked(self, host: str, deadline: float, resolve: Resolve) -> tuple[str, ...] | Failure:
        with self._lock:
            known = self._addresses.get(host)
        if known is None:
            known = resolve(host, min(self._config.connect_timeout, max(deadline - time.monotonic(), 0)))
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
            connection = _GuardedHTTPS(target.host, target.port, ssl_context=tls_context())
        else:
            connection = _GuardedHTTP(target.host, target.port)
        if self._proxy is not None:
            connection.proxy_port = self._proxy[1]
            if target.scheme == "https":
                connection.set_tunnel(target.host, target.port)
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
            except CLIENT_ERRORS as error:
                connection.close()
                failure = _connect_failure_of(error, target.authority)
                continue
            return connection
        return failure

    def _exchange(self, connection: _Connection, target: Target, deadline: float, look: Look, most: int | None) -> Answer | Failure:
        connection.has_head = False
        connection.timeout = max(min(self._config.read_timeout, deadline - time.monotonic()), 0.001)
        if isinstance(connection.sock, _DeadlineReads):
            connection.sock.deadline, connection.sock.read_timeout = deadline, self._config.read_timeout
        # A proxy is told the whole URL, unless it is only a tunnel.
        is_forwarded = self._proxy is not None and target.scheme == "http"
        asked = f"http://{target.netloc}{target.path}" if is_forwarded else target.path
        connection.request("GET", asked, headers=self._headers, preload_content=False, decode_content=False)
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
                _read_body(response, DRAIN_BYTES)
            return Answer(head, b"")
        max_bytes = self._config.max_bytes if most is None else most
        if most is None and declared is not None and declared > max_bytes:
            return Failure("too_large", "Content-Length", declared, max_bytes, response.status)
        reserved = max_bytes if declared is None else min(declared, max_bytes)
        if not self.budget.take(reserved, deadline):
            return Failure("fetch_deadline", "the deadline was reached before there was memory for the body")
        kept = 0
        try:
            body, is_whole = _read_body(response, max_bytes)
            if not is_whole:
                connection.close()
                if most is None:
                    return Failure("too_large", "the body goes on beyond the cap", None, max_bytes, response.status)
            decoded = _decoded(body, head, max_bytes)
            if isinstance(decoded, Failure):
                return decoded
            kept = len(decoded)
            return Answer(head, decoded)
        finally:
            self.budget.give_back(reserved - kept)


@functools.cache
def tls_context() -> ssl.SSLContext:
    """The one TLS context of the process: the system's roots, or those of `SSL_CERT_FILE`; certificates are always verified.

    Making one costs more than fetching a dozen images.
    """
    context = ssl.create_default_context()
    context.sslsocket_class = _DeadlineTLSSocket
    return context


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
    proxy_port: int | None = None  # set where the address is a proxy's
    has_head = False  # of the last request's answer

    def _new_conn(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        connected = _DeadlineSocket(family, socket.SOCK_STREAM)
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connected.settimeout(self.timeout)  # type: ignore[attr-defined]
            connected.connect((self.address, self.proxy_port or self.port))  # type: ignore[attr-defined]
            # Until an exchange sets its own: a proxy's answer to CONNECT, and what TLS does not read itself.
            connected.deadline = time.monotonic() + self.timeout  # type: ignore[attr-defined]
        except BaseException:
            connected.close()
            raise
        return connected


class _GuardedHTTP(_ToAddress, HTTPConnection):
    pass


class _GuardedHTTPS(_ToAddress, HTTPSConnection):
    pass


_Connection = _GuardedHTTP | _GuardedHTTPS


def _read_body(response: urllib3.BaseHTTPResponse, most: int) -> tuple[bytes, bool]:
    """The raw body, read as it arrives, up to `most` bytes; and whether that is all of it."""
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(PIECE_BYTES, decode_content=False):
        size += len(piece)
        pieces.append(piece)
        if size > most:
            return b"".join(pieces)[:most], False
    return b"".join(pieces), True


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
