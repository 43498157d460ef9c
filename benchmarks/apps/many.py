"""The same slider and sixteen matrices of 128 x 128."""

import numpy as np

from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.matrix_view import Colours, Panel, Strength, matrix_view
from alibi_viz.ui.controls.params import Param

value = drag_slider(Param("x", "int", 100, low=0, high=400), label="x")
side = np.arange(128, dtype=np.float32)
distance = np.abs(side[:, None] - side[None, :])
colours = Colours("bias", (-100, 0))
panels = [Panel(str(head), -distance * (value / 400 / (head + 1)), colours) for head in range(16)]
matrix_view(panels, key="m", follows=[Strength("value", float(value))], picked=0)
