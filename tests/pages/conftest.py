"""For tests that run pages: no more of Streamlit's own work than one run of a page needs."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.state import SessionState

from alibi_viz.classroom.rooms import Rooms
from alibi_viz.jobs.queue import Jobs
from alibi_viz.ui import classroom
from alibi_viz.ui.streamlit_patches import callbacks
from pages.train import server


@pytest.fixture(scope="session", autouse=True)
def one_scan_of_packages() -> Iterator[None]:
    """Every new AppTest looks through all installed packages for components (0.1 s); once is enough."""
    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(scope="session", autouse=True)
def guarded_callbacks() -> Iterator[None]:
    """As the server has them (ui/shell/startup.py)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SessionState, "_run_callback_and_record_rerun", SessionState._run_callback_and_record_rerun)
        callbacks.install()
        yield


@pytest.fixture(autouse=True)
def no_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test finds no room of another."""
    monkeypatch.setattr(classroom, "ROOMS", Rooms())


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of runs of this test's own; what is submitted waits. The queue is made anew, since it keeps its store."""
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    monkeypatch.setattr(Jobs, "warm_up", lambda self: None)
    server.line.cache_clear()
    yield tmp_path
    server.line.cache_clear()
