"""A small web server on the loopback interface with every fault that image hosts have, and a log of what it was asked and sent.

    with FaultServer({"/a.png": answer(png), "/gone": answer(b"", 404)}) as server:
        ...  # server.url("/a.png"), server.paths(), server.log

It is bounded: after `max_requests`, and after `max_seconds`, it closes. A route is a function of the exchange; a path that is no
route is a 404, and `/robots.txt` as well unless it is one.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType

MAX_HEAD_BYTES = 64 * 1024
PIECE = 64 * 1024


@dataclass
class Request:
    """One request as the server saw it. body_bytes: how many bytes of a body it sent. connection: number of the connection."""

    path: str
    headers: dict[str, str]
    connection: int
    started: float
    body_bytes: int = 0
    finished: float | None = None


@dataclass
class Exchange:
    """A request and the way to answer it. number: how many times the path was asked for before."""

    request: Request
    number: int
    server: FaultServer
    _socket: socket.socket = field(repr=False)

    def send(self, data: bytes) -> None:
        """Bytes of the head, or of what is no HTTP at all."""
        self._socket.sendall(data)

    def send_body(self, data: bytes) -> None:
        """Bytes of a body, counted."""
        for place in range(0, len(data), PIECE):
            piece = data[place : place + PIECE]
            self._socket.sendall(piece)
            self.request.body_bytes += len(piece)

    def wait(self, seconds: float) -> bool:
        """Waits, and says whether the client is still there."""
        with contextlib.suppress(OSError, ValueError):
            ready, _, _ = select.select([self._socket], [], [], seconds)
            return not ready or bool(self._socket.recv(1, 0 if isinstance(self._socket, ssl.SSLSocket) else socket.MSG_PEEK))
        return False

    def relay(self, port: int) -> None:
        """Passes bytes to a port of this machine and back until one side ends."""
        with socket.socket() as other:
            other.connect(("127.0.0.1", port))
            ends = {self._socket: other, other: self._socket}
            while True:
                ready, _, _ = select.select(list(ends), [], [], 20)
                for end in ready:
                    data = end.recv(PIECE)
                    if not data:
                        return
                    ends[end].sendall(data)
                if not ready:
                    return

    def reset(self) -> None:
        """Ends the connection with a reset instead of an end."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


Route = Callable[[Exchange], "bool | None"]
"""Answers an exchange; True keeps the connection open."""


def head(status: int = 200, *headers: str) -> bytes:
    """The head of a response."""
    return "\r\n".join([f"HTTP/1.1 {status} Fault", *headers, "", ""]).encode("latin-1")


def answer(body: bytes, status: int = 200, *headers: str, content_type: str = "image/png", patience: float = 0.0) -> Route:
    """A proper response. patience: seconds between head and body, for a client that would rather not have the body."""

    def route(exchange: Exchange) -> bool:
        exchange.send(head(status, f"Content-Length: {len(body)}", f"Content-Type: {content_type}", *headers))
        if patience and not exchange.wait(patience):
            return False
        exchange.send_body(body)
        return True

    return route


def redirect(location: str, status: int = 302) -> Route:
    """A redirect, with a small body as servers send it."""
    return answer(b"moved", status, f"Location: {location}", content_type="text/plain")


def silent(seconds: float = 5.0) -> Route:
    """Accepts the request and says nothing."""

    def route(exchange: Exchange) -> bool:
        exchange.wait(seconds)
        return False

    return route


def reset() -> Route:
    """Resets the connection instead of an answer."""

    def route(exchange: Exchange) -> bool:
        exchange.reset()
        return False

    return route


def drip(data: bytes, seconds: float, *, pieces: int = 50) -> Route:
    """Sends bytes one at a time with a pause after each, each inside any read timeout."""

    def route(exchange: Exchange) -> bool:
        for place in range(min(pieces, len(data))):
            exchange.send(data[place : place + 1])
            if not exchange.wait(seconds):
                break
        return False

    return route


