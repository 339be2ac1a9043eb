"""The demo crawl: equal bytes on every run, stable URLs, and pages and pictures that are what the expectations say."""

from __future__ import annotations

import hashlib
import http.client
import io
import os
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from PIL import Image, UnidentifiedImageError
from warcio.archiveiterator import ArchiveIterator

from scripts.demo_site import NO_REFERENCE, Resource, build_site, expected_images, expected_page_images, expected_pages
from scripts.demo_site.articles import ARTICLES, Article
from scripts.demo_site.pictures import LANTERNS_IN_THE_PAGE, UNASKED, data_url
from scripts.demo_site.resource import chunk
from scripts.demo_site.server import serve
from scripts.make_demo_crawl import Capture, DemoCrawl, main, make_demo_crawl, record_archive

CHECKOUT = Path(__file__).resolve().parents[2]
ACCEPTED_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")
MIN_SIDE, MAX_ASPECT, MAX_PIXELS = 150, 2, 100_000_000  # images.md 11
MAX_CRAWL_BYTES = 3_000_000


@dataclass(frozen=True)
class Record:
    """What a WARC record holds, as stored."""

    type: str
    headers: dict[str, str]
    block: bytes

    @property
    def url(self) -> str:
        return self.headers["WARC-Target-URI"]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> DemoCrawl:
    return make_demo_crawl(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def records(crawl: DemoCrawl) -> dict[str, list[Record]]:
    """The records of each file, by its name."""
    return {path.name: list(read_records(path)) for path in crawl.files}


@pytest.fixture(scope="module")
def site() -> dict[str, Resource]:
    return {resource.url: resource for resource in build_site()}


def read_records(path: Path) -> Iterator[Record]:
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, no_record_parse=True):
            yield Record(record.rec_type, dict(record.rec_headers.headers), record.raw_stream.read())


def digests(paths: Sequence[Path]) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def test_a_second_run_in_another_process_hash_seed_and_time_zone_gives_the_same_bytes(crawl: DemoCrawl, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    command = [sys.executable, "-m", "scripts.make_demo_crawl", "--output", str(tmp_path / "again")]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, timeout=60, check=True)
    again = [Path(line) for line in done.stdout.splitlines()]
    assert digests(again) == digests(crawl.files)


def test_a_second_run_into_the_same_folder_replaces_the_files(tmp_path: Path) -> None:
    first = digests(make_demo_crawl(tmp_path).files)
    assert digests(make_demo_crawl(tmp_path).files) == first
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(first)


def test_the_summary_counts_what_was_recorded(crawl: DemoCrawl, site: dict[str, Resource]) -> None:
    kinds = Counter(resource.kind for resource in site.values())
    assert (crawl.pages, crawl.images) == (kinds["page"], kinds["image"])
    assert crawl.bytes == sum(path.stat().st_size for path in crawl.files) < MAX_CRAWL_BYTES
    assert 2 <= len(crawl.files) <= 3


def test_each_response_is_stored_as_it_went_over_the_line(records: dict[str, list[Record]], site: dict[str, Resource]) -> None:
    stored = {record.url: record.block for file in records.values() for record in file if record.type == "response"}
    sent = {url: resource.http_response() for url, resource in site.items() if resource.revisit_of is None}
    assert stored == sent


def test_each_file_holds_its_archive_in_order_pages_and_pictures_mixed(
    records: dict[str, list[Record]], site: dict[str, Resource]
) -> None:
    for archive, name in enumerate(sorted(records)):
        urls = [record.url for record in records[name] if record.type in ("response", "revisit")]
        assert urls == [url for url, resource in site.items() if resource.archive == archive]
        assert {site[url].kind for url in urls} == {"page", "image"}
        assert records[name][0].type == "warcinfo"


def test_nothing_recorded_names_the_machine_the_port_or_the_loopback_address(records: dict[str, list[Record]]) -> None:
    hosts = set()
    for record in (record for file in records.values() for record in file):
        text = f"{record.headers}".encode() + (record.block if record.type in ("request", "warcinfo") else b"")
        assert b"127.0.0.1" not in text
        assert b"localhost" not in text
        assert "WARC-IP-Address" not in record.headers
        if record.type != "warcinfo":
            hosts.add(urlsplit(record.url).netloc)
    assert hosts == {"demo.interleaf.example", "docs.interleaf.example", "images.interleaf.example"}


