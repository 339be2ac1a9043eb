"""Wanted URLs -> bodies or reasons: redirects, refusals, retries (images.md sections 5 to 7).

A job is one wanted URL; a step of it is one request, or the finding that none is needed. Any thread may do any step.
"""

from __future__ import annotations

import time
import zlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from transforms.images.network.config import NetworkConfig
from transforms.images.network.failure import Failure
from transforms.images.network.hosts import Host, Job, Schedule
from transforms.images.network.robots import ALLOW_ALL, MAX_BYTES, RobotsRules, parse_robots
from transforms.images.network.transport import Answer, Head, Target, Transport, parse_target
from transforms.images.optout import OptOutConfig, find_refusal, header_directives
from transforms.images.statuses import RETRIED_IN_RUN
from transforms.images.urls import fetchable_url

REDIRECTS = frozenset({301, 302, 303, 307, 308})
ASKS_TO_WAIT = frozenset({429, 503})

OF_THE_HOST = frozenset({"dns_error", "blocked_address", "tls_error"})
"""What one request of a host ends with, all would."""

ROBOTS_HOPS = 5
"""Redirects of a robots.txt; with more of them there is none (RFC 9309, 2.3.1.2)."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of a wanted URL. index: its place among them. body: None where there is a failure.

    final_url: where the last request went. directives: lines of the last answer about the use of the image.
    """

    index: int
    body: bytes | None
    failure: Failure | None
    http_status: int | None
    final_url: str
    hops: int
    attempts: int
    content_type: str | None = None
    directives: tuple[str, ...] = ()


