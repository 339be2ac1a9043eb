"""Which addresses may be connected to (images.md 5.4 and 12, N2 and N3)."""

from __future__ import annotations

import socket
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.images.network.addresses import AddressGuard, unwrap_address
from transforms.images.network.failure import Failure

PRIVATE = (
    "10.0.0.1", "172.16.0.1", "192.168.1.1", "127.0.0.1", "0.0.0.0", "169.254.169.254", "100.64.0.1", "198.18.0.1", "192.0.2.1",
    "224.0.0.1", "255.255.255.255", "240.0.0.1", "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1",
    "2001:db8::1", "3fff::1", "2001::1", "100::1", "5f00::1", "64:ff9b:1::1",
    "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "64:ff9b::10.0.0.1",
    "::ffff:0:192.168.0.1", "", "localhost", "10.1", "fe80::1%eth0",
)  # fmt: skip
PUBLIC = ("8.8.8.8", "93.184.215.14", "2606:4700::1111", "::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::8.8.8.8")


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_does_not_pass(address: str) -> None:
    assert not AddressGuard().allows(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_passes(address: str) -> None:
    assert AddressGuard().allows(address)


@pytest.mark.parametrize(("address", "allowed", "passes"), [
    ("127.0.0.1", "127.0.0.0/8", True), ("::ffff:127.0.0.1", "127.0.0.0/8", True), ("127.0.0.1", "10.0.0.0/8", False),
    ("fd00::5", "fd00::/8", True), ("::1", "::1/128", True), ("10.0.0.9", "10.0.0.8/31", True), ("10.0.0.10", "10.0.0.8/31", False),
])  # fmt: skip
def test_what_is_allowed_by_name_passes_and_nothing_else(address: str, allowed: str, passes: bool) -> None:
    assert AddressGuard([allowed]).allows(address) is passes


@given(st.ip_addresses(v=4))
@settings(max_examples=200)
def test_no_wrapping_in_ipv6_changes_the_answer(address: object) -> None:
    guard = AddressGuard()
    number = int(address)  # type: ignore[call-overload]
    wrapped = (f"::ffff:{address}", f"64:ff9b::{address}", f"2002:{number >> 16:x}:{number & 0xFFFF:x}::1")
    assert {guard.allows(form) for form in wrapped} == {guard.allows(str(address))}
    assert str(unwrap_address(wrapped[0])) == str(address)


@pytest.mark.parametrize("answer", [["8.8.8.8", "10.0.0.1"], ["127.0.0.1"], ["::1", "8.8.8.8"]])
def test_one_bad_address_refuses_the_host(answer: list[str]) -> None:
    found = AddressGuard(look_up=lambda _: answer).resolve("two.example", 1)
    assert isinstance(found, Failure)
    assert found.status == "blocked_address"


@pytest.mark.parametrize(("error", "status"), [
    (socket.gaierror(socket.EAI_NONAME, "unknown"), "dns_error"), (socket.gaierror(socket.EAI_AGAIN, "later"), "dns_temporary"),
    (UnicodeError("label too long"), "dns_error"),
])  # fmt: skip
def test_a_failed_lookup_is_a_status(error: Exception, status: str) -> None:
    def fail(_: str) -> list[str]:
        raise error

    found = AddressGuard(look_up=fail).resolve("missing.example", 1)
    assert isinstance(found, Failure)
    assert found.status == status


def test_a_name_without_an_address_does_not_exist() -> None:
    found = AddressGuard(look_up=lambda _: []).resolve("empty.example", 1)
    assert isinstance(found, Failure)
    assert found.status == "dns_error"


def test_a_lookup_without_an_end_is_left_behind() -> None:
    release = threading.Event()

    def hang(_: str) -> list[str]:
        release.wait(30)
        return ["8.8.8.8"]

    found = AddressGuard(look_up=hang).resolve("slow.example", 0.05)
    release.set()
    assert isinstance(found, Failure)
    assert found.status == "dns_temporary"


def test_a_literal_is_looked_up_nowhere() -> None:
    assert AddressGuard().resolve("93.184.215.14", 1) == ("93.184.215.14",)
