"""`interleaf page`: what it prints is what the Python interface gives, and what happened to a page can be read from it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from run_helpers import interleaf

from pipelines.config import load_config
from transforms.blocks import extract_blocks
from transforms.blocks.dedup import deduplicate
from transforms.blocks.markdown import render_markdown
from transforms.documents.extract import extract_document
from transforms.records import Document, Page, Source

URL = "https://e.x/d/p"
SENTENCE = "A kettle boils water faster on a windless day, which every camper on a ridge learns once and then remembers. "
HTML = f"""<!doctype html><html lang=en><title>Kettles</title><nav><ul><li>Intro<li>Home</ul></nav>
<main><article class=post-content><h1>Intro</h1><p>{SENTENCE * 3}</p><blockquote><ul><li>Tea<p hidden>Milk</p></ul></blockquote>
<p><img src=/k.jpg alt=kettle><p>Ka · 2m</p><section><p>Ka·2m</p></section><pre class=language-css>a {{}}</pre>
<table><tr><th>Kind<th>Litres<tr><td><a href=/s>Small</a><td>$1</table><hr><p>日本語 <b>text</b></p></article></main>
<footer><p>Home</p></footer></html>"""
# What the selection of the main content says of a block; it is no part of the document stage of blocks.md 2.1.
SAID_BY_SELECTION = {"excluded", "probability"}


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(HTML, encoding="utf-8")
    return path


def printed(page_file: Path, *arguments: str) -> str:
    done = interleaf("page", "--html", str(page_file), "--url", URL, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def document_lines(page_file: Path) -> list[str]:
    return printed(page_file, "--stage", "document").splitlines()


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def as_json(records: Any) -> Any:
    """Records as JSON has them."""
    return json.loads(json.dumps([dataclasses.asdict(record) for record in records]))


def test_blocks_are_those_of_the_interface(page_file: Path) -> None:
    assert json_lines(printed(page_file, "--stage", "blocks", "--json")) == as_json(extract_blocks(HTML, URL, stage="blocks"))


def test_the_document_is_that_of_the_interface(page_file: Path) -> None:
    def without_selection(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: value for name, value in block.items() if name not in SAID_BY_SELECTION} for block in blocks]

    lines = json_lines(printed(page_file, "--stage", "document", "--json"))
    assert without_selection(lines) == without_selection(as_json(extract_blocks(HTML, URL)))


def test_nodes_are_those_of_the_interface(page_file: Path) -> None:
    body = HTML.encode()
    page = Page(URL, body, "text/html", Source(str(page_file), 0, len(body)))
    document = extract_document(page, load_config("default", ("extract.gate.enabled=false",)).extract)
    assert isinstance(document, Document)
    lines = json_lines(printed(page_file, "--stage", "nodes", "--json"))
    assert [(line["kind"], line["text"], line["path"]) for line in lines] == [(n.kind, n.text, n.path) for n in document.nodes]
    assert len(lines) == 3


def test_markdown_is_text_with_and_without_json(page_file: Path) -> None:
    expected = render_markdown(extract_blocks(HTML, URL))
    assert printed(page_file, "--stage", "markdown", "--json") == expected
    assert printed(page_file, "--stage", "markdown").endswith("\n\n" + expected)


def test_every_decision_of_deduplication_is_data(page_file: Path) -> None:
    repeats = deduplicate(extract_blocks(HTML, URL, stage="blocks")).repeats
    lines = json_lines(printed(page_file, "--stage", "repeats", "--json"))
    assert lines == as_json(repeats)
    assert [(line["rule"], line["block"]["text"], line["block"]["xpath"], line["twin_path"]) for line in lines] == [
        ("dedup.outranked", "Intro", "/html/body/nav/ul/li[1]", "/html/body/main/article/h1"),
        ("dedup.repeat", "Ka·2m", "/html/body/main/article/section/p", "/html/body/main/article/p[3]"),
        ("dedup.repeat", "Home", "/html/body/footer/p", "/html/body/nav/ul/li[2]"),
    ]


@pytest.mark.parametrize(
    ("shown", "parts"),
    [
        (
            "kind, text, flags and path",
            ["list-item ", '"Tea"', "[L1 main main body quoted:1", "/html/body/main/article/blockquote/ul/li"],
        ),
        ("what is hidden", ["paragraph ", '"Milk"', " hidden", "/blockquote/ul/li/p"]),
        ("the region", ["list-item ", '"Home"', "[L1 nav", "/html/body/nav/ul/li[2]"]),
        ("an image's source", ["image ", '"kettle <https://e.x/k.jpg>"']),
        ("a removed block, its rule and its twin", ["dedup.repeat", '"Ka·2m"', "/section/p", "as /html/body/main/article/p[3]"]),
        ("how many were removed", ["removed by deduplication: 3"]),
        ("the gate", ["gate ", " against 20"]),
        ("the title", ["title ", "Kettles"]),
    ],
)
def test_a_reader_sees(document_lines: list[str], shown: str, parts: list[str]) -> None:
    assert any(all(part in line for part in parts) for line in document_lines), (shown, document_lines)


def test_a_profile_that_removes_no_repeats_shows_none(page_file: Path) -> None:
    done = interleaf("page", "--html", str(page_file), "--url", URL, "--profile", "obelics", "--stage", "repeats")
    assert done.returncode == 2
    assert "repeats" in done.stderr
