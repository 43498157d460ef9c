"""What a session says after its reader has come back goes to the new connection, on a busy server too.

Streamlit sends to all readers in rounds, over a list that it makes at the start of a round. A busy server's round
takes seconds. Who drops out and comes back meanwhile still stands in the list with the old connection: all that the new
one has asked for is sent to the old one, and is lost. Here each connection is looked up when it is its turn.

Without it: on a busy server a page that has its connection again stays as it was, without a word.
Versions: 1.67.
Public ways tried: none reaches the server's round.
"""

from collections.abc import Iterator

from streamlit.runtime.session_manager import ActiveSessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager


class Connected(list[ActiveSessionInfo]):
    """The sessions that are connected now; as it is gone through, each with the connection that it has by then."""

    def __init__(self, manager: WebsocketSessionManager) -> None:
        self._by_id = manager._active_session_info_by_id
        super().__init__(self._by_id.values())

    def __iter__(self) -> Iterator[ActiveSessionInfo]:
        return (now for listed in super().__iter__() if (now := self._by_id.get(listed.session.id)))


def install() -> None:
    """Let the server go through its sessions so."""
    WebsocketSessionManager.list_active_sessions = lambda manager: Connected(manager)  # type: ignore[assignment,method-assign]
