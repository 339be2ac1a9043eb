"""Images, their twins, embeds and formulas (blocks.md 4.10, 4.12, 4.14)."""

from __future__ import annotations

import pytest
from block_shapes import blocks_of, shapes

from transforms.blocks.math import presentation_latex
from transforms.html.tree import parse_html


def urls(html: str) -> list[list[str]]:
    return [[candidate["url"].removeprefix("https://e.x/d/") for candidate in block.candidates or ()] for block in blocks_of(html)]


SOURCES = [
    ("<img src=s.jpg data-src=d.jpg srcset='m.jpg 1x'>", ["s.jpg", "d.jpg", "m.jpg"]),
    ("<img src='data:image/gif;base64,R0' data-src=r.jpg>", ["r.jpg"]),
    ("<img src='about:blank' data-lazy-src=r.jpg>", ["r.jpg"]),
    ("<img src='' data-lazy=r.jpg>", ["r.jpg"]),
    ("<img src='#' data-original=r.jpg>", ["r.jpg"]),
    ("<img data-srcset='a.jpg 1x, b.jpg 2x'>", ["a.jpg", "b.jpg"]),
    ("<img data-lazy-srcset='a.jpg'>", ["a.jpg"]),
    ("<img src=a.jpg srcset='a.jpg 1x'>", ["a.jpg"]),
    ("<img data-src='a.jpg 300w, b.jpg 600w'>", ["a.jpg", "b.jpg"]),
    ("<picture><source srcset='w.webp 800w'><img src=p.jpg></picture>", ["p.jpg", "w.webp"]),
    ("<picture><source srcset=w.webp><img></picture>", ["w.webp"]),
    ("<source srcset=w.webp><img src=p.jpg>", ["p.jpg"]),
]


@pytest.mark.parametrize(("html", "candidates"), SOURCES)
def test_candidates_in_order_of_identity(html: str, candidates: list[str]) -> None:
    (block,) = blocks_of(html)
    assert urls(html) == [candidates]
    assert block.href == f"https://e.x/d/{candidates[0]}"


def test_a_candidate_says_where_it_is_from() -> None:
    html = "<picture><source srcset='w.webp 800w' type=image/webp media='(min-width: 9px)'><img src=p.jpg></picture>"
    assert blocks_of(html)[0].candidates == [
        {"url": "https://e.x/d/p.jpg", "descriptor": None, "from": "img"},
        {
            "url": "https://e.x/d/w.webp",
            "descriptor": "800w",
            "from": "source",
            "media": "(min-width: 9px)",
            "type": "image/webp",
        },
    ]


@pytest.mark.parametrize(
    ("html", "alt"),
    [
        ("<img src=i alt=' a\n b '>", "a b"),
        ("<img src=i title=t>", "t"),
        ("<img src=i alt='' title=t>", "t"),
        ("<img src=i alt=a title=t>", "a"),
        ("<img src=i>", ""),
    ],
)
def test_text_of_an_image_is_alt_else_title(html: str, alt: str) -> None:
    (block,) = blocks_of(html)
    assert (block.text, block.alt) == (alt, alt)


@pytest.mark.parametrize(
    ("html", "link"),
    [
        ("<a href=/p><img src=i></a>", "https://e.x/p"),
        ("<a href=/p><span><img src=i></span></a>", "https://e.x/p"),
        ("<a href=/p><span><b><img src=i></b></span></a>", None),
        ("<a href=/p><img src=i> words</a>", None),
        ("<a href='javascript:x'><img src=i></a>", None),
        ("<a><img src=i></a>", None),
    ],
)
def test_link_of_an_image(html: str, link: str | None) -> None:
    assert [block.link for block in blocks_of(html) if block.kind == "image"] == [link]


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        ("width=31", False),
        ("height=1", False),
        ("width=32", True),
        ("width=1px", True),
        ("height='50%'", True),
        ("style='width:1px'", True),
    ],
)
@pytest.mark.parametrize("tag", ["img", "iframe", "embed", "object", "video", "audio"])
def test_pixels_go(tag: str, attributes: str, shown: bool) -> None:
    assert len(blocks_of(f"<{tag} src=i {attributes}></{tag}>")) == shown


def test_declared_size_is_kept_as_written() -> None:
    (block,) = blocks_of("<img src=i width='50%' height=300>")
    assert (block.width, block.height) == ("50%", "300")


TWINS = [
    ("after the image", "<img data-src=k.jpg alt=K><noscript><img src=k.jpg alt=K></noscript>", [["k.jpg"]]),
    ("before it", "<noscript><img src=a></noscript>\n<img data-src=a>", [["a"]]),
    ("an outer one without a source", "<img class=lazy alt=K><noscript><img src=k.jpg></noscript>", [["k.jpg"]]),
    ("the outer sources first", "<img data-src=k.jpg><noscript><img src=b.jpg srcset='k.jpg 9w'></noscript>", [["k.jpg", "b.jpg"]]),
    ("no URL in common", "<img src=a.jpg><noscript><img src=b.jpg></noscript>", [["a.jpg"], ["b.jpg"]]),
    ("text between", "<img src=a.jpg>x<noscript><img src=a.jpg></noscript>", [["a.jpg"], [], ["a.jpg"]]),
    ("alone it is an ordinary image", "<noscript>words<img src=a.jpg></noscript>", [["a.jpg"]]),
    ("unless it is a pixel", "<noscript><img src=a.jpg width=1></noscript>", []),
    ("or not displayed", "<noscript><img src=a.jpg style='display:none'></noscript>", []),
]


