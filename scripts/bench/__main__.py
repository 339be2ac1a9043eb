"""All measurements that compare interleaf with others, one after the other, as one Markdown file.

    python -m scripts.bench [--input 'crawl/*.warc.gz'] [--every 3] [--output scripts/bench/results/NAME.md]

HTML to document beside a bare parse, resiliparse and trafilatura; the reader beside warcio and fastwarc; images from the network
beside img2dataset's own command; a build's CPU by stage and its peak memory, and retunes beside it. Each part is a command of its
own, which the file names, so that one can be run again alone. Without --input a demo crawl is recorded first; it is small, and
figures of it are for trying this out.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("selectolax", "apache-beam", "warcio", "img2dataset", "pyarrow", "fastwarc", "resiliparse", "trafilatura")


def parts(archives: str, every: int) -> list[tuple[str, list[str]]]:
    """The measurements: a title, and the arguments of `python -m`."""
    return [
        ("HTML to document", ["scripts.bench.peers", archives, "--every", str(every)]),
        ("Reading archives", ["scripts.bench.readers", archives]),
        ("Images from the network", ["scripts.bench.images", "http", "memory"]),
        ("The whole build", ["scripts.bench.build", "--input", archives]),
        ("Other thresholds", ["scripts.bench.retune", "--input", archives]),
    ]


def environment() -> str:
    """Versions and machine, in a few lines."""
    installed = []
    for package in PACKAGES:
        try:
            installed.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            installed.append(f"{package} not installed")
    return (
        f"{datetime.date.today()}, interleaf {metadata.version('interleaf')}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start\n\n"
        f"{', '.join(installed)}"
    )


def run_part(title: str, arguments: list[str]) -> tuple[str, int]:
    """One measurement as a section, and its exit status."""
    shown = " ".join(f"'{argument}'" if "*" in argument else argument for argument in arguments)
    result = subprocess.run([sys.executable, "-m", *arguments], stdout=subprocess.PIPE, text=True, check=False)
    text = result.stdout.strip() if result.returncode == 0 else f"failed with status {result.returncode}\n\n{result.stdout.strip()}"
    return f"## {title}\n\n`python -m {shown}`\n\n{text}\n", result.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", help="archives, as a pattern (default: a demo crawl made for this)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="HTML to document: every N-th page (default: 1)")
    parser.add_argument("--output", type=Path, help="file to write (default: the day, in scripts/bench/results)")
    options = parser.parse_args()
    output = options.output or RESULTS / f"{datetime.date.today()}.md"
    failed = False
    with tempfile.TemporaryDirectory(prefix="interleaf-bench-") as work:
        archives = options.input
        if not archives:
            from scripts.make_demo_crawl import make_demo_crawl

            make_demo_crawl(Path(work))
            archives = str(Path(work) / "*.warc.gz")
        sections = [f"# Measurements\n\n{environment()}\n"]
        for title, arguments in parts(archives, options.every):
            section, status = run_part(title, arguments)
            failed = failed or status != 0
            sections.append(section.replace(work, "CRAWL"))
            print(sections[-1], flush=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(sections), encoding="utf-8")
    print(f"written to {output}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
