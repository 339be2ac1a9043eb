"""Images behind elements, where that is asked for (images.md 3.1)."""

from __future__ import annotations

import pytest

from transforms.blocks.extract import BlocksConfig, page_blocks
from transforms.blocks.strip import background_image
from transforms.html.tree import parse_html


@pytest.mark.parametrize(
    ("style", "image"),
    [
        ("background-image: url(a.png)", "a.png"),
        ("background:#fff url( 'a b.png' ) no-repeat", "a b.png"),
        ('color: red; BACKGROUND : url("a(1).png")', "a(1).png"),
        ("background: url(a.png), url(b.png)", "a.png"),
        ("list-style: url(x.png); background: url(a.png)", "a.png"),
        ("background: url(data:image/png;base64,AA==)", "data:image/png;base64,AA=="),
        ("background: url(a.png", "a.png"),
        ("background: url()", None),
        ("mask-image: url(a.png)", None),
        ("background-color: red", None),
        ("background: none", None),
        ("", None),
    ],
)
def test_the_first_image_of_a_background(style: str, image: str | None) -> None:
    assert background_image(style) == image


HTML = (
    "<p>One</p><div style=\"background-image:url('b.jpg')\" aria-label='Hills'><p>Two</p></div>"
    "<img src='i.jpg' style='background:url(no.jpg)'><section style='background:url(data:image/png;base64,AA)'>Three</section>"
)


def test_it_stands_before_what_it_is_behind() -> None:
    found = page_blocks(parse_html(HTML), "https://e.x/d/p", BlocksConfig(css_backgrounds=True))
    shown = [(block.kind, block.href or block.text, block.alt) for block in found.blocks]
    assert shown == [
        ("paragraph", "One", None),
        ("image", "https://e.x/d/b.jpg", "Hills"),
        ("paragraph", "Two", None),
        ("image", "https://e.x/d/i.jpg", ""),
        ("paragraph", "Three", None),
    ]
    (background,) = [block for block in found.blocks if block.tag == "div"]
    assert background.candidates == [{"url": "https://e.x/d/b.jpg", "descriptor": None, "from": "css"}]


def test_without_that_no_background_is_an_image() -> None:
    assert [block.href for block in page_blocks(parse_html(HTML), "https://e.x/d/p").blocks if block.kind == "image"] == [
        "https://e.x/d/i.jpg"
    ]
