"""The whole build, measured: CPU seconds by stage, wall time, and the peak memory of the process tree.

    python -m scripts.bench.build --input 'crawl/*.warc.gz' [--workers 2] [--output OUT]

Memory is the sum of the proportional set sizes of all processes of the build, sampled five times a second: pages shared between
processes count once. Figures depend on the machine; its load stands beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pipelines.memory import tree_memory


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", nargs="+", help="archives (default: a demo crawl made for this run)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path, help="run folder to keep (default: one that is deleted)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interleaf-bench-") as work:
        patterns = options.input
        if not patterns:
            from scripts.make_demo_crawl import make_demo_crawl

            make_demo_crawl(Path(work) / "crawl")
            patterns = [str(Path(work) / "crawl")]
        output = options.output or Path(work) / "out"
        command = [sys.executable, "-m", "pipelines.cli", "build", "--input", *patterns, "--output", str(output)]
        before = os.getloadavg()
        started = time.monotonic()
        process = subprocess.Popen([*command, "--workers", str(options.workers)])
        peak = watch_memory(process)
        if process.returncode != 0:
            return process.returncode
        print_figures(output, time.monotonic() - started, peak, before)
    return 0


def watch_memory(process: subprocess.Popen[bytes], interval: float = 0.2) -> int:
    """Bytes of memory that a process and its descendants held together at most; returns when it ends."""
    peak = 0
    while process.poll() is None:
        peak = max(peak, tree_memory(process.pid))
        time.sleep(interval)
    return peak


def print_figures(output: Path, wall: float, peak: int, load: tuple[float, float, float]) -> None:
    """One table: pages, seconds, memory."""
    stats = json.loads((output / "stats.json").read_text(encoding="utf-8"))
    pages = stats["stages"]["documents"]["in"]
    documents = stats["stages"]["documents"]["out"]
    print(f"load before {load[0]:.1f}, cores {os.cpu_count()}, pages {pages}, documents {documents}")
    print(f"{'wall':<12}{wall:10.1f} s")
    for stage, seconds in stats["cpu_seconds"].items():
        rate = f"{pages / seconds:8.1f} pages/CPU s" if seconds else ""
        print(f"{stage:<12}{seconds:10.1f} CPU s {rate}")
    print(f"{'memory':<12}{peak / 2**20:10.0f} MiB at most, all processes")


if __name__ == "__main__":
    sys.exit(main())
