"""Three readers of WARC files beside each other: warcio alone, fastwarc alone, and ours on warcio's header parser.

    python -m scripts.bench.readers 'crawl/*.warc.gz' [--rounds 5]     CPU seconds, all in one process, rounds interleaved
    python -m scripts.bench.readers --torture                          what each makes of the torture set

fastwarc is in the optional dependencies `bench`; without it its column is left out. Every reader parses HTTP headers and undoes
content and transfer codings. The tables are Markdown.
"""

from __future__ import annotations

import argparse
import glob
import io
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from scripts.bench.torture_set import CASES, HTML_BYTES, IMAGE_BYTES, SENTINEL, TortureCase
from transforms.archives.settings import ReadLimits
from transforms.archives.warc import read_responses
from transforms.records import Drop, Response

Record = tuple[str, bytes | Exception]
"""A URL, and the body or what reading it raised."""
Reader = Callable[[BinaryIO], Iterator[Record]]
MEBIBYTE = 2**20
BOMB_BYTES = 64 * MEBIBYTE
"""What is taken of a body at most, so that readers without a cap can be run on the bombs of the set."""
HTTP_TYPES = ("response", "resource", "revisit")


def read_with_warcio(stream: BinaryIO) -> Iterator[Record]:
    """Responses as warcio gives them."""
    from warcio.archiveiterator import ArchiveIterator

    for record in ArchiveIterator(stream):
        if record.rec_type in HTTP_TYPES:
            yield record.rec_headers.get_header("WARC-Target-URI") or "", _body(lambda: record.content_stream().read(BOMB_BYTES))  # noqa: B023


