"""All mentions of an image URL as one row, and the rules that drop it before anybody looks for it (images.md 3.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from filters.measures.image import BANNED_URL_WORDS, banned_words
from transforms.records import Sighting, WantedImage


@dataclass(frozen=True)
class LookUpConfig:
    """Which image URLs are looked for at all; None and an empty list switch a rule off."""

    skip_extensions: tuple[str, ...] = field(
        default=("svg", "ico"), metadata={"help": "endings of file names that are not looked for: rule_extension"}
    )
    skip_words: tuple[str, ...] = field(
        default=tuple(sorted(BANNED_URL_WORDS)), metadata={"help": "words in the path of a URL that is not looked for: rule_word"}
    )
    min_hint: int | None = field(
        default=150, metadata={"help": "pixels; a URL that every page declares smaller is not looked for: rule_hint"}
    )
    max_docs_per_url: int | None = field(
        default=1000, metadata={"help": "documents that may mention a URL: logos, counters, flags; too_common"}
    )
    placeholder_urls: int | None = field(
        default=10,
        metadata={"help": "URLs of a host that may redirect to one picture before it is flagged as a suspected placeholder"},
    )

    def __post_init__(self) -> None:
        if self.placeholder_urls is not None and self.placeholder_urls < 0:
            raise ValueError(f"placeholder_urls: {self.placeholder_urls} is not allowed; allowed: null, or 0 or more")


def want_image(url_key: bytes, mentions: Iterable[Sighting], config: LookUpConfig) -> WantedImage | None:
    """All mentions of one URL as one row; None for none. Its status is the first rule of 3.4 that drops it.

    What a single page says of a mention counts when all mentions have it: a page that was refused takes no image from another.
    """
    mentions = list(mentions)
    if not mentions:
        return None
    wanted = WantedImage(
        url_key,
        min(seen.url for seen in mentions),
        sorted({seen.shard for seen in mentions if seen.shard is not None}),
        min((seen.date for seen in mentions if seen.date), default=None),
    )
    if all(seen.status is not None for seen in mentions):
        status, detail = min((seen.status or "", seen.detail or "") for seen in mentions)
        return replace(wanted, status=status, detail=detail or None)
    ending = _extension(wanted.url)
    if ending in config.skip_extensions:
        return replace(wanted, status="rule_extension", detail=ending)
    words = banned_words(wanted.url, frozenset(config.skip_words)) or 0
    if words:
        return replace(wanted, status="rule_word", value=words, threshold=0)
    hints = [seen.hint for seen in mentions]
    largest = None if None in hints else max(hint for hint in hints if hint is not None)
    if largest is not None and config.min_hint is not None and largest < config.min_hint:
        return replace(wanted, status="rule_hint", value=largest, threshold=config.min_hint)
    documents = sum(seen.documents for seen in mentions)
    if config.max_docs_per_url is not None and documents > config.max_docs_per_url:
        return replace(wanted, status="too_common", value=documents, threshold=config.max_docs_per_url)
    return wanted


def _extension(url: str) -> str:
    """The ending of the file name in lower case, empty for none."""
    name = unquote(url.partition("#")[0].partition("?")[0].rpartition("/")[2])
    return name.rpartition(".")[2].lower() if "." in name else ""
