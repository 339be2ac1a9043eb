"""Trains the small English model that perplexity is measured with, and writes it with its card (models.md 3).

    scripts/build_kenlm_tools.sh TOOLS
    python -m scripts.train_perplexity_model --pages FOLDER --tools TOOLS/bin [--out configs/models]

FOLDER has `dev.parquet`, the ground truth of WCXB's development pages. Run twice it writes the same bytes. The model itself has
seen all pages, so its figures on them mean nothing; those of the card are of models that had seen no page of the same site.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq

from filters.measures.language import identify_language
from filters.measures.model_lines import MIN_TOKENS, OWN_LINES_VERSION, own_lines
from filters.measures.perplexity import SHIPPED_ENGLISH, Likelihood, PerplexityConfig, join_likelihoods, load_model, score_text
from scripts.main_content.folds import FOLDS, assign_folds

CARD = "perplexity.en.card.json"
LANGUAGE = "en"
ORDER = 3
PRUNE = ("0", "1", "1")
QUANTISED = ("-q", "8", "-b", "8", "trie")

HELD_OUT_SENTENCES = 1_000
MIN_HELD_OUT_TOKENS = 8
SEED = 1
PERCENTS = (1, 5, 25, 50, 75, 90, 95, 98, 99)
# What the paragraph and the document rule judge has at least so many words.
MIN_PARAGRAPH_WORDS = 4

DATA = {
    "name": "WCXB: Web Content eXtraction Benchmark, development pages, main_content",
    "author": "Murrough Foley, 2026",
    "licence": "CC-BY-4.0",
    "source": "github.com/Murrough-Foley/web-content-extraction-benchmark",
    "changes": "sentences, lower-cased, digits as 0, words and marks apart; the model holds counts of three tokens in a row",
}


@dataclass(frozen=True)
class Page:
    """The main text of a page, the fold it is held out with, and its language."""

    text: str
    fold: int
    language: str


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(description="Trains the small English model that perplexity is measured with.")
    parser.add_argument("--pages", type=Path, required=True, help="folder with dev.parquet")
    parser.add_argument("--tools", type=Path, required=True, help="folder with lmplz and build_binary")
    parser.add_argument("--out", type=Path, default=Path("configs/models"), help="folder for the model and its card")
    chosen = parser.parse_args(arguments)
    missing = [name for name in ("lmplz", "build_binary") if not (chosen.tools / name).is_file()]
    if missing:
        parser.error(f"--tools {chosen.tools}: has no {' and no '.join(missing)}; scripts/build_kenlm_tools.sh FOLDER builds them")
    data = chosen.pages / "dev.parquet"
    pages = read_pages(data)
    chosen.out.mkdir(parents=True, exist_ok=True)
    model = chosen.out / SHIPPED_ENGLISH
    estimate((page.text for page in pages), model, chosen.tools)
    card = model_card(pages, model, hashlib.sha256(data.read_bytes()).hexdigest(), chosen.tools)
    (chosen.out / CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    json.dump({"bytes": card["bytes"], **card["figures"]}, sys.stdout, indent=1)
    print()
    return 0


def read_pages(path: Path) -> list[Page]:
    """The pages of the ground truth, in its order, the pages of a site in one fold."""
    rows = pq.read_table(path, columns=["url", "page_type", "main_content"]).to_pylist()
    folds = assign_folds([urlsplit(row["url"]).hostname or "" for row in rows], [row["page_type"] for row in rows])
    texts = [row["main_content"] or "" for row in rows]
    return [Page(text, fold, identify_language(text).language) for text, fold in zip(texts, folds, strict=True)]


def estimate(texts: Iterable[str], model: Path, tools: Path) -> None:
    """Estimates an interpolated modified Kneser-Ney model of the lines of `texts` and writes it as kenlm's quantised trie."""
    lines = "".join(f"{line}\n" for text in texts for line in own_lines(text)).encode("utf-8", "replace")
    with tempfile.TemporaryDirectory() as folder:
        arpa = Path(folder) / "model.arpa"
        _run([tools / "lmplz", "-o", str(ORDER), "--prune", *PRUNE, "-S", "1G", "-T", f"{folder}/", "--arpa", arpa], lines)
        _run([tools / "build_binary", *QUANTISED, arpa, model])


