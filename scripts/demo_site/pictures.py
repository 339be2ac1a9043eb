"""The pictures of the demo site: a table of good ones, and a table of those that are damaged, mislabelled or missing."""

from __future__ import annotations

import base64
import hashlib
import io
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scripts.demo_site.resource import DOCS, MAGAZINE, NO_REFERENCE, PICTURES, Resource
from scripts.demo_site.scenes import paint

MIME = {"jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif"}
ENCODER_OPTIONS: dict[str, dict[str, int]] = {"jpeg": {"quality": 78}, "webp": {"quality": 72, "method": 4}, "png": {}, "gif": {}}


@dataclass(frozen=True, slots=True)
class Picture:
    """A sound picture: where it is, what it shows, how it is stored."""

    url: str
    scene: str
    seed: int
    width: int
    height: int
    format: str = "jpeg"
    archive: int = 0
    expected: str = "ok"

    def resource(self) -> Resource:
        body = encode(self.scene, self.seed, self.width, self.height, self.format)
        return Resource("image", self.url, body, MIME[self.format], self.archive, self.expected)


def encode(scene: str, seed: int, width: int, height: int, image_format: str) -> bytes:
    """The scene as a file of the format, without metadata."""
    out = io.BytesIO()
    paint(scene, seed, width, height).save(out, image_format, **ENCODER_OPTIONS[image_format])
    return out.getvalue()


