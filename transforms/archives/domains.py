"""Files of domains, one a line, that pages are allowed from or kept out by (models.md section 9)."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import ada_url

from transforms.files import InputError, open_file

if TYPE_CHECKING:
    from tldextract import TLDExtract


@cache
def load_domains(path: str) -> frozenset[str]:
    """The domains of a file, once a process: one a line, each with all its subdomains; blank lines and `#` comments are left out.

    Names in any script and case are taken, and compared as browsers write them. Raises InputError for a line that is no domain,
    a public suffix such as `co.uk`, and a file that cannot be read.
    """
    domains = set()
    try:
        with open_file(path) as file:
            lines = file.read().decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a list of domains: {error}") from None
    for number, line in enumerate(lines, 1):
        entry = line.partition("#")[0].strip().rstrip(".")
        if not entry:
            continue
        domain = _host_of_entry(entry)
        if domain is None or not parent_domains(domain):
            raise InputError(f"{path}:{number}: {entry!r} is not a domain; a line holds one such as example.org, without path")
        domains.add(domain)
    return frozenset(domains)


def domains_digest(path: str) -> str:
    """A hash of what a file of domains means: order, comments and spelling do not count."""
    return hashlib.sha256("\n".join(sorted(load_domains(path))).encode()).hexdigest()[:16]


def is_in_domains(url: str, domains: frozenset[str]) -> bool:
    """Whether the host of a URL, or a domain above it down to the registered one, is among `domains`."""
    try:
        host = str(ada_url.URL(url).hostname)
    except ValueError:
        return False
    return any(domain in domains for domain in parent_domains(host.rstrip(".")))


def parent_domains(host: str) -> list[str]:
    """A host and the domains above it, down to the registered domain; none for a public suffix.

    The list of public suffixes is the one that comes with tldextract, private ones left out: `github.io` is a domain like others.

    >>> parent_domains("a.b.example.co.uk")
    ['a.b.example.co.uk', 'b.example.co.uk', 'example.co.uk']
    """
    if not host:
        return []
    parts = _extractor().extract_str(host, include_psl_private_domains=False)
    if parts.suffix and not parts.domain:
        return []
    registered = parts.top_domain_under_public_suffix
    is_number = not parts.suffix and (parts.ipv4 or parts.ipv6)
    if is_number or "." not in host:
        return [host]
    labels = host.split(".")
    least = registered.count(".") + 1 if registered else 2  # an unknown top-level domain is a suffix by itself
    return [".".join(labels[start:]) for start in range(len(labels) - least + 1)]


@cache
def _extractor() -> TLDExtract:
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def _host_of_entry(entry: str) -> str | None:
    try:
        url = ada_url.URL(f"http://{entry}")
        bare = urlsplit(f"http://{entry}")
    except ValueError:
        return None
    is_bare = url.pathname == "/" and not (url.port or url.search or url.hash or url.username) and not bare.path
    return str(url.hostname) if is_bare and url.hostname else None
