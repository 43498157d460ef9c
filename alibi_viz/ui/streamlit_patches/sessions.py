"""The page of a session that the server has forgotten goes on where it is: it slept, or the server was started again. And
a session holds no file descriptors, so that a server has room for a hall.

`reconnect` says how the browser asks for it. Such a browser names the address at which the page was opened; here it is the
one that the page has now (`address.FIELD`). And it asks for a part of a page that this session has not run yet: Streamlit
does not know the part, and would drop the request; here the whole page runs.

A session has an event loop that nothing of this app runs: three descriptors for each reader, and for each one that has left
until Python collects the session, which can take hours. Here all of them have one.

Without it: a page that slept never answers again; with 1,024 descriptors a server has room for 253 readers, for 157 after
300 visits that have ended.
Versions: 1.67. Its sessions change often: what is overridden here may have another form in the next one.
Public ways tried: none names a session's requests. Streamlit's #11660 and PR #11890 mend other cases. A shorter
`server.disconnectedSessionTTL` makes room only when the next session ends, and forgets pages that slept a minute.
"""

import asyncio

from streamlit.elements.lib.utils import user_key_from_element_id
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import websocket_session_manager
from streamlit.runtime.app_session import AppSession

from alibi_viz.ui import address


class _Unclosed(asyncio.SelectorEventLoop):
    """A loop that stays when a session ends."""

    def close(self) -> None:
        """Other sessions have it too."""


_LOOP = _Unclosed()


class Session(AppSession):
    """One reader's session."""

    @property
    def _script_event_loop(self) -> asyncio.AbstractEventLoop:
        return _LOOP

    @_script_event_loop.setter
    def _script_event_loop(self, own: asyncio.AbstractEventLoop) -> None:
        own.close()

    _was_asked = False
    _outdated: str | None = None  # the address that the browser goes on to name, until it names another one
    _current = ""  # the one that its page had instead when this session began

    def request_rerun(self, client_state: ClientState | None) -> None:
        """A request of the browser (None: of the server)."""
        if client_state is not None:
            if not self._was_asked:
                self._was_asked = True
                self._resume(client_state)
            if client_state.query_string == self._outdated:
                client_state.query_string = self._current
            else:
                self._outdated = None
        super().request_rerun(client_state)

    def _resume(self, client_state: ClientState) -> None:
        """The first request, if it is of a browser that shows a page already: run this whole page as it is there."""
        held = {user_key_from_element_id(widget.id): widget for widget in client_state.widget_states.widgets}
        client_state.fragment_id = ""
        if address.FIELD in held:
            self._outdated, self._current = client_state.query_string, held[address.FIELD].string_value


def install() -> None:
    """Let the server make such sessions."""
    websocket_session_manager.AppSession = Session  # type: ignore[misc]