ARTICLE_PICTURES = (
    # the magazine, first archive
    Picture(f"{MAGAZINE}/img/bread/loaves-cooling.jpg", "bread", 11, 640, 480),
    Picture(f"{MAGAZINE}/img/bread/second-bake.webp", "bread", 12, 480, 360, "webp"),
    Picture(f"{MAGAZINE}/img/tides/low-water.jpg", "sea_coast", 21, 800, 600),
    Picture(f"{MAGAZINE}/img/tides/curve.png", "tide_table", 22, 600, 450, "png"),
    Picture(f"{MAGAZINE}/img/bicycle/upright.jpg", "bicycle", 31, 640, 480),
    Picture(f"{MAGAZINE}/img/bicycle/wheel-off.jpg", "bicycle", 32, 480, 360),
    Picture(f"{PICTURES}/bridges/suspension.jpg", "bridge", 41, 800, 533),
    Picture(f"{PICTURES}/bridges/stone-arches.jpg", "arch_bridge", 42, 720, 480),
    Picture(f"{MAGAZINE}/img/tea/brown-pot.jpg", "teapot", 51, 640, 480),
    Picture(f"{MAGAZINE}/img/tea/green-pot.webp", "teapot", 54, 480, 360, "webp"),
    Picture(f"{MAGAZINE}/img/library/open-shelves.png", "bookshelf", 61, 640, 480, "png"),
    Picture(f"{PICTURES}/sky/winter-band.jpg", "night_sky", 71, 800, 600),
    Picture(f"{PICTURES}/sky/first-quarter.png", "night_sky", 72, 480, 360, "png"),
    Picture(f"{MAGAZINE}/img/garden/six-rows.jpg", "garden", 81, 720, 480),
    Picture(f"{MAGAZINE}/img/ferry/crossing.jpg", "harbour", 91, 640, 427),
    Picture(f"{MAGAZINE}/img/market/saturday.jpg", "market", 95, 640, 480),
    # teasers in the side column: no main content, so no document asks for them
    Picture(f"{MAGAZINE}/img/teasers/coast.jpg", "sea_coast", 1, 120, 90, expected=NO_REFERENCE),
    Picture(f"{MAGAZINE}/img/teasers/shelf.jpg", "bookshelf", 1, 120, 90, expected=NO_REFERENCE),
    # other languages, documentation, forum, shop and gallery, second archive
    Picture(f"{MAGAZINE}/img/de/brotzeit.jpg", "bread", 101, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/de/fahrradwerkstatt.jpg", "bicycle", 102, 600, 450, archive=1),
    Picture(f"{MAGAZINE}/img/fr/potager.jpg", "garden", 103, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/es/marea-baja.jpg", "sea_coast", 104, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/zh/%E8%8C%B6%E5%A3%B6.jpg", "teapot", 105, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/ja/yozora.jpg", "night_sky", 106, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/ja/hondana.jpg", "bookshelf", 107, 480, 360, archive=1),
    Picture(f"{MAGAZINE}/img/th/talat.jpg", "market", 108, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/ar/jisr.jpg", "arch_bridge", 109, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/hi/bagicha.jpg", "garden", 110, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/ru/biblioteka.jpg", "bookshelf", 111, 640, 480, archive=1),
    Picture(f"{DOCS}/static/overview.png", "tide_table", 121, 640, 480, "png", archive=1),
    Picture(f"{MAGAZINE}/img/shop/kettle-front.jpg", "teapot", 131, 600, 600, archive=1),
    Picture(f"{MAGAZINE}/img/shop/kettle-side.webp", "teapot", 134, 600, 600, "webp", archive=1),
    Picture(f"{MAGAZINE}/img/gallery/quay.jpg", "harbour", 141, 720, 480, archive=1),
    Picture(f"{MAGAZINE}/img/gallery/beacon.jpg", "lighthouse", 142, 480, 640, archive=1),
    Picture(f"{MAGAZINE}/img/gallery/evening.jpg", "lanterns", 143, 640, 480, archive=1),
    Picture(f"{MAGAZINE}/img/gallery/hills-behind.webp", "hill_country", 144, 640, 480, "webp", archive=1),
    Picture(f"{MAGAZINE}/img/forum/my-workbench.jpg", "bicycle", 151, 480, 360, archive=1),
    # the notebook of image markup, third archive
    Picture(f"{MAGAZINE}/lab/img/heron-320w.jpg", "lighthouse", 201, 320, 240, archive=2),
    Picture(f"{MAGAZINE}/lab/img/heron-640w.webp", "lighthouse", 201, 640, 480, "webp", archive=2),
    Picture(f"{MAGAZINE}/lab/img/heron-800w.webp", "lighthouse", 201, 800, 600, "webp", archive=2),
    Picture(f"{MAGAZINE}/lab/img/pier.jpg", "harbour", 202, 320, 213, archive=2),
    Picture(f"{MAGAZINE}/lab/img/pier-double.jpg", "harbour", 202, 640, 426, archive=2),
    Picture(f"{MAGAZINE}/lab/img/lazy-valley.jpg", "hill_country", 203, 640, 480, archive=2),
    Picture(f"{MAGAZINE}/lab/img/lazy-ridge-400w.jpg", "hill_country", 204, 400, 300, archive=2),
    Picture(f"{MAGAZINE}/lab/img/lazy-ridge-800w.jpg", "hill_country", 204, 800, 600, archive=2),
    Picture(f"{MAGAZINE}/lab/img/twin-lamp.jpg", "lanterns", 205, 640, 480, archive=2),
    Picture(f"{PICTURES}/based/archive/pump-house.jpg", "arch_bridge", 206, 600, 450, archive=2),
    Picture(f"{PICTURES}/shared/terrace.jpg", "garden", 207, 600, 450, archive=2),
    Picture(f"{MAGAZINE}/lab/img/morning%20market.jpg", "market", 208, 600, 450, archive=2),
    Picture(f"{MAGAZINE}/lab/img/k%C3%BCste%20im%20herbst.jpg", "sea_coast", 209, 600, 450, archive=2),
    Picture(f"{MAGAZINE}/lab/img/w_600,h_450/quay.jpg", "harbour", 210, 600, 450, archive=2),
    Picture(f"{MAGAZINE}/lab/img/workbench.jpg", "bicycle", 211, 600, 450, archive=2),
    Picture(f"{MAGAZINE}/lab/img/site-logo.png", "bread", 212, 400, 300, "png", archive=2, expected="rule_word"),
    Picture(f"{MAGAZINE}/lab/img/gate-middle.jpg", "arch_bridge", 213, 640, 480, archive=2),
    Picture(f"{MAGAZINE}/lab/img/stamp.png", "lighthouse", 214, 96, 72, "png", archive=2, expected="too_small"),
    Picture(f"{MAGAZINE}/lab/img/thumbnail.png", "lighthouse", 215, 300, 225, "png", archive=2, expected="rule_hint"),
    Picture(f"{MAGAZINE}/lab/img/panorama.jpg", "hill_country", 216, 1200, 240, archive=2, expected="bad_aspect"),
    Picture(f"{MAGAZINE}/lab/img/column.png", "lanterns", 217, 160, 600, "png", archive=2, expected="bad_aspect"),
    Picture(f"{MAGAZINE}/lab/img/ordinary.jpg", "hill_country", 218, 480, 360, archive=2),
    Picture(f"{MAGAZINE}/lab/img/copy-one.png", "sea_coast", 219, 400, 300, "png", archive=2),
    Picture(f"{MAGAZINE}/lab/img/copy-two.png", "sea_coast", 219, 400, 300, "png", archive=2),
    Picture(f"{MAGAZINE}/lab/img/reserved-page.jpg", "bread", 220, 480, 360, archive=2, expected="optout_page"),
)


def tracking_pixel() -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("P", (1, 1)).save(out, "gif")
    return out.getvalue()


def animation() -> bytes:
    """Three frames: the tide rises and falls."""
    frames = [paint("sea_coast", seed, 320, 240).quantize(64) for seed in (301, 302, 303)]
    out = io.BytesIO()
    frames[0].save(out, "gif", save_all=True, append_images=frames[1:], duration=400, loop=0)
    return out.getvalue()


def scan_in_an_unaccepted_format() -> bytes:
    out = io.BytesIO()
    paint("bookshelf", 304, 200, 150).save(out, "bmp")
    return out.getvalue()


def pixel_bomb(side: int = 12_000) -> bytes:
    """A white PNG of 144 million pixels in some 30 KB, written row by row: what a decoder must refuse from the header alone."""
    row = b"\x00" + b"\xff" * ((side + 7) // 8)
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()

    def part(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", packed) + part(b"IEND", b"")


SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300">
<rect width="400" height="300" fill="#dfe7ea"/><circle cx="200" cy="150" r="90" fill="#38627a"/></svg>
"""
PAGE_INSTEAD_OF_PICTURE = b"<!DOCTYPE html><html><body><h1>Please sign in to see this picture</h1></body></html>\n"
NOT_FOUND = b"<!DOCTYPE html><title>Not found</title><p>There is no such picture.</p>\n"


@dataclass(frozen=True, slots=True)
class OddPicture:
    """A picture URL with something wrong or unusual about it. body: drawn when asked for."""

    path: str
    content_type: str
    expected: str
    body: Callable[[], bytes]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    revisit_of: str | None = None

    def resource(self) -> Resource:
        original = None if self.revisit_of is None else f"{MAGAZINE}{self.revisit_of}"
        return Resource(
            "image",
            f"{MAGAZINE}{self.path}",
            self.body(),
            self.content_type,
            2,
            self.expected,
            status=self.status,
            headers=self.headers,
            revisit_of=original,
        )


def moved_to(path: str) -> tuple[tuple[str, str], ...]:
    return (("Location", path),)


ODD_PICTURES = (
    OddPicture("/lab/img/pixel.gif", "image/gif", NO_REFERENCE, tracking_pixel),
    OddPicture("/lab/img/drawing.svg", "image/svg+xml", "rule_extension", lambda: SVG),
    OddPicture("/lab/img/drawing", "image/svg+xml", "unsupported_format", lambda: SVG),
    OddPicture("/lab/img/scan", "image/bmp", "unsupported_format", scan_in_an_unaccepted_format),
    OddPicture("/lab/img/gate-wide.jpg", "text/html", "archived_http_error", lambda: NOT_FOUND, status=404),
    OddPicture("/lab/img/says-png.png", "image/png", "ok", lambda: encode("bread", 311, 480, 360, "jpeg")),
    OddPicture("/lab/img/says-text.jpg", "text/plain", "ok", lambda: encode("market", 312, 480, 360, "jpeg")),
    OddPicture("/lab/img/says-bytes", "application/octet-stream", "ok", lambda: encode("bridge", 313, 480, 360, "webp")),
    OddPicture("/lab/img/says-jpeg.jpg", "image/jpeg", "not_an_image", lambda: PAGE_INSTEAD_OF_PICTURE),
    OddPicture("/lab/img/nothing.jpg", "image/jpeg", "empty_body", lambda: b""),
    OddPicture("/lab/img/cut-in-half.jpg", "image/jpeg", "truncated_image", lambda: half(encode("harbour", 314, 640, 480, "jpeg"))),
    OddPicture("/lab/img/rising-tide.gif", "image/gif", "ok", animation),
    OddPicture("/lab/img/bomb.png", "image/png", "too_many_pixels", pixel_bomb),
    OddPicture(
        "/lab/img/copy-three.png",
        "image/png",
        "ok",
        lambda: encode("sea_coast", 219, 400, 300, "png"),
        revisit_of="/lab/img/copy-one.png",
    ),
    OddPicture("/lab/img/old-place.png", "text/html", "ok", lambda: b"", status=301, headers=moved_to("/lab/img/copy-two.png")),
    OddPicture(
        "/lab/img/lost-place.png",
        "text/html",
        "archived_redirect_unresolved",
        lambda: b"",
        status=302,
        headers=moved_to("/lab/img/never-recorded.png"),
    ),
    OddPicture(
        "/lab/img/reserved.jpg",
        "image/jpeg",
        "optout_header",
        lambda: encode("lanterns", 315, 480, 360, "jpeg"),
        headers=(("X-Robots-Tag", "noai, noimageai"),),
    ),
)

LANTERNS_IN_THE_PAGE = encode("lanterns", 401, 320, 240, "webp")
GREY_POINT = "data:image/gif;base64,R0lGODlhAQABAIAAAMLCwgAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="


def data_url(body: bytes, content_type: str) -> str:
    """The bytes as an address that holds them."""
    return f"data:{content_type};base64,{base64.b64encode(body).decode()}"


def name_of(body: bytes, content_type: str) -> str:
    """The name by which the pipeline knows bytes that stand in a page (RFC 6920)."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()
    return f"ni:///sha-256;{digest}?ct={content_type}"


# Pictures that stand in pages, by their names, and references that nobody can look up.
UNASKED = {
    name_of(LANTERNS_IN_THE_PAGE, "image/webp"): "ok",
    name_of(base64.b64decode(GREY_POINT.partition(",")[2]), "image/gif"): "placeholder",
    "ftp://files.interleaf.example/old/harbour.jpg": "scheme_not_allowed",
}

# URLs that pages mention and the site does not have.
UNRECORDED = {
    f"{MAGAZINE}/lab/img/heron-800w.jxl": "not_in_archive",
    f"{MAGAZINE}/lab/img/never-recorded.jpg": "not_in_archive",
}


def half(body: bytes) -> bytes:
    return body[: len(body) // 2]


def picture_resources() -> Iterator[Resource]:
    """All pictures the site serves, good ones first."""
    for picture in ARTICLE_PICTURES:
        yield picture.resource()
    for odd in ODD_PICTURES:
        yield odd.resource()
