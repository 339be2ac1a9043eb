"""Document shards + outcomes -> scored shards: each image node gets its outcome, each node its measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

import transforms.coders  # noqa: F401  registers the records
from transforms.documents.assemble import score_document
from transforms.documents.codec import read_document, scored_row
from transforms.group_by_shard import GroupByShard
from transforms.records import Outcome, ShardManifest
from transforms.shards.plan import ShardPlan, read_rows
from transforms.shards.schemas import SCORED
from transforms.shards.writer import ShardWriter, find_finished

STAGE = "scored"


def score_shard(index: int, outcomes: Iterable[Outcome], plan: ShardPlan, paragraph_language: bool = False) -> ShardManifest:
    """Makes the scored shard of a document shard: same documents, same order."""
    finished = find_finished(plan.folder, STAGE, index, plan.documents, plan.key)
    if finished is not None:
        return finished
    by_key = {outcome.url_key: outcome for outcome in outcomes}
    rows = 0
    with ShardWriter(plan.folder, STAGE, index, plan.documents, plan.key) as shard:
        scored = shard.table("stages/scored", SCORED)
        for row in read_rows(plan.path("stages/documents", index, plan.documents)):
            scored.append(scored_row(score_document(read_document(row), by_key, paragraph_language)))
            rows += 1
        return shard.commit({f"{STAGE}/in": rows, f"{STAGE}/out": rows})


class _ScoreShard(beam.DoFn):  # type: ignore[misc]
    def __init__(self, plan: ShardPlan, paragraph_language: bool) -> None:
        self._plan = plan
        self._paragraph_language = paragraph_language

    def process(self, element: tuple[int, Iterable[Outcome]]) -> Iterator[ShardManifest]:
        index, outcomes = element
        yield score_shard(index, outcomes, self._plan, self._paragraph_language)


@dataclass
class AssembleDocuments(beam.PTransform):  # type: ignore[misc]
    """(document shard, outcome) -> manifests of scored shards, one for every document shard.

    Outcomes exist only once all document shards do, and the grouping waits for all outcomes: the files to read are there.
    """

    plan: ShardPlan
    paragraph_language: bool = False

    def expand(self, outcomes: beam.PCollection[tuple[int, Outcome]]) -> beam.PCollection[ShardManifest]:
        return (
            outcomes
            | "GroupByShard" >> GroupByShard(self.plan.documents, Outcome)
            | "ScoreShard" >> beam.ParDo(_ScoreShard(self.plan, self.paragraph_language)).with_output_types(ShardManifest)
        )
