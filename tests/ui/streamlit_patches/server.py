"""A server in this process, and readers who write down what their browsers hear."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionClient

from alibi_viz.ui.address import FIELD

APP = """
import streamlit as st
st.navigation([st.Page("first.py")]).run()
"""
PAGE = """
import streamlit as st

@st.fragment
def stage():
    st.markdown("part of the page")

def press():
    st.session_state.pressed = st.session_state.get("pressed", 0) + 1

stage()
st.button("press", on_click=press)
st.text("long " * 5_000)
st.markdown(f"pressed {st.session_state.get('pressed', 0)} times")
st.markdown("end of the page")
"""
LONGEST = 20.0  # seconds
TURNS = 15  # of the server, without a message: everything is sent, on a busy machine too


class Reader(SessionClient):
    """One session on a server of this process."""

    def __init__(self, runtime: Runtime) -> None:
        self.heard: list[ForwardMsg] = []
        self.runtime, self.id = runtime, runtime.connect_session(self, {})
        self.session: Any = runtime._session_mgr.get_active_session_info(self.id).session

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        self.heard.append(msg)

    def texts(self) -> list[str]:
        texts = [said.delta.new_element.markdown.body for said in self.heard if said.HasField("delta")]
        return [text for text in texts if text]

    def send(self, held: str | None = None, pressed: str = "", **asked: Any) -> None:
        """Ask for a run. held: the address that the page shows. pressed: a button."""
        message = BackMsg(rerun_script=ClientState(**asked))
        if held is not None:
            message.rerun_script.widget_states.widgets.add(id=f"$$ID-0-{FIELD}", string_value=held)
        if pressed:
            message.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)
        self.runtime.handle_backmsg(self.id, message)

    async def ask(self, held: str | None = None, **asked: Any) -> None:
        """Ask for a run, and wait for all of its answer."""
        self.send(held, **asked)
        await self.hear()

    async def hear(self) -> None:
        # The server takes its messages first, and then sends each in a turn of its own.
        end, heard, quiet = time.monotonic() + LONGEST, -1, 0
        while quiet < TURNS:
            if time.monotonic() > end:
                raise TimeoutError
            busy = self.session._scriptrunner is not None or not self.session._browser_queue.is_empty()
            quiet = 0 if busy or len(self.heard) != heard else quiet + 1
            heard = len(self.heard)
            await asyncio.sleep(0.01)


async def serve(folder: Path, story: Callable[[Reader], Any]) -> Any:
    """What the coroutine `story(reader)` returns on a server whose app lies in this folder."""
    script = folder / "app.py"
    script.write_text(APP)
    (folder / "first.py").write_text(PAGE)
    storage, uploads = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/uploads")
    runtime = Runtime(RuntimeConfig(str(script), media_file_storage=storage, uploaded_file_manager=uploads))
    await runtime.start()
    try:
        return await story(Reader(runtime))
    finally:
        runtime.stop()
        await runtime.stopped
