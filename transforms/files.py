"""Input files by path, on this machine or behind a scheme such as `gs://`, `s3://` or `hdfs://` (beam.md section 4).

Beam is imported only for a path with a scheme: all that reads local files works without it.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from typing import BinaryIO, cast

Opener = Callable[[str], BinaryIO]

GLOB = re.compile(r"[*?\[]")


class InputError(ValueError):
    """An input that cannot be used as configured; the text names the file, what it has, and what to do."""


def is_remote(path: str) -> bool:
    """Whether a path has a scheme, and so belongs to one of Beam's file systems."""
    return "://" in path


def open_file(path: str) -> BinaryIO:
    """A seekable binary file with the bytes as stored: nothing is inflated, so offsets are those of the file.

    Errors of opening are raised: OSError for local files, and what Beam's file system raises for others.
    """
    if not is_remote(path):
        return open(path, "rb")
    from apache_beam.io.filesystem import CompressionTypes
    from apache_beam.io.filesystems import FileSystems

    return cast(BinaryIO, FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED))


def find_files(pattern: str, suffixes: tuple[str, ...]) -> list[tuple[str, int]]:
    """The files that a path, folder or pattern names, with their sizes in bytes, sorted by path; empty when there is none.

    suffixes: how files must end that are taken out of a folder; a file that is named itself is taken as it is.
    """
    find = _find_remote if is_remote(pattern) else _find_local
    return sorted(set(find(pattern, suffixes)))


def _find_local(pattern: str, suffixes: tuple[str, ...]) -> list[tuple[str, int]]:
    if os.path.isdir(pattern):
        inside = glob.glob(os.path.join(glob.escape(pattern), "*"))
        matches = [path for path in inside if path.endswith(suffixes)]
    else:
        matches = glob.glob(pattern, recursive=True)
        if not matches and os.path.lexists(pattern):
            matches = [pattern]  # a name that looks like a pattern
    return [(os.path.normpath(path), os.path.getsize(path)) for path in matches if os.path.isfile(path)]


def _find_remote(pattern: str, suffixes: tuple[str, ...]) -> list[tuple[str, int]]:
    from apache_beam.io.filesystem import BeamIOError

    if not GLOB.search(pattern):
        inside = pattern.rstrip("/") + "/"
        # Object stores have no folders, and a pattern may reach below them; file systems give a folder out as if it were a file.
        try:
            children = [(path, size) for path, size in _match(inside + "*") if "/" not in path[len(inside) :]]
        except BeamIOError:
            children = []  # a file is no folder to look into; what else is wrong the next call says
        if children:
            return [(path, size) for path, size in children if path.endswith(suffixes)]
    return _match(pattern)


def _match(pattern: str) -> list[tuple[str, int]]:
    from apache_beam.io.filesystems import FileSystems

    (result,) = FileSystems.match([pattern])
    return [(found.path, found.size_in_bytes) for found in result.metadata_list]