def read_with_fastwarc(stream: BinaryIO) -> Iterator[Record]:
    """Responses as fastwarc gives them, automatic decoding on."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    types = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit
    for record in ArchiveIterator(stream, record_types=types, auto_decode="all"):
        yield record.headers.get("WARC-Target-URI") or "", _body(lambda: record.reader.read(BOMB_BYTES))  # noqa: B023


def _body(read: Callable[[], bytes]) -> bytes | Exception:
    """A body, or what reading it raised: whoever uses these readers would go on with the next record."""
    try:
        return read()
    except Exception as raised:  # noqa: BLE001  any error is a result here
        return raised


def other_readers() -> dict[str, Reader]:
    """The readers that ours is measured beside, those that are installed."""
    readers: dict[str, Reader] = {"warcio alone": read_with_warcio}
    try:
        import fastwarc  # noqa: F401
    except ImportError:
        print("fastwarc is not installed: pip install 'interleaf[bench]'", file=sys.stderr)
    else:
        readers["fastwarc alone"] = read_with_fastwarc
    return readers


def measure_throughput(paths: Sequence[str], rounds: int) -> Iterator[str]:
    """Table rows: median CPU seconds of a pass over all files, and rates."""

    def by_path(read: Reader, path: str) -> Iterator[int]:
        with open(path, "rb") as stream:
            for _, body in read(stream):
                yield 0 if isinstance(body, Exception) else len(body)

    def ours(path: str) -> Iterator[int]:
        return (len(item.body) for item in read_responses(path) if isinstance(item, Response))

    passes: dict[str, Callable[[str], Iterator[int]]] = {
        **{name: lambda path, read=read: by_path(read, path) for name, read in other_readers().items()},  # type: ignore[misc]
        "ours": ours,
    }
    stored = sum(os.path.getsize(path) for path in paths)
    seconds: dict[str, list[float]] = {name: [] for name in passes}
    found: dict[str, tuple[int, int]] = {}
    for _ in range(rounds + 1):
        for name, read in passes.items():
            started = time.process_time()
            sizes = [size for path in paths for size in read(path)]
            seconds[name].append(time.process_time() - started)
            found[name] = len(sizes), sum(sizes)
    medians = {name: statistics.median(values[1:]) for name, values in seconds.items()}  # the first pass warms up
    yield "| reader | CPU s | records | decoded MB | stored MB/s | records/s | speed, warcio = 1 |"
    yield "|---|---|---|---|---|---|---|"
    for name, median in medians.items():
        records, size = found[name]
        relative = medians["warcio alone"] / median
        yield (
            f"| {name} | {median:.3f} | {records} | {size / 1e6:.1f} | {stored / 1e6 / median:.1f} | {records / median:,.0f} "
            f"| {relative:.2f} |"
        )


def judge(case: TortureCase, read: Reader) -> str:
    """What a reader makes of a case: the sentinel first, then whether bodies are those that the archive holds."""
    wanted = [(str(item[0]), item[1]) for item in case.expected if isinstance(item, tuple)]
    found: list[Record] = []
    error = ""
    said = io.StringIO()
    with redirect_stderr(said), redirect_stdout(said):
        try:
            for record in read(io.BytesIO(case.archive)):
                found.append(record)
        except Exception as raised:  # noqa: BLE001  whatever it raises is what this table is about
            error = f"raises {type(raised).__name__}"
    pages = [(url, body) for url, body in found if url.startswith("http") and (url, body) != SENTINEL]
    bodies = [body for _, body in pages]
    failed = [type(body).__name__ for body in bodies if isinstance(body, Exception)]
    if SENTINEL not in found:
        return f"**sentinel lost**, {error or 'silent'}"
    how = "warns" if said.getvalue() else "silent"
    if failed:
        return f"**body lost**, raises {failed[0]}"
    if len(pages) < len(wanted):
        return f"**record lost**, {how}"
    if len(pages) > len(wanted):
        return f"passes on what it should not, {how}"
    if bodies != [body for _, body in wanted]:
        return f"**other bytes**, {how}"
    return "ok" if not names_a_fault(case) else f"ok, but {how} on the fault"


def names_a_fault(case: TortureCase) -> bool:
    """Whether something should be said about the case."""
    return any(isinstance(item, str) or len(item) > 2 for item in case.expected)


def judge_ours(case: TortureCase, folder: Path) -> str:
    """What our reader makes of a case, with the flags and rules that name it."""
    path = folder / "case.warc.gz"
    path.write_bytes(case.archive)
    limits = ReadLimits(html_bytes=HTML_BYTES, image_bytes=IMAGE_BYTES)
    items = list(read_responses(str(path), limits=limits))
    summary = [item.rule if isinstance(item, Drop) else (item.url, item.body, *item.flags) for item in items]
    if summary != [*case.expected, SENTINEL]:
        return "**not as expected**"
    names = [f"`{name}`" for item in case.expected for name in ([item] if isinstance(item, str) else item[2:])]
    return "ok" + (f": {', '.join(dict.fromkeys(map(str, names)))}" if names else "")


def torture() -> Iterator[str]:
    """Table rows: one a case, and the sums."""
    readers = other_readers()
    ok = dict.fromkeys([*readers, "ours"], 0)
    yield f"| case | {' | '.join(ok)} |"
    yield "|---" * (len(ok) + 1) + "|"
    with TemporaryDirectory(prefix="interleaf-torture-") as folder:
        for case in CASES:
            verdicts = {name: judge(case, read) for name, read in readers.items()}
            verdicts["ours"] = judge_ours(case, Path(folder))
            for name, verdict in verdicts.items():
                ok[name] += verdict.startswith("ok")
            yield f"| {case.name} | {' | '.join(verdicts.values())} |"
    yield f"| **ok of {len(CASES)}** | {' | '.join(str(count) for count in ok.values())} |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="*", metavar="GLOB", help="archives to read")
    parser.add_argument("--rounds", type=int, default=5, help="passes of each reader; the median counts (default: 5)")
    parser.add_argument("--torture", action="store_true", help="the torture set instead of archives")
    options = parser.parse_args(arguments)
    paths = sorted(path for pattern in options.archives for path in glob.glob(pattern))
    if not options.torture and not paths:
        parser.error("give archives that exist, or --torture")
    for line in torture() if options.torture else measure_throughput(paths, options.rounds):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
