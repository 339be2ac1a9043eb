"""Images that stand in the page itself, and references that are no URL to look up (images.md 3.1, 3.2; rows R1, N1)."""

from __future__ import annotations

import base64
import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from transforms.blocks.extract import BlocksConfig, page_blocks
from transforms.html.tree import parse_html
from transforms.images.inline import InlineConfig, PageReferences, is_inline, read_data_url

URL = "https://e.x/d/p"


def picture(side: int = 40) -> bytes:
    body = io.BytesIO()
    Image.frombytes("RGB", (side, side), random.Random(side).randbytes(3 * side * side)).save(body, "PNG")
    return body.getvalue()


def data_url(body: bytes, media_type: str = "image/png") -> str:
    return f"data:{media_type};base64,{base64.b64encode(body).decode()}"


PNG = picture()
PIXEL = b"GIF89a\x01\x00\x01\x00"


@pytest.mark.parametrize(
    ("reference", "content_type", "body"),
    [
        ("data:image/gif;base64,R0lGODlh", "image/gif", b"GIF89a"),
        ("DATA:Image/GIF;charset=x;BASE64,R0lGODlh", "image/gif", b"GIF89a"),
        ("data:image/gif;base64,R0lG\n ODlh", "image/gif", b"GIF89a"),
        ("data:image/gif;base64,R0lGODlh%0A", "image/gif", b"GIF89a"),
        ("data:image/gif;base64,R0lGOA", "image/gif", b"GIF8"),
        ("data:image/gif;base64,R0lGOA==", "image/gif", b"GIF8"),
        ("data:image/gif;base64,%52%30lGODlh", "image/gif", b"GIF89a"),
        ("data:image/svg+xml,%3Csvg/%3E", "image/svg+xml", b"<svg/>"),
        ("data:image/svg+xml;utf8,<svg a='ä'/>", "image/svg+xml", "<svg a='ä'/>".encode()),
        ("data:,a,b", "", b"a,b"),
        ("data:nonsense;base64,QQ", "", b"A"),
        ("data:image/gif;base64", None, None),
        ("data:image/gif;base64,R0lG!!", None, None),
        ("data:image/gif;base64,R", None, None),
    ],
)
def test_data_urls_are_read(reference: str, content_type: str | None, body: bytes | None) -> None:
    found = read_data_url(reference)
    assert (None if found is None else (found.content_type, found.body)) == (None if body is None else (content_type, body))


def test_a_name_follows_from_the_bytes_and_is_short() -> None:
    one, other = read_data_url(data_url(PNG)), read_data_url(data_url(PNG).replace("base64,", "charset=x;base64,%0A"))
    assert one is not None
    assert one == other
    assert one.url.endswith("?ct=image/png")
    assert is_inline(one.url)
    assert len(one.url) < 80
    assert read_data_url(data_url(PNG + b"x")) != one


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="dat:image/png;base64,AQ==%4 \n\x00é", max_size=40))
def test_no_reference_raises(text: str) -> None:
    for reference in (text, f"data:{text}"):
        PageReferences(URL, InlineConfig()).settle([reference])


