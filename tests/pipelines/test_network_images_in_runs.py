"""Images from the network in a run, from a server on the loopback interface (images.md sections 4, 5, 7 and 12)."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from loopback_only import connects
from PIL import Image
from run_helpers import ROOT, interleaf, run_build, tree_hash

from pipelines.errors import UsageError
from pipelines.retune import retune_dataset
from pipelines.run_folder import read_plan
from pipelines.run_rows import data_rows
from pipelines.verify import verify_run
from scripts.bench.fault_server import Exchange, FaultServer, Route, answer, cut, in_turn, redirect, reset
from scripts.bench.warc_builder import gzip_member, http_response, warc_record
from transforms.fetch_images import read_outcomes
from transforms.images.network.rounds import next_candidate
from transforms.images.statuses import STATUS_CLASSES
from transforms.images.urls import url_key
from transforms.records import Outcome, ShardManifest
from transforms.shards.plan import ShardPlan

__all__ = ["connects"]

WORDS = (
    "The harbour was quiet in the morning, and the boats lay side by side in the pale light. "
    "People came down to the water with baskets and talked about the weather of the coming days."
)
NETWORK = (
    "images.network.user_agent_contact=https://crawler.example/about",
    "images.network.allow_addresses=[127.0.0.0/8]",
    "images.network.delay_per_host=0.002",
    "images.network.retry_delay=0.02",
    "images.network.read_timeout=0.5",
    "images.network.total_deadline=2",
    "images.network.candidate_rounds=1",
    "images.network.fetch_shards=2",
    "extract.main_content.method=off",
    "output.shards=1",
    *(f"rules.{level}.{unit}_repetition=null" for level in ("document", "paragraph") for unit in ("char", "word")),
)


def png(seed: int, width: int = 200, height: int = 200) -> bytes:
    body = io.BytesIO()
    Image.frombytes("RGB", (width, height), random.Random(seed).randbytes(3 * width * height)).save(body, "PNG", compress_level=1)
    return body.getvalue()


PICTURES = [png(seed) for seed in range(4)]


def page(number: int, images: Sequence[str]) -> bytes:
    """A page's record; an image is a URL, or the attributes of an `img` element."""
    tags = "".join(f"<p>{WORDS} {n}</p><img {src if '=' in src else f'src={src}'}>" for n, src in enumerate(images))
    html = f"<html><head><title>{number}</title></head><body><h1>Harbour</h1>{f'<p>{WORDS}</p>' * 4}{tags}</body></html>"
    url = f"http://pages.example/{number}"
    return gzip_member(warc_record(http_response(html.encode()), url, record_id=f"<urn:{number}>"))


def picture_record(url: str, body: bytes) -> bytes:
    return gzip_member(warc_record(http_response(body, content_type="image/png"), url, record_id=f"<{url}>"))


def archive(folder: Path, *members: bytes) -> str:
    (folder / "crawl").mkdir()
    (folder / "crawl/a.warc.gz").write_bytes(b"".join(members))
    return str(folder / "crawl")


def build(crawl: str, output: Path, *overrides: str, source: str = "network", **options: object) -> Path:
    status, said = run_build([crawl], output, overrides=[f"images.source={source}", *NETWORK, *overrides], **options)
    assert status == 0, said
    return output


def outcomes_of(run: Path) -> dict[str, Outcome]:
    plan: ShardPlan = read_plan(run)
    manifests = [ShardManifest("outcomes", i, plan.outcomes, 0, 0, "", {}, {}) for i in range(plan.outcomes)]
    return {outcome.url: outcome for manifest in manifests for outcome in read_outcomes(manifest, plan)}


def statuses(run: Path) -> dict[str, str]:
    return {url: outcome.status for url, outcome in outcomes_of(run).items()}


def check_sound(run: Path) -> None:
    for result in verify_run(run, samples=5):
        assert not result.faults, f"{result.name}: {result.faults[:3]}"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(max_seconds=280) as running:
        yield running


