"""The figure that is not checked, and the looks of the methods."""

import plotly.graph_objects as go
import pytest

from alibi_viz.charts.figure import Chart
from alibi_viz.charts.palette import LOOKS, method_line
from alibi_viz.positions import METHODS


@pytest.mark.hook("alibi_viz/charts/figure.py")
def test_plotly_alone_checks_what_is_added_to_an_unchecked_figure():
    line = go.Scatter(mode="nonsense", _validate=False)
    assert Chart().add_trace(line).data[0].to_plotly_json()["mode"] == "nonsense"
    with pytest.raises(ValueError, match="mode"):
        go.Figure(_validate=False).add_trace(line)


def test_every_method_has_its_own_look():
    """No two methods share colour, dash and marker all three; markers alone tell all apart in grey."""
    for dark in (False, True):
        assert len({(str(method_line(name, dark)), LOOKS[name].marker) for name in METHODS}) == len(METHODS)
    assert len({look.marker for look in LOOKS.values()}) == len(METHODS)
    assert set(LOOKS) == set(METHODS)
