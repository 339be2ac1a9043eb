"""Which blocks a page has: granularity, text, orphans, lists, quotes, figures (blocks.md 3, 4, 6). One table, one rule a row."""

from __future__ import annotations

import pytest
from block_shapes import blocks_of, riches, shapes

from transforms.blocks import extract_blocks

WHITE_SPACE_AND_BREAKS = [
    ("nbsp and newlines are one space", "<p>wide&nbsp; \n gap</p>", ["paragraph(p) wide gap"]),
    ("no space between inline siblings", "<p>up<b>hill</b><i>er</i></p>", ["paragraph(p) uphiller"]),
    ("a comment separates nothing", "<p>12<!-- -->%</p>", ["paragraph(p) 12%"]),
    ("no words are fused where an element is taken out", "<p>one<script>x</script>two</p>", ["paragraph(p) one two"]),
    ("nor where a control is", "<p>one<select><option>A</select>two</p>", ["paragraph(p) one two"]),
    ("nor where an icon is", "<p>one<svg><text>i</text></svg>two</p>", ["paragraph(p) one two"]),
    ("nor at a block boundary in a heading", "<h2><p>a</p>b<button>c</button>d</h2>", ["heading(h2; L2) a b c d"]),
    ("an empty block is a space, no boundary", "<div>a<p> </p>b</div>", ["paragraph(div) a b"]),
    ("lines are trimmed", "<p>a <br> b</p>", ["paragraph(p) a\nb"]),
    ("three newlines become two where nothing splits", "<h2>a<br><br><br><br>b</h2>", ["heading(h2; L2) a\n\nb"]),
    ("a zero-width joiner is text", "<p>می\u200cخواهم</p>", ["paragraph(p) می\u200cخواهم"]),
    ("no script is treated apart", "<p>日本語<b>です</b></p><p>ไทย</p>", ["paragraph(p) 日本語です", "paragraph(p) ไทย"]),
]
GRANULARITY = [
    ("innermost container", "<div><div><p>a</p></div></div>", ["paragraph(p) a"]),
    ("inline wrappers are transparent", "<x-y><font>a</font></x-y>", ["paragraph(body) a"]),
    ("a textless container does not stop its parent", "<div>a<p></p><div><span></span></div>b</div>", ["paragraph(div) a b"]),
    ("an hr does", "<div>a<hr>b</div>", ["paragraph(div) a", "rule(hr)", "paragraph(div) b"]),
    (
        "a readable svg does",
        "<div>a<svg><text>x</text><text>y</text></svg>b</div>",
        ["paragraph(div) a", "paragraph(svg) x · y", "paragraph(div) b"],
    ),
    ("an image does not", "<div>a<img src=i.png alt=I>b</div>", ["paragraph(div) a b", "image(img) I"]),
    ("a button is a paragraph", "<p>x</p><button>Go</button>", ["paragraph(p) x", "paragraph(button) Go"]),
    (
        "label, legend, summary are",
        "<form><fieldset><legend>L</legend><label>M</label></fieldset></form><details><summary>S</summary>T</details>",
        ["paragraph(legend) L", "paragraph(label) M", "paragraph(summary) S", "paragraph(details) T"],
    ),
]
HEADINGS = [
    ("block children are consumed", "<h4><div>A</div>b</h4>", ["heading(h4; L4) A b"]),
    ("a list in one too", "<h3>A<ul><li>b</ul></h3>", ["heading(h3; L3) A b"]),
    (
        "a table in one is its own block",
        "<h2>T<table><tr><th>a</th></tr></table>U</h2>",
        ["heading(h2; L2) T U", "table(table) a"],
    ),
    ("code in one too", "<h2>T<pre>x</pre></h2>", ["heading(h2; L2) T", "code(pre) x"]),
    (
        "a figure in one too",
        "<h2>T<figure>f<figcaption>c</figcaption></figure></h2>",
        ["heading(h2; L2) T", "paragraph(figure) f", "figure-caption(figcaption) c"],
    ),
    ("not split at blank lines", "<h2>a<br><br>b</h2>", ["heading(h2; L2) a\n\nb"]),
    ("its images follow it", "<h2><img src=i.png alt=I>T</h2>", ["heading(h2; L2) T", "image(img) I"]),
    ("an empty one leaves its image in the flow", "<h1><img src=i.png alt=I></h1><p>a</p>", ["image(img) I", "paragraph(p) a"]),
]
SPLITTING = [
    ("paragraphs split at blank lines", "<div>a<br><br>b</div>", ["paragraph(div) a", "paragraph(div) b"]),
    ("orphan runs too", "<div>a<br><br>b<p>c</p></div>", ["paragraph(div) a", "paragraph(div) b", "paragraph(p) c"]),
    ("definitions too", "<dl><dd>a<br><br>b</dd></dl>", ["paragraph(dd) a", "paragraph(dd; L1) b"]),
    ("list items do not", "<ul><li>a<br><br>b</ul>", ["list-item(li; L1) a\n\nb"]),
    ("captions do not", "<figure><figcaption>a<br><br>b</figcaption></figure>", ["figure-caption(figcaption) a\n\nb"]),
    ("plain quotes do not", "<blockquote>a<br><br>b</blockquote>", ["quote(blockquote) a\n\nb"]),
    ("a single break does not", "<p>a<br>b</p>", ["paragraph(p) a\nb"]),
]
IMAGE_PLACES = [
    ("ahead of all text: before", "<p><img src=i.png alt=I> a</p>", ["image(img) I", "paragraph(p) a"]),
    ("amid text: after", "<p>a <img src=i.png alt=I> b</p>", ["paragraph(p) a b", "image(img) I"]),
    (
        "an image line cuts",
        "<p>a<br><img src=i.png alt=I><br>b</p>",
        ["paragraph(p) a", "image(img) I", "paragraph(p) b"],
    ),
    (
        "several on one line stay together",
        "<p>a<br><img src=i.png alt=I> <img src=j.png alt=J><br>b</p>",
        ["paragraph(p) a", "image(img) I", "image(img) J", "paragraph(p) b"],
    ),
    (
        "an image in a text line follows the piece with that line",
        "<p>a<br>b <img src=i.png alt=I><br><br>c</p>",
        ["paragraph(p) a\nb", "image(img) I", "paragraph(p) c"],
    ),
    (
        "an image ahead on the second piece's line follows that piece",
        "<p>a<br><br><img src=i.png alt=I>b</p>",
        ["paragraph(p) a", "paragraph(p) b", "image(img) I"],
    ),
    (
        "a list item is not cut",
        "<ul><li>a<br><img src=i.png alt=I><br>b</ul>",
        ["list-item(li; L1) a\n\nb", "image(img) I"],
    ),
    ("an item's images follow it", "<ul><li><img src=i.png alt=I> a</ul>", ["list-item(li; L1) a", "image(img) I"]),
    ("media go by the same rule", "<p>a<br><iframe src=/v></iframe><br>b</p>", ["a", "media", "b"]),
]
LISTS = [
    (
        "level counts lists and definitions",
        "<ul><li>a<ol><li>b</ol></ul><dl><dd><ul><li>c</ul></dl>",
        ["list-item(li; L1) a", "list-item(li; L2, ord, #1) b", "list-item(li; L2) c"],
    ),
    ("a li outside a list has level 1", "<li>a", ["list-item(li; L1) a"]),
    (
        "the first paragraph is the item, the rest continue it",
        "<ol><li><p>a</p><p>b</p></ol>",
        ["list-item(p; L1, ord, #1) a", "paragraph(p; L1, ord) b"],
    ),
    ("its own leading run is", "<ul><li>a<p>b</p></ul>", ["list-item(li; L1) a", "paragraph(p; L1) b"]),
    (
        "text after a heading of the item continues",
        "<ul><li><h3>t</h3><p>a</p></ul>",
        ["heading(h3; L3) t", "paragraph(p; L1) a"],
    ),
    (
        "and after code or a table",
        "<ul><li><pre>x</pre>a<li><table><tr><th>h</th></tr></table>b</ul>",
        ["code(pre) x", "paragraph(li; L1) a", "table(table) h", "paragraph(li; L1) b"],
    ),
    (
        "an image before the text starts nothing",
        "<ul><li><div><img src=i.png alt=I></div><p>a</p></ul>",
        ["image(img) I", "list-item(p; L1) a"],
    ),
    (
        "a nested list does",
        "<ul><li><ul><li>b</ul>c</ul>",
        ["list-item(li; L2) b", "paragraph(li; L1) c"],
    ),
    (
        "a layout table inside takes no part",
        "<ul><li><table><tr><td>x</td><td>y</td></tr></table>a</ul>",
        ["paragraph(td) x", "paragraph(td) y", "paragraph(li; L1) a"],
    ),
    (
        "nor does a structural quote",
        "<ul><li><blockquote><p>x</p><p>y</p></blockquote>a</ul>",
        ["paragraph(p; q1) x", "paragraph(p; q1) y", "paragraph(li; L1) a"],
    ),
    (
        "own text is cut where a child stands",
        "<ul><li>A<ul><li>B</ul>C</ul>",
        ["list-item(li; L1) A", "list-item(li; L2) B", "paragraph(li; L1) C"],
    ),
    ("bare text of a list is a paragraph", "<ul>Bring:<li>rope</ul>", ["paragraph(ul) Bring:", "list-item(li; L1) rope"]),
    (
        "at the depth of the item around it",
        "<ul><li>a<ol>b<li>c</ol></ul>",
        ["list-item(li; L1) a", "paragraph(ol; L1) b", "list-item(li; L2, ord, #1) c"],
    ),
    ("numbers go by start", "<ol start=3><li>a<li>b</ol>", ["list-item(li; L1, ord, #3) a", "list-item(li; L1, ord, #4) b"]),
    ("by value", "<ol><li value=7>a<li>b</ol>", ["list-item(li; L1, ord, #7) a", "list-item(li; L1, ord, #8) b"]),
    ("backwards", "<ol reversed><li>a<li>b</ol>", ["list-item(li; L1, ord, #2) a", "list-item(li; L1, ord, #1) b"]),
    ("an item without text counts", "<ol><li>a<li><li>c</ol>", ["list-item(li; L1, ord, #1) a", "list-item(li; L1, ord, #3) c"]),
    ("an odd start counts as none", "<ol start=x><li>a</ol>", ["list-item(li; L1, ord, #1) a"]),
    ("dt and dd have no level", "<dl><dt>a<dd>b</dl>", ["paragraph(dt) a", "paragraph(dd) b"]),
    (
        "paragraphs of a dd carry its tag, later ones a level",
        "<dl><dd><p>a</p><p>b</p></dl>",
        ["paragraph(dd) a", "paragraph(dd; L1) b"],
    ),
]
QUOTES = [
    ("plain", "<blockquote><p>a</p></blockquote>", ["quote(blockquote) a"]),
    (
        "two paragraphs make it structural",
        "<blockquote><p>a</p><p>b</p></blockquote>",
        ["paragraph(p; q1) a", "paragraph(p; q1) b"],
    ),
    ("empty ones do not count", "<blockquote><p>a</p><p></p></blockquote>", ["quote(blockquote) a"]),
    *(
        (f"a {tag} makes it structural", f"<blockquote>a<{tag}>b</{tag}></blockquote>", None)
        for tag in ("ul", "ol", "dl", "pre", "figure", "h3", "blockquote")
    ),
    (
        "quoted counts the quotes around",
        "<blockquote><p>a</p><p>b</p><blockquote><p>c</p><p>d</p></blockquote></blockquote>",
        ["paragraph(p; q1) a", "paragraph(p; q1) b", "paragraph(p; q2) c", "paragraph(p; q2) d"],
    ),
    (
        "a plain quote in a structural one",
        "<blockquote>a<blockquote>b</blockquote></blockquote>",
        ["paragraph(blockquote; q1) a", "quote(blockquote; q1) b"],
    ),
]
FIGURES = [
    (
        "bare text of a figure",
        "<figure><img src=a.png alt=A>Ray<figcaption>Dusk</figcaption></figure>",
        ["image(img) A", "paragraph(figure) Ray", "figure-caption(figcaption) Dusk"],
    ),
    ("a caption consumes its children", "<figcaption><p>a</p><ul><li>b</ul></figcaption>", ["figure-caption(figcaption) a b"]),
    ("svg: two labels", "<svg><text>a</text><text>b</text></svg>", ["paragraph(svg) a · b"]),
    ("svg: three words", "<svg><text>a b c</text></svg>", ["paragraph(svg) a b c"]),
    ("svg: less is an icon", "<p>x<svg><text>a b</text></svg></p>", ["paragraph(p) x"]),
    (
        "svg: title and desc do not count",
        "<p>x<svg><title>a b c d</title><text><title>e f g</title>h</text></svg></p>",
        ["paragraph(p) x"],
    ),
]
ORPHANS = [
    ("body text", "Hi.<center>Bye.</center>", ["paragraph(body) Hi.", "paragraph(center) Bye."]),
    (
        "runs through an inline wrapper",
        "<div><em>a<p>b</p>c</em></div>",
        ["paragraph(div) a", "paragraph(p) b", "paragraph(div) c"],
    ),
    (
        "nested tails",
        "<div>o<div>i<p>P</p>t1</div>t2</div>",
        ["paragraph(div) o", "paragraph(div) i", "paragraph(p) P", "paragraph(div) t1", "paragraph(div) t2"],
    ),
    (
        "around a plain quote",
        "<div>a<blockquote>b</blockquote>c</div>",
        ["paragraph(div) a", "quote(blockquote) b", "paragraph(div) c"],
    ),
]
ALL = [*WHITE_SPACE_AND_BREAKS, *GRANULARITY, *HEADINGS, *SPLITTING, *LISTS, *QUOTES, *FIGURES, *ORPHANS]


