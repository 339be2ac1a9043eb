"""A row group or record batch larger than memory should be costs no more than a few rows (beam.md section 4)."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parents[3]
ROWS, HTML_BYTES = 600, 500_000
ALLOWED_GROWTH = 100 * 2**20  # of 300 MB

READ = """
import sys
from transforms.archives import plan_input, read_range
def anonymous():
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("RssAnon"))
import pyarrow.parquet
path, size = sys.argv[1], int(sys.argv[2])
ranges = list(plan_input([(path, size)], 2**26))
before = peak = anonymous()
count = 0
for range_ in ranges:
    for item in read_range(range_):
        count += 1
        peak = max(peak, anonymous())
print(len(ranges), count, peak - before)
"""


def rows() -> list[dict[str, str]]:
    text = random.Random(1).randbytes(HTML_BYTES).hex()
    return [{"url": f"http://e.example/{i}", "html": text[i : i + HTML_BYTES]} for i in range(ROWS)]


def write(path: Path) -> None:
    if path.suffix == ".jsonl":
        with path.open("w") as file:
            for row in rows():
                file.write(json.dumps(row) + "\n")
        return
    table = pa.Table.from_pylist(rows())
    if path.suffix == ".parquet":
        # Pages of a few rows: a page is what a reader must hold, and how many rows it has is up to the writer.
        pq.write_table(table, path, row_group_size=ROWS, write_batch_size=4, use_dictionary=False)
        return
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=ROWS)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs the memory figures of Linux")
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.jsonl"])
def test_one_unit_of_300_mb_is_read_in_constant_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write(path)
    command = [sys.executable, "-c", READ, str(path), str(path.stat().st_size)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    ranges, count, growth = map(int, done.stdout.split())
    assert ranges == (1 if path.suffix != ".jsonl" else 5)
    assert count == ROWS
    assert growth < ALLOWED_GROWTH
