"""A logarithmic slider of whole numbers inside a fragment, and a matrix view without labels."""

import numpy as np
import streamlit as st

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Colours, Panel, Readout, matrix_view
from alibi_viz.ui.controls import locked
from alibi_viz.ui.controls.params import Param

TOKENS = Param("tokens", "int", 1024, low=4, high=1_000_000, widget="log_drag")

st.session_state["runs"] = st.session_state.get("runs", 0) + 1
st.write(f"full runs: {st.session_state['runs']}")


@st.fragment
def part() -> None:
    """Only this reruns while the slider is dragged."""
    st.write(f"tokens: {drag_slider(TOKENS, label='Tokens')!r}")


part()
size = st.number_input("Size", 1, 8, 4)
matrix_view(
    [Panel("Only", np.tri(size, dtype=np.float32), Colours("weight", (0, 1)), key="value")],
    key="only",
    readout=Readout("{query} and {key}: {value}", "masked", "none"),
    keep_cell=True,
)
st.write(f"cell: {locked.within(range(size), range(size))}")