class FetchBatch:
    """A batch of distinct URLs that are fetched together. Threads call `next` as often as there are URLs."""

    def __init__(
        self,
        urls: Sequence[str],
        config: NetworkConfig,
        optout: OptOutConfig,
        transport: Transport,
        hosts: dict[str, Host] | None = None,
    ) -> None:
        self.urls = urls
        self.transport = transport
        self._config = config
        self._optout = optout
        self._schedule = Schedule(config, hosts, heed_robots=optout.enabled)
        self._unfetchable: deque[Fetched] = deque()
        for index, url in enumerate(urls):
            target = parse_target(url)
            if isinstance(target, Failure):
                self._unfetchable.append(Fetched(index, None, target, None, url, 0, 0))
            else:
                self._schedule.add(Job(index, url, target))

    def next(self) -> Fetched | None:
        """Waits for the next URL that is done; in no order. None when all are.

        The bytes of a body count against the transport's budget until they are given back.
        """
        try:
            return self._unfetchable.popleft()
        except IndexError:
            pass
        while (taken := self._schedule.take()) is not None:
            job, host, failure = taken
            done = self._end(job, failure) if failure is not None else self._step(job, host)
            if done is not None:
                return done
        return None

    def _step(self, job: Job, host: Host) -> Fetched | None:
        if host.robots is None:
            rules = self._ask_robots(job.target)
            if isinstance(rules, Failure):
                self._schedule.condemn(host, rules)
            else:
                self._schedule.know_robots(host, rules)
            self._schedule.give_back(host)
            self._schedule.go_on(job)
            return None
        now = time.monotonic()
        if job.started is None:
            job.started = now
        url_deadline = job.started + self._config.url_deadline
        if now >= url_deadline:
            self._schedule.give_back(host)
            return self._end(job, job.failure or Failure("fetch_deadline", "the deadline of all attempts was reached"))
        job.attempts += not job.hops
        found = self.transport.get(job.target, min(now + self._config.total_deadline - job.spent, url_deadline), self._look)
        job.spent += time.monotonic() - now
        if isinstance(found, Answer):
            self._schedule.give_back(host)
            return self._answered(job, host, found)
        self._schedule.give_back(host, found)
        return self._failed(job, host, found)

    def _look(self, head: Head) -> Failure | bool:
        refusal = find_refusal(header_directives(head.headers), self._optout)
        if refusal is not None:
            return Failure("optout_header", refusal, http_status=head.status)
        return head.status == 200

    def _answered(self, job: Job, host: Host, answer: Answer) -> Fetched | None:
        head = answer.head
        if head.status == 200:
            return self._end(job, None, answer)
        location = head.get("location")
        if head.status in REDIRECTS and location is not None:
            return self._redirected(job, _as_text(location), head.status)
        failure = Failure(_status_of(head.status), f"HTTP {head.status}", http_status=head.status, retry_after=_retry_after(head))
        return self._failed(job, host, failure)

    def _redirected(self, job: Job, location: str, status: int) -> Fetched | None:
        if job.hops >= self._config.max_redirects:
            return self._end(job, Failure("too_many_redirects", "", job.hops + 1, self._config.max_redirects, status))
        url = fetchable_url(location, job.url)
        target = parse_target(url) if url is not None else None
        if url is None or target is None or isinstance(target, Failure):
            return self._end(job, Failure("redirect_refused", "to what is no http or https URL", http_status=status))
        job.hops += 1
        job.url, job.target = url, target
        self._schedule.go_on(job)
        return None

    def _failed(self, job: Job, host: Host, failure: Failure) -> Fetched | None:
        if failure.status in OF_THE_HOST:
            self._schedule.condemn(host, failure)
        asked_to_wait = failure.http_status in ASKS_TO_WAIT
        if failure.status not in RETRIED_IN_RUN:
            return self._end(job, failure)
        wait = failure.retry_after if failure.retry_after is not None else self._back_off(job)
        if failure.on_kept_connection:
            wait = 0.0
        if wait > self._config.retry_after_max:
            longest = self._config.retry_after_max
            return self._end(job, Failure("retry_later", failure.detail, wait, longest, failure.http_status))
        again = time.monotonic() + wait
        if asked_to_wait:
            self._schedule.pause(host, wait, slow_down=failure.http_status == 429)
        if job.attempts > self._config.extra_attempts or again >= (job.started or 0.0) + self._config.url_deadline:
            return self._end(job, failure)
        job.failure = failure
        job.hops, job.spent, job.url = 0, 0.0, self.urls[job.index]
        target = parse_target(job.url)
        assert isinstance(target, Target)  # it was one at the beginning
        job.target = target
        self._schedule.go_on(job, again)
        return None

    def _back_off(self, job: Job) -> float:
        """Doubles with each attempt; between half and one and a half of that, by the URL, so that not all come back at once."""
        jitter = 0.5 + zlib.crc32(f"{job.attempts} {self.urls[job.index]}".encode("utf-8", "replace")) / 2**32
        return float(min(self._config.retry_delay * 2 ** (job.attempts - 1) * jitter, self._config.retry_after_max))

    def _end(self, job: Job, failure: Failure | None, answer: Answer | None = None) -> Fetched:
        self._schedule.finish()
        head = answer.head if answer is not None else None
        return Fetched(
            job.index,
            answer.body if answer is not None else None,
            failure,
            head.status if head is not None else failure.http_status if failure is not None else None,
            job.url,
            job.hops,
            job.attempts,
            _content_type(head) if head is not None else None,
            header_directives(head.headers) if head is not None else (),
        )

    def _ask_robots(self, target: Target) -> RobotsRules | Failure:
        """The rules of a host. A Failure is the end of all its URLs."""
        deadline = time.monotonic() + self._config.total_deadline
        asked = replace(target, path="/robots.txt")
        again = True
        hops = 0
        while hops <= ROBOTS_HOPS:
            found = self.transport.get(asked, deadline, lambda head: 200 <= head.status < 300, MAX_BYTES)
            if isinstance(found, Failure):
                if found.on_kept_connection and again:
                    again = False
                    continue
                if found.status in OF_THE_HOST and not hops:
                    return found
                return Failure("robots_unreachable", f"robots.txt of {target.authority}: {found.status}")
            self.transport.budget.give_back(len(found.body))
            status = found.head.status
            location = found.head.get("location")
            if 200 <= status < 300:
                return parse_robots(found.body)
            if status in REDIRECTS and location is not None:
                url = fetchable_url(_as_text(location), f"{asked.scheme}://{_bracketed(asked)}{asked.path}")
                next_target = parse_target(url) if url is not None else None
                if not isinstance(next_target, Target):
                    return Failure("robots_unreachable", f"robots.txt of {target.authority}: redirect refused")
                asked = next_target
                hops += 1
                continue
            if 400 <= status < 500:
                return ALLOW_ALL
            return Failure("robots_unreachable", f"robots.txt of {target.authority}: HTTP {status}", http_status=status)
        return ALLOW_ALL


def _status_of(code: int) -> str:
    """The status of an HTTP code that is no success.

    >>> _status_of(503), _status_of(429), _status_of(410), _status_of(204)
    ('http_5xx', 'http_429', 'http_4xx', 'http_other')
    """
    if code in (408, 429):
        return f"http_{code}"
    return {4: "http_4xx", 5: "http_5xx"}.get(code // 100, "http_other")


def _retry_after(head: Head) -> float | None:
    """Seconds that the server asks to wait: a number, or a date (RFC 9110, 10.2.3). None for what is neither."""
    value = (head.get("retry-after") or "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:10])
    try:
        from email.utils import parsedate_to_datetime

        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _as_text(header: str) -> str:
    """A header as browsers read it: UTF-8 where it is that."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


def _content_type(head: Head) -> str | None:
    value = head.get("content-type")
    return None if value is None else _as_text(value)[:200]


def _bracketed(target: Target) -> str:
    return f"[{target.host}]:{target.port}" if ":" in target.host else target.authority
