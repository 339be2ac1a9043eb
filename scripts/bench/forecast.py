"""Forecast beside bill: plans a run from a sample of its input, runs it, and sets what it used beside what was foretold.

    python -m scripts.bench.forecast --input 'crawl/*.warc.gz' [--sample 8] [--workers 2]
    python -m scripts.bench.forecast --input a.warc.gz --as-parquet     # the pages of an archive as a table

CPU of all processes and peak memory are taken from the operating system, the other figures from the run folder. Seconds on the
clock mean little on a machine with other work; its load stands beside them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pipelines.config import load_config
from pipelines.plan import format_table, run_forecast, used_amounts
from pipelines.run_folder import plan_run
from pipelines.sample_run import measure_sample
from scripts.bench.build import watch_memory


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", nargs="+", required=True, help="archives: files, patterns, folders")
    parser.add_argument(
        "--as-parquet", action="store_true", help="write the HTML responses of the archives to a Parquet table first"
    )
    parser.add_argument("--sample", type=int, default=8, help="input ranges to measure (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interleaf-forecast-") as work:
        patterns = options.input
        if options.as_parquet:
            patterns = [str(Path(work) / "pages.parquet")]
            write_pages_table(options.input, Path(patterns[0]))
        run = plan_run(Path(work) / "out", load_config(None), patterns)
        print(
            f"load before {os.getloadavg()[0]:.1f}, {min(options.sample, run.ranges)} of {run.ranges} ranges measured", flush=True
        )
        amounts = run_forecast(measure_sample(run, options.sample), run, options.workers)
        used = {**run_build(patterns, Path(work) / "out", options.workers), **used_amounts(Path(work) / "out")}
        print("\n".join(format_table(amounts, used, options.workers)))
        print(f"load after {os.getloadavg()[0]:.1f}")
    return 0


def write_pages_table(patterns: list[str], path: Path, row_group_rows: int = 25) -> None:
    """The HTML responses of archives as a Parquet table with the columns `url` and `html`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from pipelines.input_manifest import find_input
    from transforms.archives import plan_input, read_range
    from transforms.records import Response

    schema = pa.schema([("url", pa.string()), ("html", pa.binary())])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        rows: list[dict[str, object]] = []
        for range_ in plan_input(sorted(find_input(patterns)), 2**24):
            for item in read_range(range_):
                if isinstance(item, Response) and (item.content_type or "").startswith("text/html"):
                    rows.append({"url": item.url, "html": item.body})
                if len(rows) == row_group_rows:
                    writer.write_table(pa.Table.from_pylist(rows, schema=schema))
                    rows.clear()
        writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def run_build(patterns: list[str], output: Path, workers: int) -> dict[str, float]:
    """Runs the build as a command; CPU seconds of all its processes, and the peak of their memory."""
    before = os.times()
    command = [sys.executable, "-m", "pipelines.cli", "build", "--input", *patterns, "--output", str(output)]
    started = time.monotonic()
    process = subprocess.Popen([*command, "--workers", str(workers)], stderr=subprocess.DEVNULL)
    peak = watch_memory(process)
    if process.returncode:
        raise SystemExit(f"the build failed after {time.monotonic() - started:.0f} s; run it alone: {' '.join(command)}")
    after = os.times()
    cpu_seconds = after.children_user - before.children_user + after.children_system - before.children_system
    return {"process_cpu_seconds": cpu_seconds, "memory": peak}


if __name__ == "__main__":
    sys.exit(main())
