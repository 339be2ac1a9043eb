"""Files of domains: what a line may be, and which URLs it stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from transforms.archives import InputError
from transforms.archives.domains import domains_digest, is_in_domains, load_domains
from transforms.archives.select import SelectConfig, select_page
from transforms.records import Drop, Page, Response, Source

LIST = """# sites
example.co.uk
Blog.Example.org   # one host of a site
münchen.de
github.io
127.0.0.1
localhost
site.example

"""


@pytest.fixture
def domain_file(tmp_path: Path) -> str:
    path = tmp_path / "domains.txt"
    path.write_text("\ufeff" + LIST, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("url", "listed"),
    [
        ("https://example.co.uk/", True),
        ("https://WWW.a.Example.co.uk:8080/x?y", True),
        ("https://example.co.uk./", True),
        ("https://other.co.uk/", False),
        ("https://notexample.co.uk/", False),
        ("https://blog.example.org/a", True),
        ("https://a.blog.example.org/a", True),
        ("https://example.org/", False),
        ("https://xn--mnchen-3ya.de/", True),
        ("https://www.MÜNCHEN.de/", True),
        ("https://someone.github.io/", True),
        ("http://127.0.0.1/", True),
        ("http://10.0.0.1/", False),
        ("http://localhost:3000/", True),
        ("http://www.site.example/", True),
        ("http://www.other.example/", False),
        ("http://[broken", False),
        ("no url", False),
        ("", False),
    ],
)
def test_a_url_is_listed_by_its_host_or_a_domain_above_it(domain_file: str, url: str, listed: bool) -> None:
    assert is_in_domains(url, load_domains(domain_file)) is listed


@pytest.mark.parametrize(
    "line", ["example.org/path", "https://example.org", "co.uk", "com", "a b", "user@example.org", "example.org:80x"]
)
def test_a_line_that_is_no_domain_is_an_error_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / f"{abs(hash(line))}.txt"
    path.write_text(f"example.org\n{line}\n")
    with pytest.raises(InputError, match=r"\.txt:2: .*is not a domain"):
        load_domains(str(path))


def test_a_file_that_is_not_there_or_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name in ("missing", "binary"):
        with pytest.raises(InputError, match=f"{name}: cannot be read as a list of domains"):
            load_domains(str(tmp_path / name))


def test_the_digest_is_of_the_meaning(tmp_path: Path) -> None:
    for name, text in (("a", "b.org\na.org\n"), ("b", "# x\nA.org\n\nb.ORG"), ("c", "a.org")):
        (tmp_path / name).write_text(text)
    digests = [domains_digest(str(tmp_path / name)) for name in "abc"]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize(
    ("url", "config", "rule"),
    [
        ("http://site.example/", {"allow_file": True}, None),
        ("http://else.example/", {"allow_file": True}, "select.allow"),
        ("http://else.example/", {"allow_file": True, "allow": ("else.example",)}, None),
        ("http://site.example/", {"deny_file": True}, "select.deny"),
        ("http://else.example/", {"deny_file": True}, None),
        ("http://else.example/", {"deny_file": True, "deny": ("else.example",)}, "select.deny"),
        ("http://site.example/", {"allow_file": True, "deny": ("site.example",)}, "select.deny"),
    ],
)
def test_lists_in_files_select_as_lists_in_the_configuration_do(domain_file, url, config, rule) -> None:
    config = {key: domain_file if value is True else value for key, value in config.items()}
    item = select_page(Response(url, 200, "text/html", b"<p>x", Source("a", 0, 1)), SelectConfig(**config))
    assert (item.rule if isinstance(item, Drop) else None) == rule
    assert isinstance(item, Page) == (rule is None)