HTML: list[tuple[str, str | None, dict[str, str]]] = [
    # what stands in the page, the status of the source of its block (`inline`, `url`, none), rejected references
    (f"<img src='{data_url(PNG)}'>", "inline", {}),
    (f"<img src='{data_url(PIXEL, 'image/gif')}'>", None, {"ni": "placeholder"}),
    (f"<img src='{data_url(PIXEL)}' data-src='a.png'>", "url", {}),
    (f"<img src='{data_url(PNG)}' data-src='a.png'>", "url", {}),
    (f"<img src='{data_url(PIXEL)}' data-src='{data_url(PNG)}'>", "inline", {"ni": "placeholder"}),
    (f"<img srcset='{data_url(PNG)} 2x'>", "inline", {}),
    (f"<picture><source srcset='{data_url(PNG)}'><img alt='x'></picture>", "inline", {}),
    (
        f"<img data-src='about:blank'><noscript><img src='{data_url(PNG)}'></noscript>",
        "inline",
        {"about:blank": "scheme_not_allowed"},
    ),
    (f"<img src='{data_url(picture(200))}'>", None, {"data:": "too_large"}),
    ("<img src='data:image/png;base64,?'>", None, {"data:": "bad_url"}),
    ("<img src='http://['>", None, {"http://[": "bad_url"}),
    ("<img src='ftp://e.x/a.png'>", None, {"ftp://e.x/a.png": "scheme_not_allowed"}),
    ("<img src='file:///etc/hostname'>", None, {"file:///etc/hostname": "scheme_not_allowed"}),
    ("<img src='javascript:void(0)'>", None, {"javascript:void(0)": "scheme_not_allowed"}),
    ("<img src='blob:https://e.x/1'>", None, {"blob:https://e.x/1": "scheme_not_allowed"}),
    ("<img src='ftp://user:secret@e.x/a.png'>", None, {"ftp://e.x/a.png": "scheme_not_allowed"}),
    ("<img src=''><img src='#a'><img>", None, {}),
]


@pytest.mark.parametrize(("html", "source", "rejected"), HTML)
def test_an_image_without_a_url_is_in_the_page_or_rejected(html: str, source: str | None, rejected: dict[str, str]) -> None:
    config = BlocksConfig(inline=InlineConfig(max_bytes=100_000))
    found = page_blocks(parse_html(f"<p>words</p>{html}"), URL, config)
    images = [block for block in found.blocks if block.kind == "image"]
    assert [("inline" if is_inline(block.href or "") else "url") for block in images] == ([source] if source else [])
    assert found.references is not None
    assert {key.partition(":")[0] + ":" if key.startswith("data") else ("ni" if is_inline(key) else key): status
            for key, status in found.references.rejected.items()} == rejected  # fmt: skip
    if source == "inline":
        (image,) = images
        assert image.candidates == [{"url": image.href, "descriptor": None, "from": "inline"}]
        assert found.references.inline[image.href or ""].body == PNG


def test_blocks_by_themselves_hold_no_image_that_stands_in_the_page() -> None:
    """As blocks.md 4.10 has it."""
    found = page_blocks(parse_html(f"<p>words</p><img src='{data_url(PNG)}'>"), URL)
    assert [block.kind for block in found.blocks] == ["paragraph"]
    assert (found.references, found.removed) == (None, {"inline_image": 1})


@pytest.mark.parametrize(
    ("config", "is_used"),
    [
        (InlineConfig(min_bytes=len(PNG), max_bytes=len(PNG)), True),
        (InlineConfig(min_bytes=len(PNG) + 1), False),
        (InlineConfig(max_bytes=len(PNG) - 1), False),
        (InlineConfig(min_bytes=None, max_bytes=None), True),
    ],
)
def test_bounds_are_allowed_and_null_switches_them_off(config: InlineConfig, is_used: bool) -> None:
    assert (PageReferences(URL, config).settle([data_url(PNG)]) is not None) == is_used


def test_what_is_kept_of_a_rejected_reference_is_short() -> None:
    references = PageReferences(URL, InlineConfig())
    references.settle(["ftp://e.x/" + "a" * 10_000, "data:image/png;base64," + "!" * 10_000])
    assert max(map(len, references.rejected)) <= 200


def test_attributes_of_the_configuration_are_read_as_well() -> None:
    html = f"<p>words</p><img src='{data_url(PIXEL)}' data-my-own='a.png'>"
    images = [
        [block.href for block in page_blocks(parse_html(html), URL, config).blocks if block.kind == "image"]
        for config in (BlocksConfig(), BlocksConfig(lazy_attributes=("data-my-own",)))
    ]
    assert images == [[], ["https://e.x/d/a.png"]]
