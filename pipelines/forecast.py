"""What a run will use, from what a sample of its input ranges used: pure arithmetic, no files, no clock.

Everything that comes with the bytes of the input is a ratio: y of the input = bytes of the input * (y of the sample / bytes of the
sample). How far the ranges of the sample lie from that line says how far the whole may lie: the classical variance of a ratio
under sampling without replacement, times Student's t at 90 %. What was measured by a clock has a floor under its error besides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipelines.shuffles import Shuffle
from transforms.shards.plan import LOOKED_UP, ShardPlan

STUDENT_T_90 = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812)
"""Two-sided 90 % quantiles for 1 to 10 degrees of freedom; above, the last is kept, which errs on the safe side by a tenth."""

ONE_RANGE_ERROR = 0.5
"""Relative error where one range of several was sampled, and nothing says how ranges differ."""

CLOCK_ERROR = 0.15
"""Relative error of CPU seconds, of which the same work takes more on a busy machine."""

EXPONENT_ERROR = 0.1
"""Error of the exponent by which distinct things grow."""

BOUNDARY_COPIES = 4
"""Bytes that the local runner holds for a byte that crosses a stage boundary (beam.md 2.3)."""

FILES_WRITTEN = {"documents": 8, LOOKED_UP: 2, "fetched": 3, "outcomes": 3, "images": 2, "scored": 2, "data": 3}
"""Files of a shard at most, by stage: tables, drops, the manifest."""

FILES_OPENED = {"documents": 9, LOOKED_UP: 4, "fetched": 4, "outcomes": 4, "images": 2, "scored": 3, "data": 2}
"""How often files of a shard are opened, by stage: for a finished manifest, by the stages that follow, by the check at the end."""

RUN_FILES = 7
"""Files of a run that are of no shard: its description, two lists, card, statistics, report, `_SUCCESS`."""

OPENS_OF_AN_IMAGE = 2
"""A stored image is read from its archive when it is validated, and when it is written."""


@dataclass(frozen=True)
class Amount:
    """A forecast: between low and high in nine cases of ten, as far as the sample tells."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Amount:
        """The amount in another unit, or so many of it."""
        return Amount(self.value * factor, self.low * factor, self.high * factor)

    def plus(self, other: Amount) -> Amount:
        """Two amounts together, as if both erred to the same side."""
        return Amount(self.value + other.value, self.low + other.low, self.high + other.high)

    def less(self, known: float) -> Amount:
        """What of the amount lies above a number."""
        return Amount(max(0.0, self.value - known), max(0.0, self.low - known), max(0.0, self.high - known))

    def within(self, error: float) -> Amount:
        """The amount with a relative error of at least `error`."""
        return Amount(self.value, min(self.low, self.value * (1 - error)), max(self.high, self.value * (1 + error)))


@dataclass(frozen=True)
class SampledRange:
    """One input range of the sample. bytes: its part of the input. used: what came of it and what it cost, by name."""

    bytes: float
    used: Mapping[str, float]


@dataclass(frozen=True)
class Sample:
    """What was measured on a sample.

    later: what the stages after extraction used, for the sample as a whole; it is shared out by documents. distinct_images:
    distinct image URLs in a half of the sample and in the whole. worker_memory, driver_memory: bytes of a worker with its
    child, and of the process that runs the graph, at most. start_seconds: CPU of a process until it has imported all it needs.
    model_seconds: CPU of one worker in its first stage before the first page. graph_seconds: CPU of the runner itself. shuffles: by
    label.
    """

    ranges: tuple[SampledRange, ...]
    later: Mapping[str, float]
    distinct_images: tuple[float, float]
    worker_memory: float
    driver_memory: float
    start_seconds: float
    model_seconds: float
    graph_seconds: float
    shuffles: Mapping[str, Shuffle]


@dataclass(frozen=True)
class Input:
    """The whole input: bytes, number of ranges, how its shards are planned. images: the setting `images.source`."""

    bytes: int
    ranges: int
    plan: ShardPlan
    images: str = "archive"


def forecast(sample: Sample, whole: Input, cores: int) -> dict[str, Amount]:
    """What a run of the whole input on `cores` cores will use, by name; see `LABELS` of `pipelines.plan` for the units."""
    ranges = share_out(sample.ranges, sample.later)
    amount = {name: ratio_estimate(ranges, name, whole) for name in ranges[0].used}
    models = exactly(sample.model_seconds * min(cores, whole.ranges))
    amount["cpu_seconds"] = amount["cpu_seconds"].plus(models).within(CLOCK_ERROR)
    mentioned = sum(range_.used["image_mentions"] for range_ in ranges)
    amount["image_urls"] = distinct_estimate(sample.distinct_images, mentioned, amount["image_mentions"])
    # Images of a sample that are stored elsewhere in the input were not found, so that more of the archived ones may be stored.
    images = amount["stored_images"]
    amount["stored_images"] = Amount(images.value, images.low, max(images.high, amount["archived_images"].high))
    had = {"both": images.value, "network": 0.0}.get(whole.images)
    amount["requests"] = exactly(0) if had is None else amount["image_urls"].less(had)
    files = file_operations(whole.plan, whole.ranges, 0)
    opens = amount["stored_images"].times(OPENS_OF_AN_IMAGE)
    amount["files_written"] = exactly(files["written"])
    amount["files_opened"] = exactly(files["opened"]).plus(opens)
    # The process that runs the graph starts, then the workers do.
    starts = exactly(2 * sample.start_seconds + sample.graph_seconds)
    amount["seconds"] = wall_seconds(amount["cpu_seconds"], ranges, cores, whole.ranges).plus(starts)
    # On one core the graph and its stages share a process.
    processes = cores + 1 if cores > 1 else 1
    around = exactly(sample.start_seconds * processes + sample.graph_seconds)
    amount["process_cpu_seconds"] = amount["cpu_seconds"].plus(around).within(CLOCK_ERROR)
    amount["memory"] = peak_memory(sample, amount["shuffled_bytes"], cores)
    amount["ranges"] = exactly(whole.ranges)
    amount["shards"] = exactly(sum(whole.plan.total(stage) for stage in whole.plan.stages))
    amount["data_shards"] = exactly(whole.plan.data)
    return amount