@pytest.mark.parametrize(("rule", "html", "expected"), [case for case in ALL if case[2] is not None], ids=lambda v: None)
def test_blocks_of(rule: str, html: str, expected: list[str]) -> None:
    assert shapes(html) == expected, rule


@pytest.mark.parametrize(("rule", "html", "expected"), IMAGE_PLACES, ids=lambda v: None)
def test_place_of_images(rule: str, html: str, expected: list[str]) -> None:
    got = shapes(html)
    assert [
        one if "(" in wanted else ("media" if "media" in one else one.split()[-1])
        for one, wanted in zip(got, expected, strict=True)
    ] == expected, rule


@pytest.mark.parametrize("tag", ["ul", "ol", "dl", "pre", "figure", "h3", "blockquote"])
def test_structure_in_a_quote_makes_it_a_container(tag: str) -> None:
    first = blocks_of(f"<blockquote>a<{tag}>b</{tag}></blockquote>")[0]
    assert (first.kind, first.quoted, first.text) == ("paragraph", 1, "a")


STRIPPED = [
    ("<a class=headerlink href=#s>link</a>", "permalink class"),
    ("<a href=#s>¶</a>", "permalink glyph"),
    ("<a href=#s>#</a>", "hash in a heading"),
    ("<span class=mw-editsection>[edit]</span>", "edit link"),
    ("<span class='x visually-hidden'>Skip</span>", "screen reader"),
    ("<dialog>shut</dialog>", "dialog"),
    ("<div role=dialog aria-hidden=true>shut</div>", "dialog role"),
    ("<section role=alertdialog hidden>shut</section>", "dialog hidden"),
    ("<span style='position:absolute;left:-9999px'>far</span>", "off-screen"),
    ("<span style='text-indent:-999px'>far</span>", "indented"),
    ("<style>a{}</style>", "style"),
    ("<template><p>no</p></template>", "template"),
    ("<textarea>no</textarea>", "textarea"),
    ("<datalist><option>no</datalist>", "datalist"),
    ("<noscript>no</noscript>", "noscript"),
    ("<title>no</title>", "title"),
]
NOT_STRIPPED = [
    ("<p>Go <a href='#top'>up</a></p>", ["paragraph(p) Go up"]),
    ("<p><a href='#x'>#</a></p>", ["paragraph(p) #"]),
    ("<h2># a</h2>", ["heading(h2; L2) # a"]),
    ("<p><a href='/x'>¶</a></p>", ["paragraph(p) ¶"]),
    ("<h2 class=sr-only>four words are kept</h2>", ["heading(h2; L2) four words are kept"]),
    ("<h4 class=sr-only>four words are gone</h4>", []),
    ("<h2 class=sr-only>three are gone</h2>", []),
    ("<dialog open>a</dialog>", ["paragraph(body) a"]),
    ("<div role=dialog>a</div>", ["paragraph(div) a"]),
    ("<span role=dialog hidden>a</span>", ["paragraph(body) a"]),
    ("<p style='left:-9999px'>a</p>", ["paragraph(p) a"]),
    ("<p style='position:absolute;left:-998px'>a</p>", ["paragraph(p) a"]),
    ("<p class=sr-only-not>a</p>", ["paragraph(p) a"]),
]


