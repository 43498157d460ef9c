"""What a reader does is not lost, and a page is always whole; also one whose session the server has forgotten (it slept, or
the server was started again). And a session holds no file descriptors, so that a server has room for a hall.

- A request ends a run that is about to call its callbacks: a button, a hand let go is lost. Here callbacks are called
  first. (For the same reason `runner.fastReruns` is off: with it a request ends a run that has not begun.)
- A run ends before the server's event loop has sent its messages. Where a part of the page then asks to be run, Streamlit
  drops what waits: the end of the page is missing. Here the next run waits. And of what waits Streamlit drops the same
  part, as it comes again: the browser then puts it in the place of the element that follows. Here it is sent twice.
- A browser asks for a page that the server has forgotten only if a run was broken off, or if some part of the page runs by
  the clock: so each page has such a part (`ask_when_reconnected`). The browser asks for that part alone, which this session
  does not know, at the address where the page was opened. Here the whole page runs, at the address that it has now
  (`address.FIELD`).
- A window runs its page when its browser asks. Here another window can ask for it (`run_page`): a wall follows the console
  at once.
- A session has an event loop that nothing of this app runs: three descriptors for each reader, also for one that has left,
  until Python collects the session. Here all of them have one.

Without it: a click that another request follows at once does nothing; a teacher's screen, whose question runs by the clock,
loses its picture now and then on a loaded machine; a page that slept never answers again; with 1,024 descriptors a server
has room for 253 readers, for 157 after 300 visits that have ended.
Versions: 1.67. Its sessions change often: what is overridden here may have another form in the next one.
Public ways tried: `st.fragment(run_every=)` is one, used for what it is not meant for. None names a session's requests, or
its runs. Streamlit's #11660, PR #8298 and PR #11890 mend other cases. A shorter `server.disconnectedSessionTTL` makes room
only when the next session ends, and forgets pages that slept a minute; a longer one does not outlive the server.
"""

import asyncio
from datetime import timedelta

import streamlit as st
from streamlit import runtime
from streamlit.elements.lib.utils import user_key_from_element_id
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import app_session, websocket_session_manager
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, get_script_run_ctx

from alibi_viz.ui import address

_BY_THE_CLOCK = timedelta(days=7)  # effectively never; a browser's clock counts up to 24 days
#: Decorates a part of every page, which is a fragment: its browser asks for a run as soon as it is connected again.
ask_when_reconnected = st.fragment(run_every=_BY_THE_CLOCK)


class _Unclosed(asyncio.SelectorEventLoop):
    """A loop that stays when a session ends."""

    def close(self) -> None:
        """Other sessions have it too."""


_LOOP = _Unclosed()
_UNTIL_TAKEN = 0.005  # seconds between two looks whether the messages of an ended run are taken


class Runner(ScriptRunner):
    """What runs the pages of one session, one after the other."""

    def _maybe_handle_execution_control_request(self) -> None:
        """Let another request end this run, but not before its callbacks are done."""
        context = get_script_run_ctx(suppress_warning=True)
        if context is None or context.has_script_started:
            super()._maybe_handle_execution_control_request()


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

    def run_page(self) -> None:
        """Run the page that the window shows; on the server's event loop. What is known of it while a run is under way is
        from before that run."""
        if self._scriptrunner:
            self._event_loop.call_later(_UNTIL_TAKEN, self.run_page)
        elif self._state != AppSessionState.SHUTDOWN_REQUESTED:
            shown = ClientState()
            shown.CopyFrom(self._client_state)  # a request without is for the first page
            shown.fragment_id = ""
            self.request_rerun(shown)

    def _create_scriptrunner(self, initial_rerun_data: RerunData) -> None:
        """Start a run, as soon as the server has taken all that the run before it sent."""
        if self._state == AppSessionState.SHUTDOWN_REQUESTED:  # while it waited
            return
        if self._scriptrunner is None:
            super()._create_scriptrunner(initial_rerun_data)
        elif not self._scriptrunner.request_rerun(initial_rerun_data):  # it has ended, and its last messages wait
            self._event_loop.call_later(_UNTIL_TAKEN, self._create_scriptrunner, initial_rerun_data)

    def _clear_queue(self, fragment_ids_this_run: list[str] | None = None) -> None:
        """A run of the whole page makes what waits for the browser needless, a run of some parts does not."""
        if not fragment_ids_this_run:
            super()._clear_queue()

    def _resume(self, client_state: ClientState) -> None:
        """The first request, if it is of a browser that shows a page already: run this whole page as it is there."""
        held = {user_key_from_element_id(widget.id): widget for widget in client_state.widget_states.widgets}
        client_state.fragment_id = ""
        if address.FIELD in held:
            self._outdated, self._current = client_state.query_string, held[address.FIELD].string_value


def name() -> str:
    """That of the session of this run: a window has one until it is loaded again."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def is_connected(session: str) -> bool:
    """Whether the window of this session is open, and its server hears it."""
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def run_page(session: str) -> None:
    """Let the window of this session run its page now, where it is open: another window has changed what it shows."""
    manager = getattr(runtime.get_instance(), "_session_mgr", None) if runtime.exists() else None  # a test has none
    if info := manager and manager.get_active_session_info(session):
        info.session._event_loop.call_soon_threadsafe(info.session.run_page)


def install() -> None:
    """Let the server make such sessions."""
    websocket_session_manager.AppSession = Session  # type: ignore[misc]
    app_session.ScriptRunner = Runner  # type: ignore[misc]
