"""The section `images.network`: bounds of one request, of one host and of one process (images.md section 11)."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_SECONDS = ("connect_timeout", "read_timeout", "total_deadline", "url_deadline")
_COUNTS = ("max_bytes", "connections_per_host", "in_flight", "bytes_in_flight", "host_failures", "candidate_rounds", "fetch_shards")
_FROM_ZERO = ("max_redirects", "extra_attempts", "retry_delay", "retry_after_max", "delay_per_host")


def parse_proxy(url: str) -> tuple[str, int]:
    """Host and port of a proxy. Raises ValueError.

    >>> parse_proxy("http://proxy.example:3128")
    ('proxy.example', 3128)
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    # A password would stand in run.yaml and in logs.
    if not host or not port or url not in {f"http://{parts.netloc}", f"http://{parts.netloc}/"} or "@" in parts.netloc:
        raise ValueError("proxy: not a proxy's URL; allowed: http://HOST:PORT, without user name and password")
    return host, port


@dataclass(frozen=True)
class NetworkConfig:
    """How images are asked for. Read only where `images.source` has the network in it."""

    user_agent_contact: str | None = field(
        default=None, metadata={"help": "URL of a page about your crawl, sent with every request; nothing is fetched without it"}
    )
    allow_addresses: tuple[str, ...] = field(
        default=(), metadata={"help": "networks that may be asked although they are private: for mirrors of your own, and tests"}
    )
    proxy: str | None = field(
        default=None,
        metadata={"help": "http://HOST:PORT that all requests go through; it sees the target's address, the guard does not"},
    )
    proxy_trusted: bool = field(
        default=False, metadata={"help": "needed with proxy: it lets nobody reach a private address, as the address guard would"}
    )
    connect_timeout: float = field(default=5.0, metadata={"help": "seconds for a lookup, and for a connection with its TLS"})
    read_timeout: float = field(default=10.0, metadata={"help": "seconds without a byte"})
    total_deadline: float = field(default=20.0, metadata={"help": "seconds of one attempt, all redirects included"})
    url_deadline: float = field(default=150.0, metadata={"help": "seconds of all attempts at one URL, waits included"})
    max_bytes: int = field(default=20 * 2**20, metadata={"help": "largest body, as received and as decoded"})
    max_redirects: int = field(default=5, metadata={"help": "hops of one attempt"})
    extra_attempts: int = field(default=2, metadata={"help": "further attempts after a transient failure"})
    retry_delay: float = field(default=1.0, metadata={"help": "seconds before the second attempt; doubles with each further one"})
    retry_after_max: float = field(default=60.0, metadata={"help": "longest Retry-After that is waited for, seconds"})
    connections_per_host: int = field(default=2, metadata={"help": "open connections to one host and port"})
    delay_per_host: float = field(
        default=0.5, metadata={"help": "seconds between two requests to a host; a longer crawl-delay of its robots.txt counts"}
    )
    host_failures: int = field(default=8, metadata={"help": "failures in a row after which a host is left alone"})
    in_flight: int = field(default=64, metadata={"help": "requests at a time in one process"})
    bytes_in_flight: int = field(default=256 * 2**20, metadata={"help": "bytes of bodies at a time in one process"})
    candidate_rounds: int = field(
        default=2, metadata={"help": "how many candidates of one image may be asked for, one after another"}
    )
    reuse: tuple[str, ...] = field(
        default=(), metadata={"help": "folders of earlier runs; what they fetched, or know for good, is not asked for again"}
    )
    fetch_shards: int = field(
        default=1024, metadata={"help": "most groups of hosts; a small input has one for each 4 MiB of it, and at least four"}
    )

    def __post_init__(self) -> None:
        if self.proxy is not None:
            parse_proxy(self.proxy)
            if not self.proxy_trusted:
                raise ValueError(
                    "proxy: the address guard cannot see which addresses a proxy connects to; set proxy_trusted: true if the "
                    "proxy refuses private ones itself, or leave it out"
                )
        for network in self.allow_addresses:
            try:
                ipaddress.ip_network(network)
            except ValueError as error:
                raise ValueError(f"allow_addresses: {error}; allowed: networks such as 10.1.0.0/16 or 127.0.0.1/32") from None
        for name in _SECONDS + _COUNTS:
            if getattr(self, name) <= 0:
                raise ValueError(f"{name}: {getattr(self, name)} is not allowed; allowed: more than 0")
        for name in _FROM_ZERO:
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: {getattr(self, name)} is not allowed; allowed: 0 or more")
        if self.max_bytes > self.bytes_in_flight:
            raise ValueError(
                f"max_bytes: {self.max_bytes} is more than bytes_in_flight, {self.bytes_in_flight}; no body could be read"
            )
        contact = self.user_agent_contact
        if contact is not None and not (
            contact.startswith(("http://", "https://")) and contact.isascii() and contact.isprintable()
        ):
            raise ValueError(f"user_agent_contact: {contact!r} is not allowed; allowed: an http or https URL in ASCII")
