"""What sessions and their runs must not lose: a click, the end of a page, a page that slept. And options that Streamlit's
documentation does not name: .streamlit/config.toml says why they are set.
"""

import asyncio
import threading
from contextlib import contextmanager
from typing import Any

import psutil
import pytest
from streamlit import config
from streamlit.runtime import Runtime, app_session, websocket_session_manager
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunner

from alibi_viz.ui.streamlit_patches.sessions import Session, install, run_page
from tests.cases import slow
from tests.threads import run_in_a_thread
from tests.ui.streamlit_patches.server import LONGEST, Reader, serve

SIZE = "global.minCachedMessageSize"
PAGE = ["part of the page", "pressed 0 times", "end of the page"]


@pytest.fixture
def read(tmp_path, monkeypatch):
    """read(kind, story): what a story gives on a server with such sessions."""

    def run(kind, story):
        monkeypatch.setattr(Runtime, "_instance", None)  # a process has one
        monkeypatch.setattr(websocket_session_manager, "AppSession", AppSession)
        monkeypatch.setattr(app_session, "ScriptRunner", ScriptRunner)
        if kind is Session:
            install()
        return run_in_a_thread(serve(tmp_path, story))

    return run


@contextmanager
def held(reader):
    """The next run waits, once it has begun (the event that this gives), until this is over."""
    scripts: Any = reader.runtime._script_cache
    compiled, begun, over = scripts.get_bytecode, threading.Event(), threading.Event()

    def wait_and_compile(path):
        begun.set()
        over.wait(LONGEST)
        return compiled(path)

    scripts.get_bytecode = wait_and_compile
    try:
        yield begun
    finally:
        over.set()


# Each story says whether nothing was lost.


async def a_part_of_a_page_that_slept_brings_the_page_back(reader):
    """Another session has drawn that part."""
    await reader.ask(page_name="first")
    part = next(said.delta.fragment_id for said in reversed(reader.heard) if said.delta.fragment_id)
    (page,) = reader.session.get_pages()
    other = Reader(reader.runtime)
    await other.ask(held="", page_script_hash=page, fragment_id=part)
    return "end of the page" in other.texts()


async def the_address_of_a_page_that_slept_is_the_one_that_it_shows(reader):
    """Not that at which it was opened."""
    await reader.ask(held="heads=12", page_name="first")
    return bool(reader.session._client_state.query_string == "heads=12")


async def a_part_that_runs_by_the_clock_takes_nothing_of_the_page_away(reader):
    """It asks just as the page has run."""
    await reader.ask(page_name="first")
    part = next(said.delta.fragment_id for said in reversed(reader.heard) if said.delta.fragment_id)
    (page,) = reader.session.get_pages()
    reader.heard.clear()
    reader.send(page_script_hash=page)
    reader.session._scriptrunner._script_thread.join()  # the server takes nothing until this is over
    await reader.ask(page_script_hash=page, fragment_id=part)
    # The part follows; where the first has not been sent yet, it takes its place.
    return reader.texts() in (PAGE, [*PAGE, "part of the page"])


async def a_button_counts_though_another_request_follows_at_once(reader):
    """When its run has begun and its callback has not."""
    await reader.ask(page_name="first")
    button = next(said.delta.new_element.button.id for said in reader.heard if said.delta.new_element.button.id)
    (page,) = reader.session.get_pages()
    with held(reader) as begun:
        reader.send(pressed=button, page_script_hash=page)
        assert begun.wait(LONGEST)
        reader.send(page_script_hash=page)
    await reader.ask(page_script_hash=page)
    return next(text for text in reversed(reader.texts()) if text.startswith("pressed")) == "pressed 1 times"


async def twenty_sessions_that_have_run_a_page_take_no_file_descriptors(reader):
    before = psutil.Process().num_fds()
    for _ in range(20):
        await Reader(reader.runtime).ask(page_name="first")
    return psutil.Process().num_fds() - before < 20


async def a_window_runs_its_page_where_it_is_when_another_asks_for_it(reader):
    await reader.ask(page_name="first", query_string="heads=12")
    reader.heard.clear()
    run_page("of a window that is gone")
    run_page(reader.id)
    await reader.hear()
    return (reader.texts(), reader.session._client_state.query_string) == (PAGE, "heads=12")


async def a_window_that_turns_while_another_asks_for_its_page_stays_where_it_turned_to(reader):
    await reader.ask(page_name="first")
    (page,) = reader.session.get_pages()
    with held(reader) as begun:
        reader.send(page_script_hash=page, query_string="heads=12")
        assert begun.wait(LONGEST)
        run_page(reader.id)
        await asyncio.sleep(0)  # it has been asked
    await reader.hear()
    return bool(reader.session._client_state.query_string == "heads=12")


async def the_server_refers_to_nothing_that_the_browser_may_have_let_go(reader):
    await reader.ask(page_name="first")
    cached = [said.hash for said in reader.heard]
    reader.heard.clear()
    (page,) = reader.session.get_pages()
    await reader.ask(page_script_hash=page, cached_message_hashes=cached)
    return not [said for said in reader.heard if said.HasField("ref_hash")]


LOST_BY_STREAMLIT = [
    a_part_of_a_page_that_slept_brings_the_page_back,
    the_address_of_a_page_that_slept_is_the_one_that_it_shows,
    a_part_that_runs_by_the_clock_takes_nothing_of_the_page_away,
    a_button_counts_though_another_request_follows_at_once,
    slow(twenty_sessions_that_have_run_a_page_take_no_file_descriptors),
]
STORIES = [
    *LOST_BY_STREAMLIT,
    a_window_runs_its_page_where_it_is_when_another_asks_for_it,
    a_window_that_turns_while_another_asks_for_its_page_stays_where_it_turned_to,
    the_server_refers_to_nothing_that_the_browser_may_have_let_go,
]


@pytest.mark.parametrize("story", STORIES)
def test_nothing_is_lost(read, story):
    assert read(Session, story)


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
@pytest.mark.parametrize("story", LOST_BY_STREAMLIT)
def test_streamlit_alone_loses_it(read, story):
    assert not read(AppSession, story)


@pytest.mark.hook(".streamlit/config.toml")
def test_streamlit_alone_refers_to_what_it_sent_before(read):
    ours = config.get_option(SIZE)
    config.set_option(SIZE, 10_000)  # Streamlit's own
    try:
        assert not read(AppSession, the_server_refers_to_nothing_that_the_browser_may_have_let_go)
    finally:
        config.set_option(SIZE, ours)


@pytest.mark.hook(".streamlit/config.toml")
@pytest.mark.parametrize("name", [SIZE, "runner.fastReruns", "runner.postScriptGC"])
def test_streamlit_alone_sets_it_otherwise(name):
    assert config.get_config_options()[name].default_val != config.get_option(name)
