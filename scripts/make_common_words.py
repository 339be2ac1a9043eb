"""Makes the list of common English words: those in at least three texts of the WCXB development pages (filters.md 2.3).

    python -m scripts.make_common_words --pages FOLDER [--out filters/lists/common_words.en.txt]

FOLDER has `dev.parquet`, the ground truth. Prints at which limits of the rules `common_words` which share of the texts would fail,
each measured with a list that its own site had no part in.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from urllib.parse import urlsplit

import pyarrow.parquet as pq

from filters.measures.language import identify_language
from filters.words import words

LANGUAGE = "en"
MIN_TEXTS = 3
SHARES = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5)
# What the paragraph and the document rule judge has at least so many words.
MIN_PARAGRAPH_WORDS = 4
MIN_DOCUMENT_WORDS = 10

HEADER = f"""\
# Words in at least {MIN_TEXTS} main texts of the WCXB development pages, in all their languages ("WCXB: Web Content eXtraction
# Benchmark", Murrough Foley, 2026, CC-BY-4.0, github.com/Murrough-Foley/web-content-extraction-benchmark); changes: words of our
# own splitting, counted by texts, those of digits left out. Made by scripts/make_common_words.py.
"""


@dataclass(frozen=True)
class Text:
    """A main text: the site it is from, its language, the words of its lines."""

    site: str
    language: str
    lines: tuple[tuple[str, ...], ...]

    @property
    def distinct(self) -> set[str]:
        return {word for line in self.lines for word in line}


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(description="Makes the list of common English words.")
    parser.add_argument("--pages", type=Path, required=True, help="folder with dev.parquet")
    parser.add_argument("--out", type=Path, default=Path("filters/lists/common_words.en.txt"))
    chosen = parser.parse_args(arguments)
    texts = list(read_texts(chosen.pages / "dev.parquet"))
    entries = common_words(texts)
    chosen.out.write_text(HEADER + "\n".join(wrap(" ".join(entries), 130, break_on_hyphens=False)) + "\n", encoding="utf-8")
    print(f"{len(entries):,} words of {len(texts):,} texts")
    for name, ratios in zip(("paragraphs", "documents"), unseen_ratios(texts), strict=True):
        ordered = sorted(ratios)
        quantiles = ", ".join(f"{share:.0%}: {ordered[int(share * len(ordered))]:.3f}" for share in SHARES)
        print(f"{name} with a list that has not seen their site: {len(ordered):,}; {quantiles}")
    return 0


def read_texts(path: Path) -> Iterator[Text]:
    """The main texts of the ground truth, in its order."""
    for row in pq.read_table(path, columns=["url", "main_content"]).to_pylist():
        text = row["main_content"] or ""
        lines = tuple(tuple(words(line)) for line in text.splitlines() if line.strip())
        yield Text(urlsplit(row["url"]).hostname or "", identify_language(text).language, lines)


def common_words(texts: Iterable[Text]) -> list[str]:
    """The entries in order. One with `#` could not be told from a comment; one of digits is common without a list."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text.distinct)
    return sorted(word for word, count in counts.items() if count >= MIN_TEXTS and not word.isdecimal() and "#" not in word)


def unseen_ratios(texts: Sequence[Text]) -> tuple[list[float], list[float]]:
    """`common_word_ratio` of every English line and text long enough to be judged, by the words that enough other sites have."""
    sites: dict[str, set[str]] = {}
    for text in texts:
        sites.setdefault(text.site, set()).update(text.distinct)
    counts = Counter(word for found in sites.values() for word in found)
    of_lines, of_texts = [], []
    for text in texts:
        if text.language != LANGUAGE:
            continue
        own = sites[text.site]
        hits = [sum(word.isdecimal() or counts[word] - (word in own) >= MIN_TEXTS for word in line) for line in text.lines]
        of_lines += [hit / len(line) for hit, line in zip(hits, text.lines, strict=True) if len(line) >= MIN_PARAGRAPH_WORDS]
        total = sum(map(len, text.lines))
        if total >= MIN_DOCUMENT_WORDS:
            of_texts.append(sum(hits) / total)
    return of_lines, of_texts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
