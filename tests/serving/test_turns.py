"""nginx with our configuration before two small servers: who is sent where."""

from __future__ import annotations

import http.server
import os
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from alibi_viz.cli.serving import proxy
from benchmarks.chromium import free_port, wait_until_ready

HEALTH, PAGE = "/_stcore/health", "/slopes"


class Replica(http.server.BaseHTTPRequestHandler):
    """Answers with its own port."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(self.server.server_address[1]).encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """ask(path, **headers): the port of the replica that answers."""
    try:
        proxy.find()
    except ValueError as missing:
        pytest.skip(str(missing))
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Replica) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    port = free_port()
    proxy.prepare("127.0.0.1", port, [server.server_address[1] for server in servers], tmp_path, files=256)
    nginx = subprocess.Popen(proxy.command(tmp_path), env=os.environ)
    address = f"http://127.0.0.1:{port}"

    def get(path: str, **headers: str) -> str:
        with urllib.request.urlopen(urllib.request.Request(address + path, headers=headers), timeout=20) as answer:
            return str(answer.read().decode())

    try:
        wait_until_ready(address + HEALTH)
        yield get
    finally:
        nginx.terminate()
        nginx.wait(20)
        for server in servers:
            server.shutdown()
            server.server_close()


def test_what_is_no_page_takes_no_turn_of_a_reader(ask: Callable[..., str]) -> None:
    sent_to = []
    for _ in range(4):
        sent_to.append(ask(PAGE, Accept="text/html,*/*"))
        ask(HEALTH)
    assert len(set(sent_to[:2])) == 2
    assert sent_to[:2] == sent_to[2:]


def test_who_has_a_cookie_stays(ask: Callable[..., str]) -> None:
    own = ask(PAGE, Accept="text/html")
    cookie = f"{proxy.COOKIE}=r{own}"
    assert {ask(path, Cookie=cookie, Accept="text/html") for path in (PAGE, HEALTH, PAGE, "/bias")} == {own}
