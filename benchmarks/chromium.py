"""A real Chromium on a running app: for the browser measurements and for the README's pictures."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
from playwright.sync_api import Browser, sync_playwright

from tests.ensure_browser import find_browser

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(script: str, data: str = "", path: str = "") -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """`streamlit run script` as long as the block lasts: its address and its process. data: the folder of its runs. path: a
    folder from which it imports first."""
    port = free_port()
    environment = {**os.environ, **({"ALIBI_VIZ_DATA": data} if data else {})}
    environment |= {"PYTHONPATH": path} if path else {}
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_ready(f"{address}/_stcore/health")
        yield address, process
    finally:
        process.terminate()
        process.wait(timeout=10)


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """CPU that a server has taken itself; its workers are processes of their own."""
    times = psutil.Process(process.pid).cpu_times()
    return float(times.user + times.system)


def megabytes(process: subprocess.Popen[bytes]) -> float:
    """A server's memory."""
    return float(psutil.Process(process.pid).memory_info().rss) / 1e6


@contextmanager
def serving(script: str, data: str = "") -> Iterator[str]:
    """The address of a `server`."""
    with server(script, data) as (address, _):
        yield address


def wait_until_ready(address: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            if time.monotonic() > end:
                raise
        time.sleep(0.2)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
