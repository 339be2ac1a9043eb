"""A fetched shard as a plain function, without a runner (images.md sections 4 and 7)."""

from __future__ import annotations

import dataclasses
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from loopback_only import connects
from PIL import Image

import transforms.fetch_network_images as stage
from scripts.bench.fault_server import FaultServer, answer
from transforms.fetch_network_images import FetchSettings, fetch_shard, fetched_outcome, host_shard
from transforms.images.network.config import NetworkConfig
from transforms.images.network.failure import Failure
from transforms.images.network.fetch import Fetched
from transforms.images.optout import OptOutConfig
from transforms.images.prepare import StoredImageConfig
from transforms.images.urls import url_key
from transforms.records import Outcome
from transforms.shards.bodies import image_bytes
from transforms.shards.plan import ShardPlan, read_rows

__all__ = ["connects"]

SETTINGS = FetchSettings(
    NetworkConfig(
        user_agent_contact="https://crawler.example/", allow_addresses=("127.0.0.0/8",), delay_per_host=0.001, retry_delay=0.01,
        host_failures=4, extra_attempts=0,
    ),
    OptOutConfig(),
    StoredImageConfig(),
)  # fmt: skip


def picture(shade: int) -> bytes:
    body = io.BytesIO()
    Image.new("RGB", (160, 160), (shade, 0, 0)).save(body, "PNG")
    return body.getvalue()


def wanted(urls: Sequence[str]) -> list[Outcome]:
    return [Outcome(url_key(url), url, "not_in_archive", [3]) for url in urls]


@pytest.fixture
def plan(tmp_path: Path) -> ShardPlan:
    return ShardPlan(str(tmp_path), "key", documents=1, outcomes=1, images=1, data=1, fetches=1, rounds=1)


def rows(plan: ShardPlan) -> list[Outcome]:
    return [Outcome(**row) for row in read_rows(plan.path("stages/fetched-1", 0, 1))]


def test_a_shard_of_several_batches_knows_its_hosts_from_the_first_one_on(plan: ShardPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "BATCH_URLS", 5)
    with FaultServer({"/robots.txt": answer(b"User-agent: *\nDisallow: /no")}, default=answer(picture(1))) as server:
        urls = [server.url(f"/{'no' if n % 3 == 0 else 'yes'}/{n}.png") for n in range(30)]
        fetch_shard(0, wanted(urls), plan, "fetched-1", SETTINGS)
        asked = Counter(server.paths(robots=True))
    assert asked.pop("/robots.txt") == 1
    assert asked == {f"/yes/{n}.png": 1 for n in range(30) if n % 3}
    assert Counter(outcome.status for outcome in rows(plan)) == {"ok": 20, "robots_disallow": 10}


def test_rows_stand_by_key_and_each_content_once(plan: ShardPlan) -> None:
    with FaultServer({f"/{n}.png": answer(picture(n // 2)) for n in range(6)}) as server:
        manifest = fetch_shard(0, wanted([server.url(f"/{n}.png") for n in range(7)]), plan, "fetched-1", SETTINGS)
        again = fetch_shard(0, [], plan, "fetched-1", SETTINGS)
    found = rows(plan)
    assert again == dataclasses.replace(manifest, cpu_seconds=0.0)
    assert [outcome.url_key for outcome in found] == sorted(outcome.url_key for outcome in found)
    assert Counter(outcome.status for outcome in found) == {"ok": 6, "http_4xx": 1} == {
        name.removeprefix("fetched-1/"): count for name, count in manifest.counts.items()
    }  # fmt: skip
    images = {outcome.url[-5]: image_bytes(outcome, plan) for outcome in found if outcome.status == "ok"}
    assert images == {str(n): picture(n // 2) for n in range(6)}
    (bodies,) = Path(plan.folder, "stages/fetched-1").glob("*.bodies")
    assert bodies.stat().st_size == sum(len(picture(n)) for n in range(3))
    bodies.write_bytes(bytes(bodies.stat().st_size))
    with pytest.raises(RuntimeError, match="not the bytes that this run had"):
        image_bytes(next(outcome for outcome in found if outcome.status == "ok"), plan)


def test_all_urls_of_a_host_go_to_one_shard() -> None:
    urls = [f"http://host{h}.example/{n}.png" for h in range(40) for n in range(5)]
    shards = {url: host_shard(url, 16) for url in urls}
    assert all(len({shards[url] for url in urls if f"//host{h}." in url}) == 1 for h in range(40))
    assert len(set(shards.values())) > 8
    assert host_shard("http://HOST1.example:80/x", 16) == host_shard("http://host1.example/y", 16)
    assert 0 <= host_shard("not a URL", 16) < 16


def test_what_the_network_said_takes_the_place_of_what_the_archive_lacked() -> None:
    lacking = Outcome(
        b"k", "http://e.example/a", "archived_http_error", [1], detail="HTTP 410", source="archive", file="a.warc", offset=5
    )
    failed = Fetched(0, None, Failure("too_large", "Content-Length", 9, 5, 200), 200, "http://e.example/b", 1, 2)
    assert fetched_outcome(lacking, failed, StoredImageConfig())[0] == Outcome(
        b"k", "http://e.example/a", "too_large", [1], "Content-Length", 9, 5, "network", final_url="http://e.example/b", hops=1,
        http_status=200, attempts=2,
    )  # fmt: skip
    reserved = Fetched(0, picture(1), None, 200, "http://e.example/a", 0, 1, "image/png", ("tdm-reservation: 1",))
    found, _ = fetched_outcome(lacking, reserved, StoredImageConfig())
    assert (found.status, found.flags, found.content_type, found.width) == ("ok", ("tdm_reserved",), "image/png", 160)
