"""The board of main content: how well each method chooses on the WCXB development pages, and what each step costs.

    python -m scripts.bench.main_content --pages FOLDER [--cache FILE] [--predictions FILE] [--cost-pages N] [--ablation] [--types]

The model's figures are out of fold, from the file that `scripts.train_main_content --predictions` wrote, else trained here. Other
extractors (optional dependencies `bench`) run on the same pages. Times are CPU time of this process, single-threaded.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import util
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from scripts.main_content.labels import words_of
from scripts.main_content.samples import Sample, labelled_pages, load_samples
from scripts.main_content.scoring import word_f1
from scripts.main_content.training import Probabilities
from scripts.main_content.validation import (
    SEEDS,
    Setup,
    choose_all,
    choose_by_labels,
    choose_by_model,
    mean_report,
    out_of_fold,
    prepare,
    report,
    without_type,
)
from transforms.archives.encoding import decode_html
from transforms.blocks.dedup import Deduplicated, deduplicate
from transforms.blocks.extract import PageBlocks, page_blocks
from transforms.blocks.main_content.characters import Matrix
from transforms.blocks.main_content.config import MainContentConfig
from transforms.blocks.main_content.decide import decide
from transforms.blocks.main_content.features import COLUMNS, GROUPS, TOKEN_COLUMNS, TOKENS, measure_rows
from transforms.blocks.main_content.model import shipped_model
from transforms.blocks.main_content.select import select_main_content
from transforms.blocks.main_content.view import rows_of, view_page
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document
from transforms.documents.isolate_worker import warm_up
from transforms.html.tree import parse_html

LARGE_PAGE = 100  # rows


def main(arguments: list[str]) -> int:
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(description="How well main content is chosen on the WCXB development pages, and at what cost.")
    parser.add_argument("--pages", type=Path, required=True, help="folder with dev-*.warc.gz and dev.parquet")
    parser.add_argument("--cache", type=Path, default=None, help="file that keeps the measured pages between calls")
    parser.add_argument("--predictions", type=Path, default=None, help="out-of-fold probabilities of scripts.train_main_content")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--cost-pages", type=int, default=300, help="how many pages the times are taken of; 0: none")
    parser.add_argument("--ablation", action="store_true", help="train without each group of columns")
    parser.add_argument("--types", action="store_true", help="train without each page type and test on it")
    chosen = parser.parse_args(arguments)
    samples = load_samples(chosen.pages, chosen.cache)
    setup = prepare(samples)
    predictions = read_predictions(chosen.predictions, samples) if chosen.predictions else {}
    for seed in chosen.seeds:
        if seed not in predictions:
            predictions[seed] = out_of_fold(setup, seed)
    print_board(samples, [predictions[seed] for seed in chosen.seeds])
    for name, extract in other_extractors():
        print_row(name, report_of_texts(chosen.pages, samples, extract))
    if chosen.types:
        print_types(setup, predictions[chosen.seeds[0]], chosen.seeds[0])
    if chosen.ablation:
        print_ablation(setup, chosen.seeds)
    if chosen.cost_pages:
        print_cost(chosen.pages, chosen.cost_pages)
    return 0


def read_predictions(path: Path, samples: Sequence[Sample]) -> dict[int, Probabilities]:
    """The stored probabilities by seed. Raises ValueError where they are of other pages or blocks."""
    stored = np.load(path)
    rows = [len(sample.words) for sample in samples]
    if stored["ids"].tolist() != [sample.id for sample in samples] or stored["rows"].tolist() != rows:
        raise ValueError(f"{path}: made of other pages or other blocks than these; run scripts.train_main_content again")
    edges = np.cumsum(rows)[:-1]
    return {int(name.removeprefix("seed_")): np.split(stored[name], edges) for name in stored if name.startswith("seed_")}


def print_board(samples: Sequence[Sample], predictions: Sequence[Probabilities]) -> None:
    """The model beside the other ways to choose blocks."""
    types = sorted({sample.page_type for sample in samples})
    print(f"{'':24}{'F1':>7}{'P':>7}{'R':>7}{'with':>7}{'without':>9}   F1 by type: {' '.join(f'{name[:8]:>8}' for name in types)}")
    reports = [report(samples, choose_by_model(samples, found)) for found in predictions]
    for number, found in enumerate(reports, 1):
        print_row(f"model, seed {number} of {len(reports)}", found)
    print_row("model, mean", mean_report(reports))
    print_row("rules", report(samples, [sample.by_rules for sample in samples]))
    print_row("off", report(samples, choose_all(samples)))
    print_row("labels choose", report(samples, choose_by_labels(samples)))


def print_row(name: str, found: dict[str, Any]) -> None:
    of_types = " ".join(f"{own['f1']:8.4f}" for own in found["types"].values())
    figures = "".join(f"{found[key]:7.4f}" for key in ("f1", "precision", "recall", "with"))
    print(f"{name:24}{figures}{found['without']:9.4f}               {of_types}", flush=True)


def other_extractors() -> Iterator[tuple[str, Callable[[str, str], str]]]:
    """Those that are installed, with the settings that do best on these pages (main_content_findings.md 1)."""
    if util.find_spec("resiliparse") is not None:
        from resiliparse.extract.html2text import extract_plain_text

        yield "resiliparse", lambda html, url: extract_plain_text(html, main_content=True, alt_texts=False)
    if util.find_spec("trafilatura") is not None:
        import trafilatura

        yield "trafilatura", lambda html, url: trafilatura.extract(html, url=url) or ""


def report_of_texts(folder: Path, samples: Sequence[Sample], extract: Callable[[str, str], str]) -> dict[str, Any]:
    """The same figures for an extractor that gives a page's text."""
    by_id = {sample.id: sample for sample in samples}
    totals: dict[str, list[tuple[float, float, float]]] = {}
    present: list[float] = []
    absent: list[float] = []
    seconds = 0.0
    for page, truth in labelled_pages(folder):
        html = decode_html(page.body, page.content_type).text
        begin = time.process_time()
        text = extract(html, page.url)
        seconds += time.process_time() - begin
        numbers: dict[str, int] = {}
        said, wanted = (
            np.array([numbers.setdefault(word, len(numbers)) for word in words_of(of)], np.int32)
            for of in (text, truth.main_content)
        )
        score = word_f1(said, wanted)
        totals.setdefault(by_id[truth.id].page_type, []).append((score.f1, score.precision, score.recall))
        plain = " ".join(text.lower().split())
        for snippets, found in ((truth.present, present), (truth.absent, absent)):
            if snippets:
                found.append(sum(" ".join(snippet.lower().split()) in plain for snippet in snippets) / len(snippets))
    print(f"{'':24}{1000 * seconds / len(samples):.2f} CPU ms a page")
    scores = np.array([score for own in totals.values() for score in own]).mean(axis=0)
    return {
        **dict(zip(("f1", "precision", "recall"), scores.tolist(), strict=True)),
        "with": float(np.mean(present)),
        "without": float(np.mean(absent)),
        "types": {name: {"f1": float(np.mean([score[0] for score in own]))} for name, own in sorted(totals.items())},
    }


