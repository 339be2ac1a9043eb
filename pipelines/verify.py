"""`interleaf verify`: is a finished run what it says it is?

Each check is a function that yields what is wrong; a run is sound when none does.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.config import Config, config_from_dict
from pipelines.errors import UsageError
from pipelines.finish import stage_funnel, sum_counts
from pipelines.run_folder import RUN_FILE, SUCCESS, read_plan, read_run
from pipelines.run_rows import data_rows, drop_rows, smallest_by_hash
from transforms.archives import read_source
from transforms.archives.select import select_page
from transforms.dataset.inline_images import CAPPED
from transforms.documents.extract import extract_document
from transforms.records import Document, Drop, Response, ShardManifest, Source
from transforms.shards.plan import ShardPlan
from transforms.shards.writer import file_sha256, manifest_path


@dataclass(frozen=True)
class Verification:
    """One check's result. faults: what is wrong, empty when nothing is; checked: how many things were looked at."""

    name: str
    checked: int
    faults: tuple[str, ...]


@dataclass
class _RunUnderTest:
    folder: Path
    plan: ShardPlan
    samples: int
    checked: int = 0


def verify_run(folder: Path, samples: int = 200) -> Iterator[Verification]:
    """Runs all checks, cheap ones first. samples: number of nodes that are read again from their archives.

    Raises:
        UsageError: the folder is not a finished run.
    """
    if not (folder / SUCCESS).is_file():
        read_run(folder)
        raise UsageError(f"{folder}: not finished (no {SUCCESS}); repeat the `interleaf build` command to resume")
    for name, check in CHECKS.items():
        run = _RunUnderTest(folder, read_plan(folder), samples)
        try:
            faults = tuple(check(run))
        except (pa.ArrowException, OSError) as error:  # a damaged shard, which the check of the hashes names
            faults = (f"a shard cannot be read: {error}",)
        yield Verification(name, run.checked, faults)


def _hashes(run: _RunUnderTest) -> Iterator[str]:
    for manifest in _manifests(run):
        if isinstance(manifest, str):
            yield manifest
            continue
        for name, digest in manifest.files.items():
            run.checked += 1
            path = Path(run.plan.folder_of(manifest.stage)) / name
            if not path.is_file():
                yield f"{path}: missing"
            elif file_sha256(path) != digest:
                yield f"{path}: its sha256 is not the one in its manifest"


def _no_strangers(run: _RunUnderTest) -> Iterator[str]:
    own = (m for m in _manifests(run) if isinstance(m, ShardManifest) and m.stage not in run.plan.origins)
    known = {name for m in own for name in m.files}
    for folder in ("data", "images", "drops"):
        for path in sorted((run.folder / folder).glob("*")):
            run.checked += 1
            if f"{folder}/{path.name}" not in known:
                yield f"{path}: belongs to no shard"


def _in_is_out_plus_drops(run: _RunUnderTest) -> Iterator[str]:
    stats = json.loads((run.folder / "stats.json").read_text(encoding="utf-8"))
    manifests = [m for m in _manifests(run) if isinstance(m, ShardManifest)]
    if stage_funnel(sum_counts(manifests)) != stats["stages"]:
        yield "stats.json: not the sum of the shard manifests"
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for row in drop_rows(run.folder):
        rows[row["stage"]][row["rule"]] += 1
        run.checked += 1
    for stage, numbers in stats["stages"].items():
        if numbers["in"] != numbers["out"] + sum(numbers["drops"].values()):
            yield f"{stage}: in {numbers['in']} is not out {numbers['out']} + drops {sum(numbers['drops'].values())}"
        if dict(rows[stage]) != numbers["drops"]:
            yield f"{stage}: drops/ holds {dict(rows[stage])}, stats.json says {numbers['drops']}"
    if stats["stages"]["documents"]["out"] != stats["stages"]["scored"]["in"]:
        yield "documents: not every document was scored"


def _equal_lists(run: _RunUnderTest) -> Iterator[str]:
    seen: set[tuple[str, int]] = set()
    stored = set()
    for path in _image_files(run):
        stored.update(pq.read_table(path, columns=["sha256"])["sha256"].to_pylist())
    for row in data_rows(run.folder):
        run.checked += 1
        name = f"{row['id']} part {row['part']}"
        if (row["id"], row["part"]) in seen:
            yield f"{name}: twice"
        seen.add((row["id"], row["part"]))
        texts, images = row["texts"], row["images"]
        if not len(texts) == len(images) == len(row["nodes"]):
            yield f"{name}: {len(texts)} texts, {len(images)} images, {len(row['nodes'])} nodes"
        elif any((t is None) == (i is None) and not _is_capped(row, n) for n, (t, i) in enumerate(zip(texts, images, strict=True))):
            yield f"{name}: a position has both a text and an image, or neither"
        missing = {n["image"]["sha256"] for n in row["nodes"] if n["image"] is not None} - stored
        if missing:
            yield f"{name}: images not in images/: {sorted(missing)[:3]}"


def _is_capped(row: dict[str, Any], position: int) -> bool:
    """Whether a position without a text and without an image is an image that stayed a reference (images.md 9)."""
    is_empty = row["texts"][position] is None and row["images"][position] is None
    return is_empty and CAPPED in row["flags"] and row["nodes"][position]["image"] is not None


