"""A page may crash, block or bloat the process that extracts it: that costs this page, and no other."""

from __future__ import annotations

import dataclasses
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import planted_faults
import psutil
import pyarrow.parquet as pq
import pytest

from scripts.make_demo_crawl import make_demo_crawl
from transforms.archives.warc import read_warc
from transforms.documents import isolate
from transforms.documents.config import ExtractConfig
from transforms.documents.extract import extract_document, make_document_id
from transforms.documents.isolate import IsolatedExtractor, IsolationLimits, WorkerStartError
from transforms.documents.isolate_protocol import ExtractionError, decode, describe_error, encode
from transforms.extract_documents import ExtractSettings, extract_range
from transforms.html.limits import LimitsConfig
from transforms.records import Document, Drop, InputRange, Page, Source
from transforms.shards.plan import ShardPlan

ROOT = Path(__file__).resolve().parents[3]
CONFIG = ExtractConfig()
PLANT = "planted_faults:plant"
LIMITS = IsolationLimits(seconds=1.0, memory=300 * 2**20, reply=20 * 2**20)
SENTENCE = "The ferryman keeps a log in which every crossing has one line, with the hour and the wind. "


def page(url: str = "http://example.test/a", html: str | None = None) -> Page:
    if html is None:
        html = f"<title>Log</title><nav><p>Home</nav><article><h1>The log</h1><p>{SENTENCE * 12}</p><img src=a.png></article>"
    return Page(url, html.encode(), "text/html; charset=utf-8", Source("crawl/a.warc.gz", 7, 9))


def planted(fault: str) -> Page:
    return page(planted_faults.HOST + fault)


def without_blocks(result: Document | Drop) -> Document | Drop:
    return dataclasses.replace(result, blocks=()) if isinstance(result, Document) else result


@pytest.fixture(autouse=True, scope="module")
def _nothing_is_left() -> Iterator[None]:
    """No process and no descriptor outlives this file's tests."""
    process = psutil.Process()
    children, descriptors = process.children(recursive=True), process.num_fds()
    yield
    assert process.children(recursive=True) == children
    assert process.num_fds() <= descriptors


@pytest.fixture(scope="module")
def extractor() -> Iterator[IsolatedExtractor]:
    with IsolatedExtractor(CONFIG, LIMITS, function=PLANT) as isolated:
        yield isolated


def process_of(extractor: IsolatedExtractor) -> int:
    result = extractor.extract(planted("process"))
    assert isinstance(result, Drop)
    assert result.detail is not None
    return int(result.detail)