def test_each_response_has_its_request_and_all_ids_differ(records: dict[str, list[Record]]) -> None:
    everything = [record for file in records.values() for record in file]
    ids = [record.headers["WARC-Record-ID"] for record in everything]
    assert len(set(ids)) == len(ids)
    answers = {record.headers["WARC-Record-ID"]: record for record in everything if record.type in ("response", "revisit")}
    requests = [record for record in everything if record.type == "request"]
    assert len(requests) == len(answers)
    for request in requests:
        answer = answers[request.headers["WARC-Concurrent-To"]]
        assert (request.url, request.headers["WARC-Date"]) == (answer.url, answer.headers["WARC-Date"])
        target = request.url.removeprefix(f"http://{urlsplit(request.url).netloc}")
        assert request.block.startswith(f"GET {target} HTTP/1.1\r\nHost: {urlsplit(request.url).netloc}\r\n".encode())


def test_a_revisit_names_its_original_by_url_date_and_digest(records: dict[str, list[Record]], site: dict[str, Resource]) -> None:
    everything = [record for file in records.values() for record in file]
    originals = {record.url: record for record in everything if record.type == "response"}
    revisits = [record for record in everything if record.type == "revisit"]
    assert [record.url for record in revisits] == [url for url, resource in site.items() if resource.revisit_of is not None]
    for record in revisits:
        original = originals[record.headers["WARC-Refers-To-Target-URI"]]
        assert original.url == site[record.url].revisit_of
        assert record.headers["WARC-Refers-To-Date"] == original.headers["WARC-Date"]
        assert record.headers["WARC-Payload-Digest"] == original.headers["WARC-Payload-Digest"]
        assert record.block.endswith(b"\r\n\r\n")
        assert site[record.url].body == site[original.url].body


def test_recording_leaves_the_process_with_the_connection_class_it_had(tmp_path: Path) -> None:
    program = (
        "import http.client; plain = http.client.HTTPConnection\n"
        "from pathlib import Path; import scripts.make_demo_crawl as maker\n"
        f"maker.make_demo_crawl(Path({str(tmp_path)!r}))\n"
        "assert http.client.HTTPConnection is plain, http.client.HTTPConnection"
    )
    subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, check=True, timeout=60, capture_output=True)


def test_a_failed_fetch_raises_and_leaves_no_file(tmp_path: Path) -> None:
    unknown = Capture(Resource("page", "http://demo.interleaf.example/unknown", b"", "text/html", 0, None), 0)
    with serve([]) as address, pytest.raises(OSError, match=r"example/unknown with status 404, expected 200"):
        record_archive(tmp_path / "x.warc.gz", [unknown], {unknown.resource.url: unknown}, address)
    assert list(tmp_path.iterdir()) == []


def test_the_server_tells_hosts_apart_on_one_loopback_port_and_is_gone_afterwards() -> None:
    pages = [
        Resource("page", f"http://{host}.example/", host.encode(), "text/plain", 0, None, chunked=host == "b")
        for host in ("a", "b")
    ]
    with serve(pages) as (address, port):
        answers = {host: ask(address, port, f"{host}.example") for host in ("a", "b", "c")}
    assert answers == {"a": (200, b"a"), "b": (200, b"b"), "c": (404, b"")}
    assert address == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address, port), timeout=1).close()


def ask(address: str, port: int, host: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(address, port, timeout=5)
    connection.request("GET", "/", headers={"Host": host})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


@pytest.mark.parametrize(("body", "size", "sent"), [(b"", 4, b"0\r\n\r\n"), (b"abcde", 4, b"4\r\nabcd\r\n1\r\ne\r\n0\r\n\r\n")])
def test_chunks_carry_their_size_in_hexadecimal(body: bytes, size: int, sent: bytes) -> None:
    assert chunk(body, size) == sent


def test_the_command_prints_paths_to_stdout_and_the_summary_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--output", str(tmp_path / "new" / "folder")]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [str(tmp_path / "new" / "folder" / f"demo-pages-{number}.warc.gz") for number in range(3)]
    assert re.search(r"\d+ pages and \d+ pictures in 3 files", err)


@pytest.mark.parametrize(("arguments", "message"), [([], "--output"), (["--output", __file__], "is a file, must be a folder")])
def test_wrong_use_ends_with_status_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_help_names_the_files_the_next_command_and_the_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert all(words in text for words in ("demo-pages-0.warc.gz", "interleaf build", "exit status", "127.0.0.1"))


def test_an_output_folder_that_cannot_be_made_ends_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["--output", str(tmp_path / "file" / "folder")]) == 1
    assert "make_demo_crawl:" in capsys.readouterr().err


