"""Our `obelics` profile beside the reference's output: what differs and why, word F1, and what extraction costs (obelics.md 8, 9).

    python -m scripts.bench.compare_obelics ARCHIVES… --reference obelics_wcxb_dev.parquet --truth dev.parquet [--every 5]

Pages are decoded as UTF-8 with replacement, as the reference's were. Every difference is attributed to one fix of obelics.md 7 by
evidence on the page (scripts/bench/obelics_fixes.py), or it is unexplained. Exit status 1 when more than 2 % of the reference's
text characters or images are.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import pyarrow.parquet as pq

from scripts.bench.isolation import read_pages
from scripts.bench.obelics_alignment import IMAGE_MARK, INVISIBLE, PageReading, matches, read_ours, reference_tokens
from scripts.bench.obelics_fixes import Evidence, explain, find_differences
from transforms.documents.obelics import ObelicsPage, read_obelics_page
from transforms.html.simplify_tags import ObelicsConfig
from transforms.html.tree import parse_html
from transforms.records import ImageRef, Node

UNEXPLAINED = "unexplained"
MOST_UNEXPLAINED = 0.02  # of the reference's characters, and of its images
PAGE_TO_LOOK_AT = 0.2  # share of unexplained characters above which a page is listed
SLOWEST = 10
_WORDS = re.compile(r"\w+")


@dataclass
class PageResult:
    """One page's figures.

    text, images: differing characters and images, by fix. fields: of the images that both have, by field and verdict.
    """

    id: str
    page_type: str
    characters: int
    reference_images: int
    identical: bool
    text: Counter[str] = field(default_factory=Counter)
    images: Counter[str] = field(default_factory=Counter)
    fields: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    f1: float = 0.0
    reference_f1: float = 0.0
    parse_seconds: float = 0.0
    seconds: float = 0.0
    is_empty: bool = False


def compare_page(html: str, row: Mapping[str, Any], truth: Mapping[str, Any], rounds: int) -> PageResult:
    """Reads a page, times that, and compares it with the reference's row."""
    url = row["url"]
    parsing, reading_seconds = [], []
    for _ in range(rounds):
        started = process_time()
        tree = parse_html(html)
        parsed = process_time()
        page = read_obelics_page(tree, url, ObelicsConfig())
        parsing.append(parsed - started)
        reading_seconds.append(process_time() - started)
    nodes = row["nodes"]
    texts = [node["text"] for node in nodes if node["kind"] == "text"]
    result = PageResult(
        row["id"],
        truth["page_type"],
        characters=sum(map(len, texts)),
        reference_images=sum(node["kind"] == "image" for node in nodes),
        identical=_outline_of(page) == [(n["kind"], n["text"] or n["unformatted_src"]) for n in nodes],
        parse_seconds=min(parsing),
        seconds=min(reading_seconds),
        is_empty=not page.nodes,
    )
    reading = read_ours(html, tree, url)
    evidence = Evidence(reading)
    for difference in find_differences(reading, reference_tokens(nodes)):
        fix = explain(evidence, difference) or UNEXPLAINED
        counter = result.images if difference.is_image else result.text
        counter[fix] += difference.size
        if fix == UNEXPLAINED:
            result.examples.append(
                f"{difference.kind} {difference.text!r} {difference.theirs!r} -> {difference.ours!r}"
                + (f" rule {difference.piece.rule}" if difference.piece else " nowhere on the page")
            )
    result.fields = compare_fields(page, reading, nodes)
    result.f1 = word_f1("\n\n".join(node.text for node in page.nodes if node.text is not None), truth["main_content"])
    result.reference_f1 = word_f1("\n\n".join(texts), truth["main_content"])
    return result


def _outline_of(page: ObelicsPage) -> list[tuple[str, str | None]]:
    return [(node.kind, node.image.unformatted_src if node.image else node.text) for node in page.nodes]


