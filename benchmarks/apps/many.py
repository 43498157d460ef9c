"""The same slider and sixteen matrices of 128 x 128."""

import numpy as np

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Panel, matrix_view

value = drag_slider("x", key="x", low=0, high=400, step=1, default=100, integer=True, bind=None)
side = np.arange(128, dtype=np.float32)
distance = np.abs(side[:, None] - side[None, :])
panels = [Panel(str(h), -distance * (value / 400 / (h + 1)), "bias", (-100, 0), size="thumb") for h in range(16)]
matrix_view(panels, key="m", value=float(value))
