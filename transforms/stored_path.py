"""Paths of a run folder: `pathlib.Path` on this machine, `RemotePath` behind a scheme such as `gs://`, `s3://` or `hdfs://`.

A `RemotePath` has those names of `pathlib.Path` that a run folder needs, and reaches its file through Beam's file systems. Both are
written in one way: a file is finished on this machine, then published under its name, whole or not at all (beam.md 5.2).
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from transforms.files import is_remote

ATOMIC_SCHEMES = frozenset({"gs", "s3", "azfs"})
"""Object stores: what is written appears under its name when it is closed, whole, and takes the place of what was there."""

TEMPORARY = ".tmp"

CHUNK_BYTES = 4 * 2**20


@dataclass(frozen=True, order=True)
class RemotePath:
    """A file or folder of one of Beam's file systems. What is missing raises FileNotFoundError, other faults what Beam raises."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __truediv__(self, name: str) -> RemotePath:
        return RemotePath(f"{self.text.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        return self.text.rstrip("/").rpartition("/")[2]

    @property
    def parent(self) -> RemotePath:
        return RemotePath(self.text.rstrip("/").rpartition("/")[0])

    def open(self, mode: str = "rb") -> BinaryIO:
        """The file for reading, seekable, its bytes as stored."""
        from apache_beam.io.filesystem import CompressionTypes

        if mode != "rb":
            raise ValueError(f"{self}: mode {mode!r}: a remote file is opened with rb; it is written by publish_file")
        if not self.is_file():  # each file system has an exception of its own for this
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.text)
        return cast(BinaryIO, _file_systems().open(self.text, compression_type=CompressionTypes.UNCOMPRESSED))

    def read_text(self, encoding: str = "utf-8") -> str:
        return self.read_bytes().decode(encoding)

    def read_bytes(self) -> bytes:
        with self.open() as file:
            return file.read()

    def is_file(self) -> bool:
        return bool(_file_systems().exists(self.text))

    def glob(self, pattern: str) -> Iterator[RemotePath]:
        """The files below this folder that match a pattern, in the order of their names; `**` matches in folders below too."""
        if _file_systems().get_filesystem(self.text).has_dirs() and not self.is_file():
            return  # no such folder: to list it would be an error there
        (result,) = _file_systems().match([f"{self.text.rstrip('/')}/{pattern}"])
        yield from sorted(RemotePath(found.path) for found in result.metadata_list)

    def unlink(self, missing_ok: bool = False) -> None:
        if missing_ok and not self.is_file():
            return
        _file_systems().delete([self.text])

    def size(self) -> int:
        """Bytes of the file."""
        (result,) = _file_systems().match([self.text])
        return int(result.metadata_list[0].size_in_bytes)


StoredPath: TypeAlias = Path | RemotePath


def stored_path(text: str | StoredPath) -> StoredPath:
    """The path that a text names: remote if it has a scheme."""
    if isinstance(text, Path | RemotePath):
        return text
    return RemotePath(text.rstrip("/")) if is_remote(text) else Path(text)


def temporary_folder(run: StoredPath) -> Path:
    """Where files of a run are made before they are published: beside them where they can be renamed into place."""
    return run / TEMPORARY if isinstance(run, Path) else Path(tempfile.gettempdir()) / "interleaf"


def temporary_name(run: StoredPath, name: str) -> Path:
    """A name for a file or folder of a run that no other process has; its folder is there."""
    folder = temporary_folder(run)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}-{os.getpid()}-{uuid.uuid4().hex}"


def publish_file(source: Path, target: StoredPath, run: StoredPath) -> None:
    """Moves a finished file of this machine to its name in a run folder: readers see it whole or not at all.

    On this machine: synced and renamed; both stand in one file system. In an object store: put under its name. In any other remote
    file system: put in the run's folder for temporary files and renamed, after what a former attempt left is gone.
    """
    if isinstance(target, Path):
        with open(source, "rb+") as file:
            os.fsync(file.fileno())
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(source, target)
        return
    if target.text.partition("://")[0] in ATOMIC_SCHEMES:
        _upload(source, target)
    else:
        aside = run / TEMPORARY / f"{target.name}-{uuid.uuid4().hex}"
        assert isinstance(aside, RemotePath)
        _make_folder(aside.parent)
        _make_folder(target.parent)
        _upload(source, aside)
        target.unlink(missing_ok=True)
        _file_systems().rename([aside.text], [target.text])
    source.unlink()


def remove_temporary_files(run: StoredPath) -> None:
    """Removes what attempts that were killed have left; no other attempt may be at work."""
    if isinstance(run, Path):
        shutil.rmtree(run / TEMPORARY, ignore_errors=True)
    elif (run / TEMPORARY).is_file():  # a folder, where there are folders; an object store never has it
        (run / TEMPORARY).unlink()


def publish_text(text: str, target: StoredPath, run: StoredPath) -> None:
    """Writes a text file of a run folder, whole or not at all."""
    temporary = temporary_name(run, target.name)
    temporary.write_text(text, encoding="utf-8")
    publish_file(temporary, target, run)


def publish_copy(source: Path, target: StoredPath, run: StoredPath) -> None:
    """Copies a file of any size into a run folder, whole or not at all."""
    temporary = temporary_name(run, target.name)
    shutil.copyfile(source, temporary)
    publish_file(temporary, target, run)


def arrow_source(path: StoredPath) -> Any:
    """A file as Arrow takes it: its name where it can open it by itself, a Python file where not."""
    return path if isinstance(path, Path) else io.BufferedReader(cast(Any, path.open()), CHUNK_BYTES)


def _upload(source: Path, target: RemotePath) -> None:
    from apache_beam.io.filesystem import CompressionTypes

    with source.open("rb") as file:
        writer = _file_systems().create(target.text, compression_type=CompressionTypes.UNCOMPRESSED)
        # Closed only when all is written: an object store makes the object of what it has then.
        shutil.copyfileobj(file, writer, CHUNK_BYTES)
        writer.close()


def _make_folder(folder: RemotePath) -> None:
    from apache_beam.io.filesystem import BeamIOError

    if folder.is_file():  # in file systems with folders, one that exists counts as a file
        return
    try:
        _file_systems().mkdirs(folder.text)
    except BeamIOError:
        if not folder.is_file():  # another worker was first
            raise


def _file_systems() -> Any:
    from apache_beam.io.filesystems import FileSystems

    return FileSystems
