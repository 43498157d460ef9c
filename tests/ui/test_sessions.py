"""What a quick reader does to a session: nothing of a page is lost, and no page before comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig, websocket_session_manager
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.session_manager import SessionClient

from alibi_viz import open_files
from alibi_viz.ui.components.address import FIELD
from alibi_viz.ui.shell.sessions import Session, install
from tests.threads import run_in_a_thread

APP = """
import streamlit as st
st.navigation([st.Page("first.py"), st.Page("second.py")]).run()
"""
PAGE = """
import time
import streamlit as st
from alibi_viz.ui.controls import rerun

@rerun.fragment
def stage():
    st.markdown("part of {name}")

stage()
st.text("long " * 5_000)
time.sleep(0.2)  # so that a request comes before the end
st.markdown("end of {name}")
"""
LONGEST = 20.0  # seconds
SIZE = "global.minCachedMessageSize"


class Browser(SessionClient):
    """It writes down what the server says."""

    def __init__(self) -> None:
        self.heard: list[ForwardMsg] = []

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        self.heard.append(msg)

    def pages(self) -> list[str]:
        """The page of every run that the server has told of."""
        return [said.new_session.page_script_hash for said in self.heard if said.HasField("new_session")]

    def texts(self) -> list[str]:
        return [said.delta.new_element.markdown.body for said in self.heard if said.HasField("delta")]


class Reader:
    """One session on a server of this process."""

    def __init__(self, runtime: Runtime) -> None:
        self.browser, self.runtime = Browser(), runtime
        self.id = runtime.connect_session(self.browser, {})
        self.session: Any = runtime.get_app_session(self.id)

    def ask(
        self, page: str = "", fragment: str = "", name: str = "", cached: Sequence[str] = (), held: str | None = None
    ) -> None:
        """cached: hashes of the messages that the browser still has. held: the address that its page shows."""
        message = BackMsg()
        if held is not None:
            message.rerun_script.widget_states.widgets.add(id=f"$$ID-0-{FIELD}", string_value=held)
        message.rerun_script.cached_message_hashes.extend(cached)
        message.rerun_script.page_script_hash, message.rerun_script.fragment_id = page, fragment
        message.rerun_script.page_name = name
        self.runtime.handle_backmsg(self.id, message)

    async def rest(self) -> None:
        """Until the session runs nothing and everything is sent."""
        end = time.monotonic() + LONGEST
        while self.session._scriptrunner is not None or not self.session._browser_queue.is_empty():
            assert time.monotonic() < end
            await asyncio.sleep(0.01)

    def wait_for_the_thread(self) -> None:
        """Until the run has ended in its thread, and the server, which is kept waiting, has not yet taken its end."""
        end = time.monotonic() + LONGEST
        while self.session._scriptrunner._requests._state is not ScriptRequestType.STOP:
            assert time.monotonic() < end
            time.sleep(0.001)

    def page(self, name: str) -> str:
        return next(key for key, page in self.session.get_pages().items() if page["page_name"] == name)

    def part(self) -> str:
        """The fragment of the page that was sent last."""
        return next(said.delta.fragment_id for said in reversed(self.browser.heard) if said.delta.fragment_id)


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """read(kind, story): a server with sessions of this kind, and what the coroutine `story(reader)` returns."""
    script = tmp_path / "app.py"
    script.write_text(APP)
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text(PAGE.format(name=name))

    async def serve(story: Callable[[Reader], Any]) -> Any:
        storage, uploads = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/uploads")
        runtime = Runtime(RuntimeConfig(str(script), media_file_storage=storage, uploaded_file_manager=uploads))
        await runtime.start()
        try:
            return await story(Reader(runtime))
        finally:
            runtime.stop()
            await runtime.stopped

    def run(kind: type[AppSession], story: Callable[[Reader], Any]) -> Any:
        monkeypatch.setattr(Runtime, "_instance", None)  # a process has one
        monkeypatch.setattr(websocket_session_manager, "AppSession", AppSession)
        if kind is Session:
            install()
        return run_in_a_thread(serve(story))

    return run


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


async def a_part_of_each_page(reader: Reader) -> set[str]:
    parts = set()
    for name in ("first", "second"):
        reader.ask(name=name)
        await reader.rest()
        parts.add(reader.part())
    return parts


def test_a_control_of_the_page_before_does_not_bring_it_back(read):
    pages, second = read(Session, a_late_control)
    assert pages == [second]


def test_nothing_of_a_page_is_lost_if_a_part_is_asked_for_at_its_end(read):
    texts = read(Session, a_part_at_the_end)
    assert "end of first" in texts
    assert texts[-1] == "part of first"


def test_parts_of_the_same_name_on_two_pages_are_two(read):
    """Else what a control of one page still sends, when it goes away, would run the part of the other one."""
    assert len(read(Session, a_part_of_each_page)) == 2


async def descriptors_of_sessions(reader: Reader) -> int:
    """What three sessions more hold, each after a run."""
    before = open_files.count_free()
    more = [Reader(reader.runtime) for _ in range(3)]
    for one in more:
        one.ask(name="first")
        await one.rest()
    return int(before - open_files.count_free())


def test_sessions_hold_no_descriptors(read):
    """Beside their connections. If Streamlit's own sessions hold none either, script_loop.py is needed no more."""
    read(Session, descriptors_of_sessions)  # the loop that all share
    assert read(Session, descriptors_of_sessions) == 0
    assert read(AppSession, descriptors_of_sessions) == 3 * 3


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
    assert read(AppSession, a_part_before_the_page)[0] == []


async def the_address(reader: Reader) -> str:
    reader.ask(name="first", held="heads=12")
    await reader.rest()
    return str(reader.session._client_state.query_string)


def test_the_address_of_a_page_that_slept_is_the_one_that_it_shows(read):
    assert read(Session, the_address) == "heads=12"


async def what_the_browser_has_kept(reader: Reader) -> list[str]:
    reader.ask(name="first")
    await reader.rest()
    cached = [said.hash for said in reader.browser.heard]
    reader.browser.heard.clear()
    reader.ask(reader.page("first"), cached=cached)
    await reader.rest()
    return [said.ref_hash for said in reader.browser.heard if said.HasField("ref_hash")]


def test_the_server_refers_to_nothing_that_the_browser_may_have_let_go(read):
    size = config.get_option(SIZE)
    assert read(Session, what_the_browser_has_kept) == []
    config.set_option(SIZE, 10_000)  # Streamlit's own
    try:
        assert len(read(Session, what_the_browser_has_kept)) == 1
    finally:
        config.set_option(SIZE, size)


def test_streamlit_alone_brings_it_back_and_loses_it(read):
    """If this fails, Streamlit has mended its sessions, and ours can go."""
    pages, second = read(AppSession, a_late_control)
    assert pages[-1] != second
    assert "end of first" not in read(AppSession, a_part_at_the_end)
