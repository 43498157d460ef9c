"""A slider and ?count=… matrices of 256 x 256, as the Compare page shows them."""

import numpy as np
import streamlit as st

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Colours, Panel, matrix_view
from alibi_viz.ui.controls.params import Param

SIDE = 256
count = min(max(int(st.query_params.get("count", "1")), 1), 6)
x = drag_slider(Param("x", "float", 0.5, low=0.0, high=1.0, step=0.01), label="x")
distance = (np.arange(SIDE)[:, None] - np.arange(SIDE)[None, :]).astype(np.float32)
colours = Colours("weight", (0, 1), "sqrt")
panels = [
    Panel(f"{n}", np.where(distance < 0, -np.inf, np.exp(-x * distance / (n + 1))), colours) for n in range(count)
]
matrix_view(panels, key="m")
