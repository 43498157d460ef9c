"""What a callback refuses is a sentence on its page: what it acts on may be gone, ended in another tab.

Every callback goes through here. The whole page runs after one that was refused. An error that no sentence foresees is
written to the log; who wants to see errors (`client.showErrorDetails`) sees it on the page.

Without it: a button of a room that has ended takes the whole page away, with “This app has encountered an error”.
Versions: 1.67.
Public ways tried: `st.App(on_script_error=)` is told when the run has ended, and its page is empty; it says what else fails
(`say_failed`). A decorator at each callback is forgotten at the next one.
"""

import logging
from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.runtime.state import SessionState

from alibi_viz.lessons import load, problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.ui.format import escape_markdown

_REFUSED = "_refused"  # in the session: the sentences that the next run of the page says
_call = SessionState._run_callback_and_record_rerun
_log = logging.getLogger(__name__)


def _call_guarded(state: SessionState, votes: Any, run: Callable[[], None]) -> None:
    """Run one callback, as Streamlit does, and keep what it refuses."""

    def guarded() -> None:
        try:
            run()
        except Exception as error:
            sentence = problems.say(_refusal(error))
            st.session_state[_REFUSED] = [*st.session_state.get(_REFUSED, ()), sentence]
            st.rerun()  # of the whole page, also after a callback of a fragment

    _call(state, votes, guarded)


def _refusal(error: Exception) -> Exception:
    """The error that a reader is told. Raises the given one where errors are to be seen."""
    if isinstance(error, ValueError):
        return error
    if st.get_option("client.showErrorDetails") == "full":
        raise error
    _log.error("A callback failed.", exc_info=error)
    return Problem("pages.failed")


def say_failed(error: Exception) -> bool:
    """For `st.App(on_script_error=)`: a run that failed, of a page or a part of it, says so in our words, with a link that
    loads the page again. Returns whether Streamlit's own box stays away."""
    if st.get_option("client.showErrorDetails") == "full":
        return False
    st.warning(escape_markdown(problems.say(Problem("pages.failed"))))
    st.html(f'<a class="failed" href="">{load("shared").label("open_again")}</a>')
    return True


def say_refused() -> None:
    """At the end of a page: what its callbacks have refused."""
    for sentence in dict.fromkeys(st.session_state.pop(_REFUSED, ())):
        st.toast(escape_markdown(sentence))


def install() -> None:
    """For all sessions of this process."""
    SessionState._run_callback_and_record_rerun = _call_guarded  # type: ignore[method-assign,assignment]