def test_each_url_is_asked_for_once_and_all_documents_have_it(server: FaultServer, tmp_path: Path) -> None:
    server.routes = {f"/{n}.png": answer(PICTURES[n]) for n in range(3)} | {
        "/again.png": redirect("/0.png"), "/gone.png": answer(b"", 410), "/page.png": answer(b"<html>no picture</html>"),
        "/empty.png": answer(b""), "/cut.png": answer(PICTURES[0][:3000]), "/small.png": answer(png(9, 20, 20)),
        "/wide.png": answer(png(9, 600, 160)), "/reset.png": reset(), "/short.png": cut(PICTURES[1], 10**6),
        "/503.png": answer(b"", 503), "/once.png": in_turn(answer(b"", 503), answer(PICTURES[3])),
        "/noai.png": answer(PICTURES[1], 200, "X-Robots-Tag: noai", patience=2),
        "/robots.txt": answer(b"User-agent: *\nDisallow: /forbidden/"),
    }  # fmt: skip
    expected = {
        "/0.png": "ok", "/1.png": "ok", "/2.png": "ok", "/again.png": "ok", "/gone.png": "http_4xx", "/page.png": "not_an_image",
        "/empty.png": "empty_body", "/cut.png": "truncated_image", "/small.png": "too_small", "/wide.png": "bad_aspect",
        "/reset.png": "connection_reset", "/short.png": "short_body", "/503.png": "http_5xx", "/once.png": "ok",
        "/noai.png": "optout_header", "/forbidden/a.png": "robots_disallow",
    }  # fmt: skip
    urls = [server.url(path) for path in expected]
    crawl = archive(tmp_path, *(page(number, [*urls, "http://10.0.0.1/a.png"]) for number in range(6)))
    run = build(crawl, tmp_path / "out")
    check_sound(run)
    assert statuses(run) == {
        **{server.url(path): status for path, status in expected.items()},
        "http://10.0.0.1/a.png": "blocked_address",
    }
    asked = Counter(server.paths())
    retried = {"/reset.png": 3, "/short.png": 3, "/503.png": 3, "/once.png": 2}
    assert asked == {path: retried.get(path, 1) for path in expected if not path.startswith("/forbidden")} | {"/0.png": 2}
    assert [request.body_bytes for request in server.requests("/noai.png")] == [0]
    assert len(server.requests("/robots.txt")) == 1
    rows = list(data_rows(run))
    kept = [[node["image"]["url"] for node in row["nodes"] if node["image"]] for row in rows]
    assert len(rows) == 6
    assert kept == [[server.url(path) for path in ("/0.png", "/1.png", "/2.png", "/once.png")]] * 6
    stats = json.loads((run / "stats.json").read_text())
    numbers = stats["stages"]["images"]
    assert numbers["in"] == len(expected) + 1 == numbers["out"] + sum(numbers["drops"].values())
    by_source = stats["image_outcomes"]
    assert sum(by_source.values()) == numbers["in"]
    assert {name.split("/")[0] for name in by_source} == {"network"}
    assert {name.split("/")[1] for name in by_source} <= set(STATUS_CLASSES)
    stored = [row for path in sorted((run / "images").iterdir()) for row in pq.read_table(path).to_pylist()]
    assert len(stored) == 4
    again = outcomes_of(run)[server.url("/again.png")]
    assert (again.final_url, again.hops, again.attempts, again.source) == (server.url("/0.png"), 1, 1, "network")


def test_images_of_blocks_left_out_are_there_for_another_threshold(server: FaultServer, tmp_path: Path) -> None:
    server.routes = {"/pier.png": answer(PICTURES[0]), "/boat.png": answer(PICTURES[1])}
    pier, boat = server.url("/pier.png"), server.url("/boat.png")
    links = "".join(f"<li><a href=/{n}>Category {n}</a></li>" for n in range(30))
    article = f"<article><h1>Harbour</h1><p>{WORDS}</p><img src={boat}>{f'<p>{WORDS}</p>' * 3}</article>"
    html = f"<html><body><nav><ul>{links}</ul><img src={pier}></nav>{article}</body></html>"
    crawl = archive(tmp_path, gzip_member(warc_record(http_response(html.encode()), "http://pages.example/", record_id="<urn:1>")))
    chosen = ["extract.main_content.method=model", "rules.paragraph.words=null", "rules.document.language=null"]
    build(crawl, tmp_path / "plain", *chosen)
    assert server.paths().count("/pier.png") == 0
    run = build(crawl, tmp_path / "out", *chosen, "extract.main_content.retunable=true")
    asked = Counter(server.paths())
    assert asked["/pier.png"] == 1
    shown = [{node["image"]["url"] for row in data_rows(run) for node in row["nodes"] if node["image"]}]
    retune_dataset(str(run), output=str(tmp_path / "all"), overrides=["extract.main_content.threshold=0"], workers=1)
    shown.append({node["image"]["url"] for row in data_rows(tmp_path / "all") for node in row["nodes"] if node["image"]})
    assert shown == [{boat}, {boat, pier}]
    assert Counter(server.paths()) == asked
    check_sound(tmp_path / "all")


