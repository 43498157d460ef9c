"""The server before its first reader: libraries set apart from garbage collection, once, and no collection after a run."""

from __future__ import annotations

import gc

from streamlit import config

import app
from alibi_viz.ui.shell import warm
from alibi_viz.ui.streamlit_patches import sessions
from tests.threads import run_in_a_thread


def test_no_collection_after_every_run():
    assert config.get_option("runner.postScriptGC") is False


def test_the_server_freezes_what_is_imported_before_it_listens(monkeypatch):
    calls = list[str]()
    monkeypatch.setattr(gc, "freeze", lambda: calls.append("freeze"))
    monkeypatch.setattr(sessions, "install", lambda: None)

    async def start() -> None:
        async with warm.serving(app.app):
            calls.append("serves")

    run_in_a_thread(start())
    assert calls == ["freeze", "serves"]
