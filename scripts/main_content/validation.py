"""Out-of-fold figures (main_content.md 5): the only ones about these pages that may be quoted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.main_content.folds import FOLDS, assign_folds
from scripts.main_content.samples import Sample
from scripts.main_content.scoring import Score, mean, mean_score, score_rows, snippets_found
from scripts.main_content.token_tables import TokenCounts
from scripts.main_content.training import Probabilities, TokenColumns, predict_out_of_fold, train, with_tokens
from transforms.blocks.main_content.decide import decide

SEEDS = (1, 2, 3)
LEAST_LABEL = 0.5
Choice = NDArray[np.bool_]


@dataclass(frozen=True)
class Setup:
    """Samples with their folds and token columns, for any number of trainings."""

    samples: Sequence[Sample]
    folds: list[int]
    counts: TokenCounts
    tokens: TokenColumns


def prepare(samples: Sequence[Sample]) -> Setup:
    folds = assign_folds([sample.site for sample in samples], [sample.page_type for sample in samples])
    counts = TokenCounts(samples, folds, FOLDS)
    return Setup(samples, folds, counts, TokenColumns(samples, counts))


def out_of_fold(setup: Setup, seed: int, columns: Sequence[int] | None = None, **changes: Any) -> Probabilities:
    """Each page's probabilities by the model that has not seen its fold."""
    return predict_out_of_fold(setup.samples, setup.folds, setup.tokens.of, seed, columns, **changes)


def choose_by_model(samples: Sequence[Sample], probabilities: Probabilities) -> list[Choice]:
    return [
        own >= decide(own, sample.words).threshold if len(own) else np.zeros(0, bool)
        for sample, own in zip(samples, probabilities, strict=True)
    ]


def choose_by_labels(samples: Sequence[Sample]) -> list[Choice]:
    """What a model could reach that knew the labels."""
    return [sample.labels >= LEAST_LABEL for sample in samples]


def choose_all(samples: Sequence[Sample]) -> list[Choice]:
    return [np.ones(len(sample.words), bool) for sample in samples]


def without_type(setup: Setup, page_type: str, seed: int) -> list[Choice]:
    """For the pages of a type, in their order, what a model chooses that has seen no page of it, nor of its sites."""
    held_out = [i for i, sample in enumerate(setup.samples) if sample.page_type == page_type]
    sites = {setup.samples[i].site for i in held_out}
    seen = [i for i, sample in enumerate(setup.samples) if sample.site not in sites]
    training, folds = [setup.samples[i] for i in seen], [setup.folds[i] for i in seen]
    counts = TokenCounts(training, folds, FOLDS)
    columns = TokenColumns(training, counts)
    everything = frozenset(range(FOLDS))
    tokens = [columns.of(everything - {fold}, [i])[0] for i, fold in enumerate(folds)]
    model = train(training, tokens, seed)
    tested = [setup.samples[i] for i in held_out]
    of_tested = TokenColumns(tested, counts).of(everything, range(len(tested)))
    probabilities = [
        np.asarray(model.predict(with_tokens(sample, own).T, num_threads=1), np.float64) if len(sample.words) else np.zeros(0)
        for sample, own in zip(tested, of_tested, strict=True)
    ]
    return choose_by_model(tested, probabilities)


def report(samples: Sequence[Sample], choices: Sequence[Choice]) -> dict[str, Any]:
    """F1, precision and recall over all pages and by page type; which snippets are found."""
    scores = [score_rows(sample, choice) for sample, choice in zip(samples, choices, strict=True)]
    snippets = [snippets_found(sample, choice) for sample, choice in zip(samples, choices, strict=True)]
    by_type: dict[str, list[Score]] = {}
    for sample, score in zip(samples, scores, strict=True):
        by_type.setdefault(sample.page_type, []).append(score)
    return {
        "pages": len(scores),
        **_rounded(mean_score(scores)),
        "with": round(mean(found for found, _ in snippets), 4),
        "without": round(mean(found for _, found in snippets), 4),
        "types": {name: {"pages": len(own), **_rounded(mean_score(own))} for name, own in sorted(by_type.items())},
    }


def mean_report(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean of reports over the same pages."""
    first = reports[0]
    merged: dict[str, Any] = {}
    for key, value in first.items():
        if isinstance(value, dict):
            merged[key] = {name: mean_report([report[key][name] for report in reports]) for name in value}
        else:
            merged[key] = value if key == "pages" else round(sum(report[key] for report in reports) / len(reports), 4)
    return merged


def _rounded(score: Score) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(score).items()}
