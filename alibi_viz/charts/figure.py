"""A chart as the plain data that Plotly draws in the browser, dicts of traces and of a layout; and how it is handed to
Streamlit.

Plotly's own figure checks and copies with each property that is set: ten lines with their names take 21 ms to build and 6
to send, here 1 and 1.5, and every reader who chooses something new waits for a chart. What a chart holds is checked by the
tests, which build Plotly's figure of it (tests/pages/test_contract.py).

Without it (`finish`): Streamlit builds Plotly's figure of a dict in order to check it, in every run of a page.
Versions: Streamlit 1.67, Plotly 7.1.
Public ways tried: `_validate=False` still copies; `skip_invalid` leaves out what is wrong, and checks all the same.
"""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np

Trace = dict[str, Any]


def trace(kind: str, **look: Any) -> Trace:
    """A trace, as Plotly's reference describes this kind: scatter, bar."""
    return {"type": kind, **look}


class Chart:
    """Traces and a layout; both may be changed until the chart is finished."""

    def __init__(self, layout: Mapping[str, Any] | None = None) -> None:
        self.data: list[Trace] = []
        self.layout: dict[str, Any] = {"annotations": [], "shapes": [], "xaxis": {}, "yaxis": {}, **(layout or {})}

    def add(self, *traces: Trace) -> None:
        self.data += traces

    def annotate(self, **look: Any) -> None:
        """A text on the chart, with or without an arrow."""
        self.layout["annotations"].append(look)

    def draw(self, **shape: Any) -> None:
        """A line or an area, as Plotly's `layout.shapes` has them."""
        self.layout["shapes"].append({"type": "line", **shape})

    def x_axis(self, title: str | None = None, **look: Any) -> None:
        """Set these properties of the axis, and leave its others."""
        self.lay_out(xaxis=look | ({"title": {"text": title}} if title else {}))

    def y_axis(self, title: str | None = None, **look: Any) -> None:
        self.lay_out(yaxis=look | ({"title": {"text": title}} if title else {}))

    def lay_out(self, **parts: Any) -> None:
        """Set these properties of the layout; of a part that is a dict, its others stay."""
        for name, part in parts.items():
            old = self.layout.get(name)
            self.layout[name] = {**old, **part} if isinstance(old, dict) and isinstance(part, Mapping) else part


def finish(chart: Chart) -> Any:
    """The chart as Streamlit takes it: a Plotly figure that is sent as it is. Nobody changes it any more."""
    # Here: importing it takes half a second, and most first pages have no chart.
    from plotly.graph_objects import Figure

    sent = plain({"data": chart.data, "layout": chart.layout})
    figure = Figure(_validate=False)
    object.__setattr__(figure, "to_dict", lambda: sent)
    return figure


def plain(part: Any) -> Any:
    """A part of a chart without what is None, its arrays of numbers as Plotly's base64: lists would travel as slow JSON."""
    if isinstance(part, Mapping):
        return {name: plain(value) for name, value in part.items() if value is not None}
    if isinstance(part, list | tuple | range):
        return [plain(value) for value in part]
    if isinstance(part, np.ndarray):
        return _encoded(part) if part.dtype.kind in "fiu" else part.tolist()
    return part.item() if isinstance(part, np.generic) else part


def _encoded(array: np.ndarray) -> dict[str, str]:
    """Plotly's typed array. It has no integers of 64 bits."""
    array = array.astype(np.float64) if array.dtype.kind in "iu" and array.itemsize == 8 else array
    code = {"dtype": f"{array.dtype.kind}{array.itemsize}", "bdata": b64encode(array.tobytes()).decode()}
    return code | ({"shape": ", ".join(map(str, array.shape))} if array.ndim > 1 else {})
