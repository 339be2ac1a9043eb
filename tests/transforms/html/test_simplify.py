"""The `obelics` profile: tags, rules on elements, text, media (obelics.md 2 to 6)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document
from transforms.documents.obelics import ObelicsPage, read_obelics_page
from transforms.html.outline import read_outline
from transforms.html.simplify import simplify
from transforms.html.simplify_tags import ObelicsConfig
from transforms.html.tree import parse_html
from transforms.images.declared import formatted_filename, rendered_size
from transforms.records import Document, Drop, ImageRef, Page, Source

URL = "http://ex.com/blog/post/1.html"
DEFAULT = ObelicsConfig()
BOUNDARY = DEFAULT.boundary_text
LONG = "word " * 40


def read(body: str, config: ObelicsConfig = DEFAULT) -> ObelicsPage:
    return read_obelics_page(parse_html(body), URL, config)


def nodes(body: str, config: ObelicsConfig = DEFAULT) -> list[str]:
    """Texts as they are, images as I(source)."""
    return [f"I({node.image.href})" if node.image else node.text or "" for node in read(body, config).nodes]


def image(attributes: str) -> ImageRef:
    found = read(f"<img {attributes}>").nodes[0].image
    assert found is not None
    return found


# The test table of obelics.md 4.6.
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>x <b>y</b>z</p>", ["x yz"]),
        ("<div>a</div><div>b</div>", ["a\nb"]),
        ("<p>a</p>b", ["a\n\nb"]),
        ("<dl><dt>k<dd>v</dl>", ["k\nv"]),
        ("<h1>T</h1><div>u<span> v </span></div>", ["T\n\nu v"]),
        ("a<br>b <br> c", ["a\nb\nc"]),
        ("hello<BR>world<br class=x>again", ["hello\nworld\nagain"]),
        ("<p>a<br><br><br>b</p>", ["a\n\nb"]),
        ("a<p></p>b", ["a\n\nb"]),
        ("left<hr>right", ["left\nright"]),
        ("a<button>B</button>b", ["a b"]),
        ('<p>t<img src="http://a.com/x">u</p>', ["t", "I(http://a.com/x)", "u"]),
        ('<p>t<img src="data:image/gif;base64,R0">u</p>', ["tu"]),
        (
            '<p>before</p><figure><img src="http://a.com/x.jpg"><figcaption>cap</figcaption></figure><p>after</p>',
            ["before", "I(http://a.com/x.jpg)", "cap\n\nafter"],
        ),
        ('<div class="update-box">News <p>inner</p> tail</div>', ["News\n\ninner\n\ntail"]),
        ('<div class="date">1 May <p>text</p></div>', ["text"]),
        ("<form><h1>T</h1><p>text</p></form>", ["T\n\ntext"]),
        ('<script>var a="<!--";</script><p>kept</p><!-- z -->', ["kept"]),
        ('<p>Excerpt <a class="more-link">More</a></p><p>next</p>', [f"Excerpt\n\n{BOUNDARY}\n\nnext"]),
    ],
)
def test_table_of_the_specification(body: str, expected: list[str]) -> None:
    assert nodes(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # 4.1
        ("<p>a\u00a0\u2009\n b</p>", ["a b"]),
        ("<p>so\u00adft zero\u200bwidth</p>", ["soft zerowidth"]),
        ("<p>می\u200cخواهم</p>", ["می\u200cخواهم"]),
        ("<p>日本<b>語</b>の本</p><div>ไทย</div>", ["日本語の本\n\nไทย"]),
        # 4.2: what stands between two line breaks decides
        ("a<br> <br>b", ["a\n\nb"]),
        ("a<br><script>1</script><br>b", ["a\n\nb"]),
        ("a<br></div><div><br>b", ["a\nb"]),
        ("a<br><form>x</form><br>b c d e", ["a\nb c d e"]),
        # 4.4: what goes leaves its separator
        ("a<nobr>x</nobr>b c d", ["a b c d"]),
        ("a<x-custom>x</x-custom>b c d", ["a b c d"]),
        ("left<li>x</li>right side", ["left\nright side"]),
        ("a<script>x</script>b", ["ab"]),
        ("a<div></div>b", ["a\nb"]),
        ("aaa<div class=footer>x</div>bbb", ["aaa\nbbb"]),
        ("aaa<p class=footer>x</p>bbb", ["aaa\n\nbbb"]),
        ("aaa<span class=site-info>x</span>bbb", ["aaa bbb"]),
        # 2: digits are no part of an unknown name; names are lower case
        ("a<h7>T</h7>b", ["aTb"]),
        ("a<H2>T</H2>b", ["a\n\nT\n\nb"]),
        # 5.1: embeds are no nodes, and their fallback content is not read
        ("a<iframe src=http://a.com/f>x</iframe>b", ["a b"]),
        ("<p>a</p><video src=v.mp4><p>no video</p></video><p>b</p>", ["a\n\nb"]),
        # 4.5
        ("<p><a class=more-link>More</a></p><p>next one</p><p class=more-link>x</p>", ["next one"]),
        ("a b<i class=more-link>x</i><i class=more-link>y</i>c d", [f"a b\n\n{BOUNDARY}\n\nc d"]),
        (
            "a<i class=more-link>1</i><img src=//a.com/x><i class=more-link>2</i><img src=//a.com/y>",
            [f"a\n\n{BOUNDARY}", "I(http://a.com/x)", BOUNDARY, "I(http://a.com/y)"],
        ),
        ("<img src=//a.com/x><i class=more-link>2</i>", ["I(http://a.com/x)"]),
        ("", []),
        ("<frameset><frame src=a></frameset>", []),
    ],
)
def test_texts_and_separators(body: str, expected: list[str]) -> None:
    assert nodes(body) == expected


@pytest.mark.parametrize(
    ("element", "rule"),
    [
        ("<table><tr><td>gone</table>", "tag"),
        ("<nav>gone</nav>", "tag"),
        ("<ruby>gone</ruby>", "tag"),
        ("<p class='x footer'>gone</p>", "furniture-class"),
        ("<b class=site-info>gone</b>", "furniture-class"),
        ("<div id=nav>gone</div>", "furniture-div"),
        ("<div class='main navbar'>gone</div>", "furniture-div"),
        ("<div class=post-date>gone</div>", "date"),
        ("<div class=entry_date><span>gone</span></div>", "date"),
        ("<a class=more-link>gone</a>", "more-link"),
        ("<p class='nav'>kept</p>", None),
        (f"<p class='{'x ' * 900}footer'>gone</p>", "furniture-class"),
        ("<div id=navigate>kept</div>", None),
        ("<div class=update-box>kept</div>", None),
        ("<div class=candidate>kept</div>", None),
        ("<div title=footer>kept</div>", None),
        ("<div class=date><p>kept</p></div>", None),
        ("<p class=date>kept</p>", None),
    ],
)
def test_the_first_matching_rule_takes_the_characters(element: str, rule: str | None) -> None:
    page = read(f"<p>{LONG}</p>{element}<p>end of it</p>")
    assert page.removed == ({rule: 4} if rule else {})
    assert ("kept" in (page.nodes[0].text or "")) == (rule is None)


@pytest.mark.parametrize(
    ("body", "expected", "guarded"),
    [
        (f"<form><p>{LONG}</p><nav>menu</nav></form>", [LONG.strip()], 1),
        (f"<div class=header>{LONG}</div><p>rest</p>", [f"{LONG.strip()}\n\nrest"], 1),
        (f"<table><tr><td>{LONG}<td>side</table>", [LONG.strip()], 4),  # table, tbody, tr, td
        ("<form>1234</form><p>5678</p>", ["5678"], 0),  # a half is not more than a half
        (f"<textarea>{LONG}</textarea><p>rest</p>", ["rest"], 0),
        (f"<body><noscript><p>{LONG}</p></noscript><p>rest</p>", ["rest"], 0),
        (f"<script>{LONG}</script><form>1234</form><p>567</p>", ["1234\n\n567"], 1),  # scripts are not visible
    ],
)
def test_the_majority_of_a_page_is_never_furniture(body: str, expected: list[str], guarded: int) -> None:
    page = read(body)
    assert [node.text for node in page.nodes] == expected
    assert page.guarded == guarded


def test_a_body_is_never_furniture() -> None:
    assert nodes("<html class=footer><body class='footer site-info'><p>text</p>") == ["text"]


@pytest.mark.parametrize(
    ("keep", "body", "expected"),
    [
        ({"li": "line_break"}, "<ul><li>a<li>b</ul>", ["a\nb"]),
        ({"nobr": "none"}, "a<nobr>b</nobr>c", ["abc"]),
        ({"header": "blank_line"}, "<header>a</header>bbb", ["a\n\nbbb"]),
        ({"li": "space"}, "x<li>a</li>b", ["x a b"]),
        (
            {"table": "line_break", "tbody": "none", "tr": "line_break", "td": "space"},
            "<p>some text before</p><table><tr><td>a<td>b<tr><td>c</table>",
            ["some text before\n\na b\nc"],
        ),
    ],
)
def test_a_kept_tag_is_read_with_its_separator(keep: dict[str, str], body: str, expected: list[str]) -> None:
    assert nodes(body, ObelicsConfig(keep_tags=keep)) == expected
    assert nodes(body) != expected


@pytest.mark.parametrize(
    "keep", [{"li": None}, {"li": "tab"}, {"p": "none"}, {"b": "space"}, {"script": "none"}, {"head": "none"}, {"LI": "none"}]
)
def test_a_tag_that_cannot_be_kept_so_is_refused(keep: dict[str, str | None]) -> None:
    with pytest.raises(ValueError, match="keep_tags"):
        ObelicsConfig(keep_tags=keep)


def test_the_boundary_is_a_mark_not_a_text() -> None:
    (node,) = read(f"<p>one {BOUNDARY}</p><a class=more-link>More</a><p>two</p>").nodes
    assert [(p.kind, p.text) for p in node.paragraphs] == [
        ("paragraph", f"one {BOUNDARY}"),
        ("boundary", BOUNDARY),
        ("paragraph", "two"),
    ]
    assert nodes("a<i class=more-link>m</i>b", ObelicsConfig(boundary_text="")) == ["a\n\nb"]


# The table of obelics.md 5.2.
@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("img/a.jpg", "http://ex.com/blog/post/img/a.jpg"),
        ("../img/b.jpg", "http://ex.com/blog/img/b.jpg"),
        ("/v1./img/d.jpg", "http://ex.com/v1./img/d.jpg"),
        ("//x.org/a.png", "http://x.org/a.png"),
        ("httpd-logo.png", "http://ex.com/blog/post/httpd-logo.png"),
        ("HTTP://A.COM/x.jpg", "http://a.com/x.jpg"),
        ("https://cdn.com/w_300,h_200/a b.jpg", "https://cdn.com/w_300,h_200/a%20b.jpg"),
        ("http://my_host.com:8080/a", "http://my_host.com:8080/a"),
        ("http://me:secret@a.com/x", "http://a.com/x"),
        ("http://bücher.example/x", "http://xn--bcher-kva.example/x"),
    ],
)
def test_references_resolve_as_in_a_browser(reference: str, url: str) -> None:
    found = image(f'src="{reference}"')
    assert (found.href, found.unformatted_src) == (url, reference)


@pytest.mark.parametrize(
    "reference",
    ["data:image/png;base64,AAAA", "blob:http://a.com/x", "javascript:void(0)", "http://", "ftp://a.com/x", "", "http://[::1"],
)
def test_an_image_without_a_usable_source_is_left_out_with_its_reference(reference: str) -> None:
    page = read(f'a<img src="{reference}">b')
    assert [node.text for node in page.nodes] == ["ab"]
    assert [(item.rule, item.path, item.reference) for item in page.left_out] == [
        ("obelics.image_url", "/html/body/img", reference)
    ]


def test_a_left_out_reference_is_cut() -> None:
    assert [len(item.reference) for item in read(f'<img src="data:{"x" * 9999}">').left_out] == [200]


def test_the_first_base_with_an_address_counts() -> None:
    assert nodes("<base target=x><base href=/deep/er/><base href=//no.org/><img src=a.jpg>") == ["I(http://ex.com/deep/er/a.jpg)"]


@pytest.mark.parametrize(
    ("html", "href", "reference"),
    [
        ("<img src=/spacer.gif data-src=/real.jpg>", "http://ex.com/real.jpg", "/real.jpg"),
        ("<img src2=/a.jpg>", "http://ex.com/a.jpg", "/a.jpg"),
        ("<img data-gt-lazy-src=/a.jpg>", "http://ex.com/a.jpg", "/a.jpg"),
        ("<img src=/s.jpg srcset='/a,b.jpg 300w, /c.jpg 900w'>", "http://ex.com/c.jpg", "/c.jpg"),
        ("<picture><source srcset='/big.webp 900w'><img src=/s.jpg></picture>", "http://ex.com/big.webp", "/big.webp"),
        ("<img data-x=1> <noscript><img src=/twin.jpg></noscript>", "http://ex.com/twin.jpg", "/twin.jpg"),
    ],
)
def test_candidates_are_ranked(html: str, href: str, reference: str) -> None:
    found = [node.image for node in read(html).nodes]
    assert [(i.href, i.unformatted_src) for i in found if i] == [(href, reference)]


def test_a_noscript_is_a_twin_only_of_the_image_beside_it() -> None:
    assert nodes("<img src=/a.jpg> <noscript><img src=/b.jpg></noscript>") == ["I(http://ex.com/a.jpg)"]
    assert nodes("<img data-x=1>words<noscript><img src=/b.jpg></noscript>") == ["words"]


@pytest.mark.parametrize(
    ("html", "inline"),
    [
        ("<p>cut <img src=/a> in two</p>", [True]),
        ("<p><img src=/a> begins</p>", [True]),
        ("<p>ends <b>here <img src=/a></b></p>", [True]),
        ("<p>one <img src=/a><img src=/b> two</p>", [True, True]),
        ("<p>one</p><img src=/a><p>two</p>", [False]),
        ("<p>one</p><p><img src=/a></p>", [False]),
        ("one<br><img src=/a><br>two", [False]),
    ],
)
def test_inline_means_text_of_the_same_block_beside(html: str, inline: list[bool]) -> None:
    assert [node.image.inline for node in read(html).nodes if node.image] == inline


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("300", "300"), (" 300.7px ", "300"), ('"300"', "300"), ("<300>", "300"), ("300px;", "300"), ("50%", "50%"),
        ("auto", "100%"),
        ("full-width", "100%"), ("0", None), ("-5", None), ("2em", None), ("3rem", None), ("10vw", None), ("1e999", None),
        ("", None),
        ("9" * 400, None), ("inf", None), ("nan", None), ("²", None), ("٣", None), (None, None),
    ],
)  # fmt: skip
def test_declared_sizes(value: str | None, size: str | None) -> None:
    assert rendered_size(value) == size


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Chocolate_Bark-300x200.jpg", "Chocolate Bark"),
        ("caf%C3%A9%20bar.png", "café bar"),
        ("e3b0c44298fc1c149afbf4c8996fb924.jpg", None),
        ("123e4567-e89b-12d3-a456-426614174000.jpeg", None),
        ("a.b-c+d.v2.png", "a b c d v"),
        ("IMG_00387-300x200.jpg", "IMG"),
        ("x1.jpg", None),
        ("12345.jpg", None),
        ("image%3Fw%3D300", None),
        ("%E5%AF%BA%E9%99%A2.jpg", "寺院"),
        ("photo.jpg?w=300#top", "photo"),
        ("a%2520b.jpg", "a% b"),
        ("", None),
    ],
)
def test_file_names_as_words(name: str, words: str | None) -> None:
    assert formatted_filename(f"https://e.x/i/{name}") == words


def test_alternative_text_is_normalised_and_never_empty() -> None:
    assert image("src=/a alt=' two\n lines\u00a0 of\u200b it '").alt == "two lines of it"
    assert image("src=/a alt=' '").alt is None


def test_every_node_says_where_it_stands() -> None:
    page = read("<div>a<p>b<b>c</b></p><p>d<img src=/x></p></div><div>e</div>")
    (text, picture, last) = page.nodes
    assert [p.path for p in text.paragraphs] == ["/html/body/div[1]", "/html/body/div[1]/p[1]", "/html/body/div[1]/p[2]"]
    assert (picture.path, last.path) == ("/html/body/div[1]/p[2]/img", "/html/body/div[2]")
    assert [page.blocks[p.blocks[0]].text for p in text.paragraphs] == ["a", "bc", "d"]
    assert page.blocks[picture.blocks[0]].href == "http://ex.com/x"


def extract(html: str, require_image: bool = False) -> Document | Drop:
    base = ExtractConfig()
    config = dataclasses.replace(
        base,
        profile="obelics",
        gate=dataclasses.replace(base.gate, enabled=False),
        obelics=ObelicsConfig(require_image=require_image),
    )
    return extract_document(Page(URL, html.encode(), "text/html; charset=utf-8", Source("a.warc", 0, 9)), config)


@pytest.mark.parametrize(
    ("html", "require_image", "rule"),
    [
        ("<p class=footer>gone</p><noscript>also gone</noscript>", False, "obelics.no_nodes"),
        ("<img src=/a.jpg><noscript>gone</noscript>", False, "obelics.no_text"),
        ("<p>text</p>", True, "obelics.no_image"),
        ("<p>text</p>", False, None),
        ("<p>text</p><img src=/a.jpg>", True, None),
        ("", False, "obelics.no_nodes"),
    ],
)
def test_a_page_becomes_a_document_or_a_named_drop(html: str, require_image: bool, rule: str | None) -> None:
    result = extract(html, require_image)
    assert (result.rule if isinstance(result, Drop) else None) == rule


def test_a_drop_says_which_rule_emptied_the_page() -> None:
    result = extract("<body><noscript>four</noscript><textarea>five5</textarea>")
    assert isinstance(result, Drop)
    assert result.detail == "characters removed: tag 9"


def test_what_is_left_out_is_counted() -> None:
    document = extract("<p>a<img src=data:,>b</p><iframe src=/f></iframe><p>c</p>")
    assert isinstance(document, Document)
    assert [(d.rule, d.detail) for d in document.drops] == [
        ("obelics.image_url", "/html/body/p[1]/img data:,"),
        ("obelics.media", "/html/body/iframe iframe /f"),
    ]
    assert document.block_count == len(document.blocks) + len(document.drops) == 4
    assert len({d.target_id for d in document.drops} | {f"{document.id}#b{b.dom_index}" for b in document.blocks}) == 4


def events(body: str) -> int:
    outline = read_outline(parse_html(body))
    return len(outline.stream) + len(simplify(outline, ObelicsConfig()).items)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(lambda n: "<div>" * n + "x" + "</div>" * n, id="nested equal divs"),
        pytest.param(lambda n: "<div class=footer>x</div>" * n, id="furniture divs"),
        pytest.param(lambda n: "<p class=footer>x</p>" * n, id="footer elements"),
        pytest.param(lambda n: "<div><p></p>" * n, id="empty elements"),
        pytest.param(lambda n: "<p>x</p>" * n, id="paragraphs to merge"),
    ],
)
def test_work_grows_as_the_page_does(page: object) -> None:
    """By counts of what is looked at, not by the clock (obelics.md 8)."""
    assert callable(page)
    counts = [events(page(n)) for n in (250, 500, 1000, 2000)]
    assert all(later <= 2 * earlier + 8 for earlier, later in itertools.pairwise(counts)), counts


TAGS: Sequence[str] = ("div", "p", "span", "b", "h2", "form", "table", "li", "ul", "figure", "picture", "x-y", "button", "noscript")
PIECES = st.lists(
    st.one_of(
        st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
        st.sampled_from(
            ["<br>", "<hr>", "<img src=a.jpg>", "<img src=data:,>", "<div class=date>", "<i class=more-link>", "<div id=nav>"]
        ),
        st.sampled_from(["a", " ", "\u00a0b ", "\u200b", "語", "\n"]),
    ),
    max_size=30,
).map("".join)


@given(PIECES)
def test_a_document_alternates_and_is_normalised(body: str) -> None:
    page = read(body)
    kinds = [node.kind for node in page.nodes]
    assert ("text", "text") not in list(itertools.pairwise(kinds))
    for node in page.nodes:
        if node.text is not None:
            assert node.text == node.text.strip() != ""
            assert not any(spaces in node.text for spaces in ("\n\n\n", "  ", "\n ", " \n"))
            assert all("\n\n" not in p.text and p.text for p in node.paragraphs)


def test_each_use_of_the_majority_guard_is_counted() -> None:
    document = extract(f"<form><div class=header>{LONG}</div></form>")
    assert isinstance(document, Document)
    assert document.flags == ("majority_guard", "majority_guard")