def has_ended(process: psutil.Process, seconds: float) -> bool:
    """Whether it ends so soon. An orphan may stay in the process table until somebody collects its status."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


MEMORY = ("isolation.memory", 300 * 2**20, 300 * 2**20, "the extracting process ran out of memory")
SECONDS = ("isolation.seconds", 1.0, 1.0, "the extracting process was still at work after 1 s")


def crash(how: str) -> tuple[str, None, None, str]:
    return ("isolation.crash", None, None, f"the extracting process {how}")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("segfault", crash("was ended by SIGSEGV")),
        ("killed", crash("was ended by SIGKILL")),
        ("realtime_signal", crash("was ended by signal 40")),
        ("exit_3", crash("exited with status 3")),
        ("half_answer", crash("exited with status 0")),
        ("stopped", SECONDS),
        ("sleep", SECONDS),
        ("native_loop", SECONDS),
        ("bomb", MEMORY),
        ("native_bomb", MEMORY),
        ("memory_error", MEMORY),
    ],
)
def test_a_fault_costs_its_page_alone(
    extractor: IsolatedExtractor, fault: str, expected: tuple[str, float | None, float | None, str]
) -> None:
    extractor.close()  # a fault in a process that has served other pages is looked at twice
    others = set(psutil.Process().children(recursive=True))
    faulty = planted(fault)
    rule, value, threshold, detail = expected
    assert extractor.extract(faulty) == Drop(
        "documents", rule, "page", make_document_id(faulty), faulty.url, value, threshold, detail, "crawl/a.warc.gz", 7
    )
    assert extractor.extract(page()) == without_blocks(extract_document(page(), CONFIG))
    assert len(set(psutil.Process().children(recursive=True)) - others) == 1


def test_an_answer_over_the_limit_is_a_drop(extractor: IsolatedExtractor) -> None:
    result = extractor.extract(planted("huge_answer"))
    assert isinstance(result, Drop)
    assert (result.rule, result.threshold) == ("isolation.reply", 20 * 2**20)
    assert result.value is not None
    assert 50 * 2**20 < result.value < 51 * 2**20


def test_without_limits_an_answer_of_any_size_arrives_whole() -> None:
    with IsolatedExtractor(CONFIG, IsolationLimits(None, None, None), function=PLANT) as isolated:
        result = isolated.extract(planted("huge_answer"))
    assert isinstance(result, Document)
    assert result.title == "x" * 50 * 2**20


def test_a_peak_of_memory_counts_even_if_nobody_looked_at_that_moment(
    extractor: IsolatedExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolate, "LOOK_SECONDS", 60)
    result = extractor.extract(planted("spike"))
    assert isinstance(result, Drop)
    assert result.rule == "isolation.memory"


def test_a_limit_of_zero_seconds_lets_nothing_through() -> None:
    with IsolatedExtractor(CONFIG, IsolationLimits(seconds=0)) as isolated:
        result = isolated.extract(page(html="<p>" + SENTENCE * 100_000))  # more than goes into a socket at once
    assert isinstance(result, Drop)
    assert (result.rule, result.threshold) == ("isolation.seconds", 0)


@pytest.mark.parametrize(("before", "after"), [("trap", "trapped"), ("keep_memory", "keep_memory")])
def test_what_an_earlier_page_left_behind_is_not_blamed_on_the_next(before: str, after: str, extractor: IsolatedExtractor) -> None:
    """120 MiB twice are over the limit, once are not."""
    extractor.close()
    for fault in (before, after):
        assert isinstance(extractor.extract(planted(fault)), Document)


def test_an_exception_is_raised_here_and_the_process_goes_on(extractor: IsolatedExtractor) -> None:
    first = process_of(extractor)
    with pytest.raises(ValueError, match="no such block") as here:
        planted_faults.plant(planted("fail"), CONFIG)
    with pytest.raises(ExtractionError) as there:
        extractor.extract(planted("fail"))
    assert describe_error(there.value) == describe_error(here.value)
    assert describe_error(there.value).startswith("ValueError(\"no such block: 'é'\") at planted_faults.py:")
    assert "in fail" in str(there.value.__cause__)
    assert process_of(extractor) == first


def test_an_interrupted_page_does_not_answer_for_the_next(extractor: IsolatedExtractor) -> None:
    class Interrupted(Exception):  # noqa: N818
        pass

    def interrupt(*_: object) -> None:
        raise Interrupted

    process_of(extractor)
    previous = signal.signal(signal.SIGUSR1, interrupt)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    try:
        with pytest.raises(Interrupted):
            extractor.extract(planted("nap"))
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, previous)
    assert extractor.extract(page()) == without_blocks(extract_document(page(), CONFIG))


def test_a_child_killed_between_two_pages_costs_none(extractor: IsolatedExtractor) -> None:
    os.kill(process_of(extractor), signal.SIGKILL)
    assert isinstance(extractor.extract(page()), Document)


def test_a_default_timeout_of_sockets_is_not_the_child_s() -> None:
    """Libraries set one for the whole process, Beam's for Google's services among them."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(60.0)
    try:
        with IsolatedExtractor(ExtractConfig()) as extractor:
            time.sleep(0.2)  # the child waits for its first page
            assert isinstance(extractor.extract(page()), Document)
            time.sleep(0.2)
            assert isinstance(extractor.extract(page()), Document)
    finally:
        socket.setdefaulttimeout(before)


def test_one_process_serves_many_pages(extractor: IsolatedExtractor) -> None:
    processes = {process_of(extractor)}
    for _ in range(30):
        assert isinstance(extractor.extract(page()), Document)
    assert {process_of(extractor)} == processes


def test_the_child_holds_nothing_of_its_parent(extractor: IsolatedExtractor) -> None:
    extractor.close()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.set_inheritable(True)
        result = extractor.extract(planted("belongings"))
    assert isinstance(result, Drop)
    assert result.detail == "1 sockets, imported [], core files 0, badness 500"


def test_an_interrupt_of_the_terminal_is_left_to_the_parent(extractor: IsolatedExtractor) -> None:
    process = process_of(extractor)
    assert isinstance(extractor.extract(planted("interrupt")), Document)
    assert process_of(extractor) == process


def test_cpu_seconds_count_children_that_were_killed() -> None:
    with IsolatedExtractor(CONFIG, LIMITS, function=PLANT) as isolated:
        assert isolated.cpu_seconds == 0
        isolated.extract(planted("native_loop"))
        after_kill = isolated.cpu_seconds
        isolated.extract(page())
        assert isolated.cpu_seconds > after_kill > 0.3
    assert isolated.cpu_seconds > after_kill


@pytest.mark.parametrize(
    ("function", "limits", "message"),
    [
        ("planted_faults:nothing", LIMITS, "no page can be extracted: the extracting process exited with status 1"),
        (PLANT, IsolationLimits(memory=10 * 2**20), r"limits.memory: 10.0 MiB is not allowed; allowed: more than the .* MiB"),
    ],
)
def test_a_child_that_cannot_start_is_no_fault_of_a_page(function: str, limits: IsolationLimits, message: str) -> None:
    with IsolatedExtractor(CONFIG, limits, function=function) as isolated, pytest.raises(WorkerStartError, match=message):
        isolated.extract(page())


def test_a_machine_that_starts_no_process_is_no_fault_of_a_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    message = r"no process can be started: .* No such file"
    with IsolatedExtractor(CONFIG) as isolated, pytest.raises(WorkerStartError, match=message):
        isolated.extract(page())


