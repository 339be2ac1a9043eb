"""Two file systems for tests, of the two kinds that Beam knows, both over a folder of this machine.

`objects://bucket/a/b`  an object store: no folders; an object appears whole when its writer is closed, and replaces what was there
`cluster://host/a/b`    a file system with folders: a file shows while it is written; renaming onto a file that exists fails
"""

from __future__ import annotations

import io
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from apache_beam.io.filesystem import BeamIOError, CompressionTypes, FileMetadata, FileSystem


class FolderFileSystem(FileSystem):
    """What both have in common. root: the folder of this machine. requests: what was asked for, by kind.

    fail_after: how many files may be created before each further one fails; None: all.
    """

    root: Path
    requests: Counter[str] = Counter()
    fail_after: int | None = None
    folders = True

    @classmethod
    def scheme(cls) -> str:
        return "none"  # Beam asks each class that there is

    def local(self, path: str) -> Path:
        return self.root / path.partition("://")[2]

    def has_dirs(self) -> bool:
        return self.folders

    def join(self, basepath: str, *paths: str) -> str:
        return "/".join([basepath.rstrip("/"), *paths])

    def split(self, path: str) -> tuple[str, str]:
        head, _, tail = path.rpartition("/")
        return head, tail

    def mkdirs(self, path: str) -> None:
        try:
            self.local(path).mkdir(parents=True)
        except FileExistsError as error:
            raise BeamIOError(f"exists: {path}") from error

    def _list(self, dir_or_prefix: str) -> Iterator[FileMetadata]:
        self.requests["list"] += 1
        if self.folders and not self.local(dir_or_prefix).exists():
            raise BeamIOError(f"no such folder: {dir_or_prefix}")
        scheme = f"{self.scheme()}://"
        for path in sorted(self.root.rglob("*")):
            name = scheme + path.relative_to(self.root).as_posix()
            if path.is_file() and name.startswith(dir_or_prefix):
                yield FileMetadata(name, path.stat().st_size)

    def open(self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO) -> BinaryIO:
        assert compression_type == CompressionTypes.UNCOMPRESSED, "the bytes as stored are wanted"
        self.requests["open"] += 1
        if not self.local(path).is_file():
            raise RuntimeError(f"{path}: an exception of this file system's own")
        return open(self.local(path), "rb")

    def create(self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO) -> BinaryIO:
        assert compression_type == CompressionTypes.UNCOMPRESSED, "names must not decide about compression"
        self.requests["create"] += 1
        if self.fail_after is not None and self.requests["create"] > self.fail_after:
            raise BeamIOError(f"{path}: the quota is used up")
        return self.writer(self.local(path))

    def writer(self, path: Path) -> BinaryIO:
        return open(path, "wb")  # its folder must be there

    def exists(self, path: str) -> bool:
        self.requests["exists"] += 1
        return self.local(path).exists()

    def copy(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        raise NotImplementedError

    def rename(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, target in zip(source_file_names, destination_file_names, strict=True):
            if self.local(target).exists():
                raise BeamIOError(f"exists: {target}")
            os.rename(self.local(source), self.local(target))

    def delete(self, paths: list[str]) -> None:
        for path in map(self.local, paths):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def size(self, path: str) -> int:
        return self.local(path).stat().st_size

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, self.size(path))

    def last_updated(self, path: str) -> float:
        return self.local(path).stat().st_mtime

    def checksum(self, path: str) -> str:
        raise NotImplementedError


class ClusterFileSystem(FolderFileSystem):
    @classmethod
    def scheme(cls) -> str:
        return "cluster"


class ObjectStore(FolderFileSystem):
    folders = False

    @classmethod
    def scheme(cls) -> str:
        return "objects"

    def exists(self, path: str) -> bool:
        self.requests["exists"] += 1
        return self.local(path).is_file()

    def mkdirs(self, path: str) -> None:
        raise AssertionError("an object store has no folders")

    def rename(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        raise AssertionError("in an object store a rename is a copy; nothing should need one")

    def writer(self, path: Path) -> BinaryIO:
        return _Object(path)


class _Object(io.BytesIO):
    """Bytes that become an object when they are closed."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def close(self) -> Any:
        if not self.closed:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_bytes(self.getvalue())
        super().close()
