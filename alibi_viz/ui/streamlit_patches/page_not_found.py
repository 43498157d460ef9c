"""An address without a page: the first page says so, in the reader's language.

Without it: the browser opens a window over the first page that says it in English alone.
Versions: 1.67.
Public ways tried: `st.navigation` returns the first page for such an address, and does not say that none was found.
"""

import streamlit as st
from streamlit.commands import navigation

_LOST = "_lost"  # in the session: the address that was asked for has no page


def _note(ctx: object) -> None:
    st.session_state[_LOST] = True


def is_lost() -> bool:
    """Whether there is no page where the reader wanted to go; asked once."""
    return bool(st.session_state.pop(_LOST, False))


def install() -> None:
    """For all sessions of this process."""
    navigation.send_page_not_found = _note
