"""A real browser against a real server: fixtures that start both, and that fail a test on any console error."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.chromium import FLAGS, free_port
from tests.ensure_browser import find_browser, playwright_browser

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser to drive: ALIBI_VIZ_BROWSER, else one on the PATH, else the one Playwright installed."""
    found = find_browser() or playwright_browser()
    if found is None:
        pytest.skip("no Chromium: set ALIBI_VIZ_BROWSER, or run `python -m playwright install chromium`")
    return found


@pytest.fixture(scope="session")
def browser(chromium_path: str) -> Iterator[Any]:
    """One headless browser for the whole session."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield launched
        launched.close()


class Watch:
    """What a page must never do: write an error to the console, or ask another host."""

    def __init__(self, page: Any) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        page.on("console", lambda told: self._console(told))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def _console(self, told: Any) -> None:
        # Opened at a page's own address, Streamlit first looks for its server below that address, and the browser writes
        # the 404 to the console. That is Streamlit's way, and not ours to mend.
        if told.type == "error" and "/_stcore/" not in told.location.get("url", ""):
            self.errors.append(told.text)

    def _request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
            self.foreign.append(url)


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open pages with any context options; every one is watched, and the test fails on what was seen."""
    opened = []

    def open_page(**options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        page = context.new_page()
        page.set_default_timeout(60_000)  # a loaded machine is slow, not wrong
        opened.append((context, Watch(page)))
        return page

    yield open_page
    for context, _ in opened:
        context.close()
    assert [error for _, watch in opened for error in watch.errors] == [], "the console had errors"
    assert [url for _, watch in opened for url in watch.foreign] == [], "another host was asked"


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    """One watched page, 1280 × 900."""
    return new_page()


def _wait(url: str, process: subprocess.Popen[bytes], seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"streamlit ended with {process.returncode}")
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2) as answer:
            if answer.status == 200:
                return
        time.sleep(0.2)
    raise TimeoutError(f"{url} did not answer in {seconds} s")


@pytest.fixture
def serve_fresh(tmp_path: Path) -> Iterator[Callable[[str | Path], str]]:
    """As `serve`, but a server of its own that nobody has asked for anything."""
    running: list[subprocess.Popen[bytes]] = []

    def start(script: str | Path) -> str:
        process, address = _start((ROOT / script).resolve(), tmp_path / "log.txt")
        running.append(process)
        return address

    yield start
    for process in running:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)


def _start(path: Path, log: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Start `streamlit run path`, wait until it answers, and return it with its address."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(path), "--server.port", str(port)]
    command += ["--server.headless", "true", "--server.address", "127.0.0.1", "--browser.gatherUsageStats", "false"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    environment["ALIBI_VIZ_DATA"] = str(log.parent / "data")  # each server has its own runs
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    _wait(f"http://127.0.0.1:{port}/_stcore/health", process)
    return process, f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str | Path], str]]:
    """serve(script) starts `streamlit run script` once a session and returns its address."""
    running: dict[Path, tuple[subprocess.Popen[bytes], str]] = {}

    def start(script: str | Path) -> str:
        path = (ROOT / script).resolve()
        if path not in running:
            running[path] = _start(path, tmp_path_factory.mktemp("streamlit") / "log.txt")
        return running[path][1]

    yield start
    for process, _ in running.values():
        process.terminate()
    for process, _ in running.values():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
