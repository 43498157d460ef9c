"""A logarithmic slider of whole numbers inside a fragment, and a matrix view whose cursor the page sets."""

import numpy as np
import streamlit as st

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Panel, Readout, matrix_view

st.session_state["runs"] = st.session_state.get("runs", 0) + 1
st.write(f"full runs: {st.session_state['runs']}")


@st.fragment
def part() -> None:
    """Only this reruns while the slider is dragged."""
    count = drag_slider(
        "Tokens",
        key="tokens",
        low=4,
        high=1_000_000,
        step=1,
        default=1024,
        scale="log2",
        integer=True,
        ticks=[4, 64, 1024, 16384, 262144],
    )
    st.write(f"tokens: {count!r}")


part()
if st.button("Show cell 2, 1"):
    st.session_state["cursor"] = (2, 1)
event = matrix_view(
    [Panel("Only", np.tri(4, dtype=np.float32), "weight", (0, 1))],
    key="only",
    cursor=st.session_state.get("cursor", (3, 3)),
    readout=Readout("{query} and {key}: {value}", "masked", "none"),
)
st.write(f"cell: {event.cell}")
