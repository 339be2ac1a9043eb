"""Grouping light rows by the shard they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Optional, TypeVar

import apache_beam as beam

T = TypeVar("T")


@dataclass
class GroupByShard(beam.PTransform):  # type: ignore[misc]
    """(shard, item) -> (shard, items) for every shard from 0 to total - 1, also those without items.

    An empty shard is a file too: readers find all numbers, and a missing one is an error. item: type of the items.
    """

    total: int
    item: type[Any]

    def expand(self, items: beam.PCollection[tuple[int, T]]) -> beam.PCollection[tuple[int, Iterable[T]]]:
        keyed = tuple[int, Optional[self.item]]  # type: ignore[name-defined]  # noqa: UP045  Beam reads no `X | None` here
        seeds = items.pipeline | "Total" >> beam.Create([self.total]) | "Seeds" >> beam.FlatMap(_seeds).with_output_types(keyed)
        return (
            (items | "Typed" >> beam.Map(_same).with_output_types(keyed), seeds)
            | "WithSeeds" >> beam.Flatten()
            | "Group" >> beam.GroupByKey()
            | "DropSeeds" >> beam.MapTuple(_items).with_output_types(tuple[int, Iterable[self.item]])  # type: ignore[name-defined]
        )


def _seeds(total: int) -> Iterator[tuple[int, None]]:
    for index in range(total):
        yield index, None


def _same(element: T) -> T:
    return element


def _items(index: int, items: Iterable[T | None]) -> tuple[int, Iterable[T]]:
    return index, [item for item in items if item is not None]
