"""What sessions and their runs must not lose: a click, the end of a page, a page that slept. And options that Streamlit's
documentation does not name: .streamlit/config.toml says why they are set.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest
from streamlit import config
from streamlit.runtime import Runtime, app_session, websocket_session_manager
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunner

from alibi_viz.ui.streamlit_patches.sessions import Session, install, run_page
from tests.threads import run_in_a_thread
from tests.ui.streamlit_patches.server import LONGEST, Reader, serve

SIZE, FAST = "global.minCachedMessageSize", "runner.fastReruns"


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


async def a_part_before_the_page(reader: Reader) -> list[str]:
    """The part of a page that another session has drawn."""
    await reader.ask(page_name="first")
    part = next(said.delta.fragment_id for said in reversed(reader.heard) if said.delta.fragment_id)
    (page,) = reader.session.get_pages()
    other = Reader(reader.runtime)
    await other.ask(held="", page_script_hash=page, fragment_id=part)
    return other.texts()


def test_a_part_of_a_page_that_slept_brings_the_page_back(read):
    assert "end of the page" in read(Session, a_part_before_the_page)


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_leaves_a_page_that_slept_asleep(read):
    assert read(AppSession, a_part_before_the_page) == []


async def the_address(reader: Reader) -> str:
    await reader.ask(held="heads=12", page_name="first")
    return str(reader.session._client_state.query_string)


def test_the_address_of_a_page_that_slept_is_the_one_that_it_shows(read):
    assert read(Session, the_address) == "heads=12"


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_runs_a_page_that_slept_at_the_address_at_which_it_was_opened(read):
    assert read(AppSession, the_address) == ""


async def a_part_just_as_the_page_has_run(reader: Reader) -> list[str]:
    await reader.ask(page_name="first")
    part = next(said.delta.fragment_id for said in reversed(reader.heard) if said.delta.fragment_id)
    (page,) = reader.session.get_pages()
    reader.heard.clear()
    reader.send(page_script_hash=page)
    reader.session._scriptrunner._script_thread.join()  # the server takes nothing until this is over
    await reader.ask(page_script_hash=page, fragment_id=part)
    return reader.texts()


def test_a_part_that_runs_by_the_clock_takes_nothing_of_the_page_away(read):
    page = ["part of the page", "pressed 0 times", "end of the page"]
    # The part follows; where the first has not been sent yet, it takes its place.
    assert read(Session, a_part_just_as_the_page_has_run) in (page, [*page, "part of the page"])


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_loses_the_end_of_a_page_when_a_part_of_it_asks(read):
    assert "end of the page" not in read(AppSession, a_part_just_as_the_page_has_run)


@contextmanager
def held(reader: Reader) -> Iterator[threading.Event]:
    """The next run waits, once it has begun (the event that this gives), until this is over."""
    scripts: Any = reader.runtime._script_cache
    compiled, begun, over = scripts.get_bytecode, threading.Event(), threading.Event()

    def wait_and_compile(path: str) -> Any:
        begun.set()
        over.wait(LONGEST)
        return compiled(path)

    scripts.get_bytecode = wait_and_compile
    try:
        yield begun
    finally:
        over.set()


async def a_button_and_another_request(reader: Reader) -> str:
    """What the page says of a button, if another request comes when its run has begun and its callback has not."""
    await reader.ask(page_name="first")
    button = next(said.delta.new_element.button.id for said in reader.heard if said.delta.new_element.button.id)
    (page,) = reader.session.get_pages()
    with held(reader) as begun:
        reader.send(pressed=button, page_script_hash=page)
        assert begun.wait(LONGEST)
        reader.send(page_script_hash=page)
    await reader.ask(page_script_hash=page)
    return next(text for text in reversed(reader.texts()) if text.startswith("pressed"))


def test_a_button_counts_though_another_request_follows_at_once(read):
    assert read(Session, a_button_and_another_request) == "pressed 1 times"


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
@pytest.mark.parametrize("fast", [False, True])
def test_streamlit_alone_forgets_a_button_that_another_request_follows(read, fast):
    ours = config.get_option(FAST)
    config.set_option(FAST, fast)  # Streamlit's own is True
    try:
        assert read(AppSession, a_button_and_another_request) == "pressed 0 times"
    finally:
        config.set_option(FAST, ours)


async def a_run_that_another_window_asks_for(reader: Reader) -> tuple[list[str], str]:
    await reader.ask(page_name="first", query_string="heads=12")
    reader.heard.clear()
    run_page("of a window that is gone")
    run_page(reader.id)
    await reader.hear()
    return reader.texts(), reader.session._client_state.query_string


def test_a_window_runs_its_page_where_it_is_when_another_asks_for_it(read):
    page = ["part of the page", "pressed 0 times", "end of the page"]
    assert read(Session, a_run_that_another_window_asks_for) == (page, "heads=12")


async def a_run_asked_for_while_the_window_turns(reader: Reader) -> str:
    """The address of the window in the end."""
    await reader.ask(page_name="first")
    (page,) = reader.session.get_pages()
    with held(reader) as begun:
        reader.send(page_script_hash=page, query_string="heads=12")
        assert begun.wait(LONGEST)
        run_page(reader.id)
        await asyncio.sleep(0)  # it has been asked
    await reader.hear()
    return str(reader.session._client_state.query_string)


def test_a_window_that_turns_while_another_asks_for_its_page_stays_where_it_turned_to(read):
    assert read(Session, a_run_asked_for_while_the_window_turns) == "heads=12"


async def descriptors(reader: Reader) -> int:
    """How many more files are open with twenty more sessions that have run a page."""
    before = psutil.Process().num_fds()
    for _ in range(20):
        await Reader(reader.runtime).ask(page_name="first")
    return psutil.Process().num_fds() - before


@pytest.mark.slow
def test_a_session_takes_no_file_descriptors(read):
    assert read(Session, descriptors) < 20


@pytest.mark.slow
@pytest.mark.hook("alibi_viz/ui/streamlit_patches/sessions.py")
def test_streamlit_alone_takes_some_for_each_session(read):
    assert read(AppSession, descriptors) >= 40


async def what_the_browser_has_kept(reader: Reader) -> list[str]:
    await reader.ask(page_name="first")
    cached = [said.hash for said in reader.heard]
    reader.heard.clear()
    (page,) = reader.session.get_pages()
    await reader.ask(page_script_hash=page, cached_message_hashes=cached)
    return [said.ref_hash for said in reader.heard if said.HasField("ref_hash")]


def test_the_server_refers_to_nothing_that_the_browser_may_have_let_go(read):
    assert read(Session, what_the_browser_has_kept) == []


@pytest.mark.hook(".streamlit/config.toml")
def test_streamlit_alone_refers_to_what_it_sent_before(read):
    ours = config.get_option(SIZE)
    config.set_option(SIZE, 10_000)  # Streamlit's own
    try:
        assert read(AppSession, what_the_browser_has_kept)
    finally:
        config.set_option(SIZE, ours)


@pytest.mark.hook(".streamlit/config.toml")
@pytest.mark.parametrize("name", [SIZE, FAST, "runner.postScriptGC"])
def test_streamlit_alone_sets_it_otherwise(name):
    assert config.get_config_options()[name].default_val != config.get_option(name)
