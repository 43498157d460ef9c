"""A page that slept, in a session that does not know it: its first request runs all of it."""

from __future__ import annotations

import pytest
from streamlit.runtime.app_session import AppSession

from alibi_viz.ui.streamlit_patches.sessions import Session
from tests.ui.streamlit_patches.server import Reader


async def a_part_before_the_page(reader: Reader) -> list[str]:
    """The part of a page that another session has drawn."""
    reader.ask(name="first")
    await reader.rest()
    first, part = reader.page("first"), reader.part()
    other = Reader(reader.runtime)
    other.ask(first, part, held="")
    await other.rest()
    return [text for text in other.browser.texts() if text]


def test_a_part_of_a_page_that_slept_brings_the_page_back(read):
    assert "end of first" in read(Session, a_part_before_the_page)


async def the_address(reader: Reader) -> str:
    reader.ask(name="first", held="heads=12")
    await reader.rest()
    return str(reader.session._client_state.query_string)


def test_the_address_of_a_page_that_slept_is_the_one_that_it_shows(read):
    assert read(Session, the_address) == "heads=12"


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_leaves_a_page_that_slept_asleep(read):
    assert read(AppSession, a_part_before_the_page) == []


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_runs_a_page_that_slept_at_the_address_at_which_it_was_opened(read):
    assert read(AppSession, the_address) == ""
