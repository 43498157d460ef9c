"""A server in this process, with readers whose browsers write down what they hear."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.session_manager import SessionClient

from alibi_viz.ui.components.address import FIELD

APP = """
import streamlit as st
st.navigation([st.Page("first.py"), st.Page("second.py")]).run()
"""
PAGE = """
import time
import streamlit as st

@st.fragment
def stage():
    st.markdown("part of {name}")

stage()
st.text("long " * 5_000)
time.sleep(0.2)  # so that a request comes before the end
st.markdown("end of {name}")
"""
LONGEST = 20.0  # seconds
TURNS = 5  # of the server, without a message: everything is sent
NOTED: list[str] = []  # by pages


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

    def shown(self) -> list[str]:
        """The texts in the order of the page; of one that was replaced, the last."""
        drawn = {}
        for said in self.heard:
            if said.HasField("delta"):
                drawn[tuple(said.metadata.delta_path)] = said.delta.new_element.markdown.body
        return [text for _, text in sorted(drawn.items()) if text]


class Reader:
    """One session on a server of this process."""

    def __init__(self, runtime: Runtime) -> None:
        self.browser, self.runtime = Browser(), runtime
        self.id = runtime.connect_session(self.browser, {})
        self.session: Any = runtime._session_mgr.get_active_session_info(self.id).session

    def ask(
        self,
        page: str = "",
        fragment: str = "",
        name: str = "",
        cached: Sequence[str] = (),
        held: str | None = None,
        pressed: str = "",
    ) -> None:
        """cached: hashes of messages that the browser still has. held: the address shown. pressed: a button."""
        message = BackMsg()
        if pressed:
            message.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)
        if held is not None:
            message.rerun_script.widget_states.widgets.add(id=f"$$ID-0-{FIELD}", string_value=held)
        message.rerun_script.cached_message_hashes.extend(cached)
        message.rerun_script.page_script_hash, message.rerun_script.fragment_id = page, fragment
        message.rerun_script.page_name = name
        self.runtime.handle_backmsg(self.id, message)

    async def rest(self) -> None:
        """Until the session runs nothing and everything is sent. The server takes its messages first, and then sends each
        in a turn of its own."""
        end, heard, quiet = time.monotonic() + LONGEST, -1, 0
        while quiet < TURNS:
            if time.monotonic() > end:
                raise TimeoutError
            busy = self.session._scriptrunner is not None or not self.session._browser_queue.is_empty()
            quiet = 0 if busy or len(self.browser.heard) != heard else quiet + 1
            heard = len(self.browser.heard)
            await asyncio.sleep(0.01)

    def page(self, name: str) -> str:
        return next(key for key, page in self.session.get_pages().items() if page["page_name"] == name)

    def part(self) -> str:
        """The fragment of the page that was sent last."""
        return next(said.delta.fragment_id for said in reversed(self.browser.heard) if said.delta.fragment_id)
