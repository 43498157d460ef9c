"""What a quick reader does to a session: nothing of a page is lost, and no page before comes back."""

from __future__ import annotations

import asyncio

import pytest
from streamlit.runtime.app_session import AppSession

from alibi_viz.ui.streamlit_patches.sessions import Session
from tests.ui.streamlit_patches.server import Reader


async def a_late_control(reader: Reader) -> tuple[list[str], str]:
    reader.ask(name="first")
    await reader.rest()
    first, second, part = reader.page("first"), reader.page("second"), reader.part()
    reader.browser.heard.clear()
    reader.ask(second)
    reader.ask(first, part)
    await reader.rest()
    return reader.browser.pages(), second


async def a_part_at_the_end(reader: Reader) -> list[str]:
    reader.ask(name="first")
    await reader.rest()
    first, part = reader.page("first"), reader.part()
    reader.browser.heard.clear()
    reader.ask(first)
    reader.wait_for_the_thread()
    reader.ask(first, part)
    await reader.rest()
    return reader.browser.texts()


def test_a_control_of_the_page_before_does_not_bring_it_back(read):
    pages, second = read(Session, a_late_control)
    assert pages == [second]


def test_nothing_of_a_page_is_lost_if_a_part_is_asked_for_at_its_end(read):
    texts = read(Session, a_part_at_the_end)
    assert "end of first" in texts
    assert texts[-1] == "part of first"


async def a_part_before_the_page(reader: Reader) -> list[list[str]]:
    """The part of a page that another session has drawn: asked for alone, and while the page runs for the first time."""
    reader.ask(name="first")
    await reader.rest()
    first, part = reader.page("first"), reader.part()
    texts = []
    for page_before in (False, True):
        other = Reader(reader.runtime)
        if page_before:
            other.ask(first)
        other.ask(first, part, held="")
        await asyncio.sleep(0)
        await other.rest()
        texts.append([text for text in other.browser.texts() if text])
    return texts


def test_a_part_of_a_page_that_slept_brings_the_page_back(read):
    alone, during = read(Session, a_part_before_the_page)
    assert "end of first" in alone
    assert during[-2:] == ["end of first", "part of first"]


async def the_address(reader: Reader) -> str:
    reader.ask(name="first", held="heads=12")
    await reader.rest()
    return str(reader.session._client_state.query_string)


def test_the_address_of_a_page_that_slept_is_the_one_that_it_shows(read):
    assert read(Session, the_address) == "heads=12"


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_brings_the_page_before_back(read):
    pages, second = read(AppSession, a_late_control)
    assert pages[-1] != second


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_loses_the_end_of_a_page(read):
    assert "end of first" not in read(AppSession, a_part_at_the_end)


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_leaves_a_page_that_slept_asleep(read):
    assert read(AppSession, a_part_before_the_page)[0] == []


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_runs_a_page_that_slept_at_the_address_at_which_it_was_opened(read):
    assert read(AppSession, the_address) == ""
