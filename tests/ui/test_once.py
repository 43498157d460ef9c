"""What readers share is made once, and no message of a reader's browser makes it anew."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import streamlit as st

from alibi_viz.ui import classroom
from alibi_viz.ui.once import once
from pages.train import server


def test_readers_who_come_at_the_same_time_get_the_same():
    @once
    def shared():
        time.sleep(0.02)
        return object()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: shared(), range(8)))
    assert len(set(map(id, made))) == 1


@pytest.mark.parametrize("shared", [classroom.rooms, server.jobs])
def test_a_reader_who_empties_the_caches_ends_no_room_and_no_training(shared):
    before = shared()
    st.cache_resource.clear()  # what the message `clear_cache` of a browser does
    st.cache_data.clear()
    assert shared() is before
