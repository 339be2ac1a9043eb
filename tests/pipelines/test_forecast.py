"""A forecast is as sure as its sample: exact when all was measured, wide when little was, and right nine times of ten."""

from __future__ import annotations

import dataclasses
import random

import pytest

from pipelines.forecast import (
    Amount,
    Input,
    Sample,
    SampledRange,
    distinct_estimate,
    exactly,
    file_operations,
    forecast,
    ratio_estimate,
    share_out,
)
from transforms.shards.plan import ShardPlan


def whole(ranges: list[SampledRange], count: int | None = None) -> Input:
    count = count or len(ranges)
    size = round(sum(range_.bytes for range_ in ranges) * count / len(ranges))
    return Input(size, count, ShardPlan("-", "key", count + 1, 16, 8, 8, 1))


def ranges_of(count: int, seed: int = 0) -> list[SampledRange]:
    """Ranges of like size whose pages differ as those of a crawl do."""
    chance = random.Random(seed)
    ranges = []
    for _ in range(count):
        size = chance.uniform(0.7, 1.0) * 1e6
        pages = size / 1e6 * chance.lognormvariate(4, 0.4)
        used = {
            "pages": pages, "documents": pages * 0.8, "image_mentions": pages * 9, "archived_images": pages * 2,
            "cpu_seconds": pages * 0.05, "read_bytes": size, "written_bytes": pages * 3e4,
        }  # fmt: skip
        ranges.append(SampledRange(size, used))
    return ranges


def sample_of(ranges: list[SampledRange]) -> Sample:
    later = {"cpu_seconds": 2.0, "stored_images": 30.0, "shuffled_bytes": 1e5, "written_bytes": 5e5, "read_bytes": 0.0}
    return Sample(tuple(ranges), later, (60.0, 100.0), 300e6, 200e6, 2.0, 0.5, 1.0, {})


def test_a_sample_of_everything_is_exact() -> None:
    ranges = ranges_of(5)
    estimate = ratio_estimate(ranges, "pages", whole(ranges))
    assert estimate.low == estimate.value == estimate.high
    assert estimate.value == pytest.approx(sum(range_.used["pages"] for range_ in ranges), rel=1e-6)


def test_images_are_asked_for_only_where_the_network_is_used() -> None:
    ranges = ranges_of(6)
    whole_input = whole(ranges, 50)
    for source in ("archive", "off"):
        amounts = forecast(sample_of(ranges), dataclasses.replace(whole_input, images=source), 2)
        assert amounts["requests"] == exactly(0)
    amounts = forecast(sample_of(ranges), dataclasses.replace(whole_input, images="both"), 2)
    assert amounts["requests"].value == pytest.approx(amounts["image_urls"].value - amounts["stored_images"].value)
    amounts = forecast(sample_of(ranges), dataclasses.replace(whole_input, images="network"), 2)
    assert amounts["requests"] == amounts["image_urls"]


@pytest.mark.parametrize("count", [4, 8, 30])
def test_nine_of_ten_totals_lie_within_the_band(count: int) -> None:
    ranges = ranges_of(200)
    total = sum(range_.used["pages"] for range_ in ranges)
    inside = 0
    for seed in range(200):
        estimate = ratio_estimate(random.Random(seed).sample(ranges, count), "pages", whole(ranges))
        inside += estimate.low <= total <= estimate.high
    assert 165 <= inside <= 197


def test_more_ranges_tell_more() -> None:
    ranges = ranges_of(200)
    widths = []
    for count in (3, 12, 48):
        estimate = ratio_estimate(ranges[:count], "pages", whole(ranges))
        widths.append((estimate.high - estimate.low) / estimate.value)
    assert widths == sorted(widths, reverse=True)


def test_one_range_of_many_says_nothing_of_the_spread() -> None:
    estimate = ratio_estimate(ranges_of(1), "pages", whole(ranges_of(1), 10))
    assert (estimate.low / estimate.value, estimate.high / estimate.value) == pytest.approx((0.5, 1.5))


@pytest.mark.parametrize(
    ("distinct", "value"),
    [((50, 100), 10_000), ((100, 100), 100), ((50, 50 * 2**0.5), 50 * 2**0.5 * 10), ((0, 0), 0), ((0, 7), 700)],
)
def test_distinct_things_grow_as_the_halves_of_the_sample_say(distinct: tuple[float, float], value: float) -> None:
    estimate = distinct_estimate(distinct, 120, exactly(12_000))
    assert estimate.value == pytest.approx(value)
    assert estimate.low <= estimate.value <= estimate.high


def test_what_later_stages_used_is_shared_out_whole() -> None:
    ranges = ranges_of(3)
    shared = share_out(ranges, {"cpu_seconds": 6.0, "rows": 9.0})
    assert sum(range_.used["rows"] for range_ in shared) == pytest.approx(9)
    extraction = sum(range_.used["cpu_seconds"] for range_ in ranges)
    assert sum(range_.used["cpu_seconds"] for range_ in shared) == pytest.approx(extraction + 6)
    nothing = [SampledRange(1.0, {"documents": 0.0}), SampledRange(1.0, {"documents": 0.0})]
    assert [range_.used["rows"] for range_ in share_out(nothing, {"rows": 4.0})] == [2.0, 2.0]


def test_cores_shorten_time_and_take_memory() -> None:
    ranges = ranges_of(8)
    amounts = {cores: forecast(sample_of(ranges), whole(ranges, 100), cores) for cores in (1, 2, 8)}
    seconds = [amount["seconds"].value for amount in amounts.values()]
    memory = [amount["memory"].value for amount in amounts.values()]
    assert seconds == sorted(seconds, reverse=True)
    assert memory == sorted(memory)
    # The work is the same; only models are loaded once a worker.
    work = [amount["cpu_seconds"].value for amount in amounts.values()]
    assert work[2] - work[0] == pytest.approx(7 * 0.5)


def test_more_cores_than_ranges_do_not_shorten_the_work() -> None:
    ranges = ranges_of(4)
    few, many = (forecast(sample_of(ranges), whole(ranges), cores)["seconds"].low for cores in (4, 400))
    assert few == pytest.approx(many)


def test_every_amount_lies_within_its_band() -> None:
    ranges = ranges_of(6)
    for cores in (1, 4):
        for name, amount in forecast(sample_of(ranges), whole(ranges, 50), cores).items():
            assert 0 <= amount.low <= amount.value <= amount.high, name


def test_a_large_run_has_as_many_files_as_its_plan() -> None:
    plan = ShardPlan("-", "key", 1100, 64, 64, 64, 100)
    operations = file_operations(plan, 1000, 10.0)
    assert operations["written"] == 7 + 8 * 1100 + 3 * 64 + 2 * 64 + 2 * 1100 + 3 * 64
    assert operations["opened"] == 1000 + 20 + 9 * 1100 + 4 * 64 + 2 * 64 + 3 * 1100 + 2 * 64


def test_an_amount_keeps_its_band_in_other_units() -> None:
    assert Amount(2, 1, 4).times(10) == Amount(20, 10, 40)
    assert Amount(2, 1, 4).plus(exactly(3)) == Amount(5, 4, 7)
    assert Amount(10, 9.9, 13).within(0.2) == Amount(10, 8, 13)
