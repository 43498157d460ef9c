"""Where the app is: under which names it opens, below another server's path, and in a frame of another site."""

from __future__ import annotations

import http.client
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

from alibi_viz.cli.serving import proxy
from benchmarks.chromium import free_port
from tests.browser.actions import drag, open_at, settle

BELOW = """
daemon off; pid {folder}/pid; error_log stderr crit; {user}
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port};
    location /teaching/alibi/ {{
      proxy_pass {app}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
    }}
  }}
}}
"""
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
    ("name", "socket", "page"),
    [("127.0.0.1", 101, 200), ("localhost", 101, 200), ("[::1]", 101, 200), ("rebound.example", 403, 421)],
)
def test_the_app_opens_under_the_names_of_this_machine_alone(app: str, name: str, socket: int, page: int) -> None:
    """A page of rebound.example whose name leads here brings the same name as its origin and as the host."""
    host = f"{name}:{urlsplit(app).port}"
    assert status(app, "/_stcore/stream", Host=host, Origin=f"http://{host}", **HANDSHAKE) == socket
    assert status(app, "/slopes", Host=host, Accept="text/html") == page


def test_the_counters_are_closed_and_the_health_is_not(app: str) -> None:
    assert status(app, "/_stcore/metrics") == 404
    assert status(app, "/_stcore/health") == 200


@pytest.fixture
def below(app: str, tmp_path: Path) -> Iterator[str]:
    """The app below a path of another server."""
    try:
        nginx = proxy.find()
    except ValueError as missing:
        pytest.skip(str(missing))
    port, user = free_port(), proxy.user()
    (tmp_path / "nginx.conf").write_text(BELOW.format(folder=tmp_path, port=port, app=app, user=user))
    process = subprocess.Popen([nginx, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", "stderr"])
    until = time.monotonic() + 20
    while not (tmp_path / "pid").exists() and time.monotonic() < until:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/teaching/alibi"
    process.terminate()
    process.wait()


@pytest.mark.slow
def test_below_a_path_of_another_server_a_page_opens_and_answers(below: str, page) -> None:
    open_at(page, f"{below}/slopes?heads=12")
    page.get_by_text("12 heads, slopes from").wait_for()
    drag(page, "Heads", start=0.1, stop=0.3, moves=4)
    settle(page)
    assert urlsplit(page.url).path == "/teaching/alibi/slopes"
    page.get_by_role("link", name="Bias", exact=True).click()
    page.get_by_role("heading", name="What does ALiBi add to the attention scores?").wait_for()
    assert urlsplit(page.url).path == "/teaching/alibi/bias"


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