@pytest.mark.parametrize(("fault", "seconds"), [("process", 2.0), ("native_loop", 8.0)])
def test_the_child_ends_with_a_parent_that_is_killed(fault: str, seconds: float) -> None:
    """Whether it waits for a page, or runs in circles in native code and cannot notice."""
    code = f"""
import time
from planted_faults import HOST
from transforms.documents import isolate
from transforms.documents.config import ExtractConfig
from transforms.records import Page, Source
isolate.ALARM_SECONDS = 0.5
extractor = isolate.IsolatedExtractor(ExtractConfig(), isolate.IsolationLimits(seconds=1), function={PLANT!r})
extract = lambda fault: extractor.extract(Page(HOST + fault, b"", None, Source("", 0, 0)))
print(extract("process").detail, flush=True)
extract({fault!r})
time.sleep(60)
"""
    paths = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    )
    with parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        time.sleep(0.3)
        assert child.is_running()
        parent.kill()
    assert has_ended(child, seconds)


def test_an_extractor_that_is_forgotten_takes_its_process_along() -> None:
    isolated = IsolatedExtractor(CONFIG, LIMITS, function=PLANT)
    child = psutil.Process(process_of(isolated))
    del isolated
    assert has_ended(child, 2)


DEEP = "<div>" * 200_000 + SENTENCE * 12
WIDE = f"<div {' '.join(f'a{n}=1' for n in range(4_000))}><p>{SENTENCE * 12}</p></div>"
LONG = f"<p>{SENTENCE * 12}</p><table>{'<tr><td>1' * 1_000_000}</table>"
NO_LIMITS = LimitsConfig(bytes=None, nesting=None, attributes=None, nodes=None)


@pytest.mark.parametrize(
    ("limits", "seconds", "expected"),
    [
        (LimitsConfig(), 20, {DEEP: "limits.nesting", WIDE: "limits.attributes", LONG: "limits.bytes"}),
        (LimitsConfig(bytes=None), 20, {LONG: "limits.nodes"}),
        (NO_LIMITS, 1, {DEEP: "isolation.seconds", WIDE: None}),
        (NO_LIMITS, 1, {LONG: "isolation.seconds"}),
    ],
    ids=["caps", "cap on nodes", "deep without caps", "long without caps"],
)
def test_a_monstrous_page_ends_in_time(limits: LimitsConfig, seconds: float, expected: dict[str, str | None]) -> None:
    """By a cap, by its end, or without caps by the deadline: the parse of the deep one would take minutes."""
    config = dataclasses.replace(CONFIG, limits=limits)
    with IsolatedExtractor(config, IsolationLimits(seconds=seconds)) as isolated:
        for html, rule in expected.items():
            result = isolated.extract(page(html=html))
            assert (result.rule if isinstance(result, Drop) else None) == rule


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("crawl")
    make_demo_crawl(folder)
    return sorted(folder.glob("*.warc.gz"))


@pytest.mark.parametrize("keep_blocks", [False, True])
def test_results_are_those_of_extract_document(crawl: list[Path], keep_blocks: bool) -> None:
    pages = [item for path in crawl for item in read_warc(str(path)) if isinstance(item, Page)]
    expected = [extract_document(item, CONFIG) for item in pages]
    with IsolatedExtractor(CONFIG, keep_blocks=keep_blocks) as isolated:
        results = [isolated.extract(item) for item in pages]
    assert results == (expected if keep_blocks else [without_blocks(result) for result in expected])
    assert sum(isinstance(result, Document) for result in results) > 40


def test_messages_arrive_as_they_were_sent() -> None:
    for message in (page(), extract_document(page(), CONFIG), extract_document(page(html="<p>short"), CONFIG)):
        encoded = encode(message)
        assert int.from_bytes(encoded[:8], "big") == len(encoded) - 8
        assert decode(encoded[8:]) == message


def test_a_shard_with_a_fault_has_all_other_pages(crawl: list[Path], tmp_path: Path) -> None:
    """In = out + drops, and nothing but the faulty page is missing."""
    settings = ExtractSettings()
    range_ = InputRange(0, str(crawl[0]), 0, crawl[0].stat().st_size)
    rows = {}
    counts = {}
    for name, function in (("sound", isolate.FUNCTION), ("faulty", "planted_faults:crash_on_tea")):
        with IsolatedExtractor(settings.extract, LIMITS, function=function) as isolated:
            manifest = extract_range(range_, ShardPlan(str(tmp_path / name), "key", 1, 1, 1, 1), settings, isolated)
        assert manifest.cpu_seconds > isolated.cpu_seconds > 0
        counts[name] = manifest.counts
        rows[name] = [pq.read_table(tmp_path / name / file).to_pylist() for file in sorted(manifest.files)]
    assert counts["faulty"]["documents/drop:isolation.crash"] == 1
    for count in counts.values():
        drops = sum(number for key, number in count.items() if key.startswith("documents/drop:"))
        assert count["documents/in"] == count["documents/out"] + drops
    assert counts["faulty"]["documents/out"] == counts["sound"]["documents/out"] - 1
    urls = {name: [row["url"] for table in tables for row in table if "nodes" in row] for name, tables in rows.items()}
    assert urls["faulty"] == [url for url in urls["sound"] if not url.endswith(planted_faults.TEA)]
