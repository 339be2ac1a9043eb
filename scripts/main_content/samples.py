"""Pages with ground truth -> samples: rows of numbers, labels, and what scoring needs. Made once, kept in a file."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from scripts.main_content import labels
from scripts.main_content.labels import label_blocks, words_of
from transforms.archives.encoding import decode_html
from transforms.archives.warc import read_warc
from transforms.blocks.dedup import deduplicate
from transforms.blocks.extract import page_blocks
from transforms.blocks.main_content.features import COLUMNS, measure_without_tokens
from transforms.blocks.main_content.outline import Outline
from transforms.blocks.main_content.rules import reasons_by_rules
from transforms.blocks.main_content.view import rows_of, view_page
from transforms.html.tree import parse_html
from transforms.records import Page

AFTER_THE_COLUMNS = frozenset({"model.py", "model_file.py", "decide.py", "select.py", "markdown.py"})
"""Sources that samples do not depend on."""


@dataclass
class Sample:
    """A page with its ground truth.

    matrix: (columns, rows), the token columns still empty. words: as features count them. blocks, truth: numbers of
    the page's own words as the benchmark counts them. present, absent: snippets that the text should have and should not. by_rules:
    which rows the rule method keeps.
    """

    id: str
    url: str
    site: str
    page_type: str
    matrix: NDArray[np.float32]
    outline: Outline
    words: NDArray[np.float64]
    labels: NDArray[np.float64]
    blocks: list[NDArray[np.int32]]
    truth: NDArray[np.int32]
    texts: list[str]
    present: tuple[str, ...]
    absent: tuple[str, ...]
    by_rules: NDArray[np.bool_]


@dataclass(frozen=True)
class Truth:
    """The ground truth of a page."""

    id: str
    page_type: str
    main_content: str
    present: tuple[str, ...]
    absent: tuple[str, ...]


def read_truth(path: Path) -> dict[str, Truth]:
    """The ground truth by record id."""
    import pyarrow.parquet as parquet

    return {
        row["record_id"]: Truth(
            row["id"], row["page_type"], row["main_content"] or "", tuple(row["with"] or ()), tuple(row["without"] or ())
        )
        for row in parquet.read_table(path).to_pylist()
    }


def labelled_pages(folder: Path) -> Iterator[tuple[Page, Truth]]:
    """The development pages in `folder` with their ground truth."""
    truths = read_truth(folder / "dev.parquet")
    for archive in sorted(folder.glob("dev-*.warc.gz")):
        for page in read_warc(str(archive)):
            if isinstance(page, Page) and page.source.record_id in truths:
                yield page, truths[page.source.record_id]


def make_sample(page: Page, truth: Truth) -> Sample:
    """Blocks as in production, their rows, and their labels."""
    found = page_blocks(parse_html(decode_html(page.body, page.content_type).text), page.url)
    deduplicated = deduplicate(found.blocks)
    rows = rows_of(deduplicated.kept)
    view = view_page(found, rows, page.url, len(deduplicated.repeats))
    matrix = np.zeros((len(COLUMNS), len(rows)), np.float32)
    if rows:
        measure_without_tokens(view, matrix)
    numbers: dict[str, int] = {}

    def numbered(text: str) -> NDArray[np.int32]:
        return np.array([numbers.setdefault(word, len(numbers)) for word in words_of(text)], np.int32)

    blocks = [numbered(block.text) for block in rows]
    wanted = numbered(truth.main_content)
    return Sample(
        id=truth.id,
        url=page.url,
        site=site_of(page.url, truth.id),
        page_type=truth.page_type,
        matrix=matrix,
        outline=view.outline,
        words=view.words,
        labels=label_blocks([block.tolist() for block in blocks], wanted.tolist()),
        blocks=blocks,
        truth=wanted,
        texts=[block.text for block in rows],
        present=truth.present,
        absent=truth.absent,
        by_rules=np.array([reason is None for reason in reasons_by_rules(view)] if rows else [], bool),
    )


def site_of(url: str, page: str) -> str:
    """The registered domain of a URL; a page without a host that has one is a site of its own."""
    import tldextract

    extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    try:
        domain = extract(urlsplit(url).hostname or "").top_domain_under_public_suffix
    except ValueError:
        domain = ""
    return domain or f"page {page}"


def load_samples(folder: Path, cache: Path | None) -> list[Sample]:
    """The samples of all pages, sorted by id; read from `cache` where it was made from the same pages, code and columns."""
    key = _key(folder)
    if cache is not None and cache.is_file():
        with cache.open("rb") as file:
            stored_key, stored = pickle.load(file)
        if stored_key == key:
            return list(stored)
    samples = sorted((make_sample(page, truth) for page, truth in labelled_pages(folder)), key=lambda sample: sample.id)
    if cache is not None:
        cache.parent.mkdir(parents=True, exist_ok=True)
        with cache.open("wb") as file:
            pickle.dump((key, samples), file, protocol=pickle.HIGHEST_PROTOCOL)
    return samples


def data_digest(folder: Path) -> str:
    """A hash of the pages and their ground truth."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("dev-*.warc.gz"), folder / "dev.parquet"]):
        digest.update(path.name.encode())
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()


def _key(folder: Path) -> str:
    """Changes with the data and with all code that blocks and columns are made by."""
    root = Path(__file__).resolve().parents[2]
    made_by = [*(root / "transforms/blocks").rglob("*.py"), *(root / "transforms/html").rglob("*.py")]
    sources = [*made_by, Path(__file__), Path(labels.__file__)]
    digest = hashlib.sha256(data_digest(folder).encode())
    for source in sorted(source for source in sources if source.name not in AFTER_THE_COLUMNS):
        digest.update(source.read_bytes())
    return digest.hexdigest()
