"""Trains the model of main content and writes it with its card (main_content.md 9).

    python -m scripts.train_main_content --pages FOLDER [--out configs/models] [--cache FILE] [--predictions FILE]

FOLDER has the development pages (`dev-*.warc.gz`) and their ground truth (`dev.parquet`). Seeded and single-threaded: run twice on
one machine it writes the same bytes. Needs the optional dependencies `train`. The figures of the card are out of fold; the model
itself has seen all pages, and its figures on them mean nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from scripts.main_content.export import model_text
from scripts.main_content.folds import FOLDS
from scripts.main_content.samples import data_digest, load_samples
from scripts.main_content.training import PARAMETERS, ROUNDS, Probabilities, train
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
)
from transforms.blocks.main_content.features import COLUMNS
from transforms.blocks.main_content.model_file import FILE

CARD = "main_content.card.json"
DATA = {
    "name": "WCXB: Web Content eXtraction Benchmark, development pages",
    "author": "Murrough Foley, 2026",
    "licence": "CC-BY-4.0",
    "source": "github.com/Murrough-Foley/web-content-extraction-benchmark",
    "changes": "labels aligned to our blocks; class-token scores and trees are derived from pages and labels",
}


def main(arguments: list[str]) -> int:
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(description="Trains the model of main content and writes it with its card.")
    parser.add_argument("--pages", type=Path, required=True, help="folder with dev-*.warc.gz and dev.parquet")
    parser.add_argument("--out", type=Path, default=Path("configs/models"), help="folder for the model and its card")
    parser.add_argument("--cache", type=Path, default=None, help="file that keeps the measured pages between calls")
    parser.add_argument("--predictions", type=Path, default=None, help="file for the out-of-fold probabilities, .npz")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS), help="of the validation; the first trains the model")
    chosen = parser.parse_args(arguments)
    samples = load_samples(chosen.pages, chosen.cache)
    setup = prepare(samples)
    predictions = {seed: out_of_fold(setup, seed) for seed in chosen.seeds}
    if chosen.predictions is not None:
        write_predictions(chosen.predictions, setup, predictions)
    text = final_model(setup, chosen.seeds[0])
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / FILE).write_text(text, encoding="utf-8")
    card = model_card(setup, predictions, text, data_digest(chosen.pages))
    (chosen.out / CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    json.dump(card["figures"], sys.stdout, indent=1)
    print()
    return 0


def final_model(setup: Setup, seed: int) -> str:
    """The file of the model of all pages: token columns made without the row's own fold, token table of all pages."""
    everything = frozenset(range(FOLDS))
    ordered = [i for fold in range(FOLDS) for i, own in enumerate(setup.folds) if own == fold]
    tokens = [
        columns
        for fold in range(FOLDS)
        for columns in setup.tokens.of(everything - {fold}, [i for i, own in enumerate(setup.folds) if own == fold])
    ]
    booster = train([setup.samples[i] for i in ordered], tokens, seed)
    return model_text(booster, setup.counts.table(everything))


def model_card(setup: Setup, predictions: dict[int, Probabilities], text: str, data: str) -> dict[str, Any]:
    """What the model is, what it was made of and how, and what it reaches on pages it has not seen."""
    samples = setup.samples
    seeds = {str(seed): report(samples, choose_by_model(samples, found)) for seed, found in predictions.items()}
    return {
        "model": FILE,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "bytes": len(text.encode()),
        "task": "the share of a block's words that is the main content of its page",
        "data": {**DATA, "pages": len(samples), "sites": len({sample.site for sample in samples}), "sha256": data},
        "recipe": {
            "labels": "main_content.md 2",
            "columns": list(COLUMNS),
            "trees": {**PARAMETERS, "rounds": ROUNDS, "seed": int(next(iter(predictions)))},
            "folds": f"{FOLDS}, grouped by site",
            "versions": {name: metadata.version(name) for name in ("lightgbm", "numpy", "rapidfuzz", "selectolax")},
        },
        "figures": {
            "note": "out of fold: no page was judged by a model or a token table that had seen its site",
            "mean": mean_report(list(seeds.values())),
            "seeds": seeds,
            "labels choose": report(samples, choose_by_labels(samples)),
            "all blocks": report(samples, choose_all(samples)),
        },
        "limits": (
            "Trained on 1,497 pages, nearly all in English. No column is about a language, but no figure stands for others. "
            "Titles and captions are mostly not part of the ground truth; the pipeline restores captions."
        ),
    }


def write_predictions(path: Path, setup: Setup, predictions: dict[int, Probabilities]) -> None:
    """One array a seed, pages in the order of `ids`, with the number of rows of each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {f"seed_{seed}": np.round(np.concatenate(found), 4) for seed, found in predictions.items()}
    arrays["ids"] = np.array([sample.id for sample in setup.samples])
    arrays["rows"] = np.array([len(sample.words) for sample in setup.samples])
    np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
