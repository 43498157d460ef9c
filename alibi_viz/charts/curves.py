"""Curves with a look of their own."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import floats


def curve(
    x: np.ndarray, y: np.ndarray, name: str, line: Mapping[str, object], hover: str, **options: object
) -> go.Scatter:
    """A curve without markers. x, y: [points]; line: Plotly's color, dash and width."""
    fixed = {"mode": "lines", "line": dict(line), "hovertemplate": hover}
    return go.Scatter(x=floats(x), y=floats(y), name=name, _validate=False, **(fixed | options))
