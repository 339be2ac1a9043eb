"""Which addresses may be connected to (images.md 5.4, address guard).

A host is looked up once. All its addresses are checked before any is connected to, and connections go to the checked addresses,
never to the name again: a name that changes its answer changes nothing. Literals go through the same door.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Sequence

from transforms.images.network.failure import Failure

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
LookUp = Callable[[str], Sequence[str]]

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_DOCUMENTATION = ipaddress.IPv6Network("3fff::/20")  # RFC 9637, younger than the tables of some Python versions
# Ranges of IPv6 that stand for an address of IPv4: where in the 128 bits it is, counted from the right.
_CARRIES_IPV4 = (
    (ipaddress.IPv6Network("::/96"), 0),  # compatible (RFC 4291), deprecated; some systems still connect
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),  # mapped (RFC 4291)
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),  # translated (RFC 2765)
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),  # NAT64 (RFC 6052)
    (ipaddress.IPv6Network("2002::/16"), 80),  # 6to4 (RFC 3056)
)
_MISSING_NAME = frozenset(
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY", "EAI_FAIL") if hasattr(socket, name)
)


def look_up_name(host: str) -> list[str]:
    """All addresses of a name, in the system's order. Raises socket.gaierror."""
    return list(dict.fromkeys(str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)))


def is_address(host: str) -> bool:
    """Whether a host is an address and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def unwrap_address(text: str) -> IPAddress:
    """The address that is reached in the end: one of IPv4 for forms of IPv6 that carry one. Raises ValueError.

    >>> unwrap_address("::ffff:10.0.0.1")
    IPv4Address('10.0.0.1')
    """
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv6Address) and not (address.is_loopback or address.is_unspecified):
        for network, shift in _CARRIES_IPV4:
            if address in network:
                return ipaddress.IPv4Address((int(address) >> shift) & 0xFFFFFFFF)
    return address


class AddressGuard:
    """Looks names up and lets only allowed addresses through.

    allowed: networks that pass although they are not globally routable. look_up: name -> addresses; replaced in tests.
    """

    def __init__(self, allowed: Sequence[str] = (), look_up: LookUp = look_up_name) -> None:
        self._allowed = tuple(ipaddress.ip_network(network) for network in allowed)
        self._look_up = look_up

    def allows(self, text: str) -> bool:
        """Whether an address, as text, may be connected to."""
        try:
            address = unwrap_address(text)
        except ValueError:
            return False
        if any(address.version == network.version and address in network for network in self._allowed):
            return True
        if not address.is_global or address.is_multicast or address.is_reserved:
            return False
        return isinstance(address, ipaddress.IPv4Address) or (address in _GLOBAL_UNICAST and address not in _DOCUMENTATION)

    def resolve(self, host: str, timeout: float) -> tuple[str, ...] | Failure:
        """The addresses of a host, one lookup for a name and none for a literal. One bad address refuses the host."""
        addresses = self.look_up(host, timeout)
        if isinstance(addresses, Failure):
            return addresses
        refused = next((address for address in addresses if not self.allows(address)), None)
        if refused is not None:
            return Failure("blocked_address", f"{host}: {refused} is not a public address")
        return addresses

    def look_up(self, host: str, timeout: float) -> tuple[str, ...] | Failure:
        """The addresses of a host, whatever they are: for a host that the configuration names."""
        if is_address(host):
            return (host,)
        addresses = self._look_up_within(host, timeout)
        if isinstance(addresses, Failure):
            return addresses
        return tuple(addresses) or Failure("dns_error", f"{host}: no address")

    def _look_up_within(self, host: str, timeout: float) -> Sequence[str] | Failure:
        """The system's lookup has no time limit of its own, so it runs in a thread that may be left behind."""
        found: list[Sequence[str] | Failure] = []

        def look_up() -> None:
            try:
                found.append(self._look_up(host))
            except socket.gaierror as error:
                status = "dns_error" if error.errno in _MISSING_NAME else "dns_temporary"
                found.append(Failure(status, f"{host}: {error.strerror}"))
            except (OSError, UnicodeError) as error:  # a name that cannot be encoded is looked up nowhere
                found.append(Failure("dns_error", f"{host}: {error}"))

        thread = threading.Thread(target=look_up, name="lookup", daemon=True)
        thread.start()
        thread.join(timeout)
        return found[0] if found else Failure("dns_temporary", f"{host}: no answer within {timeout:g} s")
