"""A page whose connection was lost asks the server for a run as soon as it has another one.

Streamlit's browser does so by itself only if a run was broken off, or if some part of the page runs by the clock.
Without it, a page whose session the server has forgotten (asleep for longer than `server.disconnectedSessionTTL`, or the
server was started again) has controls that nobody hears. So each page has such a part: an empty one.
"""

from datetime import timedelta

import streamlit as st

_BY_THE_CLOCK = timedelta(days=7)  # as good as never; a browser's clock counts up to 24 days


@st.fragment(run_every=_BY_THE_CLOCK)
def ask_when_reconnected() -> None:
    """Show nothing."""
