"""The shard writer: one commit makes a shard's files visible, together and complete (beam.md 5.2).

    with ShardWriter(run, "documents", index, total, run_key) as shard:
        documents = shard.table("stages/documents", DOCUMENTS_SCHEMA)
        documents.append({...})
        manifest = shard.commit({"documents/in": 3, "documents/out": 2})

Files are finished under another name and then published (`transforms.stored_path`); the sidecar manifest comes last, so a shard
with a manifest is whole. A retry writes the same bytes over the same names.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from transforms.records import Drop, ShardManifest
from transforms.shards.schemas import DROPS
from transforms.stored_path import StoredPath, publish_file, publish_text, stored_path, temporary_name

ROW_GROUP_ROWS = 100
"""Rows of a row group: small enough for viewers and for memory (beam.md 5.3)."""

SMALL_ROW_GROUP_ROWS = 10_000
"""The same for tables of small rows, of which a document has hundreds."""

ROW_GROUP_BYTES = 64 * 2**20
"""Bytes of values after which a row group ends early; keeps image shards within memory."""


def shard_name(index: int, total: int, prefix: str = "part") -> str:
    """The deterministic stem of a shard's files; names sort as the numbers do.

    >>> shard_name(3, 64), shard_name(3, 200_000)
    ('part-00003-of-00064', 'part-000003-of-200000')
    """
    width = max(5, len(str(total)))
    return f"{prefix}-{index:0{width}d}-of-{total:0{width}d}"


class TableFile:
    """One Parquet file of a shard, filled row by row."""

    def __init__(self, path: Path, schema: pa.Schema, row_group_rows: int) -> None:
        self.rows = 0
        self._schema = schema
        self._names = schema.names
        self._values_of = attrgetter(*schema.names)
        self._row_group_rows = row_group_rows
        self._buffer: list[tuple[Any, ...]] = []
        self._buffered_bytes = 0
        self._writer = pq.ParquetWriter(
            path, schema, compression="zstd", compression_level=1, use_dictionary=False, write_statistics=True
        )

    def append(self, row: Mapping[str, Any], size: int = 0) -> None:
        """Adds a row by the names of its columns, null where one is missing; `size` is its weight in bytes where rows are heavy."""
        self._add(tuple(map(row.get, self._names)), size)

    def append_record(self, record: object, size: int = 0) -> None:
        """Adds a row from the record's attributes with the names of the columns."""
        self._add(self._values_of(record), size)

    def _add(self, values: tuple[Any, ...], size: int) -> None:
        """Adds a row whose values stand in the order of the columns."""
        self._buffer.append(values)
        self._buffered_bytes += size
        self.rows += 1
        if len(self._buffer) >= self._row_group_rows or self._buffered_bytes >= ROW_GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._buffer:
            columns = zip(*self._buffer, strict=True)
            arrays = [pa.array(values, column.type) for values, column in zip(columns, self._schema, strict=True)]
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
            self._buffer.clear()
            self._buffered_bytes = 0