def print_types(setup: Setup, full: Probabilities, seed: int) -> None:
    """Does it travel: each type judged by a model that has seen none of its pages, nor their sites."""
    print("\nwithout the type in training    pages    F1   full model (out of fold)")
    whole = report(setup.samples, choose_by_model(setup.samples, full))
    for page_type, own in whole["types"].items():
        of_type = [sample for sample in setup.samples if sample.page_type == page_type]
        found = report(of_type, without_type(setup, page_type, seed))
        print(f"{page_type:30}{own['pages']:7}{found['f1']:8.4f}{own['f1']:8.4f}", flush=True)


def print_ablation(setup: Setup, seeds: Sequence[int]) -> None:
    """What the model reaches without each group of columns."""
    print("\ncolumns                         number      F1   change")
    groups = {group.name: group.columns for group in GROUPS} | {TOKENS: TOKEN_COLUMNS}

    def f1(columns: Sequence[int] | None) -> float:
        found = [report(setup.samples, choose_by_model(setup.samples, out_of_fold(setup, seed, columns)))["f1"] for seed in seeds]
        return float(np.mean(found))

    whole = f1(None)
    print(f"{'all':30}{len(COLUMNS):8}{whole:9.4f}", flush=True)
    for name, columns in groups.items():
        left = [number for number, column in enumerate(COLUMNS) if column not in columns]
        found = f1(left)
        print(f"- {name:28}{len(left):8}{found:9.4f}{found - whole:+9.4f}", flush=True)


class Clock:
    """CPU seconds by step. Each step is done twice and the second time counts, so that no first use is charged to a page."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(self, step: str, work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
        """What the work gives, and its seconds."""
        work(*arguments)
        begin = time.process_time()
        result = work(*arguments)
        spent = time.process_time() - begin
        self.seconds[step] = self.seconds.get(step, 0.0) + spent
        return result, spent


def print_cost(folder: Path, pages: int) -> None:
    """CPU time of each step, and of the whole way from HTML to document, with memory managed as where pages are extracted."""
    warm_up()
    model = shipped_model()
    config = MainContentConfig("model")
    whole = ExtractConfig(isolation="none", main_content=config)
    clock = Clock()
    per_row: list[float] = []
    done = 0

    def measure(found: PageBlocks, kept: Deduplicated, url: str) -> Matrix:
        return measure_rows(view_page(found, rows_of(kept.kept), url, len(kept.repeats)), model.scores)

    for page, _ in islice(labelled_pages(folder), pages):
        done += 1
        decoded, _ = clock.timed("decode", decode_html, page.body, page.content_type)
        tree, _ = clock.timed("bare parse", parse_html, decoded.text)
        found, _ = clock.timed("walk and blocks", page_blocks, tree, page.url)
        kept, _ = clock.timed("deduplicate", deduplicate, found.blocks)
        rows = len(rows_of(kept.kept))
        if rows:
            matrix, spent = clock.timed("features", measure, found, kept, page.url)
            probabilities, more = clock.timed("prediction", model.predict, matrix)
            clock.timed("decoding", decide, probabilities, np.ones(rows))
            if rows > LARGE_PAGE:
                per_row.append(1e6 * (spent + more) / rows)
        clock.timed("features to marked blocks", select_main_content, found, kept, page.url, config)
        clock.timed("HTML to document", extract_document, page, whole)
    seconds = clock.seconds
    print(f"\nCPU ms a page, {done} pages")
    for name, spent in seconds.items():
        print(f"{name:28}{1000 * spent / done:8.2f}{spent / seconds['bare parse']:8.2f} x bare parse")
    share = (seconds["features"] + seconds["prediction"]) / seconds["bare parse"]
    print(f"features and prediction: {share:.2f} x bare parse")
    if per_row:
        ordered = np.sort(per_row)
        print(
            f"µs a block on pages of over {LARGE_PAGE}: median {np.median(ordered):.1f}, "
            f"99th percentile {np.percentile(ordered, 99):.1f}, most {ordered[-1]:.1f}"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