def test_every_recorded_url_has_an_expectation(site: dict[str, Resource]) -> None:
    pages, images = expected_pages(), expected_images()
    assert set(pages) == {url for url, resource in site.items() if resource.kind == "page"}
    assert set(images) >= {url for url, resource in site.items() if resource.kind == "image"}
    assert not set(pages) & set(images)


def test_every_fate_of_the_reader_the_limits_and_the_gate_occurs() -> None:
    assert set(expected_pages().values()) == {
        "document",
        "drop:select.status",
        "drop:select.mime",
        "drop:select.sniffed_binary",
        "drop:select.empty_body",
        "drop:limits.nesting",
        "drop:limits.attributes",
        "drop:gate.score",
    }


def test_documents_are_many_and_in_many_languages() -> None:
    documents = Counter(article.language for article in ARTICLES if article.expected == "document")
    assert sum(documents.values()) >= 30
    assert set(documents) >= {"en", "de", "fr", "es", "zh", "ja", "th", "ar", "hi", "ru"}


@pytest.mark.parametrize("article", [a for a in ARTICLES if a.path.startswith("/articles/")], ids=lambda article: article.path)
def test_main_english_articles_have_at_least_three_hundred_words(article: Article, site: dict[str, Resource]) -> None:
    html = site[article.url].body.decode()
    body = html[html.index("<article") : html.index("</article>")]
    assert len(re.sub(r"<[^>]+>", " ", body).split()) >= 300


def test_images_that_a_document_shows_stand_in_its_source_and_resolve(site: dict[str, Resource]) -> None:
    statuses = expected_images()
    encodings = {article.url: article.encoding for article in ARTICLES}
    for page_url, image_urls in expected_page_images().items():
        page = site[page_url]
        if page.coding is not None:
            continue
        html = page.body.decode(encodings.get(page_url, "utf-8"))
        for image_url in image_urls:
            if image_url in UNASKED:  # the page holds its bytes
                assert statuses[image_url] == "ok"
                assert data_url(LANTERNS_IN_THE_PAGE, "image/webp") in html
                continue
            name = image_url.rsplit("/", 1)[1]
            assert name in html or unquote(name) in html or unquote(name) in unquote(html), (page_url, image_url)
            assert statuses[image_url] == "ok"


def test_every_picture_is_mentioned_by_some_page(site: dict[str, Resource]) -> None:
    sources = "\n".join(path.read_text("utf-8") for path in (CHECKOUT / "scripts" / "demo_site").rglob("*.html"))
    mentioned = sources + quote(sources, safe="/%")
    assert [url for url in expected_images() if url not in UNASKED and url.rsplit("/", 1)[1] not in mentioned] == []


def examine(body: bytes) -> str:
    """What is wrong with a file as an image, found with Pillow alone, in the order of images.md section 8."""
    if not body:
        return "empty_body"
    try:
        image = Image.open(io.BytesIO(body), formats=ACCEPTED_FORMATS)
    except Image.DecompressionBombError:
        return "too_many_pixels"
    except UnidentifiedImageError:
        return "not_an_image" if b"<html" in body.lower() else "unsupported_format"
    width, height = image.size
    if width * height > MAX_PIXELS:
        return "too_many_pixels"
    if min(width, height) < MIN_SIDE:
        return "too_small"
    if max(width / height, height / width) > MAX_ASPECT:
        return "bad_aspect"
    try:
        image.load()
    except OSError:
        return "truncated_image"
    return "ok"


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_each_picture_is_as_good_or_as_broken_as_expected(site: dict[str, Resource]) -> None:
    judged_by_content = {
        "ok",
        "empty_body",
        "not_an_image",
        "unsupported_format",
        "too_many_pixels",
        "too_small",
        "bad_aspect",
        "truncated_image",
    }
    judged_before = {"rule_word", "rule_hint", "optout_header", "optout_page"}  # sound pictures that are refused for another reason
    seen: Counter[str | None] = Counter()
    for resource in (resource for resource in site.values() if resource.kind == "image" and resource.status == 200):
        expected = "ok" if resource.expected in judged_before else resource.expected
        if expected in judged_by_content:
            seen[expected] += 1
            assert examine(resource.body) == expected, resource.url
    assert set(seen) == judged_by_content


