"""Input files on this machine and behind a scheme, through Beam's file systems (beam.md section 4)."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from apache_beam.io.filesystem import CompressionTypes, FileMetadata, FileSystem

from pipelines.errors import UsageError
from pipelines.input_manifest import find_input
from scripts.bench.warc_builder import gzip_member, page
from transforms.archives import plan_input, read_range, read_source
from transforms.files import find_files, open_file
from transforms.records import Response

ROOT = Path(__file__).resolve().parents[2]
OBJECTS: dict[str, bytes] = {}


class FakeFileSystem(FileSystem):
    """An object store in memory, for paths such as `fake://bucket/a`. It has no folders, as real ones do not."""

    opened: list[str] = []

    @classmethod
    def scheme(cls) -> str:
        return "fake"

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Iterator[FileMetadata]:
        for path, content in sorted(OBJECTS.items()):
            if path.startswith(dir_or_prefix):
                yield FileMetadata(path, len(content))

    def open(self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO) -> Any:
        assert compression_type == CompressionTypes.UNCOMPRESSED, "offsets would be lost"
        self.opened.append(path)
        return io.BytesIO(OBJECTS[path])

    def join(self, basepath: str, *paths: str) -> str:
        return "/".join([basepath.rstrip("/"), *paths])

    def split(self, path: str) -> tuple[str, str]:
        head, _, tail = path.rpartition("/")
        return head, tail

    def _unused(self, *_: object, **__: object) -> Any:
        raise NotImplementedError

    def exists(self, path: str) -> bool:
        return path in OBJECTS

    def size(self, path: str) -> int:
        return len(OBJECTS[path])

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, len(OBJECTS[path]))

    def last_updated(self, path: str) -> float:
        return 0.0

    mkdirs = create = copy = rename = checksum = delete = _unused


URLS = [f"http://page.example/{i}" for i in range(6)]
ARCHIVE = b"".join(gzip_member(page(b"<p>" + url.encode(), url)) for url in URLS)
LINES = b"".join(b'{"url":"%s","html":"x"}\n' % url.encode() for url in URLS)


@pytest.fixture(autouse=True)
def objects() -> Iterator[None]:
    OBJECTS.update(
        {
            "fake://bucket/crawl/a.warc.gz": ARCHIVE,
            "fake://bucket/crawl/b.jsonl.gz": gzip.compress(LINES),
            "fake://bucket/crawl/c.jsonl": LINES,
            "fake://bucket/crawl/notes.txt": b"x",
            "fake://bucket/crawl/deeper/d.warc": b"",
        }
    )
    yield
    OBJECTS.clear()


NAMES = {
    "fake://bucket/crawl/a.warc.gz": ["a.warc.gz"],
    "fake://bucket/crawl/*.warc.gz": ["a.warc.gz"],
    "fake://bucket/crawl/?.jsonl*": ["b.jsonl.gz", "c.jsonl"],
    "fake://bucket/crawl/": ["a.warc.gz", "b.jsonl.gz", "c.jsonl"],
    "fake://bucket/crawl": ["a.warc.gz", "b.jsonl.gz", "c.jsonl"],
    "fake://bucket/crawl/notes.txt": ["notes.txt"],
    "fake://bucket/none/*": [],
}


@pytest.mark.parametrize("pattern", NAMES)
def test_patterns_and_folders_of_an_object_store(pattern: str) -> None:
    assert find_files(pattern, (".warc.gz", ".jsonl", ".jsonl.gz")) == [
        (f"fake://bucket/crawl/{name}", len(OBJECTS[f"fake://bucket/crawl/{name}"])) for name in NAMES[pattern]
    ]


@pytest.mark.parametrize("name", ["a.warc.gz", "b.jsonl.gz", "c.jsonl"])
def test_ranges_of_a_remote_file_give_what_the_local_one_gives(tmp_path: Path, name: str) -> None:
    remote, local = f"fake://bucket/crawl/{name}", tmp_path / name
    local.write_bytes(OBJECTS[remote])
    found = []
    for path in (remote, str(local)):
        ranges = list(plan_input([(path, len(OBJECTS[remote]))], 100))
        items = [item for range_ in ranges for item in read_range(range_)]
        assert all(isinstance(item, Response) and read_source(item.source) == item for item in items)
        found.append([(item.url, item.body, item.source.offset) for item in items if isinstance(item, Response)])
    assert found[0] == found[1]
    assert [url for url, _, _ in found[0]] == URLS
    assert remote in FakeFileSystem.opened


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_remote_tables_are_read_without_a_map(tmp_path: Path, form: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"url": URLS, "html": ["x"] * len(URLS)})
    local = tmp_path / "a"
    if form == "parquet":
        pq.write_table(table, local, row_group_size=2)
    else:
        with pa.ipc.new_stream(str(local), table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    OBJECTS["fake://bucket/a"] = local.read_bytes()
    ranges = list(plan_input([("fake://bucket/a", local.stat().st_size)], 1))
    items = [item for range_ in ranges for item in read_range(range_)]
    assert len(ranges) == 3
    assert [item.url for item in items] == URLS
    assert all(isinstance(item, Response) and read_source(item.source) == item for item in items)


def test_the_command_finds_remote_and_local_input_together(tmp_path: Path) -> None:
    (tmp_path / "z.warc").write_bytes(b"x")
    found = sorted(find_input(["fake://bucket/crawl/*.warc.gz", str(tmp_path)]))
    assert found == sorted([("fake://bucket/crawl/a.warc.gz", len(ARCHIVE)), (str(tmp_path / "z.warc"), 1)])


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("fake://bucket/none*", "matches none"), ("nosuch://bucket/a", "cannot be looked up")],
)
def test_remote_input_that_is_not_there_is_wrong_use(pattern: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(find_input([pattern]))


def test_local_files_through_beam_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(ARCHIVE)
    (tmp_path / "notes.txt").write_text("x")

    def seen() -> tuple[object, ...]:
        (file,) = find_files(str(tmp_path), (".warc.gz",))
        items = [item for range_ in list(plan_input([file], 100)) for item in read_range(range_)]
        with open_file(str(path)) as stored:
            return file, find_files(str(path), ()), find_files(f"{tmp_path}/*.gz", ()), items, stored.read()

    directly = seen()
    monkeypatch.setattr("transforms.files.is_remote", lambda path: True)
    assert seen() == directly
    assert directly[-1] == ARCHIVE


def test_local_patterns_and_folders(tmp_path: Path) -> None:
    for name in ("a.warc", "b.txt", "[c].warc", "deeper/d.warc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"12")

    def names(pattern: str) -> list[str]:
        found = find_files(str(tmp_path / pattern), (".warc",))
        assert {size for _, size in found} <= {2}
        return [str(Path(path).relative_to(tmp_path)) for path, _ in found]

    assert names("") == ["[c].warc", "a.warc"]
    assert names("*.txt") == ["b.txt"]
    assert names("**/*.warc") == ["[c].warc", "a.warc", "deeper/d.warc"]
    assert names("[c].warc") == ["[c].warc"]
    assert names("none*") == []


def test_local_reading_does_not_import_beam(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(ARCHIVE)
    code = (
        "import sys\nfrom transforms.archives import plan_input, read_range\nfrom transforms.files import find_files\n"
        f"files = find_files({str(tmp_path)!r}, ('.warc.gz',))\n"
        "assert len([item for range_ in list(plan_input(files, 100)) for item in read_range(range_)]) == 6\n"
        "print('apache_beam' in sys.modules, 'pyarrow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["False", "False"], done.stderr