def test_the_archive_is_asked_first_and_the_network_for_what_is_missing(server: FaultServer, tmp_path: Path) -> None:
    server.routes = {"/here.png": answer(PICTURES[0]), "/missing.png": answer(PICTURES[1])}
    here, missing = server.url("/here.png"), server.url("/missing.png")
    crawl = archive(tmp_path, page(1, [here, missing]), picture_record(here, PICTURES[2]))
    runs = {source: build(crawl, tmp_path / source, source=source) for source in ("archive", "both", "off")}
    assert {source: statuses(run) for source, run in runs.items()} == {
        "archive": {here: "ok", missing: "not_in_archive"}, "both": {here: "ok", missing: "ok"}, "off": {},
    }  # fmt: skip
    assert server.paths() == ["/missing.png"]
    found = outcomes_of(runs["both"])
    assert {url: found[url].source for url in found} == {here: "archive", missing: "network"}
    for run in runs.values():
        check_sound(run)


def test_candidates_are_asked_for_one_after_another(server: FaultServer, tmp_path: Path) -> None:
    server.routes = {
        "/second.png": answer(PICTURES[0]), "/third.png": answer(PICTURES[1]), "/noai.png": answer(b"", 200, "X-Robots-Tag: noai"),
        "/down.png": answer(b"", 503), "/never.png": answer(PICTURES[2]), "/good.png": answer(PICTURES[3]),
    }  # fmt: skip

    def srcset(*paths: str) -> str:
        return f"srcset='{', '.join(f'{server.url(path)} {1000 - n}w' for n, path in enumerate(paths))}'"

    images = [
        srcset("/gone.png", "/second.png", "/never.png"),
        srcset("/gone.png", "/gone-too.png", "/third.png"),
        srcset("/noai.png", "/never.png"),
        srcset("/down.png", "/never.png"),
        srcset("/good.png", "/never.png"),
    ]
    run = build(
        archive(tmp_path, page(1, images)), tmp_path / "out", "images.network.extra_attempts=0", "images.network.candidate_rounds=2"
    )
    found = {url.removeprefix(server.url("")): status for url, status in statuses(run).items()}
    assert found == {
        "/gone.png": "http_4xx", "/second.png": "ok", "/gone-too.png": "http_4xx", "/third.png": "not_in_archive",
        "/noai.png": "optout_header", "/down.png": "http_5xx", "/good.png": "ok", "/never.png": "not_in_archive",
    }  # fmt: skip
    assert sorted(server.paths()) == sorted(f"/{n}.png" for n in ("gone", "second", "gone-too", "noai", "down", "good"))
    check_sound(run)


A, B, C = (f"http://e.example/{letter}.png" for letter in "abc")


@pytest.mark.parametrize(("known", "expected"), [
    ({A: "not_in_archive", B: "not_in_archive"}, A),
    ({A: "not_in_archive", B: "ok"}, None),
    ({A: "rule_word", B: "not_in_archive"}, B),
    ({A: "network http_4xx", B: "not_in_archive"}, B),
    ({A: "network too_small", B: "network dns_error", C: "not_in_archive"}, C),
    ({A: "network blocked_address", B: "not_in_archive"}, B),
    ({A: "network optout_header", B: "not_in_archive"}, None),
    ({A: "optout_header", B: "not_in_archive"}, None),
    ({A: "network connect_timeout", B: "not_in_archive"}, None),
    ({A: "short_body", B: "archived_http_error"}, B),
    ({A: "network http_4xx", B: "network http_4xx"}, None),
    ({B: "revisit_unresolved"}, B),
    ({}, None),
])  # fmt: skip
def test_the_next_candidate_follows_from_what_became_of_those_before(known: dict[str, str], expected: str | None) -> None:
    outcomes = {
        url_key(url): Outcome(url_key(url), url, what.split()[-1], source="network" if " " in what else None)
        for url, what in known.items()
    }
    found = next_candidate([A, B, C], outcomes)
    assert (found.url if found else None) == expected


