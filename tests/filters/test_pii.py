"""Personal data marked by a finder."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from filters.pii import PiiSpan, find_pii, finder_versions, load_finder
from pipelines.config import ConfigError, load_config


def marked(text: str) -> list[tuple[str, str]]:
    return [(span.kind, text[span.start : span.stop]) for span in find_pii(text, "datatrove")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to bob@example.org.", [("email", "bob@example.org")]),
        ("写信给张三：zhang.san+news@mail.example.cn，谢谢", [("email", "zhang.san+news@mail.example.cn")]),
        ("😀 a.b@c-d.example, e@f.example", [("email", "a.b@c-d.example"), ("email", "e@f.example")]),
        ("راسلنا على info@example.net اليوم", [("email", "info@example.net")]),
        ("@handle, a@b, 5 @ 3.50", []),
        ("It answers at 8.8.8.8.", [("ip", "8.8.8.8")]),
        ("8.8.4.4 and bob@example.org", [("ip", "8.8.4.4"), ("email", "bob@example.org")]),
        ("at home 192.168.1.1, 10.0.0.7, 127.0.0.1", []),  # not public
        ("section 8.8.8.8.1, build 18.8.8.888, 1.8.8.8.8", []),  # longer numbers
        ("2001:4860:4860::8888 is one, fe80::1 and 12:30:45 are not", [("ip", "2001:4860:4860::8888")]),
        ("std::vector a::b ::", []),
        ("", []),
    ],
)
def test_mail_and_public_addresses_are_marked(text: str, expected: list[tuple[str, str]]) -> None:
    assert marked(text) == expected


def test_an_address_is_found_wherever_it_stands() -> None:
    text = f"{'a-' * 500}\n{'first.' * 10}last@{'sub.' * 60}example.org and x@y.example{' word' * 200} z@example.com"
    assert [found for _, found in marked(text)] == [
        f"{'first.' * 10}last@{'sub.' * 60}example.org",
        "x@y.example",
        "z@example.com",
    ]


@pytest.mark.timeout(60)  # the library's pattern alone takes hours
@pytest.mark.parametrize("unit", ["a.", "a-", "a@", "a.b@c.", "1.", "1:", "@"])
def test_a_megabyte_of_anything_is_searched(unit: str) -> None:
    find_pii(unit * 400_000, "datatrove")


def years(text: str) -> Iterator[tuple[str, int, int]]:
    at = text.find("1984")
    if at >= 0:
        yield ("year", at, at + 4)


def test_any_function_can_be_the_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "my_finders", sys.modules[__name__])
    assert find_pii("in 1984", "my_finders:years") == [PiiSpan("year", 3, 7)]
    assert load_config(None, ["output.pii=my_finders:years"]).output.pii == "my_finders:years"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mail", "allowed: null, datatrove, or MODULE:FUNCTION"),
        ("no_such_module:find", "No module named 'no_such_module'"),
        ("json:find_it", "has no attribute 'find_it'"),
        (":find", "allowed: null"),
    ],
)
def test_a_finder_that_cannot_be_had_is_a_wrong_setting(name: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_config(None, [f"output.pii={name}"])
    assert message in str(raised.value)


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datatrove.pipeline.formatters.pii", None)
    load_finder.cache_clear()
    with pytest.raises(ValueError, match=r"pip install 'interleaf\[pii\]'"):
        load_finder("datatrove")


def test_the_version_of_the_library_decides_what_is_found() -> None:
    assert set(finder_versions("datatrove")) == {"datatrove (pii)"}
    assert finder_versions(None) == finder_versions("my:own") == {}
