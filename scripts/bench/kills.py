"""Ends a build at random moments and starts it again, until its bytes can be compared with those of an undisturbed run.

    python -m scripts.bench.kills --input 'crawl/*.warc.gz' --kills 20 [--signal KILL|TERM|INT] [--workers 2]

Each attempt builds into a new folder, gets the signal at a random moment of the time that the undisturbed run took, and is run
once more with the same command. KILL goes to the process and to all that it started, at once, as a machine that loses power does;
TERM and INT go to the process alone, as a scheduler and Ctrl-C send them. The table is Markdown: when, manifests of finished shards
by then, exit status (0: it was finished), seconds until the end, processes left over half a second later, and whether all files but
`stats.json`, which holds times, are equal after the second run.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

GRACE = 30.0
"""Seconds that a process may take to end after SIGTERM or SIGINT before it counts as hanging."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", required=True, help="archives")
    parser.add_argument("--kills", type=int, default=20, help="attempts (default: 20)")
    parser.add_argument("--signal", choices=("KILL", "TERM", "INT"), default="KILL", help="(default: KILL)")
    parser.add_argument("--workers", default="2", help="(default: 2)")
    parser.add_argument("--seed", type=int, default=0, help="of the random moments (default: 0)")
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        command = [
            sys.executable,
            "-m",
            "pipelines.cli",
            "build",
            "--input",
            options.input,
            "--workers",
            options.workers,
            "--output",
        ]
        started = time.monotonic()
        subprocess.run([*command, str(folder / "undisturbed")], check=True, stderr=subprocess.DEVNULL)
        duration = time.monotonic() - started
        expected = tree_hash(folder / "undisturbed")
        print(f"undisturbed: {duration:.1f} s, {len(expected)} files, load {os.getloadavg()[0]:.1f}\n")
        print("| attempt | after s | manifests by then | status | s to end | left over | result |\n|--:|--:|--:|--:|--:|--:|---|")
        faults = 0
        for attempt in range(1, options.kills + 1):
            output = folder / f"attempt-{attempt}"
            row, last = disturb([*command, str(output)], output, moments.uniform(0.3, duration), options.signal)
            again = subprocess.run([*command, str(output)], stderr=subprocess.PIPE, text=True, check=False)
            equal = again.returncode == 0 and tree_hash(output) == expected
            faults += not equal
            print(f"| {attempt} | {row} | {'equal' if equal else f'DIFFERENT, status {again.returncode}'} |", flush=True)
            shutil.rmtree(output, ignore_errors=True)
        print(f"\n{options.kills - faults} of {options.kills} equal; last words after the signal: {last or 'none'}")
    return 1 if faults else 0


def disturb(command: list[str], output: Path, after: float, signal_name: str) -> tuple[str, str]:
    """One attempt that is ended; the middle of its row of the table, and the last line that it printed."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(after)
    manifests = len(list(output.glob("stages/*/*.json")))
    family = descendants(process.pid)
    started = time.monotonic()
    if signal_name == "KILL":
        for member in [psutil.Process(process.pid), *family] if process.poll() is None else []:
            send(member, signal.SIGKILL)
    elif process.poll() is None:
        process.send_signal(signal.Signals[f"SIG{signal_name}"])
    try:
        _, said = process.communicate(timeout=GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
    seconds = time.monotonic() - started
    time.sleep(0.5)
    left = [member for member in family if member.is_running() and member.status() != psutil.STATUS_ZOMBIE]
    for member in left:
        send(member, signal.SIGKILL)
    lines = said.strip().splitlines()
    return f"{after:.1f} | {manifests} | {process.returncode} | {seconds:.1f} | {len(left)}", lines[-1] if lines else ""


def descendants(pid: int) -> list[psutil.Process]:
    try:
        children: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
        return children
    except psutil.NoSuchProcess:
        return []


def send(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return


def tree_hash(run: Path) -> dict[str, str]:
    """sha256 of every file of a run but `stats.json`."""
    return {
        str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.name != "stats.json"
    }


if __name__ == "__main__":
    sys.exit(main())
