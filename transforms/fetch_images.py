"""Document shards -> distinct image URLs -> what the archives have of each -> image shards (images.md section 4).

    manifests -> mentions and captures by url_key -> wanted -> by outcome shard -> [read, validate, write] -> outcomes
                                           ^           |
                                           '-- moved --'     archived redirects: by the key of their target, at most five times;
                                                             then by host and content, for pictures that stand for many
    outcomes that are ok -> by sha256 -> image shard -> [read again, write]

Bodies stay in the archives until an image shard is written: an image's place there is all that crosses a shuffle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import apache_beam as beam

import transforms.coders  # noqa: F401  registers the records
from transforms.group_by_shard import GroupByShard
from transforms.images.archive import MAX_REDIRECTS, look_up
from transforms.images.captures import capture_sighting
from transforms.images.mentions import mention_sighting
from transforms.images.optout import OptOutConfig
from transforms.images.placeholders import flag_placeholders, redirected_to
from transforms.images.prepare import StoredImageConfig
from transforms.images.resolve import resolve_image
from transforms.images.urls import url_key
from transforms.images.wanted import LookUpConfig, want_image
from transforms.records import Drop, LookUp, Outcome, ShardManifest, Sighting, WantedImage
from transforms.shard_maker import ShardMaker
from transforms.shards.bodies import image_bytes, read_body
from transforms.shards.plan import ShardPlan, read_rows
from transforms.shards.schemas import IMAGES, OUTCOMES
from transforms.shards.writer import ShardWriter, find_finished

STAGE = "images"


def read_sightings(manifest: ShardManifest, plan: ShardPlan, source: str = "archive") -> Iterator[tuple[bytes, Sighting]]:
    """The distinct image URLs that a document shard mentions, and what its input range answers for images.

    source: `images.source`; without images there are no mentions, and without the archives no answers.
    """
    if source == "off":
        return
    for row in read_rows(plan.path("stages/references", manifest.index, plan.documents), batch_rows=10_000):
        yield row["url_key"], mention_sighting(row, manifest.index)
    for row in read_rows(plan.path("stages/inline", manifest.index, plan.documents), batch_rows=10_000):
        yield row["url_key"], Sighting(kind="image", **{name: value for name, value in row.items() if name != "url_key"})
    if source == "network":
        return
    for row in read_rows(plan.path("stages/captures", manifest.index, plan.documents), batch_rows=10_000):
        capture = capture_sighting(row)
        yield row["url_key"], capture
        if capture.target is not None:
            yield url_key(capture.target), Sighting(capture.target, "target")


def begin_look_up(
    key: bytes, sightings: Iterable[Sighting], config: LookUpConfig, optout: OptOutConfig
) -> Iterator[tuple[bytes, LookUp]]:
    """All that was seen of one URL -> the wanted image, and what the archives have here for those that are redirected here."""
    kinds: dict[bool, list[Sighting]] = {True: [], False: []}
    is_target = False
    for seen in sightings:
        if seen.kind == "target":
            is_target = True
        else:
            kinds[seen.kind == "mention"].append(seen)
    wanted = want_image(key, kinds[True], config)
    if wanted is not None:
        yield _looked_up(key, wanted, kinds[False], optout)
    if is_target:
        for capture in kinds[False]:
            yield key, LookUp(seen=capture)


def continue_look_up(key: bytes, met: Iterable[LookUp], optout: OptOutConfig) -> Iterator[tuple[bytes, LookUp]]:
    """The wanted images that were redirected to one URL, looked up there."""
    met = list(met)
    captures = [item.seen for item in met if item.seen is not None]
    for item in met:
        if item.wanted is not None:
            yield _looked_up(key, item.wanted, captures, optout)


def _looked_up(key: bytes, wanted: WantedImage, captures: Iterable[Sighting], optout: OptOutConfig) -> tuple[bytes, LookUp]:
    found, target = look_up(wanted, captures, optout)
    return (key if target is None else url_key(target)), LookUp(wanted=found, is_settled=target is None)


def read_outcomes(manifest: ShardManifest, plan: ShardPlan) -> Iterator[Outcome]:
    """The outcomes of a shard, be it of those looked up, of those fetched, or of both."""
    stage = manifest.stage
    for row in read_rows(plan.path(f"stages/{stage}", manifest.index, plan.total(stage)), batch_rows=10_000):
        yield Outcome(**row)


def resolve_shard(index: int, wanted: Iterable[WantedImage], plan: ShardPlan, config: StoredImageConfig) -> ShardManifest:
    """Makes a shard of what the archives have: one row a distinct URL, ordered by key.

    A URL without a usable body is a drop as well, unless the network is still to be asked.
    """
    stage = plan.looked_up
    finished = find_finished(plan.folder, stage, index, plan.outcomes, plan.key)
    if finished is not None:
        return finished
    counts = outcome_counts()
    with ShardWriter(plan.folder, stage, index, plan.outcomes, plan.key) as shard:
        outcomes = shard.table(f"stages/{stage}", OUTCOMES, row_group_rows=10_000)
        bodies = shard.bodies(f"stages/{stage}")
        places: dict[str, int] = {}

        def read_inline(file: str, offset: int, length: int) -> bytes:
            return read_body(plan.file(file), offset, length)

        for image in sorted(wanted, key=lambda image: image.url_key):
            outcome, stored = resolve_image(image, config, read_inline)
            if outcome.source_sha256 is not None and outcome.sha256 is not None:
                if outcome.sha256 not in places:
                    places[outcome.sha256] = bodies.append(stored)
                outcome = replace(outcome, stored_file=bodies.name, stored_offset=places[outcome.sha256])
            outcomes.append_record(outcome)
            if not plan.rounds:
                shard.drop(count_outcome(outcome, counts))
        return shard.commit({} if plan.rounds else counts)


def outcome_counts() -> Counter[str]:
    """The counts of an outcome shard, nothing counted yet."""
    return Counter({f"{STAGE}/in": 0, f"{STAGE}/out": 0})


def count_outcome(outcome: Outcome, counts: Counter[str]) -> list[Drop]:
    """Counts an outcome, by source and status as well, and makes a drop of one that has no bytes."""
    counts[f"{STAGE}/in"] += 1
    counts[f"image_outcomes/{outcome.source or 'nobody'}/{outcome.status}"] += 1
    if outcome.status == "ok":
        counts[f"{STAGE}/out"] += 1
        return []
    return [
        Drop(
            STAGE, outcome.status, "image", outcome.url_key.hex(), outcome.url, outcome.value, outcome.threshold, outcome.detail,
            outcome.file, outcome.offset,
        )
    ]  # fmt: skip


def store_shard(index: int, outcomes: Iterable[Outcome], plan: ShardPlan) -> ShardManifest:
    """Makes an image shard: one row a distinct sha256, ordered by it; bytes are those of the first place in the archives."""
    finished = find_finished(plan.folder, STAGE, index, plan.images, plan.key)
    if finished is not None:
        return finished
    first: dict[str, Outcome] = {}
    for outcome in sorted(outcomes, key=lambda o: (o.sha256 or "", o.file or "", o.offset or 0, o.record_id or "", o.url)):
        first.setdefault(outcome.sha256 or "", outcome)
    with ShardWriter(plan.folder, STAGE, index, plan.images, plan.key) as shard:
        images = shard.table("images", IMAGES, only_with_rows=True)
        for outcome in first.values():
            row = image_row(outcome, image_bytes(outcome, plan))
            images.append(row, size=len(row["bytes"]))
        return shard.commit({"stored_images/rows": len(first)})


def image_row(outcome: Outcome, body: bytes) -> dict[str, Any]:
    """The row of an image shard."""
    return {
        "sha256": outcome.sha256,
        "bytes": body,
        "format": outcome.format,
        "width": outcome.width,
        "height": outcome.height,
        "mode": outcome.mode,
        "frames": outcome.frames,
        "orientation": outcome.orientation,
        "perceptual_hash": outcome.perceptual_hash,
        "source_sha256": outcome.source_sha256,
        "content_type": outcome.content_type,
        "source": outcome.source,
        "url": outcome.url,
        "final_url": outcome.final_url,
        "date": outcome.date,
        "file": outcome.file,
        "offset": outcome.offset,
    }


def shard_of(key: bytes, total: int) -> int:
    """The shard of a uniformly distributed key."""
    return int.from_bytes(key[:8], "big") % total


def _begin(element: tuple[bytes, Iterable[Sighting]], config: LookUpConfig, optout: OptOutConfig) -> Iterator[tuple[bytes, LookUp]]:
    yield from begin_look_up(*element, config, optout)


def _continue(element: tuple[bytes, Iterable[LookUp]], optout: OptOutConfig) -> Iterator[tuple[bytes, LookUp]]:
    yield from continue_look_up(*element, optout)


def _settled(element: tuple[bytes, LookUp]) -> Iterator[WantedImage]:
    wanted = element[1].wanted
    if wanted is not None and element[1].is_settled:
        yield wanted


def _by_outcome_shard(wanted: WantedImage, total: int) -> tuple[int, WantedImage]:
    return shard_of(wanted.url_key, total), wanted


def _by_target(wanted: WantedImage) -> tuple[bytes, WantedImage]:
    return redirected_to(wanted), wanted


def _flag(element: tuple[bytes, Iterable[WantedImage]], most: int | None) -> Iterator[WantedImage]:
    yield from flag_placeholders(element[1], most)


def _moved(element: tuple[bytes, LookUp]) -> bool:
    return element[1].wanted is not None and not element[1].is_settled


def _seen(element: tuple[bytes, LookUp]) -> bool:
    return element[1].seen is not None


def _by_image_shard(outcome: Outcome, total: int) -> Iterator[tuple[int, Outcome]]:
    if outcome.status == "ok" and outcome.sha256 is not None:
        yield shard_of(bytes.fromhex(outcome.sha256[:16]), total), outcome


def _by_document_shard(outcome: Outcome) -> Iterator[tuple[int, Outcome]]:
    for shard in outcome.shards:
        yield shard, outcome


class _ResolveShard(ShardMaker):
    def __init__(self, plan: ShardPlan, config: StoredImageConfig) -> None:
        self._plan = plan
        self._config = config

    def process(self, element: tuple[int, Iterable[WantedImage]]) -> Iterator[ShardManifest]:
        index, wanted = element
        yield resolve_shard(index, wanted, self._plan, self._config)


class _StoreShard(ShardMaker):
    def __init__(self, plan: ShardPlan) -> None:
        self._plan = plan

    def process(self, element: tuple[int, Iterable[Outcome]]) -> Iterator[ShardManifest]:
        index, outcomes = element
        yield store_shard(index, outcomes, self._plan)


@dataclass
class LookUpImages(beam.PTransform):  # type: ignore[misc]
    """Manifests of document shards -> (outcome shard, wanted image), one a distinct URL, archived redirects followed.

    Each round moves only images that are redirected, and what the archives hold where redirects lead: few rows of a crawl.
    """

    plan: ShardPlan
    config: LookUpConfig
    optout: OptOutConfig
    source: str = "archive"

    def expand(self, documents: beam.PCollection[ShardManifest]) -> beam.PCollection[tuple[int, WantedImage]]:
        step = tuple[bytes, LookUp]
        looked_up = (
            documents
            | "ReadSightings" >> beam.FlatMap(read_sightings, self.plan, self.source).with_output_types(tuple[bytes, Sighting])
            | "JoinByUrl" >> beam.GroupByKey()
            | "LookUp" >> beam.FlatMap(_begin, self.config, self.optout).with_output_types(step)
        )
        landings = looked_up | "Landings" >> beam.Filter(_seen).with_output_types(step)
        settled = []
        for hop in range(1, MAX_REDIRECTS + 2):
            settled.append(looked_up | f"Settled{hop}" >> beam.FlatMap(_settled).with_output_types(WantedImage))
            if hop > MAX_REDIRECTS:
                break
            moved = looked_up | f"Moved{hop}" >> beam.Filter(_moved).with_output_types(step)
            looked_up = (
                (moved, landings)
                | f"WithLandings{hop}" >> beam.Flatten()
                | f"JoinByTarget{hop}" >> beam.GroupByKey()
                | f"LookUp{hop}" >> beam.FlatMap(_continue, self.optout).with_output_types(step)
            )
        straight, *redirected = settled
        flagged = (
            redirected
            | "AllRedirected" >> beam.Flatten()
            | "ByRedirectTarget" >> beam.Map(_by_target).with_output_types(tuple[bytes, WantedImage])
            | "GroupByRedirectTarget" >> beam.GroupByKey()
            | "FlagPlaceholders" >> beam.FlatMap(_flag, self.config.placeholder_urls).with_output_types(WantedImage)
        )
        return (
            (straight, flagged)
            | "AllSettled" >> beam.Flatten()
            | "ByOutcomeShard" >> beam.Map(_by_outcome_shard, self.plan.outcomes).with_output_types(tuple[int, WantedImage])
        )


@dataclass
class ResolveImages(beam.PTransform):  # type: ignore[misc]
    """(outcome shard, wanted image) -> manifests of outcome shards."""

    plan: ShardPlan
    config: StoredImageConfig

    def expand(self, wanted: beam.PCollection[tuple[int, WantedImage]]) -> beam.PCollection[ShardManifest]:
        return (
            wanted
            | "GroupWanted" >> GroupByShard(self.plan.outcomes, WantedImage)
            | "ResolveShard" >> beam.ParDo(_ResolveShard(self.plan, self.config)).with_output_types(ShardManifest)
        )


@dataclass
class StoreImages(beam.PTransform):  # type: ignore[misc]
    """Manifests of outcome shards -> manifests of image shards."""

    plan: ShardPlan

    def expand(self, outcomes: beam.PCollection[ShardManifest]) -> beam.PCollection[ShardManifest]:
        return (
            outcomes
            | "ReadOutcomes" >> beam.FlatMap(read_outcomes, self.plan).with_output_types(Outcome)
            | "ByContent" >> beam.FlatMap(_by_image_shard, self.plan.images).with_output_types(tuple[int, Outcome])
            | "GroupByContent" >> GroupByShard(self.plan.images, Outcome)
            | "StoreShard" >> beam.ParDo(_StoreShard(self.plan)).with_output_types(ShardManifest)
        )


@dataclass
class OutcomesByDocumentShard(beam.PTransform):  # type: ignore[misc]
    """Manifests of outcome shards -> (document shard, outcome) for every shard that mentions the URL."""

    plan: ShardPlan

    def expand(self, outcomes: beam.PCollection[ShardManifest]) -> beam.PCollection[tuple[int, Outcome]]:
        return (
            outcomes
            | "ReadOutcomes" >> beam.FlatMap(read_outcomes, self.plan).with_output_types(Outcome)
            | "ByDocumentShard" >> beam.FlatMap(_by_document_shard).with_output_types(tuple[int, Outcome])
        )
