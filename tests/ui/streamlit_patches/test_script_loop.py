"""Sessions hold no descriptors beside their connections."""

from __future__ import annotations

import pytest
from streamlit.runtime.app_session import AppSession

from alibi_viz.classroom import open_files
from alibi_viz.ui.streamlit_patches.sessions import Session
from tests.ui.streamlit_patches.server import Reader

COUNT = 3


async def descriptors_of_sessions(reader: Reader) -> int:
    """What some sessions more hold, each after a run."""
    before = open_files.count_free()
    more = [Reader(reader.runtime) for _ in range(COUNT)]
    for one in more:
        one.ask(name="first")
        await one.rest()
    return int(before - open_files.count_free())


def test_sessions_hold_no_descriptors(read):
    read(Session, descriptors_of_sessions)  # the loop that all share
    assert read(Session, descriptors_of_sessions) == 0


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/script_loop.py")
def test_streamlit_alone_holds_some_for_each_session(read):
    assert read(AppSession, descriptors_of_sessions) >= COUNT