def endless(total: int, *headers: str, chunked: bool = False) -> Route:
    """A body of `total` bytes without Content-Length, unless it is one of the headers."""

    def route(exchange: Exchange) -> bool:
        exchange.send(head(200, "Content-Type: image/jpeg", *headers, *(["Transfer-Encoding: chunked"] if chunked else [])))
        block = b"\xff" * PIECE
        for _ in range(total // PIECE):
            exchange.send_body(b"%x\r\n%b\r\n" % (len(block), block) if chunked else block)
        if chunked:
            exchange.send(b"0\r\n\r\n")
        return False

    return route


def cut(body: bytes, declared: int) -> Route:
    """Fewer bytes than declared."""

    def route(exchange: Exchange) -> bool:
        exchange.send(head(200, f"Content-Length: {declared}", "Content-Type: image/png"))
        exchange.send_body(body)
        return False

    return route


def raw(data: bytes) -> Route:
    """Bytes that need not be HTTP."""

    def route(exchange: Exchange) -> bool:
        exchange.send(data)
        return False

    return route


def tunnel(port: int) -> Route:
    """What a proxy does for CONNECT; the path is `HOST:PORT`, and whatever it is, the way leads to a port of this machine."""

    def route(exchange: Exchange) -> bool:
        exchange.send(head(200))
        exchange.relay(port)
        return False

    return route


def in_turn(*routes: Route) -> Route:
    """Another answer at each request, the last one for all that follow."""

    def route(exchange: Exchange) -> bool:
        return bool(routes[min(exchange.number, len(routes) - 1)](exchange))

    return route


class FaultServer:
    """See the module text. context: of TLS, None for plain HTTP. log: all requests, in the order of their arrival."""

    def __init__(
        self,
        routes: Mapping[str, Route] | None = None,
        *,
        default: Route | None = None,
        context: ssl.SSLContext | None = None,
        max_requests: int = 20_000,
        max_seconds: float = 120.0,
    ) -> None:
        self.routes: dict[str, Route] = dict(routes or {})
        self.log: list[Request] = []
        self.connections = 0
        self.busiest = 0
        self._asked: Counter[str] = Counter()
        self._default = default or answer(b"not here", 404, content_type="text/plain")
        self._context = context
        self._max_requests = max_requests
        self._ends = time.monotonic() + max_seconds
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._busy = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._listener.settimeout(0.2)
        self.port: int = self._listener.getsockname()[1]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._accept, name="fault-server", daemon=True)

    def __enter__(self) -> FaultServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The URL of a path, under another name of the host if one is given."""
        return f"{'https' if self._context else 'http'}://{host}:{self.port}{path}"

    def paths(self, *, robots: bool = False) -> list[str]:
        """What was asked for, in order of arrival; robots.txt only on demand."""
        with self._lock:
            return [request.path for request in self.log if robots or request.path != "/robots.txt"]

    def requests(self, path: str) -> list[Request]:
        """The requests for one path."""
        with self._lock:
            return [request for request in self.log if request.path == path]

    def _accept(self) -> None:
        while not self._stop.is_set() and time.monotonic() < self._ends and len(self.log) < self._max_requests:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            with self._lock:
                self.connections += 1
                number = self.connections
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        # A client that goes away in the middle is what half of the faults are about.
        with contextlib.suppress(OSError, ValueError), connection:
            connection.settimeout(20)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            with self._lock:
                self._open.add(connection)
            try:
                while not self._stop.is_set() and self._answer(connection, number):
                    pass
            finally:
                with self._lock:
                    self._open.discard(connection)
                connection.close()

    def _answer(self, connection: socket.socket, number: int) -> bool:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(8192)
            if not piece or len(data) > MAX_HEAD_BYTES:
                return False
            data += piece
        lines = data.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        request = Request(lines[0].split(" ")[1], headers, number, time.monotonic())
        with self._lock:
            seen = self._asked[request.path]
            self._asked[request.path] += 1
            self.log.append(request)
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
        try:
            route = self.routes.get(request.path, self._default)
            return bool(route(Exchange(request, seen, self, connection)))
        finally:
            request.finished = time.monotonic()
            with self._lock:
                self._busy -= 1
