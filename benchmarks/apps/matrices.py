"""A slider and ?count=… matrices of 256 x 256, as the Compare page shows them."""

import numpy as np
import streamlit as st

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Panel, matrix_view

SIDE = 256
count = min(max(int(st.query_params.get("count", "1")), 1), 6)
x = drag_slider("x", key="x", low=0.0, high=1.0, step=0.01, default=0.5, bind=None)
distance = (np.arange(SIDE)[:, None] - np.arange(SIDE)[None, :]).astype(np.float32)
panels = [
    Panel(f"{n}", np.where(distance < 0, -np.inf, np.exp(-x * distance / (n + 1))), "weight", (0, 1), scale="sqrt")
    for n in range(count)
]
matrix_view(panels, key="m")
