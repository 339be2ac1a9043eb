"""One thing the demo site serves, and what the pipeline is expected to make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MAGAZINE = "http://demo.interleaf.example"
DOCS = "http://docs.interleaf.example"
PICTURES = "http://images.interleaf.example"

NO_REFERENCE = "no_reference"  # the expectation for an image URL that no document may mention

# Real servers stamp the time; ours stamps a fixed one, so that two recordings are equal byte for byte.
SERVED_AT = "Thu, 15 Jan 2026 09:00:00 GMT"

REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found"}


@dataclass(frozen=True, slots=True)
class Resource:
    """A response of the demo site.

    kind: `page` for what a browser would open, `image` for what an `img` asks for. url: as a browser requests it, percent-encoded.
    content_type, coding: the headers as sent, true or not; the body is sent as it is. chunked: transfer coding. archive: number
    of the crawl file it is recorded in. revisit_of: URL of an earlier response with the same bytes; recorded as a `revisit`.
    expected: for a page `document` or `drop:RULE`, its fate up to and including extraction; for an image a status of
    spec/images.md section 10. None where it depends on the configuration. usable_images: URLs of the images that a page's document
    shows, in order: of each image the best candidate that the archive holds undamaged.
    """

    kind: Literal["page", "image"]
    url: str
    body: bytes
    content_type: str | None
    archive: int
    expected: str | None
    status: int = 200
    coding: str | None = None
    chunked: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    revisit_of: str | None = None
    usable_images: tuple[str, ...] | None = None

    def http_response(self) -> bytes:
        """The response as it goes over the line: status line, headers, body."""
        headers = [("Date", SERVED_AT), ("Server", "interleaf-demo")]
        if self.content_type is not None:
            headers.append(("Content-Type", self.content_type))
        if self.coding is not None:
            headers.append(("Content-Encoding", self.coding))
        headers.extend(self.headers)
        if self.chunked:
            headers.append(("Transfer-Encoding", "chunked"))
        else:
            headers.append(("Content-Length", str(len(self.body))))
        headers.append(("Connection", "close"))
        lines = [f"HTTP/1.1 {self.status} {REASONS[self.status]}", *(f"{name}: {value}" for name, value in headers), "", ""]
        return "\r\n".join(lines).encode("latin-1") + (chunk(self.body) if self.chunked else self.body)


def chunk(body: bytes, size: int = 1000) -> bytes:
    """The body in chunked transfer coding, `size` bytes a chunk.

    >>> chunk(b"abc", size=2)
    b'2\\r\\nab\\r\\n1\\r\\nc\\r\\n0\\r\\n\\r\\n'
    """
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])
