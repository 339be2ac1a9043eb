"""A process that makes shards looks for garbage rarely."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from transforms.garbage import OBJECTS_BETWEEN_COLLECTIONS, collect_rarely
from transforms.shard_maker import ShardMaker


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.parametrize(
    ("threshold", "then"),
    [(700, OBJECTS_BETWEEN_COLLECTIONS), (OBJECTS_BETWEEN_COLLECTIONS, OBJECTS_BETWEEN_COLLECTIONS), (200_000, 200_000), (0, 0)],
)
def test_collections_become_rare_and_never_more_frequent(threshold: int, then: int) -> None:
    gc.set_threshold(threshold, 10, 10)
    collect_rarely()
    assert gc.get_threshold() == (then, 10, 10)


def test_what_is_there_is_not_looked_at_again() -> None:
    gc.set_threshold(700)
    collect_rarely()
    assert gc.get_freeze_count() > 1000


def test_a_step_that_makes_shards_collects_rarely() -> None:
    gc.set_threshold(700)
    ShardMaker().setup()
    assert gc.get_threshold()[0] == OBJECTS_BETWEEN_COLLECTIONS