@pytest.mark.parametrize(("rule", "html", "candidates"), TWINS, ids=[case[0] for case in TWINS])
def test_noscript_twin(rule: str, html: str, candidates: list[list[str]]) -> None:
    assert sorted(urls(f"<div>{html}</div>")) == sorted(candidates)


@pytest.mark.parametrize(
    ("html", "href", "alt", "text"),
    [
        ("<iframe src=//v.x/1 title=Tour>no</iframe>", "https://v.x/1", "Tour", '[iframe "Tour": https://v.x/1, not transcribed]'),
        ("<object data=/m.swf></object>", "https://e.x/m.swf", "", "[object: https://e.x/m.swf, not transcribed]"),
        (
            "<video aria-label=T><source><source src=/m.mp4></video>",
            "https://e.x/m.mp4",
            "T",
            '[video "T": https://e.x/m.mp4, not transcribed]',
        ),
        (
            "<audio src=/a>" + "".join(f"<track src=/t{n}>" for n in range(4)) + "</audio>",
            "https://e.x/a",
            "",
            "[audio: https://e.x/a, not transcribed; 4 text tracks: https://e.x/t0, https://e.x/t1, https://e.x/t2]",
        ),
        ("<embed src='data:x' alt=E>", None, "E", '[embed "E", not transcribed]'),
    ],
)
def test_media_block(html: str, href: str | None, alt: str, text: str) -> None:
    assert [(block.kind, block.href, block.alt, block.text) for block in blocks_of(html)] == [("media", href, alt, text)]


def test_fallback_follows_its_embed_and_is_excluded() -> None:
    html = "<p>a <object data=/m>bare<p>b</p><video src=/v>c<img src=i.png alt=I></video></object> d</p>e"
    assert [one.replace("https://e.x", "") for one in shapes(html)] == [
        "paragraph(p) a d",
        "media(object) [object: /m, not transcribed]",
        "paragraph(object; fallback) bare",
        "paragraph(p; fallback) b",
        "media(video; fallback) [video: /v, not transcribed]",
        "paragraph(video; fallback) c",
        "image(img; fallback) I",
        "paragraph(body) e",
    ]


def test_fallback_does_not_stop_a_container_from_being_innermost() -> None:
    assert shapes("<div>a<p><video src=/v>old</video></p>b</div>")[0] == "paragraph(div) a b"


def test_fallback_of_images_only_is_kept() -> None:
    assert shapes("<object data=/m><img src=i.png alt=I></object>")[1:] == ["image(img; fallback) I"]


FORMULAS = [
    ("So <math><mi>n</mi></math> grows.", ["paragraph(p) So $n$ grows."]),
    (
        "<math><semantics><mi>n</mi><annotation encoding='application/x-tex'>\\nu</annotation></semantics></math>",
        ["paragraph(p) $\\nu$"],
    ),
    ("<math alttext='a^2'><mi>n</mi></math>", ["paragraph(p) $a^2$"]),
    ("a<math display=block><mi>n</mi></math>b", ["paragraph(p) a", "paragraph(math) $$n$$", "paragraph(p) b"]),
    ("<math></math>a", ["paragraph(p) a"]),
    ("<math><mi>n</mi></math><img src=i alt=''>", ["paragraph(p) $n$"]),
    ("<span><span><math><mi>n</mi></math></span><img src=i alt=n></span>", ["paragraph(p) $n$"]),
    ("<span><math><mi>n</mi></math><img src=i alt=other></span>", ["paragraph(p) $n$", "image(img) other"]),
]


@pytest.mark.parametrize(("html", "expected"), FORMULAS)
def test_formula(html: str, expected: list[str]) -> None:
    assert shapes(f"<p>{html}</p>") == expected


@pytest.mark.parametrize(
    ("presentation", "latex"),
    [
        ("<mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", r"\frac{1}{x+1}"),
        ("<msqrt><mi>x</mi><mi>y</mi></msqrt>", r"\sqrt{xy}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt[3]{x}"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^{2}"),
        ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>", "{ab}^{2}"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_{i}^{2}"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>", r"\sum_{i}^{n}"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", r"\overline{x}"),
        ("<mover><mi>x</mi><mo>→</mo></mover>", r"\vec{x}"),
        ("<munder><mi>lim</mi><mi>n</mi></munder>", r"\lim_{n}"),
        ("<mi>α</mi><mi>x</mi>", r"\alpha x"),
        ("<mi>sin</mi><mi>x</mi>", r"\sin x"),
        ("<mi>x</mi><mo>≤</mo><mn>2</mn>", r"x\leq2"),
        ("<mtext>if x</mtext>", r"\text{if x}"),
        (
            "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd></mtr></mtable>",
            r"\begin{matrix}a & b \\ c\end{matrix}",
        ),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", r"\left(a,b\right)"),
        ("<mi>f</mi><mo>\u2061</mo><mi>x</mi>", "fx"),
        ("<mn>5</mn><mo>%</mo>", r"5\%"),
        ("<mphantom><mi>x</mi></mphantom><mi>y</mi>", "y"),
        ("", ""),
    ],
)
def test_presentation_to_latex(presentation: str, latex: str) -> None:
    node = parse_html(f"<math>{presentation}</math>").css_first("math")
    assert node is not None
    assert presentation_latex(node) == latex