def test_a_retry_asks_only_for_what_failed_for_a_time(server: FaultServer, tmp_path: Path) -> None:
    down = answer(b"", 503)
    server.routes = {f"/{n}.png": answer(png(n)) for n in range(20)} | {"/gone.png": answer(b"", 410)}
    failing = [f"/{n}.png" for n in range(0, 20, 3)]
    good = {path: server.routes[path] for path in failing}
    server.routes.update(dict.fromkeys(failing, down))
    urls = [server.url(path) for path in sorted(server.routes)]
    crawl = archive(tmp_path, *(page(number, urls) for number in range(3)))
    settings = ("images.network.extra_attempts=0",)
    run = build(crawl, tmp_path / "out", *settings)
    first = len(server.paths())
    assert Counter(statuses(run).values()) == {"ok": 13, "http_5xx": 7, "http_4xx": 1}

    build(crawl, run, *settings, retry_images=True)  # still down
    assert sorted(server.paths()[first:]) == sorted(failing)
    server.routes.update(good)
    build(crawl, run, *settings)  # finished, nothing to do
    assert len(server.paths()) == first + len(failing)
    build(crawl, run, *settings, retry_images=True)
    assert sorted(server.paths()[first + len(failing) :]) == sorted(failing)
    assert Counter(statuses(run).values()) == {"ok": 20, "http_4xx": 1}
    check_sound(run)
    _, said = run_build([crawl], run, overrides=["images.source=network", *NETWORK, *settings], retry_images=True)
    assert "finished already" in said
    assert len(server.paths()) == first + 2 * len(failing)
    # What came of it is what a run with the server up from the beginning has.
    assert tree_hash(run) == tree_hash(build(crawl, tmp_path / "clean", *settings))


def test_a_retry_of_a_run_without_the_network_is_refused(server: FaultServer, tmp_path: Path) -> None:
    crawl = archive(tmp_path, page(1, [server.url("/a.png")]))
    with pytest.raises(UsageError, match="takes no images from the network"):
        build(crawl, tmp_path / "out", source="archive", retry_images=True)


def test_an_earlier_run_is_not_asked_again(server: FaultServer, tmp_path: Path) -> None:
    """Issue 438 of img2dataset: a changed list."""
    server.routes = {f"/{n}.png": answer(png(n)) for n in range(6)}
    urls = [server.url(f"/{n}.png") for n in range(6)]
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    first = build(archive(tmp_path / "a", *(page(number, urls[:4]) for number in range(50))), tmp_path / "first")
    second = build(
        archive(tmp_path / "b", *(page(number, urls[2:]) for number in range(50, 60))),
        tmp_path / "second",
        f"images.network.reuse=[{first}]",
    )
    assert Counter(server.paths()) == {f"/{n}.png": 1 for n in range(6)}
    assert set(statuses(second).values()) == {"ok"}
    assert sum(len(row["images"]) - row["images"].count(None) for row in data_rows(second)) == 10 * 4
    check_sound(second)
    with pytest.raises(UsageError, match=r"has other images\.limits"):
        build(str(tmp_path / "b/crawl"), tmp_path / "third", f"images.network.reuse=[{first}]", "images.limits.min_side=10")
    with pytest.raises(UsageError, match="not a run folder"):
        build(str(tmp_path / "b/crawl"), tmp_path / "third", f"images.network.reuse=[{tmp_path / 'a'}]")


