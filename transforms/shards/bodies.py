"""The bytes of an image, read again from where the run found or put them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from transforms.archives.warc import read_record
from transforms.records import NETWORK, Drop, Outcome
from transforms.shards.plan import ShardPlan
from transforms.stored_path import StoredPath, stored_path


def image_bytes(outcome: Outcome, plan: ShardPlan) -> bytes:
    """The body of an outcome that is ok, from its archive or from the run that fetched it.

    Raises:
        ValueError: an outcome without a place. RuntimeError: other bytes than this run saw there.
    """
    if outcome.file is None or outcome.offset is None or outcome.length is None:
        raise ValueError(f"{outcome.url}: status {outcome.status} has no bytes")
    if outcome.source == NETWORK:
        stage = Path(outcome.file).parent.name
        return fetched_bytes(outcome, stored_path(plan.folder_of(stage)) / outcome.file)
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
    with path.open("rb") as bodies:
        bodies.seek(outcome.offset)
        body = bodies.read(outcome.length)
    if hashlib.sha256(body).hexdigest() != outcome.sha256:
        raise RuntimeError(f"{path}, offset {outcome.offset}: not the bytes that were fetched from {outcome.url}; restore the file")
    return body
