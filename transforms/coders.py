"""Registers the records that cross Beam boundaries with the row coder; importing this module is enough (beam.md section 6).

Only what is listed here may be shuffled. Pages, documents and image bytes are not, and a test walks the graph to prove it.
"""

from __future__ import annotations

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

for _record in SHUFFLED:
    beam.coders.registry.register_row(_record)
