"""Where the app is: under which names it opens, below another server's path, and in a frame of another site."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

HANDSHAKE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
HANDSHAKE |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}


def status(app: str, path: str, **headers: str) -> int:
    """What the server answers first."""
    connection = http.client.HTTPConnection(urlsplit(app).netloc, timeout=20)
    connection.request("GET", path, headers=headers)
    try:
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("name", "socket"), [("127.0.0.1", 101), ("localhost", 101), ("[::1]", 101), ("rebound.example", 403)]
)
def test_the_app_opens_under_the_names_of_this_machine_alone(app: str, name: str, socket: int) -> None:
    """A page of rebound.example whose name leads here brings the same name as its origin and as the host."""
    host = f"{name}:{urlsplit(app).port}"
    assert status(app, "/_stcore/stream", Host=host, Origin=f"http://{host}", **HANDSHAKE) == socket


def test_the_counters_are_closed_and_the_health_is_not(app: str) -> None:
    assert status(app, "/_stcore/metrics") == 404
    assert status(app, "/_stcore/health") == 200


@pytest.fixture
def learning_platform(app: str, tmp_path: Path) -> Iterator[str]:
    """A page of another site with the app in a frame. (To a browser localhost is another site than 127.0.0.1.)"""
    frame = f'<iframe src="{app}/slopes?heads=12" width="1000" height="700"></iframe>'
    (tmp_path / "index.html").write_text(f'<link rel="icon" href="data:,">{frame}')
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()


def test_another_site_may_show_the_app_in_a_frame(learning_platform: str, page) -> None:
    """Pictures stand in learning platforms: this is so on purpose."""
    page.goto(learning_platform)
    page.frame_locator("iframe").get_by_text("12 heads, slopes from").wait_for()
