"""A reader drops out and comes back while the server sends to others: the answer reaches the new connection."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from alibi_viz.ui.streamlit_patches import resumed
from alibi_viz.ui.streamlit_patches.sessions import Session
from tests.ui.streamlit_patches.server import Browser, Reader

MESSAGES, EACH = 300, 0.005  # of another reader, seconds: longer than a page takes


class SlowBrowser(Browser):
    def write_forward_msg(self, msg: ForwardMsg) -> None:
        time.sleep(EACH)
        super().write_forward_msg(msg)


async def comes_back_during_a_round(other: Reader) -> list[str]:
    """What the new connection hears, once the round in which the reader came back is over."""
    reader = Reader(other.runtime)
    reader.ask(name="first")
    await reader.rest()
    slow = other.runtime._session_mgr._active_session_info_by_id[other.id].client = SlowBrowser()
    for _ in range(MESSAGES):
        other.session._enqueue_forward_msg(ForwardMsg(page_config_changed={"title": "x"}))
    while not slow.heard:
        await asyncio.sleep(0)
    reader.browser = Browser()
    assert other.runtime.connect_session(reader.browser, {}, reader.id) == reader.id
    reader.ask(name="first")
    await reader.rest()
    await asyncio.sleep(0.1)
    return reader.browser.texts()


@pytest.fixture
def stock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Streamlit's own rounds."""
    own = WebsocketSessionManager.list_active_sessions
    monkeypatch.setattr(WebsocketSessionManager, "list_active_sessions", own)
    return own


def test_the_answer_reaches_the_new_connection(read: Any, stock: Any) -> None:
    resumed.install()
    assert "end of first" in read(Session, comes_back_during_a_round)


@pytest.mark.hook("alibi_viz/ui/streamlit_patches/resumed.py")
def test_streamlit_alone_sends_it_to_the_old_one(read: Any, stock: Any) -> None:
    assert "end of first" not in read(AppSession, comes_back_during_a_round)
