"""The least that a slider can change: one number. Everything else is measured against this."""

import streamlit as st

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.controls.params import Param

st.markdown(f"value {drag_slider(Param('x', 'int', 100, low=0, high=400), label='x')}")
