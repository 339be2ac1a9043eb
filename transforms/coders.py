"""Registers the records that cross Beam boundaries with a coder of their own; importing this module is enough (beam.md section 6).

Only what is listed here may be shuffled. Pages, documents and image bytes are not, and a test walks the graph to prove it.
"""

from __future__ import annotations

import typing
from dataclasses import fields, is_dataclass
from typing import Any

import apache_beam as beam
from apache_beam.coders import Coder, FastPrimitivesCoder, NullableCoder, TupleCoder

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


class RecordCoder(Coder):  # type: ignore[misc]
    """A record as the tuple of its fields, which comes out as the same record in every process.

    Beam's row coder does not: a process that has not met the record before decodes a look-alike, a named tuple of its own. And the
    Spark runner decodes rows in Java, where it fails at fields whose type stands in quotes, as postponed annotations do. Of this
    coder a runner sees bytes and their length.
    """

    def __init__(self, record: type) -> None:
        self.record = record
        self._names = tuple(field.name for field in fields(record))
        held = held_records(record)
        # A record in a field has its own coder; all else is of types that Beam encodes by their kind, without a pickle.
        self._fields = TupleCoder(
            [NullableCoder(RecordCoder(held[name])) if name in held else FastPrimitivesCoder() for name in self._names]
        )

    def encode(self, value: Any) -> bytes:
        """The bytes of a record."""
        return bytes(self._fields.encode(tuple([getattr(value, name) for name in self._names])))

    def decode(self, encoded: bytes) -> Any:
        """The record of `encode`."""
        return self.record(*self._fields.decode(encoded))

    def is_deterministic(self) -> bool:
        return False  # records are values, never keys

    def to_type_hint(self) -> type:
        return self.record

    @classmethod
    def from_type_hint(cls, type_hint: type, registry: Any) -> RecordCoder:
        return cls(type_hint)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordCoder) and self.record is other.record

    def __hash__(self) -> int:
        return hash((RecordCoder, self.record))

    def __reduce__(self) -> tuple[type, tuple[type]]:
        return RecordCoder, (self.record,)


def held_records(record: type) -> dict[str, type]:
    """The fields of a record that hold another record, or None in its place, with that record."""
    # No local names: the slots of a record are such, and one may be called like a type.
    hints = typing.get_type_hints(record, localns={})
    held: dict[str, type] = {}
    for name, hint in hints.items():
        held.update((name, kind) for kind in (hint, *typing.get_args(hint)) if isinstance(kind, type) and is_dataclass(kind))
    return held


for _record in SHUFFLED:
    beam.coders.registry.register_coder(_record, RecordCoder)
