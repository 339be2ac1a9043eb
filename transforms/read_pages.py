"""Where a run begins: a file of input ranges becomes elements that any runner spreads over its workers (beam.md section 4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import apache_beam as beam

import transforms.coders  # noqa: F401  registers the records
from transforms.records import InputRange
from transforms.stored_path import stored_path


def read_ranges(path: str) -> Iterator[InputRange]:
    """The ranges of a range file, one JSON object a line. The graph holds its path only, so it does not grow with the input."""
    with stored_path(path).open("rb") as lines:
        for line in lines:
            yield InputRange(**json.loads(line))


@dataclass
class ReadRanges(beam.PTransform):  # type: ignore[misc]
    """Path of a range file -> ranges, spread over the workers."""

    path: str

    def expand(self, root: beam.PCollection[None]) -> beam.PCollection[InputRange]:
        return (
            root
            | "RangeFile" >> beam.Create([self.path])
            | "ReadLines" >> beam.FlatMap(read_ranges).with_output_types(InputRange)
            | "Spread" >> beam.Reshuffle()
        )