@pytest.mark.parametrize(("html", "rule"), STRIPPED, ids=[rule for _, rule in STRIPPED])
def test_is_taken_out_and_its_tail_kept(html: str, rule: str) -> None:
    assert shapes(f"<h2>one {html}two</h2>") == ["heading(h2; L2) one two"]


@pytest.mark.parametrize(("html", "expected"), NOT_STRIPPED)
def test_is_not_taken_out(html: str, expected: list[str]) -> None:
    assert shapes(html) == expected


RICH = [
    ("See<a href='../q'> it </a>now", "See [it](https://e.x/q) now"),
    ("10 m<sup>2</sup>", "10 m²"),
    ("x<sup>é</sup>", "x<sup>é</sup>"),
    ("x<sup><a href=/r>1</a></sup>", "x<sup>[1](https://e.x/r)</sup>"),
    ("H<sub>2</sub>O", "H₂O"),
    ("<b>a</b><i>b</i>", "**a***b*"),
    ("<b>a<strong>b</strong></b>", "**ab**"),
    ("<b> a</b>b", "**a**b"),
    ("a<b> b </b>c", "a **b** c"),
    ("<code>f</code>", "`f`"),
    ("<code>a`b</code>", "``a`b``"),
    ("<code>`b</code>", "`` `b ``"),
    ("<code><b>f</b></code>", "`f`"),
    ("<a href=/f><code>f</code></a>", "[`f`](https://e.x/f)"),
    ("<a href='javascript:x()'>a</a>", None),
    ("<a href='data:x'>a</a>", None),
    ("<a>a</a>", None),
    ("<a href='mailto:a@e.x'>a</a>", "[a](mailto:a@e.x)"),
    ("<a href='//o.x/a'>a</a>", "[a](https://o.x/a)"),
    ("<a href='/a)b'>a</a>", "[a](https://e.x/a%29b)"),
    ("<b>a<br>b</b>", "**a\nb**"),
    ("<a href=/x></a>a", None),
    ("<i class=icon></i>a", None),
    ("plain", None),
]