class BodiesFile:
    """Bodies one after another, as one file of a shard. name: of the file in the run folder. rows: how many there are."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.rows = 0
        self._file = open(path, "wb")  # noqa: SIM115  closed by `close`

    def append(self, body: bytes) -> int:
        """Adds a body and tells where in the file it begins."""
        self.rows += 1
        start = self._file.tell()
        self._file.write(body)
        return start

    def close(self) -> None:
        self._file.close()


class ShardWriter:
    """Writes all files of one shard of one stage; see the module text for its use.

    run: the run folder. run_key: hash of everything that decides the shard's bytes; a manifest with another key is not reused.
    """

    def __init__(self, run: str | StoredPath, stage: str, index: int, total: int, run_key: str) -> None:
        self._run = stored_path(run)
        self.stage, self.index, self.total, self._run_key = stage, index, total, run_key
        self._work = temporary_name(self._run, f"{stage}-{index}")
        self._tables: dict[str, TableFile | BodiesFile] = {}
        self._only_with_rows: set[str] = set()
        self._drop_table: TableFile | None = None
        self._drops: Counter[str] = Counter()
        self._started = time.process_time()

    def __enter__(self) -> ShardWriter:
        self._work.mkdir(parents=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        for table in self._tables.values():
            # After a commit the files are closed and gone; after an error only the folder has to go.
            with contextlib.suppress(OSError, ValueError, pa.ArrowException):
                table.close()
        shutil.rmtree(self._work, ignore_errors=True)

    def table(
        self,
        folder: str,
        schema: pa.Schema,
        prefix: str = "part",
        row_group_rows: int = ROW_GROUP_ROWS,
        only_with_rows: bool = False,
    ) -> TableFile:
        """A file of the shard in `folder` of the run folder. The first one is the shard's main file.

        only_with_rows: without a row there is no file; the manifest alone tells of the shard.
        """
        name = f"{folder}/{shard_name(self.index, self.total, prefix)}.parquet"
        if only_with_rows:
            self._only_with_rows.add(name)
        table = self._tables[name] = TableFile(self._temporary(name), schema, row_group_rows)
        return table

    def bodies(self, folder: str) -> BodiesFile:
        """A file of bodies of the shard, beside its table in `folder`; there is none without a body."""
        name = f"{folder}/{shard_name(self.index, self.total)}.bodies"
        self._only_with_rows.add(name)
        bodies = self._tables[name] = BodiesFile(self._temporary(name), name)
        return bodies

    def drop(self, drops: Iterable[Drop]) -> None:
        """Writes drop rows and counts them by stage and rule. A shard without drops has no file for them."""
        for drop in drops:
            if self._drop_table is None:
                self._drop_table = self.table("drops", DROPS, f"part-{self.stage}", SMALL_ROW_GROUP_ROWS)
            self._drop_table.append_record(drop)
            self._drops[f"{drop.stage}/drop:{drop.rule}"] += 1

    def commit(self, counts: Mapping[str, int], other_cpu_seconds: float = 0.0) -> ShardManifest:
        """Closes and publishes the files, then writes the manifest; only then the shard exists.

        counts: `STAGE/in`, `STAGE/out` and further numbers; drops are added by `drop`. other_cpu_seconds: what other processes
        spent on this shard.
        """
        files: dict[str, str] = {}
        sizes: dict[str, int] = {}
        for name, table in self._tables.items():
            table.close()
            temporary = self._temporary(name)
            if name in self._only_with_rows and not table.rows:
                continue
            files[name], sizes[name] = file_sha256(temporary), temporary.stat().st_size
        main = next(iter(self._tables))
        manifest = ShardManifest(
            stage=self.stage,
            index=self.index,
            total=self.total,
            rows=self._tables[main].rows,
            bytes=sizes.get(main, 0),
            sha256=files.get(main, ""),
            files=dict(sorted(files.items())),
            counts=dict(sorted({**counts, **self._drops}.items())),
            cpu_seconds=time.process_time() - self._started + other_cpu_seconds,
        )
        for name in files:
            publish_file(self._temporary(name), self._run / name, self._run)
        _write_manifest(self._run, manifest, self._run_key)
        return manifest

    def _temporary(self, name: str) -> Path:
        return self._work / name.replace("/", "__")


def add_empty_table(
    run: StoredPath, manifest: ShardManifest, run_key: str, folder: str, schema: pa.Schema, prefix: str
) -> ShardManifest:
    """Gives a shard without rows its main file after all: one that has the columns and nothing else."""
    name = f"{folder}/{shard_name(manifest.index, manifest.total, prefix)}.parquet"
    temporary = temporary_name(run, prefix)
    TableFile(temporary, schema, ROW_GROUP_ROWS).close()
    digest, size = file_sha256(temporary), temporary.stat().st_size
    publish_file(temporary, run / name, run)
    filled = replace(manifest, bytes=size, sha256=digest, files=dict(sorted({**manifest.files, name: digest}.items())))
    _write_manifest(run, filled, run_key)
    return filled


def manifest_path(run: str | StoredPath, stage: str, index: int, total: int) -> StoredPath:
    """Where a shard's sidecar manifest stands: always below `stages/`, so that `data/` holds nothing but the dataset."""
    return stored_path(run) / "stages" / stage / f"{shard_name(index, total)}.json"


def read_manifest(run: str | StoredPath, stage: str, index: int, total: int, run_key: str) -> ShardManifest | None:
    """The manifest of a shard that was made under a key; None when there is none."""
    try:
        stored = json.loads(manifest_path(run, stage, index, total).read_text(encoding="utf-8"))
        return ShardManifest(**stored) if stored.pop("run_key") == run_key else None
    except (OSError, ValueError, KeyError, TypeError):
        # Absent, cut or foreign: in each case there is no such shard.
        return None


def find_finished(run: str | StoredPath, stage: str, index: int, total: int, run_key: str) -> ShardManifest | None:
    """The manifest of a finished shard whose files are all there with the right hashes; None when it must be made."""
    manifest = read_manifest(run, stage, index, total, run_key)
    if manifest is None:
        return None
    try:
        whole = all(file_sha256(stored_path(run) / name) == digest for name, digest in manifest.files.items())
    except OSError:
        return None
    return manifest if whole else None


def file_sha256(path: StoredPath) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return _digest(file)


def _write_manifest(run: StoredPath, manifest: ShardManifest, run_key: str) -> None:
    stored = asdict(manifest)
    del stored["cpu_seconds"]  # a time differs between runs, and equal runs have equal files
    text = json.dumps({"run_key": run_key, **stored}, indent=1, sort_keys=True) + "\n"
    publish_text(text, manifest_path(run, manifest.stage, manifest.index, manifest.total), run)


def _digest(file: Any) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(2**20):
        digest.update(chunk)
    return digest.hexdigest()
