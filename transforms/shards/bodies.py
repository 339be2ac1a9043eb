"""The bytes of an image, read again from where the run found or put them."""

from __future__ import annotations

import hashlib

from transforms.records import INLINE, NETWORK, Drop, Outcome
from transforms.shards.plan import ShardPlan
from transforms.stored_path import StoredPath


def image_bytes(outcome: Outcome, plan: ShardPlan) -> bytes:
    """The stored bytes of an outcome that is ok, from its archive or from the run that fetched, found or resized it.

    Raises:
        ValueError: an outcome without a place. RuntimeError: other bytes than this run saw there.
    """
    if outcome.file is None or outcome.offset is None or outcome.length is None:
        raise ValueError(f"{outcome.url}: status {outcome.status} has no bytes")
    if outcome.stored_file is not None:
        return _checked(outcome, read_body(plan.file(outcome.stored_file), outcome.stored_offset or 0, outcome.bytes or 0))
    if outcome.source in (NETWORK, INLINE):
        return fetched_bytes(outcome, plan.file(outcome.file))
    # Only here: its library takes long to import.
    from transforms.archives.warc import read_record

    response = read_record(outcome.file, outcome.offset, outcome.length, outcome.record_id)
    if isinstance(response, Drop) or hashlib.sha256(response.body).hexdigest() != outcome.sha256:
        raise RuntimeError(
            f"{outcome.file}, offset {outcome.offset}: the image {outcome.url} is no longer what this run read there; "
            "the input changed during the run. Start again with an empty output folder."
        )
    return response.body


def fetched_bytes(outcome: Outcome, path: StoredPath) -> bytes:
    """A body in a file of bodies. Raises RuntimeError when it is not what was fetched."""
    assert outcome.offset is not None
    assert outcome.length is not None
    return _checked(outcome, read_body(path, outcome.offset, outcome.length))


def read_body(path: StoredPath, offset: int, length: int) -> bytes:
    """A body in a file of bodies; shorter where the file ends."""
    with path.open("rb") as bodies:
        bodies.seek(offset)
        return bodies.read(length)


def _checked(outcome: Outcome, body: bytes) -> bytes:
    if hashlib.sha256(body).hexdigest() != outcome.sha256:
        place = f"{outcome.stored_file or outcome.file}, offset {outcome.stored_offset or outcome.offset}"
        raise RuntimeError(f"{place}: not the bytes that this run had of {outcome.url}; restore the file")
    return body
