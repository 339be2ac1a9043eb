"""What crosses between workers comes out as it went in, in any process, and is no pickle."""

from __future__ import annotations

import dataclasses
import pickle
import pickletools
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import apache_beam as beam
import pytest

from transforms.coders import SHUFFLED, RecordCoder
from transforms.records import InputRange, LookUp, Outcome, RunTotals, ShardManifest, Sighting, WantedImage

ROOT = Path(__file__).resolve().parents[2]
WANTED = WantedImage(b"\x00k", "http://e.x/ü", [3, 2**40], trail=("http://e.x/a",))
VALUES = [
    InputRange(0, "a.warc.gz", 0, 2**40),
    Sighting("http://e.x/ü", "mention", shard=2**40, directives=["noai"]),
    WANTED,
    LookUp(WANTED, None, True),
    LookUp(None, Sighting("http://e.x/", "image")),
    Outcome(b"k", "http://e.x/", "ok", shards=[1, 2], value=0.5, bytes=7),
    ShardManifest("documents", 0, 1, 2, 3, "", {"a": "b"}, {"documents/in": 2**40}, 0.25),
    RunTotals({"data": 1}, {}, {}, {}, {"data": 0.5}),
]


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """A record with a field that is called like a type."""

    key: bytes
    bytes: int | None = None
    names: Sequence[str] = ()


@pytest.mark.parametrize("record", SHUFFLED)
def test_every_shuffled_record_has_the_coder(record: type) -> None:
    assert beam.coders.registry.get_coder(record) == RecordCoder(record)


@pytest.mark.parametrize("value", [*VALUES, Record(b"\x00", 3, ["a"]), Record(b"")])
def test_a_record_comes_out_as_it_went_in(value: object) -> None:
    coder = RecordCoder(type(value))
    encoded = coder.encode(value)
    decoded = coder.decode(encoded)
    assert type(decoded) is type(value)
    assert decoded == value
    # What Beam cannot encode by its kind it pickles: the name of the module would be there.
    assert b"transforms" not in encoded


def test_a_process_that_has_not_met_the_record_decodes_the_record_itself() -> None:
    """A worker of a runner gets coder and bytes, and imports nothing before."""
    value = LookUp(WANTED, None, True)
    coder = RecordCoder(LookUp)
    code = "import pickle, sys; coder, data = pickle.loads(sys.stdin.buffer.read()); value = coder.decode(data)\n"
    code += "print(type(value).__qualname__, type(value.wanted).__qualname__, value.wanted.trail)"
    given = pickle.dumps((coder, coder.encode(value)))
    result = subprocess.run([sys.executable, "-c", code], input=given, cwd=ROOT, capture_output=True, timeout=60, check=True)
    assert result.stdout.decode().strip() == "LookUp WantedImage ('http://e.x/a',)"


def test_the_coder_itself_is_pickled_by_reference() -> None:
    """The job's description holds no code and no record, only where to find it."""
    strings = [argument for _, argument, _ in pickletools.genops(pickle.dumps(RecordCoder(Outcome))) if isinstance(argument, str)]
    assert {"transforms.coders", "RecordCoder", "transforms.records", "Outcome"} >= set(strings)
