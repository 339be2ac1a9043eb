"""What a run reads, as a file: the paths and sizes of its input, sorted, one JSON object a line; and the ranges cut out of it.

Neither list is ever held in memory, however long it is (beam.md section 4): patterns and manifests go through a sorted table on
disk into `stages/input.jsonl`, that file goes through the planner of each format into `stages/ranges.jsonl`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from pipelines.errors import UsageError
from transforms.archives import ReadSettings
from transforms.archives.compressed import BrokenContentError, open_content
from transforms.archives.formats import ALL_SUFFIXES
from transforms.files import find_files, is_remote, open_file
from transforms.records import InputRange

NAMED_EMPTY_FILES = 5


@dataclass(frozen=True)
class InputSummary:
    """What an input manifest holds. digest: of its lines. empty: how many files have no bytes; the first are named."""

    files: int
    bytes: int
    digest: str
    empty: int = 0
    named_empty: tuple[str, ...] = ()


def write_input_manifest(path: Path, patterns: Sequence[str], manifests: Sequence[str] = ()) -> InputSummary:
    """Writes the files that patterns and manifests name, each once, sorted by path.

    Raises:
        UsageError: a pattern that matches nothing, a file that cannot be read, a manifest with a line that is none.
    """
    digest = hashlib.sha256()
    files = total = empty = 0
    named: list[str] = []
    with path.open("w", encoding="utf-8") as lines:
        for name, size in _sorted_by_path(find_input(patterns, manifests)):
            line = json.dumps({"path": name, "bytes": size}) + "\n"
            digest.update(line.encode())
            lines.write(line)
            files, total, empty = files + 1, total + size, empty + (size == 0)
            if size == 0 and len(named) < NAMED_EMPTY_FILES:
                named.append(name)
    if not files:
        raise UsageError(f"--input-manifest {', '.join(manifests)}: names no file; write one path a line")
    return InputSummary(files, total, digest.hexdigest(), empty, tuple(named))


def write_ranges(path: Path, manifest: Path, range_bytes: int, settings: ReadSettings) -> dict[str, int]:
    """Cuts the files of an input manifest into ranges, one JSON object a line; gives the number of ranges of each format.

    Raises:
        UsageError: a file that comes with two sizes, or a table without the columns that are needed.
    """
    # The readers take long to import, and a retune has no use for them.
    from transforms.archives import plan_input

    formats: dict[str, int] = {}
    with path.open("w", encoding="utf-8") as lines:
        try:
            for range_ in plan_input(read_manifest(str(manifest)), range_bytes, settings):
                lines.write(json.dumps(asdict(range_)) + "\n")
                formats[range_.format] = formats.get(range_.format, 0) + 1
        except (OSError, ValueError) as error:  # InputError is one
            raise UsageError(f"--input {error}") from None
        if not formats:
            # An input without a byte still has a shard, an empty one: nothing that follows needs to know.
            first = next(read_manifest(str(manifest)))[0]
            lines.write(json.dumps(asdict(InputRange(0, first, 0, 0))) + "\n")
            formats["warc"] = 1
    return formats


def find_input(patterns: Sequence[str], manifests: Sequence[str] = ()) -> Iterator[tuple[str, int]]:
    """The files that patterns and manifests name, with their sizes. A folder stands for the archives in it."""
    for pattern in patterns:
        try:
            files = find_files(pattern, ALL_SUFFIXES)
        except (OSError, ValueError, ImportError) as error:
            raise UsageError(f"--input {pattern}: cannot be looked up: {error}") from None
        if not files and os.path.isdir(pattern):
            raise UsageError(f"--input {pattern}: a folder without an archive; names must end with {', '.join(ALL_SUFFIXES)}")
        if not files:
            raise UsageError(f"--input {pattern}: no such file, and as a pattern it matches none (current folder: {os.getcwd()})")
        for path, size in files:
            if not is_remote(path) and not os.access(path, os.R_OK):
                raise UsageError(f"--input {path}: cannot be read; check its permissions")
            yield path, size
    for manifest in manifests:
        yield from read_manifest(manifest)


def read_manifest(manifest: str) -> Iterator[tuple[str, int]]:
    """The files of a manifest, which may be compressed: a line is a path, or `{"path": …, "bytes": …}`, which saves looking up the
    size. Raises UsageError for a line that is neither, and for a path that is not there."""
    try:
        with open_file(manifest) as stored, TextIOWrapper(open_content(stored), encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if text := line.strip():
                    yield _manifest_line(text, f"--input-manifest {manifest}, line {number}")
    except (OSError, ValueError, BrokenContentError) as error:
        raise UsageError(f"--input-manifest {manifest}: cannot be read: {error}") from None


def _manifest_line(text: str, where: str) -> tuple[str, int]:
    entry: dict[str, Any] = {"path": text}
    if text.startswith("{"):
        try:
            entry = json.loads(text)
        except ValueError:
            entry = {}
        size = entry.get("bytes")
        if not isinstance(entry.get("path"), str) or not (size is None or (type(size) is int and size >= 0)):
            raise UsageError(f'{where}: {text[:200]} is no entry; write a path, or {{"path": "a.warc.gz", "bytes": 123}}')
    path, size = entry["path"], entry.get("bytes")
    if size is not None:
        return path, size
    files = find_files(path, ALL_SUFFIXES)
    if [name for name, _ in files] != [path if is_remote(path) else os.path.normpath(path)]:
        raise UsageError(f"{where}: {path}: no such file; patterns and folders belong to --input")
    return files[0]


def _sorted_by_path(files: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Distinct files in the order of their paths, sorted on disk."""
    import sqlite3

    table = sqlite3.connect("")  # a temporary file, gone when closed
    try:
        table.execute("CREATE TABLE input (path BLOB, bytes INTEGER, PRIMARY KEY (path, bytes)) WITHOUT ROWID")
        # Bytes, since a name of a file need not be text; UTF-8 sorts as the text does.
        rows = ((path.encode("utf-8", "surrogatepass"), size) for path, size in files)
        table.executemany("INSERT OR IGNORE INTO input VALUES (?, ?)", rows)
        for path, size in table.execute("SELECT path, bytes FROM input ORDER BY path, bytes"):
            yield path.decode("utf-8", "surrogatepass"), size
    finally:
        table.close()
