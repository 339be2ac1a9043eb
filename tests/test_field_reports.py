"""Faults reported to comparable projects: rows of field_reports.md whose input no other test has. Named after their rows."""

from __future__ import annotations

import dataclasses
import re

import psutil
import pytest

from filters.measures import identify_language
from transforms.blocks import extract_blocks
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document
from transforms.html.readerable import is_probably_readerable
from transforms.html.tree import parse_html
from transforms.records import Document, Drop, Page, Source

SENTENCE = "The ferryman keeps a log in which every crossing has one line, with the hour and the wind. "
PARAGRAPH = f"<p>{SENTENCE * 6}</p>"
OPEN = dataclasses.replace(ExtractConfig(), gate=dataclasses.replace(ExtractConfig().gate, enabled=False))
OBELICS = dataclasses.replace(OPEN, profile="obelics")


def extracted(html: str, config: ExtractConfig = OPEN) -> Document | Drop:
    body = html.encode()
    return extract_document(Page("http://e.x/a", body, "text/html; charset=utf-8", Source("a.warc.gz", 0, len(body))), config)


def texts(result: Document | Drop) -> list[str]:
    assert isinstance(result, Document), result
    return [paragraph.text for node in result.nodes for paragraph in node.paragraphs]


@pytest.mark.parametrize("config", [OPEN, OBELICS], ids=["default", "obelics"])
def test_a2_spans_nested_six_deep_leave_their_text_as_it_was(config: ExtractConfig) -> None:
    nested = SENTENCE.strip()
    for depth in range(6):
        nested = f'<span class="a b{depth} c">{nested}</span>'
    (text,) = texts(extracted(f"<article><p>{nested}</p></article>", config))
    assert text == SENTENCE.strip()


@pytest.mark.parametrize(
    "html", ["<div><div> </div></div>", "<data>x</data>", "<svg><template>\n", "<svg><template><p>x</template>"]
)
@pytest.mark.parametrize("config", [OPEN, OBELICS], ids=["default", "obelics"])
def test_a4_a5_elements_that_broke_parsers_cost_nothing(html: str, config: ExtractConfig) -> None:
    first = extracted(html + PARAGRAPH, config)
    assert any(SENTENCE.strip() in text for text in texts(first))
    assert extracted(html + PARAGRAPH, config) == first


def test_a6_a_registry_page_of_unclosed_cells_is_read() -> None:
    html = "\n\n\n<!doctype html><table>" + "<tr><td valign='top'>name<td valign='top'>value" * 300
    assert sum(block.text.count("value") for block in extract_blocks(html, "http://e.x/")) == 300
    assert isinstance(extracted(html), Document | Drop)


def test_a10_lines_broken_in_place_of_paragraphs_pass_the_gate() -> None:
    line = (SENTENCE * 2)[:150]
    assert is_probably_readerable(parse_html(f"<div>{'<br><br>'.join([line] * 12)}</div>"))


def test_a12_an_index_of_linked_sentences_does_not_pass_the_gate() -> None:
    cards = "".join(f"<article><a href=/{number}>{SENTENCE}</a></article>" for number in range(20))
    assert not is_probably_readerable(parse_html(cards))


def test_f6_a_menu_in_another_language_does_not_decide_with_or_without_a_line_break() -> None:
    body = "Die alte Brücke am Ende des Dorfes wurde gebaut, als der Fluss noch breiter war, und man hat sie seither erhalten. " * 3
    for separator in ("\n", " ", "\n\n"):
        guess = identify_language(f"Home About Contact{separator}{body}")
        assert guess.language == "de"


def test_f8_a_list_of_language_names_in_the_sidebar_does_not_flip_the_result() -> None:
    names = ["Deutsch", "Français", "Español", "Italiano", "Português", "Polski", "Nederlands", "Svenska", "Suomi", "Türkçe"] * 12
    sidebar = "<aside><ul>" + "".join(f"<li><a href=/{name}>{name}</a></li>" for name in names) + "</ul></aside>"
    result = extracted(f"<body>{sidebar}<main>{PARAGRAPH * 4}</main>")
    assert isinstance(result, Document)
    assert result.language == "en"


def test_h4_memory_stays_where_it_is_when_the_same_pages_come_again_and_again() -> None:
    pages = [
        f"<main><h1>{n}</h1>{PARAGRAPH * (1 + n % 7)}<table>{'<tr><td>x<td>y' * (n * 5)}</table>"
        f"<ul>{'<li>an item of the list' * n}</ul></main>"
        for n in range(20)
    ]

    def rounds(count: int) -> int:
        for _ in range(count):
            for html in pages:
                extracted(html)
        return int(psutil.Process().memory_info().rss)

    warm = rounds(5)
    assert rounds(25) < 1.1 * warm


def test_i7_ids_have_one_width_and_tell_equal_urls_of_two_captures_apart() -> None:
    ids = set()
    for number, url in enumerate(["http://e.x/22.05", "http://e.x/" + "k" * 1_000, "http://e.x/22.05"]):
        body = PARAGRAPH.encode()
        document = extract_document(Page(url, body, "text/html", Source("a.warc.gz", number, len(body))), OPEN)
        assert isinstance(document, Document)
        ids.add(document.id)
    assert len(ids) == 3
    assert all(re.fullmatch(r"[0-9a-f]{32}", name) for name in ids)


FRENCH = "Le vieux pont au bout du village a été construit quand la rivière était plus large, et on l'a entretenu depuis. "


@pytest.mark.parametrize(
    ("html_language", "header", "text", "declared", "flags"),
    [
        ("en", None, FRENCH, ("en",), ("language_conflict",)),
        ("fr-CA", None, FRENCH, ("fr",), ()),
        ("en", "fr, de", FRENCH, ("de", "en", "fr"), ()),
        (None, "de", FRENCH, ("de",), ("language_conflict",)),
        (None, None, FRENCH, (), ()),
        ("en", None, "2024 12 31 " * 40, ("en",), ()),
    ],
)
@pytest.mark.parametrize("config", [OPEN, OBELICS], ids=["default", "obelics"])
def test_f7_declared_and_identified_language_are_both_stored_and_a_conflict_is_flagged(
    html_language: str | None,
    header: str | None,
    text: str,
    declared: tuple[str, ...],
    flags: tuple[str, ...],
    config: ExtractConfig,
) -> None:
    attribute = f' lang="{html_language}"' if html_language else ""
    body = f"<html{attribute}><body><article><h1>{text[:30]}</h1><p>{text * 5}</p><p>{text * 3}</p></article>".encode()
    headers = (("content-language", header),) if header else ()
    config = dataclasses.replace(config, main_content=dataclasses.replace(config.main_content, method="off"))
    page = Page("http://e.x/", body, "text/html; charset=utf-8", Source("a.warc.gz", 0, 9), headers=headers)
    document = extract_document(page, config)
    assert isinstance(document, Document)
    assert document.declared_languages == declared
    assert document.flags == flags
    assert document.language == ("fr" if text == FRENCH else "und")
