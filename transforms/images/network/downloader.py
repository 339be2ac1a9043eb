"""`img2dataset` 1.47.0 as the fetcher, with our transport in place of its own (images.md 5.1 to 5.3).

Its `Downloader` runs the thread pool, the back-pressure and the bookkeeping of a batch. What it calls for each row,
`img2dataset.downloader.download_image`, is replaced by a function that takes whichever URL is due next and answers for that one.
So a row is a permit for one URL, not an assignment, and no thread waits for a slow host while another host is due. Its urllib is
never called, nothing is written anywhere, nothing is re-encoded, its retries and its reading of headers are off.

The package is imported at the first batch, never at module level: that costs seconds and 180 MiB.
"""

from __future__ import annotations

import functools
import io
import os
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

from transforms.images.network.config import NetworkConfig
from transforms.images.network.fetch import FetchBatch, Fetched
from transforms.images.network.hosts import Host
from transforms.images.network.transport import Transport
from transforms.images.optout import OptOutConfig

VERSION = "1.47.0"
PATCHED = "download_image"
ENVIRONMENT = {
    # Without it the import makes a request of its own.
    "NO_ALBUMENTATIONS_UPDATE": "1",
    "WANDB_MODE": "disabled",
}
REFUSED = {"file:///etc/hostname": "scheme_not_allowed", "http://169.254.169.254/": "blocked_address"}
"""What the self-test asks for, and what must become of it."""

Take = Callable[[Fetched], None]

_ONE_AT_A_TIME = threading.Lock()
"""Batches of one process run one after another: the bounds of a process hold by that, and the patched name has one meaning."""


class FetcherError(RuntimeError):
    """The fetcher is not what it has to be, or lost rows. Nothing may be fetched with it."""


def why_unavailable() -> str | None:
    """Why images cannot be fetched on this installation, None if they can. Imports nothing."""
    if sys.version_info >= (3, 13):
        return (
            f"img2dataset {VERSION} needs Python below 3.13 and this is {sys.version_info.major}.{sys.version_info.minor} "
            "(it imports a module that was removed); use Python 3.10 to 3.12"
        )
    try:
        version = metadata.version("img2dataset")
    except metadata.PackageNotFoundError:
        return f"the package img2dataset is not installed; install img2dataset=={VERSION}"
    return None if version == VERSION else f"img2dataset is {version}; install img2dataset=={VERSION}, which is guarded and tested"


def fetch_urls(
    urls: Sequence[str],
    config: NetworkConfig,
    optout: OptOutConfig,
    transport: Transport,
    take: Take,
    hosts: dict[str, Host] | None = None,
) -> None:
    """Fetches distinct URLs and hands each result to `take`, one after another in the order of their arrival.

    hosts: what batches have learnt of hosts, for those that follow: robots rules, delays, which are down. A body counts against
    the transport's budget until `take` is through with it.

    Raises:
        FetcherError: img2dataset is another version, or did not answer for every URL. Whatever `take` raises.
    """
    if not urls:
        return
    load_downloader()
    with _ONE_AT_A_TIME:
        _run(FetchBatch(urls, config, optout, transport, hosts), min(config.in_flight, len(urls)), take)


@functools.cache
def load_downloader() -> Any:
    """The module `img2dataset.downloader` with our function in it, tested once a process.

    Raises:
        FetcherError: what is installed is not what the guard was written for.
    """
    reason = why_unavailable()
    if reason is not None:
        raise FetcherError(reason)
    os.environ.update(ENVIRONMENT)
    from img2dataset import downloader

    if not hasattr(downloader, PATCHED):
        raise FetcherError(f"img2dataset.downloader has no {PATCHED}; nothing is fetched without the guard")
    setattr(downloader, PATCHED, _download_image)
    with _ONE_AT_A_TIME:
        _test_guard()
    return downloader


