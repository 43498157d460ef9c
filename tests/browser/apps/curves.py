"""What the browser tests of the curve view drive: penalties of three heads, and two powers."""

import numpy as np
import streamlit as st

from alibi_viz.ui.components.curve_view import Axis, Curve, Family, Labels, Mark, Readout, curve_view
from alibi_viz.ui.controls import state

DISTANCES = np.arange(65, dtype=np.float32)

st.set_page_config(layout="wide")
state.open_page("", [], [])
st.title("Curve view demo")
slopes = [2.0**-2, 2.0**-3, 0.3]
curve_view(
    DISTANCES,
    [Curve(-slope * DISTANCES, {"head": head, "slope": slope}, head // 3) for head, slope in enumerate(slopes, 1)],
    key="penalty",
    x=Axis("distance", 0, 64, (0, 16, 32, 48, 64), whole=True),
    y=Axis("penalty", -10.5, 0.5, (-10, -5, 0)),
    alt="Three lines that fall.",
    families=[Family("ALiBi", "alibi"), Family("sinusoidal", "sinusoidal")],
    labels=Labels("<b>{slope}", (-2.0, -4.0)),
    mark=Mark(48, "training length"),
    readout=Readout("{family}, head {head}, m = {slope}: at distance {x} the penalty is {y}.", "Point."),
    filename="penalties",
)

st.subheader("Without a closed form")
xs = np.geomspace(1, 1000, 40)
curve_view(
    xs,
    [Curve(1 / xs), Curve(1 / xs**2)],
    key="plain",
    x=Axis("x", 1, 1000, (1, 10, 100, 1000), log=True),
    y=Axis("y", 1e-4, 1, (1e-4, 1e-2, 1), log=True),
    alt="Two powers of x.",
    readout=Readout("x = {x}, y = {y}, {slope}", "Point."),
)
state.close_page()
