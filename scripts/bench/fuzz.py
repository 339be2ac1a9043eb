"""Mutated archives and tables through the readers, for as long as is asked: no exception leaves them, nothing hangs.

    python -m scripts.bench.fuzz --seconds 600 [--seed 1]

Inputs are the torture set and small tables of every format, changed by flipped bits, zeroed runs, cuts, repeats and splices, on the
stored bytes or, for gzip, on what is inside. Of WARC files the same items must come from any two ranges as from one. An input that
fails is kept in the current folder, and so is the current one where the process crashes. Exit status 1 when there was one.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import random
import signal
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from scripts.bench.torture_set import CASES
from scripts.bench.warc_builder import page
from transforms.archives import InputError, ReadSettings, plan_file, read_range
from transforms.archives.settings import ReadLimits
from transforms.records import InputRange

SECONDS_PER_INPUT = 20
MAX_BYTES = 64 * 1024
SETTINGS = ReadSettings(limits=ReadLimits(html_bytes=100_000, image_bytes=200_000))


def table_seeds() -> list[bytes]:
    """A small table in every format."""
    rows = [{"url": f"http://e.example/{i}", "html": f"<p>{i}" + "ü日" * i, "date": "2024-05-06"} for i in range(12)]
    table = pa.Table.from_pylist(rows)
    encoded = table.set_column(2, "date", table["date"].dictionary_encode())
    seeds: list[bytes] = []
    for compression in ("none", "snappy", "zstd"):
        sink = io.BytesIO()
        pq.write_table(table, sink, row_group_size=5, compression=compression)
        seeds.append(sink.getvalue())
    for source in (table, encoded):
        for open_writer in (pa.ipc.new_stream, pa.ipc.new_file):
            sink = io.BytesIO()
            with open_writer(sink, source.schema) as writer:
                writer.write_table(source, max_chunksize=5)
            seeds.append(sink.getvalue())
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    pages = [page(b"<p>%d" % i * 50, f"http://e.example/{i}") for i in range(4)]
    seeds.append(b"".join(map(zstandard.compress, pages)))
    return [*seeds, lines, gzip.compress(lines), zstandard.compress(lines)]


def flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def overwrite(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    filler = chance.choice((b"\0", b"\xff", b"\n", b"9"))
    size = min(chance.randint(1, 40), len(data) - start)
    data[start : start + size] = filler * size


def cut(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    del data[start : start + chance.choice((1, 2, 30, len(data)))]


def repeat(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    piece = data[start : start + chance.randint(1, 300)]
    place = chance.randrange(len(data) + 1)
    data[place:place] = piece * chance.randint(1, 4)


MUTATIONS: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, overwrite, cut, repeat)


def mutate(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    """A seed, or two of them one behind the other, changed in a few places, in its stored bytes or inside its gzip members."""
    data = b"".join(chance.choice(seeds) for _ in range(chance.choice((1, 1, 1, 2, 3))))
    is_inside = data.startswith(b"\x1f\x8b") and chance.random() < 0.5
    if is_inside:
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            is_inside = False
    changed = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        if changed:
            chance.choice(MUTATIONS)(changed, chance)
    return gzip.compress(bytes(changed), mtime=0) if is_inside else bytes(changed)


def read_all(path: str, chance: random.Random) -> int:
    """Reads a file in the ranges that are planned for it; the number of items. Raises whatever is a fault."""
    size = os.path.getsize(path)
    if size == 0:
        return 0
    try:
        format_, pieces = plan_file(path, size, chance.choice((50, 500, 10**9)), SETTINGS)
        items = [item for piece in pieces for item in read_range(InputRange(0, path, *piece, format_), SETTINGS)]
    except InputError:
        return 0  # a column name was hit; that is an answer
    if format_ == "warc":
        middle = chance.randint(1, size)
        halves = [InputRange(0, path, 0, middle), InputRange(1, path, middle, size)]
        whole = list(read_range(InputRange(0, path, 0, size), SETTINGS))
        if [item for half in halves for item in read_range(half, SETTINGS)] != whole:
            raise AssertionError(f"ranges cut at {middle} give other items than the whole file")
    return len(items)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    seeds = [case.archive for case in CASES if len(case.archive) < MAX_BYTES] + table_seeds() * 3
    chance = random.Random(options.seed)
    signal.signal(signal.SIGALRM, _too_slow)
    done: Counter[str] = Counter()
    slowest = 0.0
    stop = time.monotonic() + options.seconds
    path = Path(f"fuzz-{options.seed}-current")
    try:
        while time.monotonic() < stop:
            data = mutate(seeds, chance)
            path.write_bytes(data)
            started = time.monotonic()
            signal.alarm(SECONDS_PER_INPUT)
            try:
                done["items"] += read_all(str(path), chance)
            except Exception as error:  # noqa: BLE001  to find any is what this is for
                done["faults"] += 1
                kept = Path(f"fuzz-{options.seed}-{done['inputs']}")
                kept.write_bytes(data)
                print(f"{kept}: {error!r}", flush=True)
            finally:
                signal.alarm(0)
            slowest = max(slowest, time.monotonic() - started)
            done["inputs"] += 1
    finally:
        path.unlink(missing_ok=True)
    print(f"{done['inputs']} inputs, {done['items']} items, {done['faults']} faults, slowest input {slowest:.2f} s")
    return 1 if done["faults"] else 0


def _too_slow(*_: Any) -> None:
    raise TimeoutError(f"an input took more than {SECONDS_PER_INPUT} s")


if __name__ == "__main__":
    sys.exit(main())
