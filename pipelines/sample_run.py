"""A run of a few input ranges in this process, measured: what `interleaf plan` forecasts from.

The ranges stand at even distances in the input. They are extracted one by one, for what each costs; then the graph runs on their
shards, which it finds finished, and makes the other stages.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

from pipelines.config import Config
from pipelines.forecast import Sample, SampledRange
from pipelines.input_manifest import read_manifest
from pipelines.memory import MemoryWatch, tree_memory
from pipelines.run_folder import INPUT_FILE, RANGE_FILE, Run, plan_shards, prepare_folder
from pipelines.shuffles import Shuffle, measure_shuffles
from transforms.records import InputRange, Page, ShardManifest, Source
from transforms.shards.plan import ShardPlan
from transforms.shards.writer import manifest_path

TIMES_READ = {
    "stages/documents": 1, "stages/references": 1, "stages/captures": 2, "stages/inline": 1, "stages/revisits": 1,
    "stages/outcomes": 2, "stages/scored": 1, "images": 2,
}  # fmt: skip
"""How often the bytes of a folder are read by later stages; those of images stand for the archived ones they come from."""

_WARM_UP = b"<html><body><main><h1>A heading</h1>" + b"<p>A paragraph of some words, so that all models are loaded.</p>" * 20


def measure_sample(run: Run, count: int) -> Sample:
    """Measures `count` input ranges of a planned run, or all if it has no more. Nothing of it is kept."""
    with TemporaryDirectory(prefix="interleaf-sample-") as folder:
        chosen = choose_ranges(run, count)
        place = Path(folder) / "run"
        return _Measurement(_sample_run(run, chosen, place), place, chosen).measure()


def choose_ranges(run: Run, count: int) -> list[tuple[InputRange, float]]:
    """`count` ranges at even distances, each with its part of the bytes of its file. The lists of the run are only passed over."""
    lists = Path(run.lists.name)
    sizes = dict[str, int]()
    wanted = {(2 * number + 1) * run.ranges // (2 * count) for number in range(count)} if count < run.ranges else None
    chosen: list[tuple[InputRange, float]] = []
    files = read_manifest(str(lists / Path(INPUT_FILE).name))
    for path, ranges in groupby(_read_ranges(lists / Path(RANGE_FILE).name), key=lambda range_: range_.file):
        sizes = {path: next(size for name, size in files if name == path)}
        of_file = list(ranges)
        units = of_file[-1].stop - of_file[0].start
        chosen += [
            (range_, sizes[path] * (range_.stop - range_.start) / units if units else 0.0)
            for range_ in of_file
            if wanted is None or range_.index in wanted
        ]
    return chosen


def folder_bytes(run: Path) -> dict[str, int]:
    """Bytes of the files of shards, by their folder in the run folder."""
    sizes: dict[str, int] = {}
    for folder in ("data", "images", "drops", *(f"stages/{p.name}" for p in (run / "stages").iterdir() if p.is_dir())):
        if (run / folder).is_dir():
            sizes[folder] = sum(entry.stat().st_size for entry in os.scandir(run / folder))
    return sizes


def read_back(sizes: dict[str, int]) -> float:
    """Bytes that later stages read again."""
    return sum(TIMES_READ.get(folder, 0) * size for folder, size in sizes.items())


def _read_ranges(path: Path) -> Iterator[InputRange]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield InputRange(**json.loads(line))


def _sample_run(run: Run, chosen: list[tuple[InputRange, float]], folder: Path) -> Run:
    """A run of its own, of the chosen ranges alone."""
    lists = TemporaryDirectory(prefix="interleaf-sample-")
    ranges = [dataclasses.replace(range_, index=index) for index, (range_, _) in enumerate(chosen)]
    lines = "".join(json.dumps(dataclasses.asdict(range_)) + "\n" for range_ in ranges)
    (Path(lists.name) / Path(RANGE_FILE).name).write_text(lines, encoding="utf-8")
    (Path(lists.name) / Path(INPUT_FILE).name).write_text("", encoding="utf-8")
    size = round(sum(size for _, size in chosen))
    archives = sum(range_.format == "warc" for range_ in ranges)
    # What archives lack is counted, not fetched: a forecast asks no one for anything.
    images = run.config.images
    config = dataclasses.replace(
        run.config, images=dataclasses.replace(images, source="archive") if images.uses_network else images
    )
    plan = plan_shards(folder, run.plan.key, config, size, len(ranges), archives)
    summary = dataclasses.replace(run.input, bytes=size)
    sample = Run(folder, config, summary, len(ranges), run.versions, plan, lists)
    prepare_folder(sample)
    return sample


class _Measurement:
    """The measuring of one sample run, step by step."""

    def __init__(self, run: Run, folder: Path, chosen: list[tuple[InputRange, float]]) -> None:
        self.run = run
        self.folder = folder
        self.plan: ShardPlan = run.plan
        self.config: Config = run.config
        self.chosen = chosen

    def measure(self) -> Sample:
        # Heavy imports.
        from pipelines.graph import extract_settings
        from transforms.documents.extract import extract_document
        from transforms.extract_documents import extract_range, isolated_extractor

        settings = extract_settings(self.config)
        page = Page("http://warm.up/", _WARM_UP, "text/html; charset=utf-8", Source("", 0, 0))
        manifests: list[ShardManifest] = []
        isolated = isolated_extractor(settings)
        with MemoryWatch() as memory, isolated or contextlib.nullcontext():
            started = time.process_time()
            _ = extract_document(page, settings.extract) if isolated is None else isolated.extract(page)
            model_seconds = time.process_time() - started + (0.0 if isolated is None else isolated.cpu_seconds)
            for index, (range_, _) in enumerate(self.chosen):
                numbered = dataclasses.replace(range_, index=index)
                manifests.append(extract_range(numbered, self.plan, settings, isolated))
            memory.look()
        before = folder_bytes(self.folder)
        ranges = tuple(self._range(manifest, size) for manifest, (_, size) in zip(manifests, self.chosen, strict=True))
        started = time.process_time()
        shuffles = self._run_graph()
        graph_seconds = time.process_time() - started - self._stage_seconds()
        return Sample(
            ranges=ranges,
            later=self._later(before, sum(shuffle.bytes for shuffle in shuffles.values())),
            distinct_images=self._distinct_images(len(manifests)),
            worker_memory=memory.peak,
            driver_memory=tree_memory(os.getpid()),
            start_seconds=_start_seconds(),
            model_seconds=model_seconds,
            graph_seconds=max(0.0, graph_seconds),
            shuffles=shuffles,
        )

    def _range(self, manifest: ShardManifest, size: float) -> SampledRange:
        counts = manifest.counts
        files = {name: (self.folder / name).stat().st_size for name in manifest.files}
        own = Path(str(manifest_path(self.folder, manifest.stage, manifest.index, manifest.total))).stat().st_size
        again = sum(TIMES_READ.get(name.rpartition("/")[0], 0) * written for name, written in files.items())
        return SampledRange(
            size,
            {
                "pages": counts["documents/in"],
                "documents": manifest.rows,
                "image_mentions": pq.read_metadata(
                    self.plan.path("stages/references", manifest.index, self.plan.documents)
                ).num_rows,
                "archived_images": counts.get("read/images", 0),
                "cpu_seconds": manifest.cpu_seconds,
                "read_bytes": size + again,
                "written_bytes": sum(files.values()) + own,
            },
        )

    def _run_graph(self) -> dict[str, Shuffle]:
        """Makes the other stages; gives what was shuffled."""
        from pipelines.graph import build
        from pipelines.runners import resolve_runner, run_graph

        pipelines = []

        def wire(root: object) -> None:
            pipelines.append(root)
            build(root, self.run, time.time())

        result = run_graph(resolve_runner("local", 1, ()), wire)
        return measure_shuffles(pipelines[0], result)

    def _stage_seconds(self) -> float:
        """CPU of the stages that the graph made."""
        stats = json.loads((self.folder / "stats.json").read_text(encoding="utf-8"))
        return float(stats["cpu_seconds"]["total"])

    def _later(self, before: dict[str, int], shuffled: float) -> dict[str, float]:
        stats = json.loads((self.folder / "stats.json").read_text(encoding="utf-8"))
        after = folder_bytes(self.folder)
        grown = {folder: size - before.get(folder, 0) for folder, size in after.items()}
        return {
            "cpu_seconds": self._stage_seconds(),
            "stored_images": stats["stored_images"],
            "rows": stats["dataset"].get("rows", 0),
            "words": stats["dataset"].get("words", 0),
            "shuffled_bytes": shuffled,
            "read_bytes": read_back(grown),
            "written_bytes": sum(grown.values()),
        }

    def _distinct_images(self, shards: int) -> tuple[float, float]:
        """Distinct image URLs in every other range, as a mean of the two choices, and in all."""
        halves: tuple[set[bytes], set[bytes]] = (set(), set())
        for index in range(shards):
            path = self.plan.path("stages/references", index, self.plan.documents)
            halves[index % 2].update(pq.read_table(path, columns=["url_key"])["url_key"].to_pylist())
        return sum(map(len, halves)) / 2, len(halves[0] | halves[1])


def _start_seconds() -> float:
    """CPU seconds of a new process that imports what a worker does."""
    before = os.times()
    subprocess.run(
        [sys.executable, "-c", "import pipelines.graph"], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system