def _test_guard() -> None:
    """Two URLs that no run may ask for go through the real Downloader, and must come back refused without a connection."""
    transport = Transport(NetworkConfig(user_agent_contact="https://self-test.invalid/"))
    found: dict[str, str] = {}
    batch = FetchBatch(list(REFUSED), NetworkConfig(), OptOutConfig(), transport)
    _run(batch, 2, lambda fetched: found.update({batch.urls[fetched.index]: fetched.failure.status if fetched.failure else "ok"}))
    if found != REFUSED or transport.connections:
        raise FetcherError(f"the guard does not hold in img2dataset.downloader: {found}, {transport.connections} connections")


class _Running:
    """The batch that is under way in this process: what its threads answer for, and what is done with the answers."""

    def __init__(self, batch: FetchBatch, take: Take) -> None:
        self.batch = batch
        self.take = take
        self.results: dict[int, Fetched] = {}
        self.rows = 0
        self.error: BaseException | None = None


_running: _Running | None = None


def _download_image(row: tuple[int, str], *_: object) -> tuple[int, io.BytesIO | None, str | None]:
    """In place of img2dataset's function of this name; the arguments behind the row are of no use here.

    Raising here would block img2dataset for good, so an unexpected error is kept and raised when the batch is over.
    """
    running = _running
    assert running is not None
    try:
        fetched = None if running.error is not None else running.batch.next()
    except Exception as error:  # noqa: BLE001  see above
        running.error = error
        fetched = None
    if fetched is None:
        return row[0], None, "stopped"
    running.results[fetched.index] = fetched
    if fetched.body is None:
        return fetched.index, None, fetched.failure.status if fetched.failure else "ok"
    return fetched.index, io.BytesIO(fetched.body), None


class _SampleWriter:
    """What img2dataset hands its samples to. It swallows what is raised here, so that is kept."""

    def __init__(self, *_: object) -> None:
        assert _running is not None
        self._running = _running

    def write(self, body: bytes | None, key: str, caption: object, meta: object) -> None:
        """One row: its number is the key, all else is known."""
        running = self._running
        fetched = running.results.pop(int(key), None)
        if fetched is None:
            return
        running.rows += 1
        try:
            if running.error is None:
                running.take(fetched)
        except Exception as error:  # noqa: BLE001  raised when the batch is over
            running.error = error
        finally:
            running.batch.transport.budget.give_back(len(fetched.body or b""))

    def close(self) -> None:
        """Nothing is open."""


def _run(batch: FetchBatch, threads: int, take: Take) -> None:
    """One batch through the real Downloader. Its table of URLs and its statistics exist in memory only, and only meanwhile."""
    global _running
    import fsspec
    import pyarrow as pa
    from img2dataset.downloader import Downloader
    from img2dataset.resizer import Resizer

    files = fsspec.filesystem("memory")
    folder = f"/interleaf-{uuid.uuid4().hex}"
    running = _running = _Running(batch, take)
    try:
        table = pa.table({"url": pa.array(batch.urls, pa.string())})
        with files.open(f"{folder}/urls.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        downloader = Downloader(
            sample_writer_class=_SampleWriter,
            resizer=Resizer(image_size=256, resize_mode="no", resize_only_if_bigger=False, disable_all_reencoding=True),
            thread_count=threads,
            save_caption=False,
            extract_exif=False,
            output_folder=f"memory://{folder}",
            column_list=["url"],
            timeout=None,
            number_sample_per_shard=max(len(batch.urls), 2),
            oom_shard_count=1,
            compute_hash=None,
            verify_hash_type=None,
            encode_format="jpg",
            retries=0,
            user_agent_token=None,
            disallowed_header_directives=None,
        )
        is_done, _ = downloader((0, f"memory://{folder}/urls.arrow"))
    finally:
        _running = None
        if files.exists(folder):
            files.rm(folder, recursive=True)
    if running.error is not None:
        raise running.error
    if not is_done or running.rows != len(batch.urls):
        raise FetcherError(f"img2dataset answered for {running.rows} of {len(batch.urls)} URLs (batch done: {is_done})")
