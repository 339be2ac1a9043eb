"""img2dataset does nothing behind our back, and fetches nothing when it is not what we know (images.md 5.1 to 5.3, N21 to N24)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from scripts.bench.fault_server import FaultServer, answer
from transforms.images.network import downloader as ours
from transforms.images.network.config import NetworkConfig
from transforms.images.network.downloader import FetcherError, fetch_urls, load_downloader, why_unavailable
from transforms.images.network.fetch import Fetched
from transforms.images.network.transport import Transport
from transforms.images.optout import OptOutConfig

ROOT = Path(__file__).resolve().parents[4]
SETTINGS = NetworkConfig(user_agent_contact="https://crawler.example/", allow_addresses=("127.0.0.0/8",), delay_per_host=0.001)


@pytest.fixture(autouse=True)
def _load_again() -> Iterator[None]:
    load_downloader.cache_clear()
    yield
    load_downloader.cache_clear()


def fetch(urls: list[str], take: object = None) -> list[Fetched]:
    found: list[Fetched] = []
    fetch_urls(urls, SETTINGS, OptOutConfig(), Transport(SETTINGS), take or found.append)  # type: ignore[arg-type]
    return found


def test_the_real_downloader_is_in_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    Downloader = load_downloader().Downloader  # noqa: N806
    load_downloader.cache_clear()
    rows = []
    run = Downloader.download_shard
    monkeypatch.setattr(Downloader, "download_shard", lambda self, row: rows.append(row) or run(self, row))
    with FaultServer(default=answer(b"body")) as server:
        assert [fetched.body for fetched in fetch([server.url("/a")])] == [b"body"]
    assert len(rows) == 2, "the self-test and the batch"


def test_nothing_stays_behind_in_memory() -> None:
    import fsspec

    with FaultServer(default=answer(b"body")) as server:
        fetch([server.url(f"/{number}") for number in range(5)])
    assert [path for path in fsspec.filesystem("memory").find("/") if "interleaf" in path] == []


def test_a_renamed_function_stops_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    downloader = load_downloader()
    load_downloader.cache_clear()

    # The name is there, but what runs no longer looks it up: the self-test meets the original transport and must find out.
    def unguarded(row: tuple[int, str], *_: object, **__: object) -> tuple[int, None, str]:
        return row[0], None, "fetched without a guard"

    monkeypatch.setattr(downloader, "download_image_with_retry", unguarded)
    with pytest.raises(FetcherError, match="answered for 0 of 2"):
        fetch(["http://127.0.0.1:9/"])
    load_downloader.cache_clear()
    monkeypatch.delattr(downloader, ours.PATCHED)
    with pytest.raises(FetcherError, match="has no download_image"):
        fetch(["http://127.0.0.1:9/"])


@pytest.mark.parametrize(("version", "text"), [("1.46.0", "img2dataset is 1.46.0"), (None, "not installed")])
def test_another_version_stops_the_worker(version: str | None, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(name: str) -> str:
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(ours.metadata, "version", installed)
    with pytest.raises(FetcherError, match=text):
        fetch_urls(["http://127.0.0.1:9/"], SETTINGS, OptOutConfig(), None, print)  # type: ignore[arg-type]


def test_a_newer_python_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_unavailable() is None
    monkeypatch.setattr(ours.sys, "version_info", _Newer())
    assert "needs Python below 3.13 and this is 3.13" in str(why_unavailable())


class _Newer(tuple):  # type: ignore[type-arg]
    major, minor = 3, 13

    def __new__(cls) -> _Newer:
        return super().__new__(cls, (3, 13, 0))


def test_a_batch_that_img2dataset_gives_up_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    downloader = load_downloader()

    def fail(*_: object) -> None:
        raise OSError("planted")

    monkeypatch.setattr(downloader, "write_stats", fail)
    with FaultServer(default=answer(b"body")) as server, pytest.raises(FetcherError, match="batch done: False"):
        fetch([server.url("/a")])
    capsys.readouterr()


def test_an_error_of_the_taker_is_raised_and_the_batch_ends() -> None:
    def fail(_: Fetched) -> None:
        raise ZeroDivisionError("planted")

    with FaultServer(default=answer(b"body")) as server, pytest.raises(ZeroDivisionError, match="planted"):
        fetch([server.url(f"/{number}") for number in range(10)], fail)


def test_an_error_of_ours_in_a_thread_is_raised_and_the_batch_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from transforms.images.network.fetch import FetchBatch

    load_downloader()

    def fail(*_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(FetchBatch, "_answered", fail)
    with FaultServer(default=answer(b"body")) as server, pytest.raises(ZeroDivisionError, match="planted"):
        fetch([server.url(f"/{number}") for number in range(10)])


def test_nothing_heavy_is_imported_before_a_batch() -> None:
    code = (
        "import sys, transforms.images.network.downloader\n"
        "print([name for name in ('img2dataset', 'wandb', 'albumentations', 'cv2') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.strip() == "[]"