def _image_bytes(run: _RunUnderTest) -> Iterator[str]:
    seen: set[str] = set()
    for path in _image_files(run):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=16, columns=["sha256", "bytes"]):
                for row in batch.to_pylist():
                    run.checked += 1
                    if hashlib.sha256(row["bytes"]).hexdigest() != row["sha256"]:
                        yield f"image {row['sha256']}: its bytes have another sha256"
                    if row["sha256"] in seen:
                        yield f"image {row['sha256']}: stored twice"
                    seen.add(row["sha256"])


def _provenance(run: _RunUnderTest) -> Iterator[str]:
    """Random nodes are read again from their place in the archive and extracted again; text and image must be the same."""
    config = config_from_dict(read_run(run.folder)["config"], str(run.folder / RUN_FILE))
    for item in _node_sample(run):
        row, number = item["row"], item["number"]
        run.checked += 1
        source, node = row["source"], row["nodes"][number]
        name = f"{row['id']} part {row['part']} node {number} ({source['file']}, offset {source['offset']})"
        document = _read_again(row, config)
        if not isinstance(document, Document):
            yield f"{name}: {document}"
            continue
        if node["image"] is not None:
            found = document.nodes[node["index"]].image
            if found is None or found.href != node["image"]["document_src"] or node["image"]["url"] not in found.candidates:
                yield f"{name}: the image {node['image']['url']} is not there"
            continue
        text = row["texts"][number]
        originals = {(p.path, *p.blocks): p.text for n in document.nodes for p in n.paragraphs}
        for paragraph in node["paragraphs"]:
            place = (paragraph["path"], paragraph["block_start"], paragraph["block_stop"])
            if originals.get(place) != text[paragraph["char_start"] : paragraph["char_stop"]]:
                yield f"{name}: other text at {paragraph['path']}"
                break


def _loads(run: _RunUnderTest) -> Iterator[str]:
    import datasets

    datasets.disable_progress_bars()
    expected = sum(pq.read_metadata(path).num_rows for path in (run.folder / "data").glob("train-*.parquet"))
    data = str((run.folder / "data").resolve())
    with tempfile.TemporaryDirectory(prefix="interleaf-verify-") as cache:
        ways: dict[str, Callable[[], Any]] = {
            "plain": lambda: datasets.load_dataset("parquet", data_dir=data, split="train", cache_dir=cache),
            "streaming": lambda: datasets.load_dataset("parquet", data_dir=data, split="train", streaming=True),
            "card": lambda: datasets.load_dataset(str(run.folder.resolve()), split="train", cache_dir=cache),
        }
        if not expected:
            # `datasets` streams a split without rows, but refuses to load one ("corresponds to no data").
            ways = {"streaming": ways["streaming"]}
        for way, load in ways.items():
            run.checked += 1
            try:
                rows = sum(len(row["texts"]) == len(row["images"]) for row in load())
            except Exception as error:  # noqa: BLE001  whatever a loader raises is the fault that this check is for
                yield f"load_dataset, {way}: {error!r}"
                continue
            if rows != expected:
                yield f"load_dataset, {way}: {rows} sound rows of {expected}"


CHECKS: dict[str, Callable[[_RunUnderTest], Iterator[str]]] = {
    "hashes of all files": _hashes,
    "no other files in data, images, drops": _no_strangers,
    "in = out + drops": _in_is_out_plus_drops,
    "texts and images of equal length, ids unique, images stored": _equal_lists,
    "image bytes": _image_bytes,
    "provenance of nodes": _provenance,
    "opens with datasets": _loads,
}


def _read_again(row: dict[str, Any], config: Config) -> Document | str:
    response = read_source(Source(**row["source"]), config.input.read_settings())
    if isinstance(response, Response):
        # A revisit stands under its own URL and date; the place is that of the response it repeats.
        response = replace(response, url=row["url"], date=row["date"])
    page = response if isinstance(response, Drop) else select_page(response, config.select)
    if isinstance(page, Drop):
        return f"reading again gives a drop: {page.rule} {page.detail}"
    document = extract_document(page, config.extract)
    return f"extracting again gives a drop: {document.rule}" if isinstance(document, Drop) else document


def _node_sample(run: _RunUnderTest) -> list[dict[str, Any]]:
    nodes = (
        {"key": f"{row['id']}/{row['part']}/{number}", "row": row, "number": number}
        for row in data_rows(run.folder)
        for number in range(len(row["nodes"]))
    )
    return smallest_by_hash(nodes, "key", run.samples)


def _image_files(run: _RunUnderTest) -> list[Path]:
    return sorted((Path(run.plan.folder_of("images")) / "images").glob("part-*.parquet"))


def _manifests(run: _RunUnderTest) -> Iterator[ShardManifest | str]:
    for stage in run.plan.stages:
        for index in range(run.plan.total(stage)):
            path = manifest_path(run.plan.folder_of(stage), stage, index, run.plan.total(stage))
            try:
                stored = json.loads(path.read_text(encoding="utf-8"))
                if stored.pop("run_key") != run.plan.key_of(stage):
                    yield f"{path}: of another run"
                    continue
                yield ShardManifest(**stored)
            except (OSError, ValueError, TypeError, KeyError) as error:
                yield f"{path}: {error}"
