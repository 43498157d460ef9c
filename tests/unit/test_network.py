"""At which addresses others reach this machine."""

import socket
from types import SimpleNamespace

import psutil
import pytest

from alibi_viz.classroom import network

CARDS = {"lo": ["127.0.0.1", "::1"], "wifi": ["192.168.1.5", "fe80::1"], "vpn": ["10.0.0.2", "169.254.3.4"]}


@pytest.mark.parametrize(
    ("host", "listens_on", "expected"),
    [
        ("class.example", "127.0.0.1", ["class.example"]),
        ("127.0.0.1", "127.0.0.1", []),
        ("localhost", "localhost", []),
        ("127.0.0.1", "192.168.1.5", ["192.168.1.5"]),
        ("localhost", "0.0.0.0", ["10.0.0.2", "192.168.1.5"]),
        ("::1", None, ["10.0.0.2", "192.168.1.5"]),
    ],
)
def test_what_a_phone_can_open(host: str, listens_on: str | None, expected: list[str], monkeypatch) -> None:
    def card(address: str) -> SimpleNamespace:
        return SimpleNamespace(address=address, family=socket.AF_INET6 if ":" in address else socket.AF_INET)

    cards = {name: [card(address) for address in addresses] for name, addresses in CARDS.items()}
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: cards)
    assert network.reachable(host, listens_on) == expected
