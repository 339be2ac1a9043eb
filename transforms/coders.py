"""Registers the records that cross Beam boundaries with the row coder; importing this module is enough (beam.md section 6).

Only what is listed here may be shuffled. Pages, documents and image bytes are not, and a test walks the graph to prove it.
"""

from __future__ import annotations

from typing import Any, TypeVar

import apache_beam as beam

from transforms.records import (
    InputRange,
    LookUp,
    Outcome,
    PayloadSighting,
    RepeatedPayload,
    RunTotals,
    ShardManifest,
    Sighting,
    WantedImage,
)

SHUFFLED = (InputRange, LookUp, PayloadSighting, RepeatedPayload, Sighting, WantedImage, Outcome, ShardManifest, RunTotals)

R = TypeVar("R")

for _record in SHUFFLED:
    beam.coders.registry.register_row(_record)


def as_record(record: type[R], row: Any) -> R:
    """A row that crossed a boundary as the record it was.

    A worker process decodes rows as named tuples of the same fields: Beam finds the class of a row by a number that each process
    draws anew. To read an attribute needs no record; `dataclasses.replace` and `asdict` do.
    """
    return row if isinstance(row, record) else record(*row)