@pytest.mark.parametrize(("html", "rich"), RICH)
def test_inline_markdown(html: str, rich: str | None) -> None:
    assert riches(f"<p>{html}</p>") == [rich]


def test_rich_text_is_split_with_the_text() -> None:
    assert riches("<p><b>a<br><br>b</b> c</p>") == ["**a**", "**b** c"]


def test_rich_text_of_a_run_covers_the_run() -> None:
    assert riches("<div><a href=/x>a<p>b</p>c</a></div>") == ["[a](https://e.x/x)", None, "[c](https://e.x/x)"]


@pytest.mark.parametrize(
    ("html", "paths"),
    [
        ("<p>a</p>", ["/html/body/p"]),
        ("<p>a</p><p>b</p>", ["/html/body/p[1]", "/html/body/p[2]"]),
        ("<p>a</p><script></script><div>b</div>", ["/html/body/p", "/html/body/div"]),
        ("<p class=sr-only>a</p><p>b</p>", ["/html/body/p[2]"]),
        ("<div>a<p>b</p>c</div>", ["/html/body/div/text()[1]", "/html/body/div/p", "/html/body/div/text()[2]"]),
        ("<div><b>a</b> x<p>b</p></div>", ["/html/body/div/b", "/html/body/div/p"]),
        (
            "<div><b>a</b><br><br>x<p>b</p></div>",
            ["/html/body/div/b", "/html/body/div/text()[1]", "/html/body/div/p"],
        ),
        ("<table><tr><td>a</td><td>b</td></tr></table>", ["/html/body/table/tbody/tr/td[1]", "/html/body/table/tbody/tr/td[2]"]),
    ],
)
def test_paths(html: str, paths: list[str]) -> None:
    assert [block.xpath for block in blocks_of(html)] == paths


def test_dom_index_counts_blocks() -> None:
    blocks = blocks_of("<p>a</p><video src=/v><p>f</p></video><hr><p>b</p><video src=/w>g</video>")
    assert [block.dom_index for block in blocks] == list(range(len(blocks)))


def test_a_template_in_svg_is_no_shadow_root() -> None:
    root = "<template shadowrootmode=open><p>in</p></template>"
    assert [block.text for block in extract_blocks(f"<svg>{root}</svg><u-a>{root}</u-a>", "https://e.x/")] == ["in"]
