"""The least that a slider can change: one number. Everything else is measured against this."""

import streamlit as st

from alibi_viz.ui.components.drag_slider import drag_slider

value = drag_slider("x", key="x", low=0, high=400, step=1, default=100, integer=True, bind=None)
st.markdown(f"value {value}")
