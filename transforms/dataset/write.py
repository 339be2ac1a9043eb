"""A data shard from its scored shards: every document judged, what passes written, what does not named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from filters.rules import ActiveRules, RuleConfig
from transforms.dataset.inline_images import InlineCaps, inline_positions
from transforms.dataset.rows import dataset_row, dataset_schema
from transforms.documents.assemble import JUDGED_STAGES, DatasetRow, DocumentsConfig, Judgement, ScoredDocument, judge_document
from transforms.documents.codec import read_scored
from transforms.records import ShardManifest
from transforms.shards.bodies import image_bytes
from transforms.shards.plan import ShardPlan, read_rows
from transforms.shards.writer import ShardWriter, find_finished

STAGE = "data"


@dataclass(frozen=True)
class WriteSettings:
    """What the stage needs of the configuration. inline_images: None keeps them references."""

    rules: Mapping[str, RuleConfig]
    documents: DocumentsConfig = field(default_factory=DocumentsConfig)
    blocks: bool = False
    markdown: bool = False
    inline_images: InlineCaps | None = None
    pii: str | None = None


Witness: TypeAlias = Callable[[int, int, ScoredDocument, Judgement], None]
"""Is shown what came of a document: its scored shard, its number there, it, and its judgement."""


def write_data_shard(
    index: int, scored_shards: Iterable[int], plan: ShardPlan, settings: WriteSettings, witness: Witness | None = None
) -> ShardManifest:
    """Makes a data shard from its scored shards, in their order; without a row it is a manifest and drops only.

    witness: is shown every document; of a shard that was there already, none.
    """
    finished = find_finished(plan.folder, STAGE, index, plan.data, plan.key)
    if finished is not None:
        return finished
    counts: Counter[str] = Counter({f"{stage}/{end}": 0 for stage in JUDGED_STAGES for end in ("in", "out")})
    rules = ActiveRules(settings.rules)
    schema = dataset_schema(
        blocks=settings.blocks,
        markdown=settings.markdown,
        inline_images=settings.inline_images is not None,
        pii=settings.pii is not None,
    )
    with ShardWriter(plan.folder, STAGE, index, plan.data, plan.key) as shard:
        # `datasets` cannot load a file without rows that stands before one with rows.
        data = shard.table("data", schema, "train", only_with_rows=True)
        for number in sorted(set(scored_shards)):
            for place, stored in enumerate(read_rows(plan.path("stages/scored", number, plan.documents))):
                scored = read_scored(stored)
                judged = judge_document(scored, rules, settings.documents)
                if witness is not None:
                    witness(number, place, scored, judged)
                for name, count in judged.counts.items():
                    counts[name] += count
                shard.drop(judged.drops)
                counts["dataset/documents"] += bool(judged.rows)
                for row in judged.rows:
                    bodies = {} if settings.inline_images is None else _image_bytes(row, plan, settings.inline_images)
                    data.append(dataset_row(row, schema, bodies, settings.pii), size=sum(map(len, bodies.values())))
                    counts["dataset/rows"] += 1
                    counts["dataset/images"] += int(row.scores["images"] or 0)
                    counts["dataset/words"] += int(row.scores["words"] or 0)
        return shard.commit(counts)


def _image_bytes(row: DatasetRow, plan: ShardPlan, caps: InlineCaps) -> dict[int, bytes]:
    outcomes = {position: row.nodes[position].outcome for position in inline_positions(row.nodes, caps)}
    bodies = {outcome.sha256: image_bytes(outcome, plan) for outcome in outcomes.values() if outcome is not None}
    return {position: bodies[outcome.sha256] for position, outcome in outcomes.items() if outcome is not None}
