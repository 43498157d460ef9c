"""A reader's session that two races of Streamlit cannot harm. On a busy server both are met by clicking quickly.

- A control of the page before. Until the next page has arrived a reader can still move what is on the screen. Streamlit
  runs that part of the old page after the new page, tells the browser of the old page, and the browser empties the screen.
  Here such a request is dropped: the reader has left that page.
- A part that is asked for at the very end of a run. If the thread of that run has ended, Streamlit starts another one, and
  no longer takes what the first has said but the server has not yet sent: a part of the page never arrives, and what
  follows it finds no place in the browser. Here what an ended run has said is taken.

It also goes on with the page of a session that the server has forgotten (`reconnect` says how the browser asks for it).
Such a browser names the address at which the page was opened; here it is the one that the page has now
(`address.FIELD`). What its widgets hold is newer still (`state.BROUGHT`). A part that is asked for before the page has
run waits for its end: Streamlit does not know the part yet, and would drop the request.

Without it: a quick reader meets an empty screen, or a page without its end; a page that slept never answers again.
Versions: 1.67. Its sessions change often: each method that is overridden here may have another form in the next one.
Public ways tried: none names a session's requests or runs. Streamlit's #11660 and PR #11890 mend other cases.
"""

from typing import Any

from streamlit.elements.lib.utils import user_key_from_element_id
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import websocket_session_manager
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent

from alibi_viz.ui.components import address
from alibi_viz.ui.controls import state

_MOST_EARLY = 16  # requests that wait for the end of the first run; the newest are kept


class Session(AppSession):
    """One reader's session."""

    _page = ""  # Streamlit's name of the page that was asked for last; "": not known yet
    _has_run = False  # a page has come to its end
    _early: tuple[ClientState, ...] = ()  # requests for parts of a page that has not run yet
    _ended: ScriptRunner | None = None  # it has come to its end by itself, and another one has followed it

    def request_rerun(self, client_state: ClientState | None) -> None:
        """A request of the browser (None: of the server)."""
        if client_state is not None and not self._has_run and self._scriptrunner is None:
            self._resume(client_state)
        elif client_state is not None and self._is_early(client_state.fragment_id):
            self._early = (*self._early, client_state)[-_MOST_EARLY:]
            return
        if client_state is not None and not client_state.fragment_id:
            self._page = client_state.page_script_hash
        elif client_state is not None and self._page not in ("", client_state.page_script_hash):
            return
        super().request_rerun(client_state)

    def _resume(self, client_state: ClientState) -> None:
        """The first request, if it is of a browser that shows a page already: run this whole page as it is there."""
        held = {user_key_from_element_id(widget.id): widget for widget in client_state.widget_states.widgets}
        client_state.fragment_id = ""
        if address.FIELD in held:
            client_state.query_string = held[address.FIELD].string_value
            self.session_state.reset_state_value(state.BROUGHT, frozenset(held))

    def _is_early(self, fragment_id: str) -> bool:
        return bool(fragment_id) and not self._has_run and not self.has_fragment(fragment_id)

    def _create_scriptrunner(self, initial_rerun_data: RerunData) -> None:
        self._ended = self._scriptrunner  # None where it was told to stop: then its last words are not wanted
        super()._create_scriptrunner(initial_rerun_data)

    def _handle_scriptrunner_event_on_event_loop(
        self,
        sender: ScriptRunner | None,
        event: ScriptRunnerEvent,
        forward_msg: ForwardMsg | None = None,
        *about: Any,
    ) -> None:
        follower, has_ended = self._scriptrunner, sender is not None and sender is self._ended
        if has_ended and event is ScriptRunnerEvent.SHUTDOWN:
            self._ended = None
            return
        if has_ended:
            self._scriptrunner = sender  # Streamlit takes nothing from another one
        if forward_msg is not None and forward_msg.HasField("navigation") and sender is self._scriptrunner:
            self._page = forward_msg.navigation.page_script_hash
        try:
            super()._handle_scriptrunner_event_on_event_loop(sender, event, forward_msg, *about)
        finally:
            if has_ended:
                self._scriptrunner = follower
        if event is ScriptRunnerEvent.SHUTDOWN and self._scriptrunner is None:
            self._has_run, early, self._early = True, self._early, ()
            for client_state in early:
                self.request_rerun(client_state)


def install() -> None:
    """Let the server make such sessions."""
    websocket_session_manager.AppSession = Session  # type: ignore[misc]
