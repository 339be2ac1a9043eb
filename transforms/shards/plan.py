"""How many shards each stage has, and where they are: the few settings that every stage of a run shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow.parquet as pq

from transforms.shards.writer import shard_name
from transforms.stored_path import StoredPath, arrow_source, stored_path

_MAKERS = {
    "stages/references": "documents",
    "stages/captures": "documents",
    "stages/revisits": "documents",
    "stages/inline": "documents",
}
"""The stage that makes the files of a folder, where it is not called as the folder; those in `drops/` have it in their prefix."""

LOOKED_UP = "looked-up"
"""The stage that asks the archives, where the network is asked as well; else `outcomes` is."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The run whose shards of a stage are used as they stand: its folder and its key."""

    folder: str
    key: str


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """A run's folder, its key, and the number of shards of each stage.

    key: hash of configuration, versions and input; shards made under another key are not reused. revisits: how many of the
    document shards, the last ones, are for revisits; where none is, a revisit is a drop. fetches, rounds: how many shards there
    are of images from the network, and how often they are asked for; 0 where they are not. origins: of stages that another run
    made (`interleaf retune`); it has all of their files.
    """

    folder: str
    key: str
    documents: int
    outcomes: int
    images: int
    data: int
    revisits: int = 0
    fetches: int = 0
    rounds: int = 0
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def folder_of(self, stage: str) -> str:
        """The run folder that has the shards of a stage."""
        return self.origins[stage].folder if stage in self.origins else self.folder

    def key_of(self, stage: str) -> str:
        """The key that the shards of a stage were made under."""
        return self.origins[stage].key if stage in self.origins else self.key

    @property
    def fetched(self) -> tuple[str, ...]:
        """The stages that ask the network, in their order."""
        return tuple(f"fetched-{number}" for number in range(1, self.rounds + 1))

    @property
    def looked_up(self) -> str:
        """The stage that says what the archives have of each image."""
        return LOOKED_UP if self.rounds else "outcomes"

    @property
    def stages(self) -> tuple[str, ...]:
        """The file-backed stages in the order of the graph."""
        network = (LOOKED_UP, *self.fetched) if self.rounds else ()
        return ("documents", *network, "outcomes", "images", "scored", "data")

    def total(self, stage: str) -> int:
        """The number of shards of a stage."""
        return {
            "documents": self.documents,
            LOOKED_UP: self.outcomes,
            **dict.fromkeys(self.fetched, self.fetches),
            "outcomes": self.outcomes,
            "images": self.images,
            "scored": self.documents,
            "data": self.data,
        }[stage]

    def data_shard(self, document_shard: int) -> int:
        """The data shard that a document shard's rows go to: neighbours stay together, in order."""
        return document_shard * self.data // self.documents

    def file(self, name: str) -> StoredPath:
        """A file of the run by its name from the run folder, be it of this run or of the one that made the stage."""
        folder = name.rpartition("/")[0]
        return stored_path(self.folder_of(_MAKERS.get(folder, folder.removeprefix("stages/")))) / name

    def path(self, folder: str, index: int, total: int, prefix: str = "part") -> StoredPath:
        """A file of a shard, be it of this run or of the one that made the stage."""
        stage = prefix.removeprefix("part-") if folder == "drops" else _MAKERS.get(folder, folder.removeprefix("stages/"))
        return stored_path(self.folder_of(stage)) / folder / f"{shard_name(index, total, prefix)}.parquet"


def read_rows(path: StoredPath, columns: list[str] | None = None, batch_rows: int = 64) -> Iterator[dict[str, Any]]:
    """The rows of a shard file as dicts, in order, in constant memory."""
    with pq.ParquetFile(arrow_source(path)) as file:
        # One thread: a run has a process for every core already.
        for batch in file.iter_batches(batch_size=batch_rows, columns=columns, use_threads=False):
            yield from batch.to_pylist()
