"""A page whose connection was lost asks the server for a run as soon as it has another one.

Streamlit's browser does so by itself only if a run was broken off, or if some part of the page runs by the clock. So each
page has such a part: an empty one.

Without it: a page whose session the server has forgotten (asleep for longer than `server.disconnectedSessionTTL`, or the
server was started again) has controls that nobody hears.
Versions: 1.67.
Public ways tried: this is one, `st.fragment(run_every=)`, used for what it is not meant for. A longer
`disconnectedSessionTTL` keeps sessions that nobody returns to, and does not outlive the server.
"""

from datetime import timedelta

import streamlit as st

_BY_THE_CLOCK = timedelta(days=7)  # effectively never; a browser's clock counts up to 24 days


@st.fragment(run_every=_BY_THE_CLOCK)
def ask_when_reconnected() -> None:
    """Show nothing."""
