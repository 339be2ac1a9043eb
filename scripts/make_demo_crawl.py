"""Records the demo site into WARC files: `python -m scripts.make_demo_crawl --output DIR`.

The site is served on the loopback address and fetched over a real connection with `warcio.capture_http`, so the archives hold what
a crawler would have written. The recorded URLs have the site's own host names and no port, and nothing in the files depends on the
time, the machine's name or chance: two recordings are equal byte for byte.
"""

from __future__ import annotations

import argparse
import http.client
import os
import socket
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scripts.demo_site import Resource, build_site
from scripts.demo_site.server import serve

FETCH_SECONDS = 10.0
FIRST_CAPTURE = datetime(2026, 1, 15, 9, 0, 0, tzinfo=timezone.utc)
SECONDS_BETWEEN_CAPTURES = 2
USER_AGENT = "interleaf-demo-crawler/1.0"
SOFTWARE = "interleaf make_demo_crawl, warcio.capture_http"

HELP_EPILOG = """\
what it does
  Builds a small web site of our own writing (articles in ten languages, a manual, a forum thread, a shop page, image tricks,
  hostile pages), serves it on 127.0.0.1 for a second or two, fetches every page and picture once, and writes

      DIR/demo-pages-0.warc.gz    the English magazine and its pictures
      DIR/demo-pages-1.warc.gz    other languages, manual, forum, shop, gallery
      DIR/demo-pages-2.warc.gz    one page an image trick, hostile pages

  Nothing outside this machine is contacted. Existing files of these names are replaced; two runs give equal bytes.

next
  interleaf build --config configs/demo.yaml --input 'DIR/*.warc.gz' --output OUT

what each URL should become is in scripts/demo_site: expected_pages(), expected_images(), expected_page_images().

exit status: 0 done, 1 the recording failed, 2 wrong use
"""


@dataclass(frozen=True, slots=True)
class DemoCrawl:
    """What was recorded. pages, images: distinct URLs; bytes: size of all files."""

    files: tuple[Path, ...]
    pages: int
    images: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Capture:
    """A response together with its place in the crawl, from which its date and ids follow."""

    resource: Resource
    number: int

    @property
    def date(self) -> str:
        moment = FIRST_CAPTURE + timedelta(seconds=self.number * SECONDS_BETWEEN_CAPTURES)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    def record_id(self, record_type: str) -> str:
        return record_id(f"{record_type}:{self.resource.url}")


def record_id(name: str) -> str:
    """A record id that follows from the name alone."""
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}>"


def make_demo_crawl(output: Path) -> DemoCrawl:
    """Records the demo site into `output/demo-pages-N.warc.gz`; the folder is made if need be.

    Raises OSError if the folder cannot be written or the loopback address cannot be reached.
    """
    output.mkdir(parents=True, exist_ok=True)
    captures = [Capture(resource, number) for number, resource in enumerate(build_site())]
    by_url = {capture.resource.url: capture for capture in captures}
    files = []
    with serve(capture.resource for capture in captures) as address:
        for archive in sorted({capture.resource.archive for capture in captures}):
            path = output / f"demo-pages-{archive}.warc.gz"
            chosen = [capture for capture in captures if capture.resource.archive == archive]
            record_archive(path, chosen, by_url, address)
            print(f"{path}: {len(chosen)} responses, {path.stat().st_size:,} bytes", file=sys.stderr)
            files.append(path)
    kinds = [capture.resource.kind for capture in captures]
    size = sum(path.stat().st_size for path in files)
    return DemoCrawl(tuple(files), kinds.count("page"), kinds.count("image"), size)


