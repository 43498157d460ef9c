"""The server before its first reader: libraries set apart from garbage collection, once, and no collection after a run."""

from __future__ import annotations

import gc
import runpy
from pathlib import Path

import pytest
from streamlit import config

from alibi_viz.ui.shell import warm

APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture
def frozen(monkeypatch):
    """The calls of gc.freeze, which are counted and not done; as on a server that starts now."""
    calls = []
    monkeypatch.setattr(gc, "freeze", lambda: calls.append("freeze"))
    warm.up.cache_clear()
    yield calls
    warm.up.cache_clear()


def test_no_collection_after_every_run():
    assert config.get_option("runner.postScriptGC") is False


def test_the_server_freezes_what_is_imported_once(frozen):
    for _ in range(2):
        assert "app" in runpy.run_path(str(APP), run_name="app")
    assert frozen == ["freeze"]
