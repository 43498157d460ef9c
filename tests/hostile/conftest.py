"""For the hostile reader: a data folder of their own, runs that are never trained, and what leaves the machine."""

import ipaddress
import logging
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from alibi_viz.jobs.queue import Jobs
from pages.train import server
from tests.jobs.inline import InlineCluster
from tests.pages.conftest import one_scan_of_packages

__all__ = ["one_scan_of_packages"]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """What a page submits waits: no case needs workers."""
    begin = Jobs.warm_up
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(Jobs, "warm_up", lambda line: begin(line) if isinstance(line.cluster, InlineCluster) else None)
    server.line.cache_clear()
    yield
    server.line.cache_clear()


@dataclass
class Seen:
    """What must stay empty: what was connected or looked up beyond this machine, and errors in the server's log."""

    asked: list[Any] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Seen]:
    found, connect = Seen(), socket.socket.connect

    def watched_connect(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not ipaddress.ip_address(address[0]).is_loopback:
            look_up(address)
        connect(self, address)

    def look_up(host: Any, *_: Any, **__: Any) -> None:
        found.asked.append(host)
        raise OSError("The tests do not go out.")

    monkeypatch.setattr(socket.socket, "connect", watched_connect)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    log = logging.Handler(logging.ERROR)
    log.emit = lambda record: found.errors.append(record.getMessage())
    logging.getLogger().addHandler(log)
    yield found
    logging.getLogger().removeHandler(log)