def compare_fields(page: ObelicsPage, reading: PageReading, nodes: Sequence[Mapping[str, Any]]) -> Counter[tuple[str, str]]:
    """Fields of the images that both readings have: equal, or the fix of obelics.md 7 that makes the difference."""
    ours = [(token, node.image) for token, node in zip(_images(reading), _image_nodes(page), strict=True)]
    theirs = [node for node in nodes if node["kind"] == "image"]
    counts: Counter[tuple[str, str]] = Counter()
    for start, other, length in matches([IMAGE_MARK + (n["unformatted_src"] or "") for n in theirs], [token for token, _ in ours]):
        for node, (_, image) in zip(theirs[start : start + length], ours[other : other + length], strict=True):
            if image is not None:
                counts.update((name, verdict) for name, verdict in _field_verdicts(image, node))
    return counts


def _images(reading: PageReading) -> list[str]:
    return [token.text for token in reading.tokens if token.is_image]


def _image_nodes(page: ObelicsPage) -> list[Node]:
    return [node for node in page.nodes if node.image is not None]


def _field_verdicts(image: ImageRef, theirs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    is_same_reference = image.unformatted_src == theirs["unformatted_src"]
    other_source = "url-resolve" if is_same_reference else "url-chars" if len(image.candidates) > 2 else "lazy-first"
    yield "src", "equal" if image.href == theirs["src"] else other_source
    alt = theirs["alt"]
    normal = " ".join(INVISIBLE.sub("", alt or "").split()) or None
    yield "alt", "equal" if image.alt == alt else "unicode-space" if image.alt == normal else UNEXPLAINED
    same_name = image.formatted_filename == theirs["formatted_filename"]
    yield "formatted_filename", "equal" if same_name else "filename" if is_same_reference else other_source
    for side in ("rendered_width", "rendered_height"):
        value, other = getattr(image, side), theirs[side]
        # Zero is no size, `auto` and values with a unit or fraction are: obelics.md 5.3.
        yield side, "equal" if value == other else "size" if value is None or other is None else UNEXPLAINED


def word_f1(text: str, truth: str) -> float:
    """F1 of two bags of words; an empty truth is met by an empty text alone."""
    predicted, wanted = Counter(_WORDS.findall(text.lower())), Counter(_WORDS.findall((truth or "").lower()))
    if not wanted:
        return float(not predicted)
    overlap = (predicted & wanted).total()
    return 2 * overlap / (predicted.total() + wanted.total()) if overlap else 0.0


def report(results: Sequence[PageResult], show: int) -> bool:
    """Prints all tables. Whether the unexplained rest is within its bound."""
    characters, images = sum(r.characters for r in results), sum(r.reference_images for r in results)
    print(
        f"{len(results)} pages, {characters} characters, {images} images; identical node lists {sum(r.identical for r in results)}"
    )
    print(f"pages without a node: {sum(r.is_empty for r in results)}\n")
    print("| fix | characters | % | pages | images | % | pages |\n|---|---:|---:|---:|---:|---:|---:|")
    text, pictures = Counter[str](), Counter[str]()
    for result in results:
        text.update(result.text)
        pictures.update(result.images)
    for fix in sorted({*text, *pictures}, key=lambda fix: (fix == UNEXPLAINED, -text[fix])):
        pages, picture_pages = sum(fix in r.text for r in results), sum(fix in r.images for r in results)
        print(
            f"| {fix} | {text[fix]} | {100 * text[fix] / characters:.3f} | {pages} "
            f"| {pictures[fix]} | {100 * pictures[fix] / images:.2f} | {picture_pages} |"
        )
    fields = Counter[tuple[str, str]]()
    for result in results:
        fields.update(result.fields)
    print("\n| image field | verdict | images |\n|---|---|---:|")
    for (name, verdict), count in sorted(fields.items()):
        print(f"| {name} | {verdict} | {count} |")
    print("\n| type | pages | F1 | reference | unexplained % |\n|---|---:|---:|---:|---:|")
    types = ["all", *sorted({r.page_type for r in results})]
    for name in types:
        some = [r for r in results if name in ("all", r.page_type)]
        rest, of = sum(r.text[UNEXPLAINED] for r in some), sum(r.characters for r in some)
        f1, reference = (sum(values) / len(some) for values in ([r.f1 for r in some], [r.reference_f1 for r in some]))
        print(f"| {name} | {len(some)} | {f1:.4f} | {reference:.4f} | {100 * rest / max(of, 1):.3f} |")
    worst = sorted(results, key=lambda r: -r.text[UNEXPLAINED] - r.images[UNEXPLAINED])[:show]
    print("\nworst pages: id, unexplained characters, images; an example")
    for result in worst:
        if result.examples:
            print(f"  {result.id} {result.text[UNEXPLAINED]} {result.images[UNEXPLAINED]}  {result.examples[0][:200]}")
    listed = [r.id for r in results if r.text[UNEXPLAINED] > PAGE_TO_LOOK_AT * max(r.characters, 1)]
    print(f"pages under `parser`, construct </>: {', '.join(r.id for r in results if r.text['parser']) or 'none'}")
    print(f"pages with more than {PAGE_TO_LOOK_AT:.0%} unexplained: {', '.join(listed) or 'none'}\n")
    _report_cost(results)
    return text[UNEXPLAINED] <= MOST_UNEXPLAINED * characters and pictures[UNEXPLAINED] <= MOST_UNEXPLAINED * images


def _report_cost(results: Sequence[PageResult]) -> None:
    seconds = sorted(r.seconds for r in results)
    total, parse = sum(seconds), sum(r.parse_seconds for r in results)
    quantiles = {share: seconds[min(int(share * len(seconds)), len(seconds) - 1)] for share in (0.5, 0.9, 0.99)}
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{len(results) / total:.1f} documents a CPU second, parse included")
    print(f"bare parse {len(results) / parse:.0f} a second; extraction costs {total / parse:.2f} of them")
    print("latency " + ", ".join(f"p{share * 100:.0f} {1000 * value:.1f} ms" for share, value in quantiles.items()))
    print(f"ten slowest pages: {100 * sum(seconds[-SLOWEST:]) / total:.1f} % of the time")
    for result in sorted(results, key=lambda r: -r.seconds)[:SLOWEST]:
        print(f"  {result.id} {1000 * result.seconds:.1f} ms, of which parse {1000 * result.parse_seconds:.1f} ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files of the pages")
    parser.add_argument("--reference", required=True, type=Path, help="table with the reference's nodes: id, url, nodes")
    parser.add_argument("--truth", required=True, type=Path, help="table with id, record_id, page_type, main_content")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every N-th page (default: 1)")
    parser.add_argument("--rounds", type=int, default=1, help="the least of so many timings counts (default: 1)")
    parser.add_argument("--show", type=int, default=20, help="pages to list (default: 20)")
    options = parser.parse_args()
    truth = {row["record_id"]: row for row in pq.read_table(options.truth).to_pylist()}
    reference = {row["id"]: row for row in pq.read_table(options.reference).to_pylist()}
    chosen = set(sorted(reference)[:: options.every])
    # As in a worker: the collector need not look at what is here for good.
    gc.collect()
    gc.freeze()
    results = []
    for archive in options.archives:
        for page in read_pages(archive, sys.maxsize):
            row = truth.get(page.source.record_id)
            if row is not None and row["id"] in chosen:
                results.append(compare_page(page.body.decode("utf-8", "replace"), reference[row["id"]], row, options.rounds))
    if not results:
        parser.error("no page of these archives is in both tables")
    return 0 if report(sorted(results, key=lambda r: r.id), options.show) else 1


if __name__ == "__main__":
    sys.exit(main())
