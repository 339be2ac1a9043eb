"""Document shards + outcomes -> scored shards: each image node gets its outcome, each node its measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import apache_beam as beam

import transforms.coders  # noqa: F401  registers the records
from filters.measures import PerplexityConfig
from filters.measures.nsfw import nsfw_score
from filters.rules import RuleConfig
from filters.word_lists import SHIPPED, ListsConfig
from transforms.documents.assemble import DocumentsConfig, score_document
from transforms.documents.codec import read_document, scored_row
from transforms.documents.config import ExtractConfig
from transforms.group_by_shard import GroupByShard
from transforms.records import Document, Drop, Outcome, ShardManifest
from transforms.shard_maker import ShardMaker
from transforms.shards.bodies import image_bytes
from transforms.shards.plan import ShardPlan, read_rows
from transforms.shards.schemas import SCORED
from transforms.shards.writer import ShardWriter, find_finished

STAGE = "scored"


@dataclass(frozen=True)
class ScoreSettings:
    """What the stage needs of the configuration.

    nsfw_model: what scores images, None for nothing. lists: word lists of the run. undecided: how to choose the main content of
    documents that are stored undecided; None where they are stored as they are. keep_blocks: these keep their blocks.
    """

    rules: Mapping[str, RuleConfig] = field(default_factory=dict)
    documents: DocumentsConfig = field(default_factory=DocumentsConfig)
    perplexity: PerplexityConfig = field(default_factory=PerplexityConfig)
    nsfw_model: str | None = None
    lists: ListsConfig = SHIPPED
    undecided: ExtractConfig | None = None
    keep_blocks: bool = False


def score_shard(index: int, outcomes: Iterable[Outcome], plan: ShardPlan, settings: ScoreSettings) -> ShardManifest:
    """Makes the scored shard of a document shard: same documents, same order, their main content chosen if it is not yet.

    The counts `judged/…` say what the rules will make of them.
    """
    finished = find_finished(plan.folder, STAGE, index, plan.documents, plan.key)
    if finished is not None:
        return finished
    by_key = {outcome.url_key: outcome for outcome in outcomes}
    nsfw_score_of = _scorer(settings.nsfw_model, plan) if settings.nsfw_model is not None else None
    counts: Counter[str] = Counter({f"{STAGE}/in": 0, f"{STAGE}/out": 0})
    with ShardWriter(plan.folder, STAGE, index, plan.documents, plan.key) as shard:
        scored = shard.table("stages/scored", SCORED)
        rows = read_rows(plan.path("stages/documents", index, plan.documents))
        for stored in _decided(map(read_document, rows), settings, shard, counts):
            document, judgement = score_document(
                stored,
                by_key,
                settings.rules,
                settings.documents,
                settings.perplexity,
                nsfw_score_of,
                settings.lists,
            )
            scored.append(scored_row(document))
            counts.update({f"{STAGE}/in": 1, f"{STAGE}/out": 1})
            counts.update({f"judged/{name}": count for name, count in judgement.counts.items()})
            counts.update(f"judged/{drop.stage}/drop:{drop.rule}" for drop in judgement.drops)
        return shard.commit(counts)


def _decided(stored: Iterable[Document], settings: ScoreSettings, shard: ShardWriter, counts: Counter[str]) -> Iterator[Document]:
    """The documents with their main content chosen; what is not chosen is dropped and counted as where pages are read."""
    if settings.undecided is None:
        yield from stored
        return
    from transforms.documents.choose import decide_document, document_counts

    for undecided in stored:
        document = decide_document(undecided, settings.undecided, settings.keep_blocks)
        if isinstance(document, Drop):
            shard.drop([document])
            continue
        counts.update(document_counts(document))
        shard.drop(document.drops)
        yield document


def _scorer(model: str, plan: ShardPlan) -> Callable[[Outcome], float | None]:
    """Scores the bytes of an outcome, those of one content once."""
    scores: dict[str, float | None] = {}

    def score_of(outcome: Outcome) -> float | None:
        key = outcome.sha256 or ""
        if key not in scores:
            scores[key] = nsfw_score(image_bytes(outcome, plan), model)
        return scores[key]

    return score_of


class _ScoreShard(ShardMaker):
    def __init__(self, plan: ShardPlan, settings: ScoreSettings) -> None:
        self._plan = plan
        self._settings = settings

    def process(self, element: tuple[int, Iterable[Outcome]]) -> Iterator[ShardManifest]:
        index, outcomes = element
        yield score_shard(index, outcomes, self._plan, self._settings)


@dataclass
class AssembleDocuments(beam.PTransform):  # type: ignore[misc]
    """(document shard, outcome) -> manifests of scored shards, one for every document shard.

    Outcomes exist only once all document shards do, and the grouping waits for all outcomes: the files to read are there.
    """

    plan: ShardPlan
    settings: ScoreSettings

    def expand(self, outcomes: beam.PCollection[tuple[int, Outcome]]) -> beam.PCollection[ShardManifest]:
        return (
            outcomes
            | "GroupByShard" >> GroupByShard(self.plan.documents, Outcome)
            | "ScoreShard" >> beam.ParDo(_ScoreShard(self.plan, self.settings)).with_output_types(ShardManifest)
        )