@pytest.mark.timeout(300)
def test_a_killed_worker_costs_no_answer_and_two_workers_go_on_to_the_same_bytes(server: FaultServer, tmp_path: Path) -> None:
    def slow(body: bytes) -> Route:
        def route(exchange: Exchange) -> bool:
            exchange.wait(0.02)
            return bool(answer(body)(exchange))

        return route

    paths = [f"/{n}.png" for n in range(40)]
    server.routes = {path: slow(png(n)) for n, path in enumerate(paths)} | {"/5.png": answer(b"", 503), "/6.png": answer(b"", 404)}
    urls = [server.url(path) for path in paths]
    crawl = archive(tmp_path, *(page(number, urls[number % 20 :]) for number in range(5)))
    command = ["build", "--input", crawl, "--output", str(tmp_path / "out")]
    command += [part for setting in (*NETWORK, "images.source=network") for part in ("--set", setting)]
    program = [sys.executable, "-m", "pipelines.cli", *command, "--workers", "1"]
    process = subprocess.Popen(program, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(server.paths()) < 25 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    process.wait()
    before = Counter(server.paths())
    assert 25 <= before.total() < 40, "it was killed in the middle of the fetch"
    resumed = interleaf(*command, "--workers", "2")
    assert resumed.returncode == 0, resumed.stderr
    run = tmp_path / "out"
    asked = Counter(server.paths())
    # Answers that were under way, of at most two connections, are all that was asked for again; but for the one that is retried.
    assert sum(count - 1 for path, count in asked.items() if path != "/5.png") <= 2
    assert set(asked) == set(paths)
    assert not (run / "stages/journals").exists()
    check_sound(run)
    assert tree_hash(run) == tree_hash(build(crawl, tmp_path / "clean"))


def test_a_picture_that_many_urls_redirect_to_is_flagged(server: FaultServer, tmp_path: Path) -> None:
    server.routes = {f"/moved-{n}.png": redirect("/one.png") for n in range(20)} | {"/one.png": answer(PICTURES[0])}
    urls = [server.url(f"/moved-{n}.png") for n in range(20)]
    run = build(archive(tmp_path, page(1, urls)), tmp_path / "out")
    found = outcomes_of(run).values()
    assert {(o.status, o.final_url, tuple(o.flags)) for o in found} == {("ok", server.url("/one.png"), ("suspected_placeholder",))}
    assert sum(pq.read_metadata(path).num_rows for path in (run / "images").iterdir()) == 1


def test_a_run_through_a_proxy_says_what_the_guard_cannot_see(server: FaultServer, tmp_path: Path) -> None:
    server.routes = {
        "http://images.example/a.png": redirect("http://10.0.0.1/b.png"),
        "http://images.example/c.png": answer(PICTURES[0]),
    }
    crawl = archive(tmp_path, page(1, ["http://images.example/a.png", "http://images.example/c.png"]))
    proxy = f"http://127.0.0.1:{server.port}"
    settings = [*NETWORK, "images.source=network", f"images.network.proxy={proxy}", "images.network.allow_addresses=[]"]
    _, said = run_build([crawl], tmp_path / "out", overrides=[*settings, "images.network.proxy_trusted=true"])
    assert f"through {proxy}; the address guard cannot see" in said
    assert {o.url: o.status for o in outcomes_of(tmp_path / "out").values()} == {
        "http://images.example/a.png": "blocked_address", "http://images.example/c.png": "ok",
    }  # fmt: skip
    with pytest.raises(UsageError, match="proxy_trusted"):
        run_build([crawl], tmp_path / "untrusted", overrides=settings)


def test_a_bundle_that_runs_twice_has_one_answer(server: FaultServer, tmp_path: Path) -> None:
    """The server sends other bytes at each request."""
    server.routes = {"/a.png": in_turn(*(answer(png(n)) for n in range(9)))}
    crawl = archive(tmp_path, page(1, [server.url("/a.png")]))
    run = build(crawl, tmp_path / "out", beam_arguments=["--direct_runner_bundle_repeat=1"])
    check_sound(run)
    (outcome,) = outcomes_of(run).values()
    (stored,) = [row for path in (run / "images").iterdir() for row in pq.read_table(path).to_pylist()]
    assert stored["sha256"] == outcome.sha256
    assert [image["sha256"] for row in data_rows(run) for image in row["images"] if image] == [outcome.sha256]


@pytest.mark.parametrize(("overrides", "message"), [
    (["images.source=both"], "user_agent_contact: must be set with source: both"),
    (["images.source=both", "images.network.user_agent_contact=me"], "allowed: an http or https URL"),
    (["images.network.allow_addresses=[localhost]"], "allowed: networks such as"),
    (["images.network.in_flight=0"], "allowed: more than 0"),
    (["images.network.delay_per_host=-1"], "allowed: 0 or more"),
    (["images.network.bytes_in_flight=1MiB"], "max_bytes"),
    (["images.source=web"], "allowed: archive or network or both or off"),
])  # fmt: skip
def test_settings_that_cannot_be_used_are_named(overrides: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        run_build(["nowhere"], tmp_path / "out", overrides=overrides)


def test_without_img2dataset_the_network_is_refused_at_once_and_archives_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transforms.images.network import downloader

    monkeypatch.setattr(downloader, "why_unavailable", lambda: "the package img2dataset is not installed; install it")
    crawl = archive(tmp_path, page(1, ["http://10.0.0.1/a.png"]))
    with pytest.raises(UsageError, match=r"images\.source: network: the package img2dataset is not installed"):
        build(crawl, tmp_path / "out")
    build(crawl, tmp_path / "out", source="archive")


def test_an_archive_run_loads_nothing_of_the_network(tmp_path: Path, connects: list[str]) -> None:
    crawl = archive(tmp_path, page(1, ["http://10.0.0.1/a.png"]))
    code = (
        "import sys\nfrom pipelines.cli import main\n"
        f"assert main(['build', '--input', {crawl!r}, '--output', {str(tmp_path / 'out')!r}, '--workers', '1']) == 0\n"
        "heavy = {'img2dataset', 'wandb', 'albumentations', 'cv2', 'protego'}\n"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert result.stdout.splitlines()[-1:] == ["[]"], result.stderr
    build(crawl, tmp_path / "again", source="archive")
    assert connects == []
