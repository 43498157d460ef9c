"""Under which names a server may be opened."""

from __future__ import annotations

import socket

import pytest

from alibi_viz.classroom.network import LISTENS_ON
from alibi_viz.cli.serving import hosts


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(hosts.SETTING, raising=False)
    monkeypatch.setattr(socket, "gethostname", lambda: "Desk")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_on_loopback_only_its_own_names(host: str) -> None:
    assert hosts.environment(host) == {hosts.SETTING: "localhost 127.0.0.1 ::1", LISTENS_ON: host}


@pytest.mark.parametrize("host", ["192.168.1.5", "fd00::5", "desk.example"])
def test_on_one_address_that_one_too_and_the_machines_name(host: str) -> None:
    assert hosts.environment(host) == {
        hosts.SETTING: f"localhost 127.0.0.1 ::1 {host} desk desk.local",
        LISTENS_ON: host,
    }


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_on_every_network_any_name(host: str) -> None:
    assert hosts.environment(host) == {hosts.SETTING: "*", LISTENS_ON: host}


def test_who_has_set_them_keeps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(hosts.SETTING, "class.example")
    for host in ("127.0.0.1", "0.0.0.0"):
        assert hosts.environment(host)[hosts.SETTING] == "class.example"
