"""The web server of the demo site: knows its resources and nothing else, listens on the loopback address only."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from scripts.demo_site.resource import Resource

REQUEST_SECONDS = 10.0


class LoopbackServer(ThreadingHTTPServer):
    """Listens on 127.0.0.1, on a port that the system chooses."""

    daemon_threads = True

    def server_bind(self) -> None:
        # The inherited method looks up the address's name as well, which can mean a question to a name server.
        socketserver.TCPServer.server_bind(self)


@contextmanager
def serve(resources: Iterable[Resource]) -> Iterator[tuple[str, int]]:
    """Serves the resources on a free port until the block ends; yields the address to connect to.

    One port serves all host names: the `Host` header says which is meant, as on any shared server. A URL that is not among the
    resources is answered with 404 and no body.
    """
    responses = {resource.url: resource.http_response() for resource in resources}

    class Handler(BaseHTTPRequestHandler):
        timeout = REQUEST_SECONDS

        def do_GET(self) -> None:
            url = f"http://{self.headers.get('Host', '')}{self.path}"
            self.wfile.write(responses.get(url, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
            self.close_connection = True

        def log_message(self, *args: object) -> None:
            """Silent: the recorder reports progress."""

    server = LoopbackServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="demo-site", daemon=True)
    thread.start()
    try:
        yield "127.0.0.1", server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