def model_card(pages: Sequence[Page], model: Path, data: str, tools: Path) -> dict[str, Any]:
    """What the model is, what it was made of and how, and how it scores texts that it has not seen."""
    return {
        "model": model.name,
        "sha256": hashlib.sha256(model.read_bytes()).hexdigest(),
        "bytes": model.stat().st_size,
        "task": "perplexity of English text",
        "data": {**DATA, "pages": len(pages), "lines": sum(1 for page in pages for _ in own_lines(page.text)), "sha256": data},
        "recipe": {
            "lines": f"filters/measures/model_lines.py, own_lines, version {OWN_LINES_VERSION}; at least {MIN_TOKENS} tokens each",
            "estimate": f"lmplz -o {ORDER} --prune {' '.join(PRUNE)}",
            "store": f"build_binary {' '.join(QUANTISED)}",
            "versions": {"kenlm": metadata.version("kenlm")},
        },
        "figures": held_out_figures(pages, tools),
        "limits": (
            "A small model of 2.5 million tokens of 1,497 English pages: it tells text from word soup, not good text from better. "
            "Its values cannot be compared with those of CCNet's or OBELICS's models. It has seen WCXB's development pages, so a "
            "figure on these pages of a setting that uses it is in-sample."
        ),
    }


def held_out_figures(pages: Sequence[Page], tools: Path) -> dict[str, Any]:
    """Perplexities by models that had no page of the site: percentiles of English lines and texts, sentences and their shuffles."""
    documents: list[float] = []
    paragraphs: list[float] = []
    clean: list[Likelihood] = []
    shuffled: list[Likelihood] = []
    generator = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        for fold in range(FOLDS):
            model = Path(folder) / f"without-{fold}.bin"
            estimate((page.text for page in pages if page.fold != fold), model, tools)
            config = PerplexityConfig(models={LANGUAGE: str(model)})
            score, _ = load_model(str(model), None)
            unseen = [page for page in pages if page.fold == fold and page.language == LANGUAGE]
            for page in unseen:
                lines = [line for line in page.text.splitlines() if line.strip()]
                scored = [score_text(line, LANGUAGE, config) for line in lines]
                whole = join_likelihoods(scored)
                if whole is not None and whole.perplexity is not None:
                    documents.append(whole.perplexity)
                long = [found for line, found in zip(lines, scored, strict=True) if len(line.split()) >= MIN_PARAGRAPH_WORDS]
                paragraphs += [found.perplexity for found in long if found is not None and found.perplexity is not None]
            long_lines = [line for page in unseen for line in own_lines(page.text) if line.count(" ") + 1 >= MIN_HELD_OUT_TOKENS]
            for line in generator.sample(long_lines, HELD_OUT_SENTENCES // FOLDS):
                tokens = line.split()
                generator.shuffle(tokens)
                clean.append(Likelihood(score(line.encode()), len(tokens) + 1))
                shuffled.append(Likelihood(score(" ".join(tokens).encode()), len(tokens) + 1))
    return {
        "note": "out of fold: no text was scored by a model that had seen a page of its site",
        "sentences": len(clean),
        "clean": _joined_perplexity(clean),
        "shuffled": _joined_perplexity(shuffled),
        "clean below shuffled": sum(right.log10 > wrong.log10 for right, wrong in zip(clean, shuffled, strict=True)),
        "documents": {"number": len(documents), "percentiles": _percentiles(documents)},
        "paragraphs": {"number": len(paragraphs), "percentiles": _percentiles(paragraphs)},
    }


def _joined_perplexity(parts: Sequence[Likelihood]) -> float:
    joined = join_likelihoods(parts)
    assert joined is not None
    assert joined.perplexity is not None
    return round(joined.perplexity, 1)


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {str(percent): round(ordered[percent * (len(ordered) - 1) // 100], 1) for percent in PERCENTS}


def _run(command: Sequence[str | Path], standard_input: bytes = b"") -> None:
    done = subprocess.run([str(part) for part in command], input=standard_input, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