def exactly(value: float) -> Amount:
    """An amount that is known.

    >>> exactly(3).within(0.5)
    Amount(value=3, low=1.5, high=4.5)
    """
    return Amount(value, value, value)


def share_out(ranges: Sequence[SampledRange], later: Mapping[str, float]) -> tuple[SampledRange, ...]:
    """Adds to each range its part of what later stages used, by its documents; evenly where there are none."""
    documents = sum(range_.used["documents"] for range_ in ranges)
    shared = []
    for range_ in ranges:
        part = range_.used["documents"] / documents if documents else 1 / len(ranges)
        names = {**range_.used, **later}
        used = {name: range_.used.get(name, 0.0) + part * later.get(name, 0.0) for name in names}
        shared.append(SampledRange(range_.bytes, used))
    return tuple(shared)


def ratio_estimate(ranges: Sequence[SampledRange], name: str, whole: Input) -> Amount:
    """The ratio estimate of a total, with its error (Cochran, Sampling Techniques, 6.4); exact when all ranges were sampled."""
    count, sampled = len(ranges), sum(range_.bytes for range_ in ranges)
    total = sum(range_.used[name] for range_ in ranges)
    if not sampled:
        return exactly(total)
    ratio = total / sampled
    if count >= whole.ranges:
        return exactly(total)
    value = ratio * whole.bytes
    if count == 1:
        return exactly(value).within(ONE_RANGE_ERROR)
    spread = sum((range_.used[name] - ratio * range_.bytes) ** 2 for range_ in ranges) / (count - 1)
    error = whole.ranges * math.sqrt((1 - count / whole.ranges) * spread / count)
    margin = STUDENT_T_90[min(count - 1, len(STUDENT_T_90)) - 1] * error
    return Amount(value, max(0.0, value - margin), value + margin)


def distinct_estimate(distinct: tuple[float, float], mentioned: float, whole: Amount) -> Amount:
    """Distinct things among all mentions, from how many there are in a half of the sample and in the whole of it.

    Distinct things grow as a power of the number of mentions (Heaps' law); the two numbers give the exponent. mentioned: in the
    sample. whole: mentions in the whole input.

    >>> distinct_estimate((50, 100), 120, exactly(12000)).value, round(distinct_estimate((50, 70), 120, exactly(12000)).value)
    (10000.0, 656)
    """
    half, found = distinct
    if not found or not mentioned or whole.high <= mentioned:
        return exactly(found)
    exponent = min(1.0, max(0.0, math.log2(found / half))) if half else 1.0
    low = found * max(1.0, whole.low / mentioned) ** max(0.0, exponent - EXPONENT_ERROR)
    high = found * (whole.high / mentioned) ** min(1.0, exponent + EXPONENT_ERROR)
    return Amount(found * (whole.value / mentioned) ** exponent, low, high)


def file_operations(plan: ShardPlan, ranges: int, stored_images: float) -> dict[str, float]:
    """How often files are written and opened in a run; on an object store each is at least one request."""
    shards = [("fetched" if stage in plan.fetched else stage, plan.total(stage)) for stage in plan.stages]
    written = RUN_FILES + sum(FILES_WRITTEN[stage] * total for stage, total in shards)
    opened = ranges + OPENS_OF_AN_IMAGE * stored_images + sum(FILES_OPENED[stage] * total for stage, total in shards)
    return {"written": written, "opened": opened}


def wall_seconds(cpu_seconds: Amount, ranges: Sequence[SampledRange], cores: int, count: int) -> Amount:
    """Seconds on the clock of `cores` cores that have nothing else to do.

    The local runner deals ranges out once (beam.md 2.2): the core with the heaviest hand is waited for. High: it has as much
    more than the mean as two standard deviations of a hand.
    """
    used = [range_.used["cpu_seconds"] for range_ in ranges]
    mean = sum(used) / len(used)
    deviation = math.sqrt(sum((seconds - mean) ** 2 for seconds in used) / max(1, len(used) - 1))
    hands = min(cores, max(1, count))
    heavier = 2 * deviation / mean / math.sqrt(max(1.0, count / hands)) if mean and hands > 1 else 0.0
    even = cpu_seconds.times(1 / hands)
    return Amount(even.value, even.low, even.high * (1 + heavier))


def peak_memory(sample: Sample, shuffled_bytes: Amount, cores: int) -> Amount:
    """Bytes of memory of all processes on one machine: `cores` workers, and what the local runner holds of the shuffles.

    One core needs no worker beside the process that runs the graph.
    """
    processes = exactly(sample.worker_memory * cores + (sample.driver_memory if cores > 1 else 0.0)).within(CLOCK_ERROR)
    held = shuffled_bytes.times(BOUNDARY_COPIES)
    # What a stage has read is free again when it ends; low: half of the boundaries are never there together.
    return processes.plus(Amount(held.value, held.low / 2, held.high))
