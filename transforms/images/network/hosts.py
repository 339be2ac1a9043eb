"""Which URL is asked for next: hosts in turn, each within its limits (images.md section 7).

    job, host, failure = schedule.take()      # waits until something is due
    schedule.give_back(host)                  # its request is over
    schedule.go_on(job) / schedule.finish()   # it goes on, at its next host or later; or it is done

A host has so many connections, so long a delay between the starts of two requests, and may be paused. Its robots.txt is asked for
before anything else of it. Threads never wait for one host while another is due.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import count

from transforms.images.network.config import NetworkConfig
from transforms.images.network.failure import Failure
from transforms.images.network.robots import ALLOW_ALL, RobotsRules
from transforms.images.network.transport import Target

HOST_FAILURES = frozenset({"dns_temporary", "connect_error", "connect_timeout", "read_timeout"})
"""Failures of the line; so many in a row say that a host is down."""

MAX_DELAY = 60.0
"""Seconds; a host that complains of too many requests is asked ever less often, but not less than this."""


@dataclass(eq=False, slots=True)
class Job:
    """One wanted URL on its way. index: of the wanted URL. url, target: where it is now, after redirects.

    attempts: how often the wanted URL was asked for. hops, spent: of this attempt, redirects and seconds. started: of the first
    request, by the monotonic clock. failure: of the last attempt.
    """

    index: int
    url: str
    target: Target
    attempts: int = 0
    hops: int = 0
    spent: float = 0.0
    started: float | None = None
    failure: Failure | None = None


@dataclass(eq=False, slots=True)
class Host:
    """A host and port. fresh, later: jobs that were not asked for yet, and those that go on. settled: jobs that need no request.

    verdict: what ends all further jobs. robots: None until it is known.
    """

    authority: str
    delay: float
    robots: RobotsRules | None
    fresh: deque[Job] = field(default_factory=deque)
    later: list[tuple[float, int, Job]] = field(default_factory=list)
    settled: deque[tuple[Job, Failure]] = field(default_factory=deque)
    verdict: Failure | None = None
    active: int = 0
    next_request: float = 0.0
    failures: int = 0
    version: int = 0


class Schedule:
    """All jobs of one batch. Thread-safe; see the module text.

    hosts: what earlier batches of the same hosts have learnt, by authority; new ones are added.
    """

    def __init__(self, config: NetworkConfig, hosts: dict[str, Host] | None = None, *, heed_robots: bool = True) -> None:
        self._config = config
        self._heed_robots = heed_robots
        self._hosts = {} if hosts is None else hosts
        self._due: list[tuple[float, int, int, Host]] = []
        self._number = count()
        # One thread at a time, the leader, waits for the clock; it wakes the next one when it has found a job. If all did, each job
        # would wake them all.
        self._changed = threading.Lock()
        self._leader = threading.Condition(self._changed)
        self._followers = threading.Condition(self._changed)
        self._has_leader = False
        self._open = 0

    def add(self, job: Job) -> None:
        """A new job."""
        with self._changed:
            self._open += 1
        self.go_on(job)

    def go_on(self, job: Job, not_before: float = 0.0) -> None:
        """A job waits at the host of its target. not_before: of the monotonic clock."""
        with self._changed:
            host = self._hosts.get(job.target.authority)
            if host is None:
                robots = None if self._heed_robots else ALLOW_ALL
                host = self._hosts[job.target.authority] = Host(job.target.authority, self._config.delay_per_host, robots)
            self._place(host, job, not_before)
            self._refresh(host)

    def take(self) -> tuple[Job, Host, Failure | None] | None:
        """The next job that is due; with a Failure where that is its end already. None when no job is left anywhere."""
        with self._changed:
            while self._open:
                now = time.monotonic()
                while self._due and self._due[0][1] != self._due[0][3].version:
                    heapq.heappop(self._due)
                if self._due and self._due[0][0] <= now:
                    host = heapq.heappop(self._due)[3]
                    self._followers.notify()
                    return self._take_from(host, now)
                if self._has_leader:
                    self._followers.wait()
                    continue
                self._has_leader = True
                self._leader.wait(self._due[0][0] - now if self._due else None)
                self._has_leader = False
            return None

    def finish(self) -> None:
        """One job fewer."""
        with self._changed:
            self._open -= 1
            if not self._open:
                self._leader.notify_all()
                self._followers.notify_all()

    def give_back(self, host: Host, failure: Failure | None = None) -> None:
        """A request to a host is over. Its failure counts against the host where it is one of the line, not of the URL."""
        with self._changed:
            host.active -= 1
            if failure is None or failure.status not in HOST_FAILURES:
                host.failures = 0
            else:
                host.failures += 1
                if host.failures >= self._config.host_failures:
                    self._condemn(host, Failure("host_down", f"{host.authority}: {host.failures} failures in a row", host.failures))
            self._refresh(host)

    def know_robots(self, host: Host, robots: RobotsRules) -> None:
        """The host's rules; jobs that they refuse end without a request."""
        with self._changed:
            host.robots = robots
            host.delay = max(host.delay, robots.delay)
            host.next_request = time.monotonic() + host.delay
            waiting = [(0.0, job) for job in host.fresh] + [(not_before, job) for not_before, _, job in host.later]
            host.fresh, host.later = deque(), []
            for not_before, job in waiting:
                self._place(host, job, not_before)
            self._refresh(host)

    def condemn(self, host: Host, verdict: Failure) -> None:
        """Nothing more is asked of a host; all its jobs end with `verdict`."""
        with self._changed:
            self._condemn(host, verdict)
            self._refresh(host)

    def pause(self, host: Host, seconds: float, *, slow_down: bool = False) -> None:
        """A host is left alone for a while. slow_down: and asked half as often from then on."""
        with self._changed:
            if slow_down:
                host.delay = min(max(host.delay * 2, 0.1), max(MAX_DELAY, host.delay))
            host.next_request = max(host.next_request, time.monotonic() + seconds)
            self._refresh(host)

    def _place(self, host: Host, job: Job, not_before: float) -> None:
        if host.verdict is not None:
            host.settled.append((job, host.verdict))
        elif host.robots is not None and not host.robots.allows(job.url):
            host.settled.append((job, Failure("robots_disallow", f"robots.txt of {host.authority}")))
        elif job.started is None:
            host.fresh.append(job)
        else:
            heapq.heappush(host.later, (not_before, next(self._number), job))

    def _condemn(self, host: Host, verdict: Failure) -> None:
        host.verdict = verdict
        host.settled.extend((job, verdict) for job in [*(job for _, _, job in sorted(host.later)), *host.fresh])
        host.fresh, host.later = deque(), []

    def _take_from(self, host: Host, now: float) -> tuple[Job, Host, Failure | None]:
        if host.settled:
            job, failure = host.settled.popleft()
            self._refresh(host)
            return job, host, failure
        # Those that go on come first: their deadline runs.
        job = heapq.heappop(host.later)[2] if host.later and host.later[0][0] <= now else host.fresh.popleft()
        host.active += 1
        host.next_request = now + host.delay
        self._refresh(host)
        return job, host, None

    def _refresh(self, host: Host) -> None:
        """Puts the host where it belongs among those that are due; its earlier entry is void."""
        host.version = next(self._number)
        due = self._due_time(host)
        if due is not None:
            heapq.heappush(self._due, (due, host.version, next(self._number), host))
            (self._leader if self._has_leader else self._followers).notify()

    def _due_time(self, host: Host) -> float | None:
        if host.settled:
            return 0.0
        connections = 1 if host.robots is None else self._config.connections_per_host
        if host.active >= connections or not (host.fresh or host.later):
            return None
        return max(host.next_request, 0.0 if host.fresh else host.later[0][0])