@pytest.mark.parametrize(
    ("path", "measured", "wanted"),
    [
        ("/hostile/deep.html", lambda html: html.count("<div>"), 2_000),
        ("/hostile/wide.html", lambda html: len(re.findall(r" data-field-\d+=", html)), 1_500),
        ("/hostile/old-school.html", lambda html: html.count("<LI>"), 700),
        ("/lab/pixels-and-icons.html", lambda html: html.count('width="1" height="1"'), 1),
        ("/lab/noscript-twin.html", lambda html: html.count("/lab/img/twin-lamp.jpg"), 2),
        ("/articles/ferry-crossing.html", lambda html: html.count("What holds the boat on its course"), 2),
        ("/ar/jisr.html", lambda html: html.count('dir="rtl"'), 1),
        ("/hostile/station-clock.html", lambda html: min(html.count("<!--"), 8), 8),
    ],
)
def test_tricks_are_in_the_pages(path: str, measured: Callable[[str], int], wanted: int, site: dict[str, Resource]) -> None:
    assert measured(site[f"http://demo.interleaf.example{path}"].body.decode()) == wanted


@pytest.mark.parametrize(
    ("path", "content_type", "declared", "encoding", "words"),
    [
        ("/ru/biblioteka.html", "text/html", b'charset="windows-1251"', "cp1251", "Порядок на полках"),
        ("/ja/toshokan.html", "text/html", b'charset="Shift_JIS"', "cp932", "図書館の棚の並び方"),
        ("/de/fahrradwerkstatt.html", "text/html; charset=ISO-8859-1", b"", "cp1252", "„Wir zeigen nur, wie es geht“"),
    ],
)
def test_pages_in_old_encodings_are_not_valid_utf_8(
    path: str, content_type: str, declared: bytes, encoding: str, words: str, site: dict[str, Resource]
) -> None:
    page = site[f"http://demo.interleaf.example{path}"]
    assert page.content_type == content_type
    assert declared in page.body
    assert (b"<meta charset" in page.body) == bool(declared)
    assert words in page.body.decode(encoding)
    with pytest.raises(UnicodeDecodeError):
        page.body.decode("utf-8")


def test_one_page_claims_a_coding_it_does_not_have_and_two_have_one(site: dict[str, Resource]) -> None:
    coded = {url: resource for url, resource in site.items() if resource.coding is not None}
    lying = [url for url, resource in coded.items() if resource.body.startswith(b"<!DOCTYPE")]
    assert lying == ["http://demo.interleaf.example/hostile/lying-header.html"]
    assert Counter(resource.coding for url, resource in coded.items() if url not in lying) == {"gzip": 1, "br": 1}


def test_pictures_that_must_not_be_asked_for_are_declared_tiny_or_stand_beside_the_text() -> None:
    images = expected_images().items()
    paths = [url.removeprefix("http://demo.interleaf.example") for url, status in images if status == NO_REFERENCE]
    assert sorted(paths) == ["/img/teasers/coast.jpg", "/img/teasers/shelf.jpg", "/lab/img/pixel.gif"]


def test_the_reader_gives_each_page_the_expected_fate(crawl: DemoCrawl) -> None:
    from transforms.archives.warc import read_warc
    from transforms.records import Drop

    found = {outcome.url: outcome for path in crawl.files for outcome in read_warc(str(path))}
    for url, fate in expected_pages().items():
        outcome = found[url]
        rule = outcome.rule if isinstance(outcome, Drop) else None
        selected_out = fate.removeprefix("drop:") if fate.startswith("drop:select.") else None
        assert rule == selected_out, url


def test_the_gate_gives_each_page_the_expected_fate(site: dict[str, Resource]) -> None:
    from transforms.html.readerable import is_probably_readerable
    from transforms.html.tree import parse_html

    encodings = {article.url: article.encoding for article in ARTICLES}
    fates = {url: fate for url, fate in expected_pages().items() if fate in ("document", "drop:gate.score")}
    for url, fate in fates.items():
        if site[url].body.startswith(b"<"):  # not packed
            html = site[url].body.decode(encodings.get(url, "utf-8"))
            assert is_probably_readerable(parse_html(html)) == (fate == "document"), url
