"""What `interleaf retune` costs beside the build that it stands for, in CPU seconds.

    python -m scripts.bench.retune --input 'crawl/*.warc.gz' [--rounds 3] [--check]

The input is built once with the default settings, by one worker, and once so that main content can be chosen again; these runs are
retuned with the settings of README.md. Of a retune the least of the rounds counts, of the build its one run. stage: what
`stats.json` says of the stages that were made. process: the whole command with the start of the interpreter, imports and report, as
the system counts it. --check: each setting is also built afresh, which must give the same dataset, and is what its retunes are
compared with. Figures depend on the machine; its load stands beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from transforms.shards.writer import file_sha256

Settings = tuple[str, ...]

BASES: tuple[tuple[Settings, tuple[Settings, ...]], ...] = (
    (
        (),
        (
            ("rules.document.words.min=50",),
            ("documents.too_long=drop", "rules.document.stop_words.min=0.4"),
            ("language.allowed=[en]", "language.unknown=drop", "rules.paragraph.special_chars.max=0.25"),
            ("output.shards=3", "rules.paragraph.spam_words.max=0.05", "documents.judged_kinds=[paragraph,heading]"),
            ("rules.paragraph.words.min=5", "rules.document.words.max=1000"),
        ),
    ),
    (("extract.main_content.retunable=true",), (("extract.main_content.threshold=0.5",),)),
)
"""What a build is made with, and the settings it is retuned with: from a limit that few documents miss to ones that change the
paragraphs, and so the measures, of nearly all; and one under which the documents themselves are made again."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a command: of the stages that it made, and of its processes together."""

    stage: float
    process: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", nargs="+", help="archives (default: a demo crawl made for this run)")
    parser.add_argument("--rounds", type=int, default=3, help="the least of so many retunes counts (default: 3)")
    parser.add_argument("--check", action="store_true", help="compare with a build of each setting")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interleaf-bench-") as work:
        folder = Path(work)
        patterns = options.input
        if not patterns:
            from scripts.make_demo_crawl import make_demo_crawl

            make_demo_crawl(folder / "crawl")
            patterns = [str(folder / "crawl")]
        build = ["build", "--workers", "1", "--input", *patterns]
        load = os.getloadavg()[0]
        print(f"load {load:.1f} on {os.cpu_count()} cores; CPU s, least of {options.rounds} retunes\n")
        print("| settings | stages: build | retune | times cheaper | process: build | retune | times cheaper |")
        print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
        for standing, all_settings in BASES:
            base = Path(tempfile.mkdtemp(dir=folder)) / "out"
            built = run(build, base, standing)
            for number, settings in enumerate(all_settings):
                outputs = [base.parent / f"{number}-{turn}" for turn in range(options.rounds)]
                costs = [run(["retune", "--workers", "1", str(base)], output, settings) for output in outputs]
                stage, process = min(cost.stage for cost in costs), min(cost.process for cost in costs)
                if options.check:
                    fresh = base.parent / f"{number}-fresh"
                    built = run(build, fresh, (*standing, *settings))
                    if digests(fresh) != digests(outputs[0]):
                        print(f"{' '.join(settings)}: the dataset is not that of a build", file=sys.stderr)
                        return 1
                print(f"| `{' '.join(settings)}` | {built.stage:.1f} | {stage:.2f} | {built.stage / stage:.1f} | ", end="")
                print(f"{built.process:.1f} | {process:.2f} | {built.process / process:.1f} |", flush=True)
    return 0


def run(arguments: list[str], output: Path, settings: Settings) -> Cost:
    """Runs the command, and tells what it and its children spent."""
    command = [sys.executable, "-m", "pipelines.cli", *arguments, "--output", str(output)]
    # An installation has its modules compiled.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, *(f"--set={setting}" for setting in settings)], stderr=subprocess.PIPE, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = json.loads((output / "stats.json").read_text(encoding="utf-8"))["cpu_seconds"]["total"]
    return Cost(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def digests(run: Path) -> dict[str, str]:
    """The files of a run's dataset."""
    return {path.name: file_sha256(path) for path in sorted((run / "data").iterdir())}


if __name__ == "__main__":
    sys.exit(main())
