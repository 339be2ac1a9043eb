"""Scored shards -> data shards: judge every document by the rules, write what passes, name what does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apache_beam as beam

import transforms.coders  # noqa: F401  registers the records
from transforms.dataset.write import WriteSettings, write_data_shard
from transforms.records import ShardManifest
from transforms.shard_maker import ShardMaker
from transforms.shards.plan import ShardPlan


class _WriteShard(ShardMaker):
    def __init__(self, plan: ShardPlan, settings: WriteSettings) -> None:
        self._plan = plan
        self._settings = settings

    def process(self, element: tuple[int, Iterable[ShardManifest]]) -> Iterator[ShardManifest]:
        index, scored = element
        yield write_data_shard(index, [manifest.index for manifest in scored], self._plan, self._settings)


def _by_data_shard(manifest: ShardManifest, plan: ShardPlan) -> tuple[int, ShardManifest]:
    return plan.data_shard(manifest.index), manifest


@dataclass
class WriteDataset(beam.PTransform):  # type: ignore[misc]
    """Manifests of scored shards -> manifests of data shards."""

    plan: ShardPlan
    settings: WriteSettings

    def expand(self, scored: beam.PCollection[ShardManifest]) -> beam.PCollection[ShardManifest]:
        return (
            scored
            | "ByDataShard" >> beam.Map(_by_data_shard, self.plan).with_output_types(tuple[int, ShardManifest])
            | "GroupScored" >> beam.GroupByKey()
            | "WriteShard" >> beam.ParDo(_WriteShard(self.plan, self.settings)).with_output_types(ShardManifest)
        )
