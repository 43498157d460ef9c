"""A tab is open until it is closed, whatever other readers ask the server for."""

from __future__ import annotations

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession

from alibi_viz.ui.streamlit_patches import open_tabs
from tests.ui.streamlit_patches.server import NOTED, Reader

PAGE = """
import streamlit as st
from alibi_viz.ui.streamlit_patches import open_tabs
from tests.ui.streamlit_patches.server import NOTED

@st.cache_resource(scope="session", on_release=NOTED.append)
def tab():
    return "{name} was released"

tab()
st.text(open_tabs.session())
st.text("long " * 5_000)
"""


async def a_closed_tab(reader: Reader) -> list[bool]:
    """Whether a tab is open: before and after it is closed."""
    reader.ask(name="first")
    await reader.rest()
    (name,) = {said.delta.new_element.text.body for said in reader.browser.heard} & {reader.id}
    before = open_tabs.is_connected(name)
    reader.runtime.disconnect_session(reader.id)
    return [before, open_tabs.is_connected(name)]


def test_a_tab_is_open_until_it_is_closed(read):
    assert read(AppSession, a_closed_tab, page=PAGE) == [True, False]


async def emptied_caches(reader: Reader) -> list[str]:
    """What an open tab is told when another reader's browser empties the caches."""
    reader.ask(name="first")
    await reader.rest()
    NOTED.clear()
    other = Reader(reader.runtime)
    other.runtime.handle_backmsg(other.id, BackMsg(clear_cache=True))
    return list(NOTED)


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/open_tabs.py")
def test_streamlit_alone_tells_an_open_tab_that_it_is_closed(read):
    assert read(AppSession, emptied_caches, page=PAGE) == ["first was released"]
