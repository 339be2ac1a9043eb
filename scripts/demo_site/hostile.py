"""Responses that no extractor should trip over: deep nesting, lying headers, traps in scripts, pages that are no pages."""

from __future__ import annotations

import json
from collections.abc import Iterator

from scripts.demo_site.layout import page_text
from scripts.demo_site.pictures import encode
from scripts.demo_site.resource import MAGAZINE, Resource

HTML = "text/html; charset=utf-8"
ARCHIVE = 2
NESTED_DIVS = 2_000
ATTRIBUTES = 1_500
UNCLOSED_ITEMS = 700
TRAP_MARKUP_REPEATS = 800

SENTENCE = (
    "The ferryman keeps a log in which every crossing has one line, with the hour, the wind and the number of people on board. "
)


def nested() -> str:
    """More open elements than any page needs, around text that would be worth keeping."""
    text = f"<p>{SENTENCE * 8}</p>"
    return f"<!DOCTYPE html><title>Deep</title><body>{'<div>' * NESTED_DIVS}{text}{'</div>' * NESTED_DIVS}"


def many_attributes() -> str:
    """One tag with more attributes than a parser should have to compare."""
    attributes = " ".join(f'data-field-{number}="{number}"' for number in range(ATTRIBUTES))
    return f"<!DOCTYPE html><title>Wide</title><body><div {attributes}><p>{SENTENCE * 8}</p></div></body>"


def script_traps() -> str:
    """Comment openers and tags inside scripts and comments, before an ordinary article.

    The second script is the hard one: after `<!--` a nested script element and its end tag belong to the script's text.
    """
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"><title>The clock in the station</title>',
            "<script>var open = '<!--', list = " + json.dumps("<div>" * TRAP_MARKUP_REPEATS) + ";</script>",
            "<script><!-- document.write('<script>var inner = 1;</script>'); --></script>",
            "<script>if (a <!--b) { c = '<\\/script>'; }</script>",
            '<script type="application/json">{"note": "<!-- never closed", "markup": "<p><div><table>"}</script>',
            "<style>/* <!-- */ p { margin: 0 } /* <div> */</style>",
            "</head><body>",
            "<!-- " + "<div>" * TRAP_MARKUP_REPEATS + " -->",
            "<!--> an empty comment ends at once; the next one at the odd ending <!-- hidden --!>",
            "<textarea><!-- <div> not a comment, and not markup either</textarea>",
            page_text("hostile/station-clock"),
            "<script>document.write('<!-- the end');</script>",
            "</body></html>",
        ]
    )


def unclosed_list() -> str:
    """A page of the old school: upper-case tags, no end tags, and a list that looks deep to a naive counter."""
    opening, rest = page_text("hostile/old-school").split("<!-- items -->")
    names = ("north quay", "south quay", "mill", "chapel", "upper lock", "lower lock", "tower")
    items = "\n".join(f"<LI>Reading {number}, {names[number % len(names)]}" for number in range(1, UNCLOSED_ITEMS + 1))
    return f"{opening}{items}\n{rest}"


CATALOGUE = {"name": "enamel kettle", "litres": 1.5, "colours": ["blue", "white"], "text": SENTENCE * 3}


def page(path: str, body: str | bytes, expected: str, content_type: str | None = HTML) -> Resource:
    encoded = body.encode("utf-8") if isinstance(body, str) else body
    return Resource("page", f"{MAGAZINE}{path}", encoded, content_type, ARCHIVE, expected)


def hostile_resources() -> Iterator[Resource]:
    """The responses with the fate that each must meet."""
    yield page("/hostile/deep.html", nested(), "drop:limits.nesting")
    yield page("/hostile/wide.html", many_attributes(), "drop:limits.attributes")
    yield page("/hostile/station-clock.html", script_traps(), "document")
    yield page("/hostile/old-school.html", unclosed_list(), "document")
    yield page("/hostile/under-construction.html", page_text("hostile/under-construction"), "drop:gate.score")
    yield page("/hostile/empty.html", b"", "drop:select.empty_body")
    yield page("/hostile/report.html", encode("tide_table", 401, 320, 240, "png"), "drop:select.sniffed_binary")
    yield page("/api/kettles", json.dumps(CATALOGUE, indent=1), "drop:select.mime", "application/json")
    lying = page_text("hostile/lying-header").encode("utf-8")
    yield Resource(
        "page", f"{MAGAZINE}/hostile/lying-header.html", lying, HTML, ARCHIVE, "document", coding="gzip", usable_images=()
    )
    gone = page_text("hostile/not-found").encode("utf-8")
    yield Resource("page", f"{MAGAZINE}/articles/gone.html", gone, HTML, ARCHIVE, "drop:select.status", status=404)
    moved = b"<!DOCTYPE html><title>Moved</title><p>This page has moved.</p>"
    target = (("Location", "/articles/reading-the-tides.html"),)
    url = f"{MAGAZINE}/tides"
    yield Resource("page", url, moved, HTML, ARCHIVE, "drop:select.status", status=301, headers=target)
