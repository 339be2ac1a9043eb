"""Code, its language, the furniture above it, and editors (blocks.md 4.7 to 4.9)."""

from __future__ import annotations

import pytest
from block_shapes import blocks_of, shapes

TEXTS = [
    ("<pre>\n  x\n    y\n</pre>", "  x\n    y"),
    ("<pre>a<br>b</pre>", "a\nb"),
    ("<pre><code>def f():\n    return 1</code></pre>", "def f():\n    return 1"),
    ("<pre><span>a</span>&nbsp;<b>b</b></pre>", "a\xa0b"),
    ("<pre><div>a</div><div>b</div></pre>", "a\nb"),
    ("<pre><div>a\n</div><div>b</div></pre>", "a\nb"),
    ("<pre>a<script>x</script></pre>", "a"),
]


@pytest.mark.parametrize(("html", "text"), TEXTS)
def test_text_is_verbatim(html: str, text: str) -> None:
    assert [(block.kind, block.text, block.language) for block in blocks_of(html)] == [("code", text, None)]


@pytest.mark.parametrize("html", ["<pre> \n </pre>", "<pre><br></pre>", "<pre></pre>"])
def test_blank_code_is_nothing(html: str) -> None:
    assert blocks_of(html) == []


LANGUAGES = [
    ("<pre data-language=Go>x</pre>", "Go"),
    ("<pre data-lang=Rust>x</pre>", "rust"),
    ("<pre class='a language-c++'>x</pre>", "c++"),
    ("<pre class=lang-js>x</pre>", "js"),
    ("<pre class=highlight-source-shell>x</pre>", "shell"),
    ("<pre class=highlight-python>x</pre>", "python"),
    ("<pre class='brush: css; x'>x</pre>", "css"),
    ("<pre><code class=language-ts>x</code></pre>", "ts"),
    ("<pre class=language-a><code class=language-b>x</code></pre>", "a"),
    ("<pre><code>x</code><code class=language-b>y</code></pre>", "b"),
    ("<div class=language-rb><pre>x</pre></div>", "rb"),
    ("<div class=language-rb><p></p><pre>x</pre></div>", None),
    ("<pre class=language-undefined><code class=language-b>x</code></pre>", None),
    *((f"<pre class=language-{name}>x</pre>", None) for name in ("none", "null", "text", "plaintext", "plain", "nohighlight")),
    ("<pre class=language->x</pre>", None),
    ("<pre class=hljs>x</pre>", None),
]


@pytest.mark.parametrize(("html", "language"), LANGUAGES)
def test_language(html: str, language: str | None) -> None:
    assert [block.language for block in blocks_of(html) if block.kind == "code"] == [language]


FURNITURE = [
    ("<div><span>css</span><button>Copy</button></div>", True),
    ("<div>app.py <button>⧉</button></div>", True),
    ("<div>Python</div>", True),
    ("<div>mylang</div>", True),
    ("<div>Copy</div>", True),
    ("<div>Python Copy</div>", True),
    ("<div>Output below here now</div>", False),
    ("<div>one two three four five<button>x</button></div>", False),
    ("<p>which becomes</p>", False),
    ("<p>Python</p>", False),
    ("<p>Run <a href='#'>it</a></p>", True),
    ("<p>Run <a onclick='x()'>it</a></p>", True),
    ("<p>Run <a href='/it' onclick='x()'>it</a></p>", False),
    ("<h4>Python</h4>", False),
]


@pytest.mark.parametrize(("html", "dropped"), FURNITURE)
def test_furniture_above_code(html: str, dropped: bool) -> None:
    blocks = blocks_of(f"<p>before</p>{html}<pre class=language-mylang>a</pre>")
    assert [block.text for block in blocks][:: len(blocks) - 1] == ["before", "a"]
    assert (len(blocks) == 2) is dropped


def test_only_the_element_next_to_the_code_is_furniture() -> None:
    assert shapes("<div>css</div><div>css</div><pre>a</pre>") == ["paragraph(div) css", "code(pre) a"]
    assert shapes("<div>css</div><p>x</p><pre>a</pre>") == ["paragraph(div) css", "paragraph(p) x", "code(pre) a"]
    assert shapes("<div>css</div>bare<pre>a</pre>") == ["paragraph(body) bare", "code(pre) a"]


EDITORS = [
    (
        "<div class=cm-editor><div class=cm-gutters>1</div><div class=cm-content data-language=js>"
        "<div class=cm-line>let a;&nbsp;</div><div class=cm-line>b</div></div></div>",
        "let a;\nb",
        "js",
    ),
    (
        "<div class='CodeMirror x' data-lang=py><div class=CodeMirror-gutter>1</div><div class=CodeMirror-code>"
        "<div><pre class=CodeMirror-line>a =&nbsp;1</pre></div></div></div>",
        "a = 1",
        "py",
    ),
    (
        "<section language=sql><div class=monaco-editor><div class=view-lines>"
        "<div class=view-line style='top:18px'>b</div><div class=view-line style='top:0px'>a</div></div></div></section>",
        "a\nb",
        "sql",
    ),
    (
        "<div class=ace_editor><div class=ace_gutter>1</div><div class=ace_text-layer><div class=ace_line></div>"
        "<div class=ace_line>SELECT</div></div></div>",
        "SELECT",
        None,
    ),
]


@pytest.mark.parametrize(("html", "text", "language"), EDITORS)
def test_an_editor_is_one_code_block(html: str, text: str, language: str | None) -> None:
    assert [(block.kind, block.text, block.language) for block in blocks_of(html)] == [("code", text, language)]


def test_an_empty_editor_and_a_like_named_class_are_none() -> None:
    assert blocks_of("<div class=cm-editor><div class=cm-content></div></div>") == []
    assert shapes("<div class=codemirror>a</div>") == ["paragraph(div) a"]


ACE = "<div class=ace_editor><div class=ace_text-layer><div class=ace_line>{}</div></div></div>"


@pytest.mark.parametrize(
    ("shown", "hidden", "texts"),
    [
        ("SELECT one FROM table", "style='display:none'", ["SELECT one FROM table\nWHERE x"]),
        ("SELECT one FROM table", "", ["SELECT one FROM table", "SELECT one FROM table\nWHERE x"]),
        ("SELECT one", "hidden", ["SELECT one", "SELECT one FROM table\nWHERE x"]),
        ("SELECT two FROM another", "hidden", ["SELECT two FROM another", "SELECT one FROM table\nWHERE x"]),
    ],
)
def test_an_editor_takes_the_whole_of_a_hidden_pre(shown: str, hidden: str, texts: list[str]) -> None:
    html = ACE.format(shown) + f"<pre {hidden}>SELECT one FROM table\nWHERE x</pre>"
    assert [block.text for block in blocks_of(html)] == texts
