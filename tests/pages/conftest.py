"""For tests that run pages: no more of Streamlit's own work than one run of a page needs."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from streamlit.components.v2 import manifest_scanner

from alibi_viz.classroom.rooms import Rooms
from alibi_viz.ui import classroom


@pytest.fixture(scope="session", autouse=True)
def one_scan_of_packages() -> Iterator[None]:
    """Every new AppTest looks through all installed packages for components (0.1 s); once is enough."""
    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True)
def no_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test finds no room of another."""
    monkeypatch.setattr(classroom, "ROOMS", Rooms())
