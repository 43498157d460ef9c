"""What readers share is made once, and no message of a reader's browser makes it anew."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import streamlit as st

from alibi_viz.ui import classroom
from alibi_viz.ui.once import once
from pages.train import server

ROOT = Path(__file__).resolve().parents[2]


def test_threads_that_ask_at_the_same_time_get_the_same():
    @once
    def shared():
        time.sleep(0.02)
        return object()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: shared(), range(8)))
    assert len(set(map(id, made))) == 1
    shared.forget()
    assert shared() is not made[0]


def test_nothing_that_readers_share_is_in_a_cache_that_they_can_empty():
    sources = [path for folder in ("alibi_viz", "pages") for path in (ROOT / folder).rglob("*.py")]
    assert sources
    assert [path for path in sources if "@st.cache_resource" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("shared", [classroom.rooms, server.jobs])
def test_emptied_caches_leave_it(shared):
    before = shared()
    st.cache_resource.clear()  # what the message `clear_cache` of a browser does
    st.cache_data.clear()
    assert shared() is before
