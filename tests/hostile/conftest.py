"""For the campaigns: a data folder of their own, runs that are never trained, and a record of what leaves the machine."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit import config

from alibi_viz.jobs.queue import Jobs
from pages.train import server
from tests.pages.conftest import one_scan_of_packages

__all__ = ["one_scan_of_packages"]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No case needs workers: what is submitted waits."""
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    monkeypatch.setattr(Jobs, "warm_up", lambda self: None)
    server.line.cache_clear()
    yield
    server.line.cache_clear()


@pytest.fixture(autouse=True)
def exceptions_are_told_whole() -> Iterator[None]:
    """The app tells readers no details; a campaign needs them."""
    told = st.get_option("client.showErrorDetails")
    config.set_option("client.showErrorDetails", "full")
    yield
    config.set_option("client.showErrorDetails", told)


@pytest.fixture(autouse=True)
def nothing_leaves(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails the test if anything connected, or looked up a name, beyond this machine."""
    asked: list[Any] = []
    connect = socket.socket.connect

    def watched_connect(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not ipaddress.ip_address(address[0]).is_loopback:
            look_up(address)
        connect(self, address)

    def look_up(host: Any, *_: Any, **__: Any) -> None:
        asked.append(host)
        raise OSError("The tests do not go out.")

    monkeypatch.setattr(socket.socket, "connect", watched_connect)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    yield
    assert not asked, "something left the machine"


@pytest.fixture(autouse=True)
def no_error_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fails the test if the server would have written an error into its log."""
    yield
    errors = [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    assert not errors, errors[0]
