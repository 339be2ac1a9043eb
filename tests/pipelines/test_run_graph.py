"""How a job ends for the command: its state is what counts, and an interrupted job is cancelled."""

from __future__ import annotations

import apache_beam as beam
import pytest

from pipelines.runners import Engine, run_graph


class Job:
    """A job as a runner gives it back: it ends in a state, or the wait for it is interrupted."""

    def __init__(self, state: str | None) -> None:
        self.state = state
        self.cancelled = False

    def wait_until_finish(self) -> str:
        if self.state is None:
            raise KeyboardInterrupt
        return self.state

    def cancel(self) -> None:
        self.cancelled = True


def run(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam.Pipeline, "run", lambda pipeline: job)
    run_graph(Engine(None, (), ""), lambda root: root | beam.Create([1]))


def test_an_interrupted_job_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster would go on without the command, into files that the next attempt takes for its own."""
    job = Job(None)
    with pytest.raises(KeyboardInterrupt):
        run(job, monkeypatch)
    assert job.cancelled


@pytest.mark.parametrize("state", ["FAILED", "CANCELLED", "UNKNOWN"])
def test_any_state_but_done_is_a_failure(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match=f"ended in state {state}"):
        run(Job(state), monkeypatch)


def test_a_job_that_is_done_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("DONE")
    run(job, monkeypatch)
    assert not job.cancelled
