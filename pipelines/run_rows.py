"""The rows of a run folder, and samples of them that depend on the data alone."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from typing import Any

from pipelines.run_folder import read_plan
from transforms.shards.plan import read_rows
from transforms.stored_path import StoredPath


def drop_rows(folder: StoredPath) -> Iterator[dict[str, Any]]:
    """All drops of a run, shard by shard; those of stages that another run made stand there."""
    plan = read_plan(folder)
    for stage in plan.stages:
        for index in range(plan.total(stage)):
            path = plan.path("drops", index, plan.total(stage), f"part-{stage}")
            if path.is_file():
                yield from read_rows(path, batch_rows=1000)


def data_rows(folder: StoredPath, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """All rows of the dataset, in order."""
    paths: list[StoredPath] = sorted((folder / "data").glob("train-*.parquet"), key=str)
    for path in paths:
        yield from read_rows(path, columns)


def smallest_by_hash(rows: Iterable[dict[str, Any]], key: str, count: int) -> list[dict[str, Any]]:
    """A sample that depends on the rows' keys alone, not on their order. Constant memory."""
    keyed = (
        (hashlib.blake2b(str(row[key]).encode("utf-8", "surrogatepass"), digest_size=8).digest(), number, row)
        for number, row in enumerate(rows)
    )
    return [row for _, _, row in heapq.nsmallest(count, keyed, key=lambda item: item[:2])]


def spread(total: int, count: int) -> list[int]:
    """At most `count` of the numbers below `total`, evenly spread.

    >>> spread(3, 5), spread(100, 4)
    ([0, 1, 2], [0, 25, 50, 75])
    """
    return sorted({number * total // count for number in range(count)}) if total > count else list(range(total))
