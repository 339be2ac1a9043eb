"""What a block says of the elements around it (blocks.md 2, 7) and of its page."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest
from block_shapes import BASE, blocks_of

from transforms.blocks import content_hash, extract_blocks
from transforms.blocks.extract import BlocksConfig, PageBlocks, page_blocks
from transforms.html.tree import parse_html


def page(html: str, **settings: bool) -> PageBlocks:
    return page_blocks(parse_html(html), BASE, BlocksConfig(**settings))


def fields_of(html: str, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(asdict(block)[name] for name in names) for block in blocks_of(html)]


@pytest.mark.parametrize(
    ("html", "region", "in_main"),
    [
        ("<main><p>a</p></main>", "main", True),
        ("<div role=main><p>a</p></div>", "main", True),
        ("<main><nav>a</nav></main>", "nav", True),
        ("<div role=navigation>a</div>", "nav", False),
        ("<div role=banner>a</div>", "header", False),
        ("<div role=contentinfo>a</div>", "footer", False),
        ("<div role=complementary>a</div>", "aside", False),
        ("<nav role=main>a</nav>", "main", True),
        ("<nav role=presentation>a</nav>", "nav", False),
        ("<header>a</header>", "header", False),
        ("<article><header>a</header></article>", None, False),
        ("<section><header>a</header></section>", None, False),
        ("<aside><header>a</header></aside>", "aside", False),
        ("<article><footer>a</footer></article>", "footer", False),
        ("<aside>a</aside>", "aside", False),
        ("<aside class='x tip'>a</aside>", None, False),
        ("<aside class=admonition-box>a</aside>", None, False),
        ("<aside id=see-also>a</aside>", None, False),
        ("<aside aria-label='Note on use'>a</aside>", None, False),
        ("<aside class=tipping>a</aside>", "aside", False),
        ("<div>a</div>", None, False),
    ],
)
def test_region(html: str, region: str | None, in_main: bool) -> None:
    assert fields_of(html, "region", "in_main") == [(region, in_main)]


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<div class='entry-content'><div class=post-body><p>x</p></div></div>", "/html/body/div"),
        ("<p>a</p><div itemprop='x articleBody'>x</div>", "/html/body/div"),
        ("<div id=article_body>x</div>", "/html/body/div"),
        ("<div class=entrycontent>x</div>", "/html/body/div"),
        ("<div class=my-entry-content>x</div>", None),
        ("<span class=entry-content>x</span>", None),
    ],
)
def test_article_body(html: str, path: str | None) -> None:
    assert fields_of(html, "body_of")[-1] == (path,)


# The rest of a page, large enough for a widget to be a small part of it.
REST = "<p>" + "word " * 100 + "</p>"


@pytest.mark.parametrize(
    ("html", "widget"),
    [
        ("<div class='related-posts'>a</div>", "rail"),
        ("<div class='js-related-posts-wrap'>a</div>", "rail"),
        ("<div class=relatedPosts>a</div>", "rail"),
        ("<div class='sidebar'>a</div>", None),
        ("<div class=related>a</div>", None),
        ("<div id=breadcrumbs>a</div>", "rail"),
        ("<div class=related-posts><h1>a</h1></div>", None),
        ("<div class=related-posts><div itemprop=articleBody>a</div></div>", None),
        ("<div class=signature>a</div>", "post-furniture"),
        ("<div id=onetrust-banner-sdk>a</div>", "consent"),
        ("<div class=OneTrustButton>a</div>", "consent"),
        ("<div id=sp_message_container_13>a</div>", "consent"),
        ("<div class=qc-cmp2-ui>a</div>", "consent"),
        ("<div class=trusted-partners>a</div>", None),
        ("<div class=cookie-bar>a</div>", "consent"),
        ("<div class=cookieBar>a</div>", "consent"),
        ("<div class=comments>a</div>", "comments"),
        ("<div id=post-comments-list>a</div>", "comments"),
        ("<div class=comment-count>a</div>", None),
        ("<div class=has-comments>a</div>", None),
        ("<ol class=commentlist><li>a</ol>", "comments"),
        ("<div class=filters>a<input></div>", "filter"),
        ("<div class=filters>a</div>", None),
        ("<div aria-label='Filter results'>a<select></select></div>", "filter"),
        ("<fieldset><input type=checkbox>a</fieldset>", "filter"),
        ("<fieldset><input type=text>a</fieldset>", None),
        ("<div class=comments><div class=related-posts>a</div></div>", "comments"),
        (f"<div class={'related-posts' * 40}>a</div>", None),
    ],
)
def test_widget(html: str, widget: str | None) -> None:
    assert fields_of(html + REST, "widget")[0] == (widget,)


@pytest.mark.parametrize(
    ("classes", "words", "widget"),
    [
        ("related-posts", 66, "rail"),
        ("related-posts", 70, None),
        ("comments", 1150, "comments"),
        ("comments", 1151, None),
    ],
)
def test_a_widget_holds_no_more_than_its_share_of_the_page(classes: str, words: int, widget: str | None) -> None:
    html = f"<div class={classes}>{'w ' * words}</div>{REST}"
    assert fields_of(html, "widget")[0] == (widget,)


def test_the_next_widget_inwards_decides_when_the_outer_is_too_large() -> None:
    html = f"<div class=related-posts><div class=comments>a</div>{REST}</div>"
    assert fields_of(html, "widget") == [("comments",), (None,)]


@pytest.mark.parametrize(
    "attributes",
    ["hidden", "style='display:none'", "style='color:red; DISPLAY : none'", "style='visibility:hidden'"],
)
def test_hidden_text_stays_and_is_flagged(attributes: str) -> None:
    assert fields_of(f"<div {attributes}><p>a</p></div><p>b</p>", "text", "hidden") == [("a", True), ("b", False)]


@pytest.mark.parametrize("style", ["display:none;display:block", "visibility:visible", "overflow:hidden"])
def test_what_is_shown_is_not_hidden(style: str) -> None:
    assert fields_of(f"<p style='{style}'>a</p>", "hidden") == [(False,)]


@pytest.mark.parametrize(
    ("html", "rtl"),
    [
        ("<html dir=rtl>", True),
        ("<html dir=auto lang=he>", True),
        ("<html lang=he dir=ltr>", False),
        ("<body dir=rtl>", True),
        ("<html dir=ltr><body dir=rtl>", False),
        ("<html lang=ar-EG>", True),
        ("<html lang=pa-Arab>", True),
        ("<html lang=az-Latn-IR>", False),
        ("<html lang=en><p>שלום עולם</p>", False),
        ("<html xml:lang=fa>", True),
        ("", False),
    ],
)
def test_direction(html: str, rtl: bool) -> None:
    assert page(html).rtl is rtl


@pytest.mark.parametrize(
    ("html", "title", "description"),
    [
        ("<title> A \n b </title><meta name=description content=' c  d '>", "A b", "c d"),
        ("<meta property=og:description content=o><meta name=twitter:description content=t>", None, "o"),
        ("<meta name=twitter:description content=t><meta name=Description content=d>", None, "d"),
        ("<body><svg><title>icon</title></svg>", None, None),
        ("<noscript><img src=x></noscript><title>late</title><meta name=description content=d>", "late", "d"),
        ("<title></title><meta name=description content=''>", None, None),
    ],
)
def test_page_metadata(html: str, title: str | None, description: str | None) -> None:
    got = page(html)
    assert (got.title, got.description) == (title, description)


def test_removals_are_counted_by_reason() -> None:
    html = """<span class=sr-only>a b</span><dialog>c<script>x y</script></dialog><select><option>d e f</select>
        <h2>T<a class=headerlink href=#t>#</a><span class=editsection>edit this</span></h2><noscript>g</noscript>
        <p style='text-indent:-9999px'>h i</p><div>css</div><pre>x</pre><svg><text>j</text></svg><img src='data:x'>"""
    assert page(html).removed == {
        "screen-reader": 2, "dialog": 1, "choices": 3, "permalink": 1, "edit-link": 2, "noscript": 1, "off-screen": 2,
        "code-furniture": 1, "icon-label": 1, "inline_image": 1,
    }  # fmt: skip


def test_text_for_screen_readers_can_be_kept() -> None:
    html = "<p><span class=sr-only>a</span> <i class=editsection>b</i> <i style='text-indent:-999px'>c</i></p><dialog>d</dialog>"
    assert [block.text for block in page(html, include_hidden_text=True).blocks] == ["a b c"]


def test_a_page_is_read_without_being_changed() -> None:
    html = """<div>a<noscript><img src=a></noscript><img data-src=a><math><mi>n</mi></math><u-c><template shadowrootmode=open>
        <slot></slot></template>x</u-c><video src=v>f</video></div>"""
    tree = parse_html(html)
    before = tree.html
    first = page_blocks(tree, BASE)
    assert page_blocks(tree, BASE) == first
    assert tree.html == before


def test_pages_that_differ_in_scripts_only_have_one_hash() -> None:
    def hashed(script: str, alt: str) -> str:
        return content_hash(blocks_of(f"<script src={script}></script><p>a</p><img src=i alt={alt}><iframe src={script}></iframe>"))

    assert hashed("a.js", "x") == hashed("b.js", "y")


def test_hash_is_of_the_texts_joined_by_blank_lines() -> None:
    import hashlib

    assert content_hash(blocks_of("<p>a</p><img src=i alt=x><p>b</p>")) == hashlib.sha256(b"a\n\nb").hexdigest()


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(ValueError, match="'blocks' or 'document', not 'nodes'"):
        extract_blocks("", BASE, stage="nodes")  # type: ignore[arg-type]


@pytest.mark.parametrize("html", ["", "<html>", "<frameset><frame></frameset>", "\ufeff", "<!-- -->", "<body>"])
def test_a_page_without_content_has_no_blocks(html: str) -> None:
    assert blocks_of(html) == []


@pytest.mark.parametrize(
    ("noscript", "visible", "kept"),
    [(100, 149, True), (99, 0, False), (100, 150, False), (500, 0, True)],
)
def test_noscript_shell(noscript: int, visible: int, kept: bool) -> None:
    html = f"<p>{'v ' * visible}</p><noscript><p>{'n ' * noscript}</p></noscript><script>{'s ' * 300}</script>"
    blocks = blocks_of(html)
    assert any(block.text.startswith("n") for block in blocks) is kept
    if kept:
        assert blocks[-1].xpath == ("/html/body/p[2]")


SHADOW = [
    (
        "slots by name, the rest in the first unnamed",
        "<u-c><template shadowrootmode=open><h3><slot name=t>None</slot></h3><slot></slot></template>"
        "<b slot=t>Hi</b><p>Yo</p><i slot=z>no</i></u-c>",
        ["Hi", "Yo"],
    ),
    ("fallback", "<u-d><template shadowrootmode=open><p><slot>empty</slot></p></template></u-d>", ["empty"]),
    (
        "later unnamed slots take nothing",
        "<u-c><template shadowrootmode=open><p><slot></slot></p><p>2<slot></slot></p></template><b>a</b></u-c>",
        ["a", "2"],
    ),
    (
        "later slots of a name take nothing",
        "<u-c><template shadowrootmode=open><p><slot name=a></slot></p><p>2<slot name=a></slot></p></template>"
        "<b slot=a>x</b></u-c>",
        ["x", "2"],
    ),
    ("bare text after the elements", "<u-c><template shadowrootmode=open><slot></slot></template>t<p>a</p></u-c>", ["a", "t"]),
    ("nothing without a slot", "<u-c><template shadowrootmode=open><p>s</p></template>light<p>x</p></u-c>", ["s"]),
    ("an inert template", "<template><p>no</p></template><p>yes</p>", ["yes"]),
    ("an unknown mode is inert", "<u-c><template shadowrootmode=x><p>no</p></template>yes</u-c>", ["yes"]),
    (
        "roots within roots",
        "<a-a><template shadowrootmode=open><b-b><template shadowrootmode=open><p>in <slot></slot></p></template>"
        "<slot></slot></b-b></template>deep</a-a>",
        ["in deep"],
    ),
    (
        "a root in a slotted element",
        "<a-a><template shadowrootmode=open><p>o <slot></slot></p></template>"
        "<b-b><template shadowrootmode=closed>i</template></b-b></a-a>",
        ["o i"],
    ),
]


@pytest.mark.parametrize(("rule", "html", "texts"), SHADOW, ids=[case[0] for case in SHADOW])
def test_shadow_root(rule: str, html: str, texts: list[str]) -> None:
    assert [block.text for block in blocks_of(html)] == texts


def test_what_no_slot_shows_is_counted() -> None:
    got = page("<u-c><template shadowrootmode=open><slot></slot></template><p>a</p><i slot=z>not shown</i></u-c>")
    assert got.removed == {"shadow": 2}
    assert [block.xpath for block in got.blocks] == ["/html/body/u-c/p"]


def test_without_rich_text_blocks_are_the_same_but_for_it() -> None:
    html = """<h2>A <b>title</b></h2><p>One <a href=/a>link</a><br><br>and <i>two</i></p><ul><li><code>x</code> item</ul>
        <blockquote>Said <em>so</em></blockquote><table><tr><th>a<th>b<tr><td><b>1</b><td>2</table>"""
    with_it, without = (
        page_blocks(parse_html(html), BASE, BlocksConfig(rich_text=rich_text)).blocks for rich_text in (True, False)
    )
    assert all(block.rich_text or block.rich_rows for block in with_it)
    assert without == tuple(replace(block, rich_text=None, rich_rows=None) for block in with_it)
