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
from transforms.group_by_shard import GroupByShard
from transforms.records import Outcome, ShardManifest
from transforms.shard_maker import ShardMaker
from transforms.shards.bodies import image_bytes
from transforms.shards.plan import ShardPlan, read_rows
from transforms.shards.schemas import SCORED
from transforms.shards.writer import ShardWriter, find_finished

STAGE = "scored"


@dataclass(frozen=True)
class ScoreSettings:
    """What the stage needs of the configuration. nsfw_model: what scores images, None for nothing. lists: word lists of the run."""

    rules: Mapping[str, RuleConfig] = field(default_factory=dict)
    documents: DocumentsConfig = field(default_factory=DocumentsConfig)
    perplexity: PerplexityConfig = field(default_factory=PerplexityConfig)
    nsfw_model: str | None = None
    lists: ListsConfig = SHIPPED


def score_shard(index: int, outcomes: Iterable[Outcome], plan: ShardPlan, settings: ScoreSettings) -> ShardManifest:
    """Makes the scored shard of a document shard: same documents, same order.

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
        for row in read_rows(plan.path("stages/documents", index, plan.documents)):
            document, judgement = score_document(
                read_document(row),
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
