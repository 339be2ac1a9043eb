"""Rows that another process decoded are records again before anybody changes them (beam.md section 6)."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from typing import Any

import pytest

from transforms.coders import SHUFFLED, as_record
from transforms.fetch_images import continue_look_up
from transforms.images.optout import OptOutConfig
from transforms.images.urls import url_key
from transforms.records import LookUp, Sighting, WantedImage


def foreign(record: Any) -> Any:
    """A record as a worker process that does not know its class decodes it."""
    names = [field.name for field in dataclasses.fields(record)]
    return namedtuple("BeamSchema", names)(*(getattr(record, name) for name in names))


@pytest.mark.parametrize("record", SHUFFLED)
def test_a_foreign_row_is_the_record_it_was(record: type[Any]) -> None:
    made = record(*range(len(dataclasses.fields(record))))
    assert as_record(record, foreign(made)) == made
    assert as_record(record, made) is made


def test_an_archived_redirect_is_followed_by_a_worker_that_did_not_begin_it() -> None:
    key = url_key("http://e.example/b.png")
    wanted = WantedImage(url_key("http://e.example/a.png"), "http://e.example/a.png", [0], trail=["http://e.example/b.png"])
    seen = Sighting(
        "http://e.example/b.png", "redirect", target="http://e.example/c.png", http_status=302, file="a", offset=0, length=1
    )
    met = [foreign(LookUp(wanted=foreign(wanted))), foreign(LookUp(seen=foreign(seen)))]
    ((next_key, moved),) = continue_look_up(key, met, OptOutConfig())
    assert next_key == url_key("http://e.example/c.png")
    assert moved.wanted is not None
    assert list(moved.wanted.trail) == ["http://e.example/b.png", "http://e.example/c.png"]
