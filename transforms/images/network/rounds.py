"""Which images the network is asked for: one candidate of an image at a time, each URL once (images.md 3.1 and section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from transforms.images.statuses import REFUSALS, STATUS_CLASSES
from transforms.images.urls import url_key
from transforms.records import NETWORK, Outcome


def next_candidate(candidates: Sequence[str], outcomes: Mapping[bytes, Outcome]) -> Outcome | None:
    """The candidate of an image to ask the network for; None where there is nothing to ask.

    That is the first one that is missing, unless a candidate has bytes or is refused by its owner, which ends the search, or one
    that was asked for before may still come: a transient failure does not move on to the next candidate.
    """
    wanted = None
    for url in candidates:
        outcome = outcomes.get(url_key(url))
        if outcome is None:
            continue
        if outcome.status == "ok" or outcome.status in REFUSALS:
            return None
        kind = STATUS_CLASSES[outcome.status]
        if kind == "transient" and outcome.source == NETWORK:
            return None
        if kind == "missing" and outcome.source != NETWORK and wanted is None:
            wanted = outcome
    return wanted


def by_key(outcomes: Iterable[Outcome]) -> dict[bytes, Outcome]:
    """The outcomes of URLs by key; what the network said counts more than what the archives lack."""
    found: dict[bytes, Outcome] = {}
    for outcome in outcomes:
        if outcome.url_key not in found or outcome.source == NETWORK:
            found[outcome.url_key] = outcome
    return found


def wanted_or_known(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """All that is there of one URL, wanted now or known from an earlier run -> what has to be fetched, or need not be.

    What an earlier run knows for good counts, what was transient then is asked again; what nobody wants now is left out.
    """
    wanted, known = None, []
    for outcome in outcomes:
        if outcome.source == NETWORK:
            known.append(outcome)
        else:
            wanted = outcome
    if wanted is None:
        return
    settled = [outcome for outcome in known if STATUS_CLASSES[outcome.status] != "transient"]
    if settled:
        best = min(settled, key=lambda o: (o.status != "ok", o.status, o.sha256 or "", o.file or "", o.offset or 0))
        yield replace(best, url=wanted.url, shards=wanted.shards)
    else:
        yield wanted
