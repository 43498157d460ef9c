"""The same slider and one matrix of 512 x 512."""

import numpy as np

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Panel, matrix_view

value = drag_slider("x", key="x", low=0, high=400, step=1, default=100, integer=True, bind=None)
side = np.arange(512, dtype=np.float32)
cells = -np.abs(side[:, None] - side[None, :]) * (value / 400)
matrix_view([Panel("512 x 512", cells, "bias", (-100, 0), size="large")], key="m", value=float(value))
