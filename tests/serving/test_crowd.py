"""A server with few file descriptors: who has left takes none, and who finds no place is told so."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import websockets

from alibi_viz.ui.shell.fairness import EACH, RESERVED
from benchmarks.chromium import free_port, wait_until_ready
from benchmarks.reader import Reader
from tests.threads import run_in_a_thread

resource = pytest.importorskip("resource", reason="Windows has no such limit")
pytestmark = pytest.mark.skipif(
    not hasattr(psutil, "RLIMIT_NOFILE"), reason="only Linux tells the limit of another process"
)
VISITS, READERS = 300, 200


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], Path]]:
    """server: its address, its process and its log; it may have 1,024 descriptors and no more."""
    port, log = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("wb") as file:
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 1_024))  # noqa: E731
        process = subprocess.Popen(command, stdout=file, stderr=file, preexec_fn=limit)
    try:
        wait_until_ready(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}", process, log
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.mark.slow
def test_a_hall_finds_room_after_many_visits_and_the_first_without_a_place_is_told(server) -> None:
    address, process, log = server
    assert psutil.Process(process.pid).rlimit(psutil.RLIMIT_NOFILE)[0] == 1_024, "as many as it may have"
    places = (1_024 - RESERVED) // EACH

    async def story() -> tuple[float, int]:
        for _ in range(VISITS // 20):
            async with contextlib.AsyncExitStack() as visits:
                for _ in range(20):
                    await visits.enter_async_context(Reader(address))
        before = psutil.Process(process.pid).num_fds()
        async with contextlib.AsyncExitStack() as hall:
            readers = [await hall.enter_async_context(Reader(address)) for _ in range(READERS)]
            took = await readers[-1].open("slopes")
            for _ in range(places - READERS):
                await hall.enter_async_context(Reader(address))
            refused = 0
            for _ in range(20):
                with pytest.raises(urllib.error.HTTPError) as told:
                    await Reader(address).__aenter__()
                refused += told.value.code == 503 and str(places) in told.value.read().decode()
                with pytest.raises(websockets.InvalidStatus):
                    await websockets.connect(address.replace("http", "ws", 1) + "/_stcore/stream")
            await readers[0].open("bias")
        assert before < RESERVED, "who has left takes nothing along"
        return took, refused

    took, refused = run_in_a_thread(story())
    assert took < 30
    assert refused == 20
    written = log.read_text()
    assert "Traceback" not in written
    assert written.count("further readers are asked to wait") == 1
