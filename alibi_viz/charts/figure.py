"""A Plotly figure that does not check what is put into it, since the tests check the finished charts; and one that is
finished, for a page that shows it again and again.

Without it (`_validate=False`, `_data_validator`): ten lines take 24 ms in place of 12, in every run of a page, and a class
of sixty asks for many.
Versions: Plotly 7.1, which checks traces that are added to a figure though the figure was told to check nothing.
Public ways tried: `skip_invalid` leaves out what is wrong, and checks all the same. A dict in place of a figure is checked
by Streamlit.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import plotly.graph_objects as go


class Chart(go.Figure):
    """A figure with this layout, unchecked."""

    def __init__(self, layout: Mapping[str, Any] | None = None) -> None:
        super().__init__(layout=layout, _validate=False)
        traces = self._data_validator  # a copy of this figure's own; Plotly leaves it checking what is added later
        traces.validate_coerce = partial(traces.validate_coerce, _validate=False)


def finish(figure: go.Figure) -> go.Figure:
    """The same figure. What Streamlit sends of it is made now, and not again in every run: nobody changes it any more."""
    made = figure.to_dict()
    object.__setattr__(figure, "to_dict", lambda: made)
    return figure
