"""The chart of the lab of learned positions: how similar two positions are."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import against_distance

if TYPE_CHECKING:
    from pages.lab_learned.study import Result


def cosines(result: "Result", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """The mean cosine of two positions against their distance, as far as both tables go."""
    count = min(len(result.trained.cosines), len(result.start.cosines))
    curves = {labels["trained"]: result.trained.cosines[:count], labels["start"]: result.start.cosines[:count]}
    return against_distance(curves, np.arange(count), "learned", labels, dark=dark, span=(-1.05, 1.05))
