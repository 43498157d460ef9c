"""At which addresses others reach this machine."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import psutil
import pytest

from alibi_viz.classroom import network


@pytest.fixture(autouse=True)
def cards(monkeypatch: pytest.MonkeyPatch) -> None:
    def card(*addresses: str) -> list[SimpleNamespace]:
        families = (socket.AF_INET6 if ":" in address else socket.AF_INET for address in addresses)
        return [SimpleNamespace(address=a, family=family) for a, family in zip(addresses, families, strict=True)]

    cards = {
        "lo": card("127.0.0.1", "::1"),
        "wifi": card("192.168.1.5", "fe80::1"),
        "vpn": card("10.0.0.2", "169.254.3.4"),
    }
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: cards)


@pytest.mark.parametrize(
    ("host", "listens_on", "expected"),
    [
        ("class.example", "127.0.0.1", ["class.example"]),
        ("192.168.7.7", None, ["192.168.7.7"]),
        ("127.0.0.1", "127.0.0.1", []),
        ("localhost", "localhost", []),
        ("127.0.0.1", "192.168.1.5", ["192.168.1.5"]),
        ("localhost", "0.0.0.0", ["10.0.0.2", "192.168.1.5"]),
        ("::1", None, ["10.0.0.2", "192.168.1.5"]),
    ],
)
def test_what_a_phone_can_open(host: str, listens_on: str | None, expected: list[str]) -> None:
    assert network.reachable(host, listens_on) == expected
