"""The chart of the lab of learned positions: how similar two positions are."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import against_distance

if TYPE_CHECKING:
    from pages.lab_learned.study import Result


def cosines(result: "Result", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """The mean cosine of two positions against their distance."""
    curves, distances = {labels["alike"]: result.cosines}, np.arange(len(result.cosines))
    return against_distance(curves, distances, "learned", labels, dark=dark, span=(-1.05, 1.05))
