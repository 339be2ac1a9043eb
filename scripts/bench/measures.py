"""What measuring and judging a document costs, measure by measure: documents per CPU second.

    python -m scripts.bench.measures crawl/*.warc.gz [--config obelics] [--every 5] [--rounds 3] [--profile]

Each measure is taken of every paragraph and of every document that the pages of the archives make; `all` is what a run does: it
measures paragraphs and documents and judges them. A figure is the least of the rounds. Reference (filters.md 9): 36 documents a CPU
second for node and document rules, on 300 documents. Figures depend on the machine; its load stands beside them.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import process_time

from filters.measures import (
    PerplexityConfig,
    TextProfile,
    identify_language,
    measure_image,
    profile_text,
    score_text,
)
from filters.measures.language import language_probability
from filters.measures.repetition import character_repetition, word_repetition
from filters.measures.text import count_hits
from filters.rules import ActiveRules
from filters.words import split_words
from pipelines.config import Config, load_config
from scripts.bench.isolation import read_pages
from transforms.documents.assemble import judge_document, score_document
from transforms.documents.extract import extract_document
from transforms.records import Document, ImageRef

PROFILED_FUNCTIONS = 30
NO_MODELS = PerplexityConfig(models={})


@dataclass
class Measured:
    """A document made ready for its measures, one at a time. texts, profiles: of its paragraphs; whole: of all of them."""

    document: Document
    texts: list[str]
    profiles: list[TextProfile]
    whole: TextProfile
    images: list[ImageRef]

    @property
    def language(self) -> str:
        return self.document.language


def prepare(document: Document) -> Measured:
    """The paragraphs of a document and what the measures are made of."""
    texts = [paragraph.text for node in document.nodes for paragraph in node.paragraphs if paragraph.kind != "boundary"]
    profiles = [profile_text(text) for text in texts]
    images = [node.image for node in document.nodes if node.image is not None]
    return Measured(document, texts, profiles, profile_text("\n\n".join(texts)), images)


def of_profiles(measure: Callable[[TextProfile, str], object], each: Measured) -> None:
    """A measure of every paragraph and of the document."""
    for profile in (*each.profiles, each.whole):
        measure(profile, each.language)


def of_texts(measure: Callable[[str], object], each: Measured) -> None:
    """What is done to paragraphs alone; documents add it up."""
    for text in each.texts:
        measure(text)


STEPS: dict[str, Callable[[Measured], object]] = {
    "profile: words, characters, tokens": partial(of_texts, profile_text),
    "of it words": partial(of_texts, split_words),
    "words in lists: stop, spam, flagged, common": lambda each: [count_hits(p, each.language) for p in each.profiles],
    "character repetition": partial(of_profiles, lambda profile, _: character_repetition(profile.text)),
    "word repetition": partial(of_profiles, lambda profile, _: word_repetition(profile.words.items)),
    "images": lambda each: [measure_image(image, None) for image in each.images],
    "perplexity": lambda each: [score_text(text, each.language, PerplexityConfig()) for text in each.texts],
    "language, of the document": lambda each: identify_language("\n".join(each.texts)),
    "language, of each paragraph": lambda each: [language_probability(text, each.language) for text in each.texts],
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", help="WARC files")
    parser.add_argument("--config", default="default", help="whose profile and rules (default: default)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every N-th page (default: 1)")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many measurements counts (default: 3)")
    parser.add_argument("--profile", action="store_true", help="also print the functions that take longest")
    options = parser.parse_args()
    config = load_config(options.config)
    pages = [page for archive in options.archives for page in read_pages(archive, sys.maxsize)[:: options.every]]
    found = [extract_document(page, config.extract) for page in pages]
    documents = [document for document in found if isinstance(document, Document)]
    if not documents:
        parser.error("the pages of these archives make no document")
    measured = [prepare(document) for document in documents]
    print(
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {len(documents):,} documents, "
        f"{sum(len(each.texts) for each in measured):,} paragraphs, "
        f"{sum(len(each.whole.words.items) for each in measured):,} words, "
        f"{sum(len(each.images) for each in measured):,} images, best of {options.rounds}\n",
        flush=True,
    )
    passes = {name: partial(_each, step, measured) for name, step in STEPS.items()}
    passes["**all**, without perplexity"] = partial(_score, documents, config, NO_MODELS)
    passes["**all**"] = partial(_score, documents, config, config.perplexity)
    passes["judged again"] = partial(_judge_again, documents, config)
    print("| measure | CPU ms a document | documents a CPU second |\n|---|---:|---:|")
    for name, seconds in ((name, best_of(options.rounds, run)) for name, run in passes.items()):
        print(f"| {name} | {1000 * seconds / len(documents):.3f} | {len(documents) / seconds:,.0f} |", flush=True)
    if options.profile:
        profiler = cProfile.Profile()
        profiler.runcall(_score, documents, config, config.perplexity)
        pstats.Stats(profiler).sort_stats("tottime").print_stats(PROFILED_FUNCTIONS)
    return 0


def best_of(rounds: int, run: Callable[[], float]) -> float:
    """The least CPU seconds of so many runs."""
    return min(run() for _ in range(rounds))


def _each(step: Callable[[Measured], object], measured: Sequence[Measured]) -> float:
    started = process_time()
    for each in measured:
        step(each)
    return process_time() - started


def _score(documents: Sequence[Document], config: Config, perplexity: PerplexityConfig) -> float:
    rules = config.effective_rules()
    started = process_time()
    for document in documents:
        score_document(document, {}, rules, config.documents, perplexity)
    return process_time() - started


def _judge_again(documents: Sequence[Document], config: Config) -> float:
    """With the measures at hand, as `interleaf retune` does."""
    rules = config.effective_rules()
    scored = [score_document(document, {}, rules, config.documents)[0] for document in documents]
    active = ActiveRules(rules)
    started = process_time()
    for document in scored:
        judge_document(document, active, config.documents)
    return process_time() - started


if __name__ == "__main__":
    sys.exit(main())
