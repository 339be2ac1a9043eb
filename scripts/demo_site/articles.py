"""The pages with something to read: one row a page. Their bodies are the files under `pages/`."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scripts.demo_site.layout import lay_out
from scripts.demo_site.pictures import LANTERNS_IN_THE_PAGE, data_url, name_of
from scripts.demo_site.resource import DOCS, MAGAZINE, PICTURES, Resource

RELATED_LINKS = 3
KITCHEN, OUTDOORS, WORKSHOP, SKY, SHOP, FORUM = range(6)


@dataclass(frozen=True, slots=True)
class Article:
    """One page of running text.

    path: on its host; the body is `pages/PATH`, for the manual `pages/manual/PATH`, for `/` it is `pages/home.html`. images: what
    its document shows, in order, as paths on the magazine's host or whole URLs. content_type: the header. meta_charset: what the
    page declares itself, if anything. encoding: the Python codec that writes it; characters that it lacks become references.
    coding: content coding of the body. head_extra: more elements for the head. embedded: addresses for the `$name` places of the
    body. expected: as in `Resource`.
    """

    path: str
    title: str
    description: str
    images: tuple[str, ...] = ()
    section: int = KITCHEN
    language: str = "en"
    layout: str = "magazine"
    host: str = MAGAZINE
    archive: int = 0
    content_type: str = "text/html; charset=utf-8"
    meta_charset: str | None = "utf-8"
    encoding: str = "utf-8"
    coding: str | None = None
    chunked: bool = False
    head_extra: str = ""
    expected: str = "document"
    embedded: tuple[tuple[str, str], ...] = ()

    @property
    def url(self) -> str:
        return f"{self.host}{self.path}"

    @property
    def body_name(self) -> str:
        folder = "manual" if self.host == DOCS else ""
        return f"{folder}{self.path}".removeprefix("/").removesuffix(".html") or "home"


@dataclass(frozen=True, slots=True)
class Language:
    """How the pages of a language are written down and labelled; each row another way that real servers do it."""

    content_type: str
    meta_charset: str | None
    encoding: str = "utf-8"
    coding: str | None = None
    chunked: bool = False


ONLY_META_WINDOWS_1251 = Language("text/html", "windows-1251", "cp1251")
ONLY_META_SHIFT_JIS = Language("text/html", "Shift_JIS", "cp932", chunked=True)
HEADER_LATIN_1 = Language("text/html; charset=ISO-8859-1", None, "cp1252")  # the label that means windows-1252
UNDECLARED = Language("text/html", None)
GZIPPED = Language("text/html", "utf-8", coding="gzip")
BROTLI = Language('text/html;charset="UTF-8"', None, coding="br")
PLAIN = Language("text/html; charset=utf-8", "utf-8")


def foreign(
    path: str, language: str, written: Language, title: str, description: str, images: tuple[str, ...], section: int
) -> Article:
    """A magazine page in a language other than English; all of them are in the second archive."""
    return Article(
        path,
        title,
        description,
        images,
        section,
        language,
        archive=1,
        content_type=written.content_type,
        meta_charset=written.meta_charset,
        encoding=written.encoding,
        coding=written.coding,
        chunked=written.chunked,
    )


def note(
    name: str, title: str, images: tuple[str, ...], head_extra: str = "", embedded: tuple[tuple[str, str], ...] = ()
) -> Article:
    """A page of the picture notebook: one way of writing an image each, in the third archive."""
    path = f"/lab/{name}.html"
    return Article(path, title, title, images, layout="notebook", archive=2, head_extra=head_extra, embedded=embedded)


MAGAZINE_ARTICLES = (
    Article("/", "The Everyday Almanac", "Kitchen, garden, workshop and sky.", layout="bare", expected="drop:gate.score"),
    Article(
        "/articles/sourdough-bread.html",
        "Two loaves of sourdough, slowly",
        "A weekend loaf from flour, water, salt and patience.",
        ("/img/bread/loaves-cooling.jpg", "/img/bread/second-bake.webp"),
        KITCHEN,
    ),
    Article(
        "/articles/reading-the-tides.html",
        "Reading the tides",
        "Why the sea comes and goes twice a day, and how to read a tide table.",
        ("/img/tides/low-water.jpg", "/img/tides/curve.png"),
        OUTDOORS,
    ),
    Article(
        "/articles/bicycle-puncture.html",
        "Mending a puncture at the roadside",
        "A flat tyre, ten minutes and a small box of tools.",
        ("/img/bicycle/upright.jpg", "/img/bicycle/wheel-off.jpg"),
        WORKSHOP,
    ),
    Article(
        "/articles/how-bridges-stand.html",
        "How bridges stand up",
        "Beams, arches and cables: three answers to one question.",
        (f"{PICTURES}/bridges/stone-arches.jpg", f"{PICTURES}/bridges/suspension.jpg"),
        OUTDOORS,
    ),
    Article(
        "/articles/tea-leaves.html",
        "One leaf, many teas",
        "How the same plant becomes green, black and everything between.",
        ("/img/tea/brown-pot.jpg", "/img/tea/green-pot.webp"),
        KITCHEN,
    ),
    Article(
        "/articles/library-shelves.html",
        "The order of the shelves",
        "What the numbers on the back of a library book mean.",
        ("/img/library/open-shelves.png",),
        WORKSHOP,
    ),
    Article(
        "/articles/night-sky.html",
        "A first evening under the night sky",
        "No telescope, no map: what to look for on a clear evening.",
        (f"{PICTURES}/sky/winter-band.jpg", f"{PICTURES}/sky/first-quarter.png"),
        SKY,
    ),
    Article(
        "/articles/kitchen-garden.html",
        "Six rows behind the house",
        "A small kitchen garden through one year.",
        ("/img/garden/six-rows.jpg",),
        OUTDOORS,
    ),
    Article(
        "/articles/ferry-crossing.html",
        "The small ferry",
        "Nine minutes across the river: a morning on board.",
        ("/img/ferry/crossing.jpg",),
        OUTDOORS,
    ),
    Article(
        "/articles/saturday-market.html",
        "Saturday at the market",
        "How a street becomes a market and turns back again before evening.",
        ("/img/market/saturday.jpg",),
        KITCHEN,
    ),
)

OTHER_LANGUAGES = (
    foreign(
        "/de/brotzeit.html", "de", PLAIN, "Brot braucht Zeit", "Warum ein guter Teig warten will.", ("/img/de/brotzeit.jpg",), 0
    ),
    foreign(
        "/de/fahrradwerkstatt.html",
        "de",
        HEADER_LATIN_1,
        "Die offene Fahrradwerkstatt",
        "Einmal in der Woche wird gemeinsam geschraubt.",
        ("/img/de/fahrradwerkstatt.jpg",),
        WORKSHOP,
    ),
    foreign("/fr/potager.html", "fr", BROTLI, "Le potager en automne", "Avant les premières gelées.", ("/img/fr/potager.jpg",), 1),
    foreign(
        "/es/mareas.html", "es", PLAIN, "Vivir con las mareas", "El mar que va y vuelve.", ("/img/es/marea-baja.jpg",), OUTDOORS
    ),
    foreign("/zh/cha.html", "zh", GZIPPED, "一壶茶的时间", "从选叶到冲泡。", ("/img/zh/%E8%8C%B6%E5%A3%B6.jpg",), KITCHEN),
    foreign("/ja/yozora.html", "ja", PLAIN, "はじめての星空観察", "双眼鏡がなくても楽しめる夜空。", ("/img/ja/yozora.jpg",), SKY),
    foreign(
        "/ja/toshokan.html",
        "ja",
        ONLY_META_SHIFT_JIS,
        "図書館の棚の並び方",
        "本の背の番号を読む。",
        ("/img/ja/hondana.jpg",),
        WORKSHOP,
    ),
    foreign("/th/talat.html", "th", UNDECLARED, "ตลาดเช้าริมคลอง", "เช้าวันเสาร์ที่ตลาดริมน้ำ", ("/img/th/talat.jpg",), KITCHEN),
    foreign("/ar/jisr.html", "ar", PLAIN, "الجسر القديم", "كيف يقف قوس من الحجر.", ("/img/ar/jisr.jpg",), OUTDOORS),
    foreign("/hi/bagicha.html", "hi", PLAIN, "आँगन का छोटा बगीचा", "बरसात में सब्ज़ियाँ उगाना।", ("/img/hi/bagicha.jpg",), OUTDOORS),
    foreign(
        "/ru/biblioteka.html",
        "ru",
        ONLY_META_WINDOWS_1251,
        "Порядок на полках",
        "Как найти книгу по шифру.",
        ("/img/ru/biblioteka.jpg",),
        WORKSHOP,
    ),
)

PAGE_KINDS = (
    Article(
        "/guide/install.html",
        "Installing Tidebook",
        "How to install the command and check that it works.",
        (f"{DOCS}/static/overview.png",),
        layout="docs",
        host=DOCS,
        archive=1,
    ),
    Article("/reference/settings.html", "Settings", "All settings and their defaults.", layout="docs", host=DOCS, archive=1),
    Article(
        "/forum/thread-squeaking-chain.html",
        "Squeaking chain after rain",
        "A thread of the workshop forum.",
        ("/img/forum/my-workbench.jpg",),
        FORUM,
        archive=1,
    ),
    Article(
        "/shop/enamel-kettle.html",
        "Enamel kettle, 1.5 litres",
        "A kettle for stove and campfire.",
        ("/img/shop/kettle-front.jpg", "/img/shop/kettle-side.webp"),
        SHOP,
        archive=1,
    ),
    Article(
        "/gallery/harbour.html",
        "Four views of a small harbour",
        "A gallery with a few words on each picture.",
        (
            "/img/gallery/quay.jpg",
            "/img/gallery/beacon.jpg",
            "/img/gallery/evening.jpg",
            "/img/gallery/hills-behind.webp",
            f"{PICTURES}/bridges/stone-arches.jpg",
        ),
        OUTDOORS,
        archive=1,
    ),
)

NOTEBOOK = (
    note("picture-element", "Several files for one picture", ("/lab/img/heron-800w.webp", "/lab/img/pier-double.jpg")),
    note("lazy-loading", "Pictures that wait", ("/lab/img/lazy-valley.jpg", "/lab/img/lazy-ridge-800w.jpg")),
    note("noscript-twin", "The same picture for readers without scripts", ("/lab/img/twin-lamp.jpg",)),
    note(
        "base-address",
        "A base address moves every link",
        (f"{PICTURES}/based/archive/pump-house.jpg",),
        f'<base href="{PICTURES}/based/">\n<base href="http://ignored.interleaf.example/">\n',
    ),
    note("without-scheme", "Addresses that begin with two slashes", (f"{PICTURES}/shared/terrace.jpg",)),
    note(
        "file-names",
        "Spaces, umlauts and commas in file names",
        ("/lab/img/morning%20market.jpg", "/lab/img/k%C3%BCste%20im%20herbst.jpg", "/lab/img/w_600,h_450/quay.jpg"),
    ),
    note("pixels-and-icons", "Pictures that are not meant to be seen", ("/lab/img/workbench.jpg",)),
    note("missing", "When the picture is gone", ("/lab/img/gate-middle.jpg",)),
    note(
        "wrong-labels",
        "Files that say they are something else",
        ("/lab/img/says-png.png", "/lab/img/says-text.jpg", "/lab/img/says-bytes"),
    ),
    note("damaged", "Half a file", ()),
    note("animation", "A picture that moves", ("/lab/img/rising-tide.gif",)),
    note("sizes", "Too small, too wide, too tall", ("/lab/img/ordinary.jpg",)),
    note(
        "copies",
        "One picture, several addresses",
        ("/lab/img/copy-one.png", "/lab/img/copy-two.png", "/lab/img/copy-three.png", "/lab/img/old-place.png"),
    ),
    note(
        "inside-the-page",
        "A picture inside the page",
        (name_of(LANTERNS_IN_THE_PAGE, "image/webp"),),
        embedded=(("lanterns", data_url(LANTERNS_IN_THE_PAGE, "image/webp")),),
    ),
    note("reserved-picture", "A picture that asks to be left alone", ()),
    note("reserved-page", "A page that asks to be left alone", (), '<meta name="robots" content="noai, noimageai">\n'),
)

ARTICLES = (*MAGAZINE_ARTICLES, *OTHER_LANGUAGES, *PAGE_KINDS, *NOTEBOOK)


def brotli_coded(body: bytes) -> bytes:
    import brotli

    packed: bytes = brotli.compress(body)
    return packed


CODINGS: dict[str | None, Callable[[bytes], bytes]] = {
    None: lambda body: body,
    "gzip": lambda body: gzip.compress(body, mtime=0),
    "br": brotli_coded,
}


def article_resources() -> Iterator[Resource]:
    """All pages of the table, laid out, encoded and coded as their rows say."""
    for index, article in enumerate(ARTICLES):
        yield article_resource(article, related_to(index))


def related_to(index: int) -> tuple[tuple[str, str], ...]:
    """Links to the next articles of the table, round its end, across languages."""
    following = [ARTICLES[(index + step) % len(ARTICLES)] for step in range(1, RELATED_LINKS + 1)]
    return tuple((article.url, article.title) for article in following)


def article_resource(article: Article, related: tuple[tuple[str, str], ...]) -> Resource:
    text = lay_out(
        article.body_name,
        layout=article.layout,
        url=article.url,
        language=article.language,
        title=article.title,
        description=article.description,
        section=article.section,
        related=related,
        charset=article.meta_charset,
        head_extra=article.head_extra,
        embedded=dict(article.embedded),
    )
    return Resource(
        "page",
        article.url,
        CODINGS[article.coding](text.encode(article.encoding, "xmlcharrefreplace")),
        article.content_type,
        article.archive,
        article.expected,
        coding=article.coding,
        chunked=article.chunked,
        usable_images=tuple(MAGAZINE + image if image.startswith("/") else image for image in article.images),
    )