def record_archive(path: Path, captures: Sequence[Capture], by_url: dict[str, Capture], address: tuple[str, int]) -> None:
    """Fetches the captures one after the other and writes each with its request; the file appears under its name when whole."""
    recording_connection, capture_http = load_recorder()
    from warcio.warcwriter import WARCWriter

    class LoopbackConnection(recording_connection):  # type: ignore[misc, valid-type]
        """Asks for a host by its name and connects to our server: the recorder sees the name and the default port."""

        def connect(self) -> None:
            self.sock = socket.create_connection(address, timeout=FETCH_SECONDS)

    def settle(request: Any, response: Any, recorder: Any) -> tuple[Any, Any]:
        """Replaces what the recorder took from the clock and from chance, and turns known copies into `revisit` records."""
        capture = by_url[recorder.url]
        original = capture.resource.revisit_of
        if original is not None:
            response = revisit(writer, response, by_url[original])
        for record_type, record in (("request", request), ("response", response)):
            record.rec_headers.replace_header("WARC-Record-ID", capture.record_id(record_type))
            record.rec_headers.replace_header("WARC-Date", capture.date)
        return request, response

    unfinished = path.with_name(f"{path.name}.part")
    try:
        with unfinished.open("wb") as out:
            writer = WARCWriter(out, gzip=True)
            writer.write_record(archive_information(writer, path.name))
            with capture_http(writer, settle, record_ip=False):
                for capture in captures:
                    fetch(LoopbackConnection, capture.resource)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def load_recorder() -> tuple[type[http.client.HTTPConnection], Any]:
    """warcio's recording connection and its context manager.

    Importing the module puts the recording connection in place of `http.client.HTTPConnection` for the whole process. We name the
    class ourselves and undo that, so that other code in the process keeps the connection it knows.
    """
    plain = http.client.HTTPConnection
    try:
        from warcio.capture_http import RecordingHTTPConnection, capture_http
    finally:
        http.client.HTTPConnection = plain  # type: ignore[misc]
    return RecordingHTTPConnection, capture_http


def archive_information(writer: Any, name: str) -> Any:
    """The `warcinfo` record that opens each file."""
    record = writer.create_warcinfo_record(name, {"software": SOFTWARE, "format": "WARC File Format 1.0"})
    record.rec_headers.replace_header("WARC-Record-ID", record_id(f"warcinfo:{name}"))
    record.rec_headers.replace_header("WARC-Date", FIRST_CAPTURE.strftime("%Y-%m-%dT%H:%M:%SZ"))
    return record


def revisit(writer: Any, response: Any, original: Capture) -> Any:
    """A record that says: the same bytes as the original, which stands elsewhere."""
    return writer.create_revisit_record(
        response.rec_headers.get_header("WARC-Target-URI"),
        response.rec_headers.get_header("WARC-Payload-Digest"),
        original.resource.url,
        original.date,
        http_headers=response.http_headers,
    )


def fetch(connection_class: type[http.client.HTTPConnection], resource: Resource) -> None:
    """Asks for one URL and reads the answer to its end, which is what makes the recorder write it."""
    parts = urlsplit(resource.url)
    assert parts.hostname is not None
    connection = connection_class(parts.hostname, timeout=FETCH_SECONDS)
    try:
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection.request("GET", target, headers={"User-Agent": USER_AGENT, "Accept": "*/*"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != resource.status:
            raise OSError(f"the demo server answered {resource.url} with status {answer.status}, expected {resource.status}")
    finally:
        connection.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.make_demo_crawl",
        description="Record a small demo web site into WARC files, pages and pictures together.",
        epilog=HELP_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for the WARC files; made if need be")
    output: Path = parser.parse_args(arguments).output
    if output.exists() and not output.is_dir():
        parser.error(f"--output {output}: is a file, must be a folder")
    try:
        crawl = make_demo_crawl(output)
    except OSError as error:
        print(f"make_demo_crawl: {error}", file=sys.stderr)
        return 1
    total = f"{crawl.pages} pages and {crawl.images} pictures in {len(crawl.files)} files, {crawl.bytes / 1e6:.1f} MB"
    print(total, file=sys.stderr)
    for path in crawl.files:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
