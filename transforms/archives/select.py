"""Which responses are pages, and which are images: by status, type, and first bytes (design.md, `select`)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from filters.language_codes import normalize_language
from transforms.archives.domains import is_in_domains, load_domains
from transforms.archives.sniff import ACCEPTED_IMAGES, looks_binary, sniff_signature, sniff_type
from transforms.records import Drop, Page, Response

STAGE = "read"

# A Content-Type that says nothing (MIME Sniffing, 5.2); the last two are what servers send for lack of a better idea.
UNKNOWN_TYPES = frozenset({"", "unknown/unknown", "application/unknown", "*/*", "application/octet-stream", "content/unknown"})


LANGUAGE_BYTES = 4096
HTML_LANGUAGE = re.compile(rb"""<html\b[^<>]{0,999}?[\s"'/]lang\s{0,9}=\s{0,9}["']?\s{0,9}([a-z]{2,3})\b""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SelectConfig:
    """Which responses become pages; None leaves a question unasked. Allowed is what either list of that kind allows."""

    status: tuple[int, ...] | None = field(default=(200,), metadata={"help": "HTTP statuses of pages; null: any"})
    mime: tuple[str, ...] | None = field(
        default=("text/html", "application/xhtml+xml"), metadata={"help": "media types of pages, without parameters; null: any"}
    )
    allow: tuple[str, ...] | None = field(
        default=None,
        metadata={"help": "hosts with their subdomains, such as example.org, or the beginning of a path on one: example.org/news/"},
    )
    deny: tuple[str, ...] | None = field(default=None, metadata={"help": "hosts, or beginnings of paths, that are left out"})
    dates: tuple[str | None, str | None] | None = field(
        default=None,
        metadata={
            "help": "first and last capture date, both included, as ISO 8601 or a beginning of it; a record without a date is out"
        },
    )
    allow_file: str | None = field(
        default=None, metadata={"help": "file with one domain a line, each with its subdomains; adds to allow"}
    )
    deny_file: str | None = field(
        default=None, metadata={"help": "file with one domain a line, each with its subdomains; adds to deny"}
    )
    languages: tuple[str, ...] | None = field(
        default=None,
        metadata={
            "help": "ISO 639 codes; leaves out pages that say they are in others only; document.language decides, this saves work"
        },
    )

    def __post_init__(self) -> None:
        if self.languages is not None:
            object.__setattr__(self, "languages", tuple(normalize_language(code) for code in self.languages))

    def domain_files(self) -> list[str]:
        """The files that decide beside the configuration."""
        return [path for path in (self.allow_file, self.deny_file) if path is not None]


def media_type(content_type: str | None) -> str:
    """The type of a Content-Type header without parameters, in lower case; empty for none.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return (content_type or "").split(";", 1)[0].strip().lower()


def select_page(response: Response, config: SelectConfig) -> Page | Drop:
    """A response as a page, or the first rule that it does not meet.

    Rules: `select.status`, `select.date`, `select.allow`, `select.deny`, `select.mime`, `select.empty_body`,
    `select.sniffed_binary` (field_reports.md D15: text by its header, binary by its bytes), `select.language`. A type that is
    missing or says nothing is sniffed. Bytes are looked at last, so a body of another type is a `select.mime`, whatever it holds.
    """
    if config.status is not None and response.status not in config.status:
        return _drop(response, "select.status", f"status {response.status}", float(response.status))
    if config.dates is not None and not _is_between(response.date or "", *config.dates):
        return _drop(response, "select.date", f"captured {response.date}")
    if _is_listed(response.url, config.allow, config.allow_file) is False:
        return _drop(response, "select.allow", "not on the list")
    if _is_listed(response.url, config.deny, config.deny_file):
        return _drop(response, "select.deny", "on the list")
    declared = media_type(response.content_type)
    is_unknown = declared in UNKNOWN_TYPES or "/" not in declared
    if config.mime is not None and not is_unknown and declared not in config.mime:
        return _drop(response, "select.mime", declared)
    if not response.body.strip():
        return _drop(response, "select.empty_body", "no bytes but white space", float(len(response.body)))
    if is_unknown:
        sniffed = sniff_type(response.body)
        if config.mime is not None and sniffed not in config.mime:
            return _drop(response, "select.mime", f"{declared or 'no type'}, reads as {sniffed}")
    elif looks_binary(response.body):
        return _drop(response, "select.sniffed_binary", f"{declared}, reads as {sniff_signature(response.body) or 'random bytes'}")
    if config.languages is not None:
        hints = language_hints(response)
        if hints and not hints & set(config.languages):
            return _drop(response, "select.language", f"says that it is in {', '.join(sorted(hints))}")
    return Page(
        response.url, response.body, response.content_type, response.source, response.date, response.flags, response.headers
    )


def sample_drop(response: Response, share: float | None) -> Drop | None:
    """The Drop of a response that is not in a sample of `share` of all URLs; None for one that is, and for no sample.

    A URL's place in [0, 1) is a hash of it, so samples do not depend on the order of the input, and a larger one holds a smaller.
    """
    if share is None:
        return None
    digest = hashlib.blake2b(response.url.encode("utf-8", "surrogatepass"), digest_size=8, person=b"sample").digest()
    place = int.from_bytes(digest, "big") / 2**64
    return None if place < share else _drop(response, "select.sample", "not in the sample", place, share)


def language_hints(response: Response | Page) -> set[str]:
    """The languages that a page says it is in: codes of Content-Language and of `<html lang>`, those that are known."""
    said = [value for name, value in response.headers if name == "content-language"]
    declared = HTML_LANGUAGE.search(response.body, 0, LANGUAGE_BYTES)
    if declared is not None:
        said.append(declared[1].decode("ascii"))
    return {code for value in said for tag in value.split(",") if (code := _known_language(tag)) is not None}


@lru_cache(10_000)
def _known_language(tag: str) -> str | None:
    try:
        return normalize_language(tag)
    except ValueError:
        return None


def is_image(response: Response) -> bool:
    """Whether a response is an archived image: status 200, and `image/*` by its header or by its bytes (images.md 9)."""
    if response.status != 200:
        return False
    return media_type(response.content_type).startswith("image/") or sniff_signature(response.body) in ACCEPTED_IMAGES


def _drop(response: Response, rule: str, detail: str, value: float | None = None, threshold: float | None = None) -> Drop:
    source = response.source
    target = source.record_id or f"{source.file}:{source.offset}"
    return Drop(STAGE, rule, "record", target, response.url, value, threshold, detail, source.file, source.offset)


def _is_between(date: str, first: str | None, last: str | None) -> bool:
    """Whether a date is in a range whose ends may be given to the day, month or year."""
    if not date:
        return False
    return (first is None or date[: len(first)] >= first) and (last is None or date[: len(last)] <= last)


def _is_listed(url: str, patterns: tuple[str, ...] | None, file: str | None) -> bool | None:
    """Whether a URL is on a list that stands in the configuration, in a file, or in both; None when there is no list."""
    if patterns is None and file is None:
        return None
    return (patterns is not None and _matches_any(url, patterns)) or (file is not None and is_in_domains(url, load_domains(file)))


def _matches_any(url: str, patterns: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    for pattern in patterns:
        pattern_host, slash, path = pattern.lower().partition("/")
        if (host == pattern_host or host.endswith("." + pattern_host)) and parts.path.lower().startswith(slash + path):
            return True
    return False
