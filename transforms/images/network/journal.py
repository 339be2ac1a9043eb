"""What a fetch shard has got so far, on disk: a worker that is killed loses no answer, and no URL is asked for again.

Two files, only ever appended to: bodies one after another, and a line of JSON for each URL with the place of its body. A line that
was cut, or whose body is not what it says, is as if it had not been written. The bodies need no memory until the shard is written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO

from transforms.records import Outcome

JOURNALS = "stages/journals"
"""The folder of a run in which shards that are being fetched keep what they have so far."""


class Journal:
    """The journal of one shard. key: what decides its content; one that was written under another key is begun anew."""

    def __init__(self, path: Path, key: str) -> None:
        self._lines_path = path.with_suffix(".jsonl")
        self._bodies_path = path.with_suffix(".bodies")
        self._key = key
        self._places: dict[bytes, tuple[Outcome, int, int]] = {}

    def __enter__(self) -> Journal:
        self._lines_path.parent.mkdir(parents=True, exist_ok=True)
        header = json.dumps({"key": self._key}).encode() + b"\n"
        lines = self._lines_path.read_bytes().splitlines(keepends=True) if self._lines_path.exists() else []
        is_ours = bool(lines) and lines[0] == header
        mode = "ab" if is_ours else "wb"
        self._lines = open(self._lines_path, mode, buffering=0)
        self._bodies = open(self._bodies_path, mode, buffering=0)
        if not is_ours:
            self._lines.write(header)
            return self
        if not lines[-1].endswith(b"\n"):
            self._lines.write(b"\n")
        with open(self._bodies_path, "rb") as bodies:
            for line in lines[1:]:
                self._read(line, bodies)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._lines.close()
        self._bodies.close()

    def __contains__(self, url_key: bytes) -> bool:
        return url_key in self._places

    def add(self, outcome: Outcome, body: bytes) -> None:
        """What became of a URL. body: empty unless the outcome is ok."""
        start = 0
        if body:
            _write(self._bodies, body)
            start = self._bodies.tell() - len(body)
        row = {**asdict(outcome), "url_key": outcome.url_key.hex()}
        _write(self._lines, json.dumps({"outcome": row, "start": start, "length": len(body)}).encode() + b"\n")
        self._places[outcome.url_key] = outcome, start, len(body)

    def outcomes(self) -> Iterator[Outcome]:
        """All outcomes, in no order."""
        return (outcome for outcome, _, _ in self._places.values())

    def rows(self) -> Iterator[tuple[Outcome, bytes]]:
        """All outcomes with their bodies, by key, a body at a time in memory."""
        with open(self._bodies_path, "rb") as bodies:
            for key in sorted(self._places):
                outcome, start, length = self._places[key]
                bodies.seek(start)
                yield outcome, bodies.read(length)

    def remove(self) -> None:
        """Deletes the files; the shard has what they held."""
        self._lines_path.unlink(missing_ok=True)
        self._bodies_path.unlink(missing_ok=True)

    def _read(self, line: bytes, bodies: IO[bytes]) -> None:
        try:
            found = json.loads(line)
            outcome = Outcome(**{**found["outcome"], "url_key": bytes.fromhex(found["outcome"]["url_key"])})
            start, length = found["start"], found["length"]
        except (ValueError, KeyError, TypeError):
            return  # cut in the middle: the URL is asked for again
        if outcome.sha256 is not None:
            bodies.seek(start)
            if hashlib.sha256(bodies.read(length)).hexdigest() != outcome.sha256:
                return
        self._places[outcome.url_key] = outcome, start, length


def _write(file: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
