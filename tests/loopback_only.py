"""A fixture that keeps tests on this machine: `from loopback_only import connects` makes it hold for a whole module or folder."""

from __future__ import annotations

import socket
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def connects(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were connected to; another one than the loopback interface, or a real lookup, fails the test."""
    made: list[str] = []
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            made.append(address[0])
            assert address[0] == "127.0.0.1", f"a test connects to {address}"
        connect(self, address)

    def no_lookup(*arguments: Any, **_: Any) -> Any:
        raise AssertionError(f"a test looks up {arguments}")

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket, "getaddrinfo", no_lookup)
    return made
