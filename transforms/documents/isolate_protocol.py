"""What an extracting process and its parent say to each other: pickles behind their length.

    parent                      child
    Setup           ─────►      loads its models
                    ◄─────      Ready
    Page            ─────►      one at a time
                    ◄─────      Document | Drop | Raised | OutOfMemory | TooLarge

Both ends are our own code, so pickle is safe here. Records go by their constructor: what `pickle` does for frozen dataclasses with
slots takes three times as long.
"""

from __future__ import annotations

import dataclasses
import io
import pickle
import struct
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from transforms.records import Block, Document, Drop, ImageRef, InlineImage, Node, Page, Paragraph, Source

if TYPE_CHECKING:
    from transforms.documents.config import ExtractConfig

LENGTH = struct.Struct("!Q")
"""Stands before each message: its length in bytes."""


@dataclass(frozen=True)
class Setup:
    """What a child does. function: `module:name` of what is called as `extract_document`. keep_blocks: documents have blocks.

    alarm: seconds on one page after which the kernel ends the child, should nobody else do it. reply: bytes of the largest answer.
    """

    function: str
    config: ExtractConfig
    keep_blocks: bool
    alarm: float | None
    reply: int | None


@dataclass(frozen=True)
class Ready:
    """The child has its models and waits for pages."""


@dataclass(frozen=True)
class Raised:
    """The function raised. text: of `describe_error`. trace: the child's stack as text."""

    text: str
    trace: str


@dataclass(frozen=True)
class OutOfMemory:
    """The child could not allocate."""


@dataclass(frozen=True)
class TooLarge:
    """The answer has more bytes than the setup allows."""

    bytes: int


Reply = Document | Drop | Raised | OutOfMemory | TooLarge


class ExtractionError(RuntimeError):
    """An exception of the extracting function in a child process. Its text is what `describe_error` gives for the original."""


def describe_error(error: BaseException) -> str:
    """An exception and its innermost frame: `ValueError('x') at walk.py:12`; the same whether it was raised here or in a child."""
    if isinstance(error, ExtractionError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{error!r}{place}"


def encode(message: object) -> bytes:
    """A message with its length before it."""
    buffer = io.BytesIO()
    buffer.write(bytes(LENGTH.size))
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _BY_CONSTRUCTOR
    pickler.dump(message)
    view = buffer.getbuffer()
    LENGTH.pack_into(view, 0, len(view) - LENGTH.size)
    view.release()
    return buffer.getvalue()


def decode(message: bytes | bytearray) -> Any:
    """The message of `encode`, its length taken off."""
    return pickle.loads(message)


def _by_constructor(record: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    values = attrgetter(*(field.name for field in dataclasses.fields(record)))
    return lambda instance: (record, values(instance))


_BY_CONSTRUCTOR: dict[type, Callable[[Any], Any]] = {
    record: _by_constructor(record) for record in (Page, Source, Document, Node, Paragraph, ImageRef, InlineImage, Drop, Block)
}
