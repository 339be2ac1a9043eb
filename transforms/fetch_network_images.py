"""Images that the archives lack -> by host -> asked for once -> fetched shards; then both answers as one (images.md section 4, N).

    looked-up and fetched so far -> by document shard -> the next candidate of each image -> by url_key, each once
        -> by host shard -> [guarded fetch, validate, journal, write] -> fetched shards          one such round a candidate
    looked-up + fetched -> by outcome shard -> outcomes

A host belongs to one shard, so that its limits need no shared state. Bodies stay in files of the shard; what is shuffled are URLs.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import apache_beam as beam

import transforms.coders  # noqa: F401  registers the records
from transforms.documents.codec import image_candidates
from transforms.fetch_images import OutcomesByDocumentShard, count_outcome, outcome_counts, read_outcomes, shard_of
from transforms.group_by_shard import GroupByShard
from transforms.images.network.config import NetworkConfig
from transforms.images.network.downloader import fetch_urls
from transforms.images.network.failure import Failure
from transforms.images.network.fetch import Fetched
from transforms.images.network.hosts import Host
from transforms.images.network.journal import JOURNALS, Journal
from transforms.images.network.rounds import by_key, next_candidate, wanted_or_known
from transforms.images.network.transport import Transport, parse_target
from transforms.images.optout import TDM, OptOutConfig
from transforms.images.placeholders import PLACEHOLDER
from transforms.images.prepare import StoredImageConfig, prepare_image
from transforms.images.resolve import with_facts
from transforms.images.urls import host_of
from transforms.images.validate import ImageFacts
from transforms.records import NETWORK, Outcome, ShardManifest
from transforms.shard_maker import ShardMaker
from transforms.shards.bodies import fetched_bytes
from transforms.shards.plan import ShardPlan, read_rows
from transforms.shards.schemas import OUTCOMES
from transforms.shards.writer import ShardWriter, find_finished
from transforms.stored_path import stored_path, temporary_folder

BATCH_URLS = 20_000
"""URLs of a shard that are under way together: a bound of memory, however many a shard has."""

RESERVED = "tdm_reserved"
"""The flag of an image whose owner reserves text and data mining; a drop instead with `optout.tdm`."""


@dataclass(frozen=True)
class FetchSettings:
    """What the stage needs of the configuration.

    earlier: folders with fetched stages, whose URLs need not be asked for again. placeholder_urls: as in `LookUpConfig`.
    """

    network: NetworkConfig
    optout: OptOutConfig
    stored: StoredImageConfig
    earlier: tuple[str, ...] = ()
    placeholder_urls: int | None = 10


def choose_candidates(index: int, outcomes: Iterable[Outcome], plan: ShardPlan) -> Iterator[Outcome]:
    """The distinct URLs that the images of a document shard need next."""
    known = by_key(outcomes)
    chosen: dict[bytes, Outcome] = {}
    for row in read_rows(plan.path("stages/documents", index, plan.documents), ["nodes"]):
        for candidates in image_candidates(row["nodes"]):
            wanted = next_candidate(candidates, known)
            if wanted is not None:
                chosen[wanted.url_key] = wanted
    yield from (chosen[key] for key in sorted(chosen))


def find_earlier(folder: str) -> Iterator[str]:
    """The fetched tables below a folder with stages. They are looked for in a worker: a graph that named them grew with them."""
    yield from sorted(str(path) for path in stored_path(folder).glob("fetched-*/part-*.parquet"))


def read_earlier(path: str) -> Iterator[tuple[bytes, Outcome]]:
    """The outcomes in a fetched table of an earlier run, the places of their bodies as full paths."""
    table = stored_path(path)
    folder = table.resolve().parent if isinstance(table, Path) else table.parent
    for row in read_rows(table, batch_rows=10_000):
        outcome = Outcome(**row)
        yield outcome.url_key, outcome if outcome.file is None else replace(outcome, file=str(folder / Path(outcome.file).name))


def journal_path(plan: ShardPlan, stage: str, index: int) -> Path:
    """Where a shard keeps what it has so far: in the run folder, or on the worker where that cannot be appended to."""
    folder, name = stored_path(plan.folder), f"{stage}-{index:05d}"
    return folder / JOURNALS / name if isinstance(folder, Path) else temporary_folder(folder) / "journals" / plan.key / name


def fetch_shard(index: int, wanted: Iterable[Outcome], plan: ShardPlan, stage: str, settings: FetchSettings) -> ShardManifest:
    """Makes a fetched shard: one row a URL of its hosts, ordered by key, and the bodies of those that are images.

    Whatever an interrupted attempt has in its journal is not asked for again.
    """
    total = plan.total(stage)
    finished = find_finished(plan.folder, stage, index, total, plan.key)
    if finished is not None:
        return finished
    wanted = sorted(wanted, key=lambda outcome: outcome.url_key)
    with (
        ShardWriter(plan.folder, stage, index, total, plan.key) as shard,
        Journal(journal_path(plan, stage, index), plan.key) as journal,
    ):
        for outcome in wanted:
            if outcome.source == NETWORK and outcome.url_key not in journal:
                journal.add(outcome, _known_body(outcome))
        _fetch([outcome for outcome in wanted if outcome.url_key not in journal], journal, settings)
        table = shard.table(f"stages/{stage}", OUTCOMES, row_group_rows=10_000)
        bodies = shard.bodies(f"stages/{stage}")
        flagged = _placeholders(journal.outcomes(), settings.placeholder_urls)
        places: dict[str, int] = {}
        counts: Counter[str] = Counter()
        for outcome, body in journal.rows():
            if outcome.sha256 is not None:
                if outcome.sha256 not in places:
                    places[outcome.sha256] = bodies.append(body)
                flags = (*outcome.flags, *flagged.get(outcome.url_key, ()))
                outcome = replace(outcome, file=bodies.name, offset=places[outcome.sha256], length=len(body), flags=flags)
            table.append_record(outcome)
            counts[f"{stage}/{outcome.status}"] += 1
        manifest = shard.commit(counts)
    journal.remove()
    return manifest


def merge_shard(index: int, fetched: Iterable[Outcome], plan: ShardPlan) -> ShardManifest:
    """Makes an outcome shard of a looked-up shard and what the network said of the same URLs."""
    finished = find_finished(plan.folder, "outcomes", index, plan.outcomes, plan.key)
    if finished is not None:
        return finished
    answers = by_key(fetched)
    counts = outcome_counts()
    with ShardWriter(plan.folder, "outcomes", index, plan.outcomes, plan.key) as shard:
        outcomes = shard.table("stages/outcomes", OUTCOMES, row_group_rows=10_000)
        for row in read_rows(plan.path(f"stages/{plan.looked_up}", index, plan.outcomes), batch_rows=10_000):
            looked_up = Outcome(**row)
            answer = answers.get(looked_up.url_key)
            outcome = looked_up if answer is None else replace(answer, shards=looked_up.shards)
            outcomes.append_record(outcome)
            shard.drop(count_outcome(outcome, counts))
        return shard.commit(counts)


def fetched_outcome(wanted: Outcome, fetched: Fetched, config: StoredImageConfig) -> tuple[Outcome, bytes]:
    """What became of a URL that the network was asked for: the failure of the request, or what its bytes are worth.

    The second result are the bytes to store; empty for an outcome that is not ok.
    """
    outcome = replace(
        wanted,
        source=NETWORK,
        detail=None,
        value=None,
        threshold=None,
        http_status=fetched.http_status,
        final_url=fetched.final_url if fetched.final_url != wanted.url else None,
        hops=fetched.hops or None,
        attempts=fetched.attempts,
        content_type=fetched.content_type,
        flags=(RESERVED,) if any(line.startswith(TDM) and line.endswith(": 1") for line in fetched.directives) else (),
        date=None,
        file=None,
        offset=None,
        length=None,
        record_id=None,
    )
    failure = fetched.failure
    if failure is not None:
        failed = replace(outcome, status=failure.status, detail=failure.detail, value=failure.value, threshold=failure.threshold)
        return failed, b""
    facts, stored = prepare_image(fetched.body or b"", fetched.content_type, config)
    return with_facts(outcome, facts), stored if isinstance(facts, ImageFacts) else b""


def _fetch(wanted: Sequence[Outcome], journal: Journal, settings: FetchSettings) -> None:
    transport, hosts = Transport(settings.network), dict[str, Host]()
    try:
        # By key, that is by chance: each batch has all hosts of the shard in their proportion.
        for start in range(0, len(wanted), BATCH_URLS):
            batch = wanted[start : start + BATCH_URLS]
            take = partial(_take, batch, journal, settings.stored)
            fetch_urls([outcome.url for outcome in batch], settings.network, settings.optout, transport, take, hosts)
    finally:
        transport.close()


def _take(wanted: Sequence[Outcome], journal: Journal, config: StoredImageConfig, fetched: Fetched) -> None:
    journal.add(*fetched_outcome(wanted[fetched.index], fetched, config))


def _known_body(outcome: Outcome) -> bytes:
    """The body that an earlier run has."""
    return fetched_bytes(outcome, stored_path(outcome.file)) if outcome.file is not None else b""


def _placeholders(outcomes: Iterable[Outcome], most: int | None) -> dict[bytes, tuple[str, ...]]:
    if most is None:
        return {}
    redirected: dict[tuple[str, str], list[bytes]] = {}
    for outcome in outcomes:
        if outcome.sha256 is not None and outcome.hops:
            redirected.setdefault((host_of(outcome.url), outcome.sha256), []).append(outcome.url_key)
    return {key: (PLACEHOLDER,) for keys in redirected.values() if len(keys) > most for key in keys}


def _by_host_shard(element: tuple[bytes, Iterable[Outcome]], total: int) -> Iterator[tuple[int, Outcome]]:
    for outcome in wanted_or_known(element[1]):
        yield host_shard(outcome.url, total), outcome


def host_shard(url: str, total: int) -> int:
    """The shard of a host and port; one that is no URL goes anywhere, but always to the same."""
    target = parse_target(url)
    authority = url if isinstance(target, Failure) else target.authority
    return shard_of(hashlib.sha256(authority.encode("utf-8", "surrogatepass")).digest(), total)


def _by_url_key(outcome: Outcome) -> tuple[bytes, Outcome]:
    return outcome.url_key, outcome


def _by_outcome_shard(outcome: Outcome, total: int) -> tuple[int, Outcome]:
    return shard_of(outcome.url_key, total), outcome


def _choose(element: tuple[int, Iterable[Outcome]], plan: ShardPlan) -> Iterator[Outcome]:
    yield from choose_candidates(*element, plan)


class _FetchShard(ShardMaker):
    def __init__(self, plan: ShardPlan, stage: str, settings: FetchSettings) -> None:
        self._plan = plan
        self._stage = stage
        self._settings = settings

    def process(self, element: tuple[int, Iterable[Outcome]]) -> Iterator[ShardManifest]:
        index, wanted = element
        manifest = fetch_shard(index, wanted, self._plan, self._stage, self._settings)
        for name, number in manifest.counts.items():
            beam.metrics.Metrics.counter("interleaf.images", f"network/{name.rpartition('/')[2]}").inc(number)
        yield manifest


class _MergeShard(ShardMaker):
    def __init__(self, plan: ShardPlan) -> None:
        self._plan = plan

    def process(self, element: tuple[int, Iterable[Outcome]]) -> Iterator[ShardManifest]:
        yield merge_shard(*element, self._plan)


@dataclass
class FetchRound(beam.PTransform):  # type: ignore[misc]
    """Manifests of all that is known of the images so far -> manifests of fetched shards, one candidate of each image asked for.

    What a document shard needs is chosen where all its outcomes are; a URL that many shards need is one row from there on.
    """

    plan: ShardPlan
    stage: str
    settings: FetchSettings

    def expand(self, known: beam.PCollection[ShardManifest]) -> beam.PCollection[ShardManifest]:
        keyed = tuple[bytes, Outcome]
        wanted = (
            known
            | "ByDocumentShard" >> OutcomesByDocumentShard(self.plan)
            | "GroupByDocumentShard" >> GroupByShard(self.plan.documents, Outcome)
            | "ChooseCandidates" >> beam.FlatMap(_choose, self.plan).with_output_types(Outcome)
            | "ByUrl" >> beam.Map(_by_url_key).with_output_types(keyed)
        )
        earlier = (
            known.pipeline
            | "EarlierRuns" >> beam.Create(self.settings.earlier, reshuffle=False).with_output_types(str)
            | "EarlierTables" >> beam.FlatMap(find_earlier).with_output_types(str)
            | "SpreadTables" >> beam.Reshuffle()
            | "ReadEarlier" >> beam.FlatMap(read_earlier).with_output_types(keyed)
        )
        return (
            (wanted, earlier)
            | "WithEarlier" >> beam.Flatten()
            | "JoinByUrl" >> beam.GroupByKey()
            | "ByHost" >> beam.FlatMap(_by_host_shard, self.plan.fetches).with_output_types(tuple[int, Outcome])
            | "GroupByHost" >> GroupByShard(self.plan.fetches, Outcome)
            | "FetchShard" >> beam.ParDo(_FetchShard(self.plan, self.stage, self.settings)).with_output_types(ShardManifest)
        )


@dataclass
class FetchImages(beam.PTransform):  # type: ignore[misc]
    """Manifests of looked-up shards -> manifests of fetched shards of all rounds."""

    plan: ShardPlan
    settings: FetchSettings

    def expand(self, looked_up: beam.PCollection[ShardManifest]) -> beam.PCollection[ShardManifest]:
        known, fetched = looked_up, []
        for stage in self.plan.fetched:
            made = known | f"Ask{stage}" >> FetchRound(self.plan, stage, self.settings)
            fetched.append(made)
            known = (looked_up, *fetched) | f"KnownAfter{stage}" >> beam.Flatten()
        return fetched | "AllRounds" >> beam.Flatten()


@dataclass
class MergeOutcomes(beam.PTransform):  # type: ignore[misc]
    """Manifests of fetched shards -> manifests of outcome shards. Looked-up shards are older, and read where they are."""

    plan: ShardPlan

    def expand(self, fetched: beam.PCollection[ShardManifest]) -> beam.PCollection[ShardManifest]:
        return (
            fetched
            | "ReadFetched" >> beam.FlatMap(read_outcomes, self.plan).with_output_types(Outcome)
            | "ByKey" >> beam.Map(_by_outcome_shard, self.plan.outcomes).with_output_types(tuple[int, Outcome])
            | "GroupByKey" >> GroupByShard(self.plan.outcomes, Outcome)
            | "MergeShard" >> beam.ParDo(_MergeShard(self.plan)).with_output_types(ShardManifest)
        )
