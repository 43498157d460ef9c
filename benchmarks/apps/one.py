"""The same slider and one matrix of 512 x 512."""

import numpy as np

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Colours, Panel, Strength, matrix_view
from alibi_viz.ui.controls.params import Param

value = drag_slider(Param("x", "int", 100, low=0, high=400), label="x")
side = np.arange(512, dtype=np.float32)
cells = -np.abs(side[:, None] - side[None, :]) * (value / 400)
matrix_view(
    [Panel("512 x 512", cells, Colours("bias", (-100, 0)))],
    key="m",
    follows=[Strength("value", float(value))],
    size="large",
)
