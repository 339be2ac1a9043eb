"""What kind of file an input is: by its first bytes, and by its name where these say nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from transforms.archives.compressed import read_head
from transforms.archives.members import RECORD_MAGIC
from transforms.files import Opener, open_file
from transforms.records import InputFormat

FormatChoice: TypeAlias = Literal["auto", "warc", "parquet", "arrow", "jsonl"]

HEAD_BYTES = 4096

MAGICS: tuple[tuple[bytes, InputFormat], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),  # a stream
)
CONTENT: tuple[tuple[bytes, InputFormat], ...] = ((RECORD_MAGIC, "warc"), (b"{", "jsonl"))

SUFFIXES: dict[InputFormat, tuple[str, ...]] = {
    "warc": (".warc", ".warc.gz", ".warc.zst"),
    "parquet": (".parquet",),
    "arrow": (".arrow", ".feather"),
    "jsonl": (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".ndjson.gz", ".ndjson.zst"),
}
ALL_SUFFIXES = tuple(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
"""What is taken out of a folder that is given as input."""


def detect_format(path: str, opener: Opener = open_file) -> InputFormat:
    """The format of a file. One that nothing is known about is `warc`, whose reader says what it is not."""
    with opener(path) as stored:
        head = stored.read(8)
        for magic, format_ in MAGICS:
            if head.startswith(magic):
                return format_
        content = read_head(stored, HEAD_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
    for beginning, format_ in CONTENT:
        if content.startswith(beginning):
            return format_
    return next((format_ for format_, suffixes in SUFFIXES.items() if path.endswith(suffixes)), "warc")
