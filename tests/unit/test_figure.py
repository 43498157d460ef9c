"""A chart as plain data, and the looks of the methods."""

import json
from base64 import b64decode

import numpy as np
import plotly.graph_objects as go
import plotly.io
import plotly.tools
import pytest

from alibi_viz.charts.figure import Chart, finish, trace
from alibi_viz.charts.palette import LOOKS, method_line
from alibi_viz.positions import METHODS

NONSENSE = trace("scatter", mode="nonsense", y=[1.0])


@pytest.mark.hook("alibi_viz/charts/figure.py")
def test_plotly_alone_builds_a_figure_of_a_dict_to_check_it() -> None:
    chart = Chart()
    chart.add(NONSENSE)
    sent = plotly.tools.return_figure_from_figure_or_data(finish(chart), validate_figure=True)
    assert sent["data"] == [NONSENSE]
    with pytest.raises(ValueError, match="mode"):
        plotly.tools.return_figure_from_figure_or_data({"data": [NONSENSE]}, validate_figure=True)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.uint8, bool, str])
@pytest.mark.parametrize("shape", [(6,), (2, 3)])
def test_plotly_reads_every_array_as_it_was(kind: type, shape: tuple[int, ...]) -> None:
    values = np.arange(6).astype(kind).reshape(shape)
    chart = Chart()
    chart.add(trace("heatmap", z=values, name=None))
    sent = json.loads(plotly.io.to_json(finish(chart), validate=False))["data"][0]
    assert "name" not in sent
    read = go.Figure({"data": [sent]}).data[0].z
    if isinstance(read, dict):  # Plotly's typed array
        size = [int(part) for part in read.get("shape", str(values.size)).split(",")]
        read = np.frombuffer(b64decode(read["bdata"]), read["dtype"]).reshape(size)
    assert np.array_equal(np.array(read), values)


def test_every_method_has_its_own_look() -> None:
    """No two methods share colour, dash and marker all three; markers alone tell all apart in grey."""
    for dark in (False, True):
        assert len({(str(method_line(name, dark)), LOOKS[name].marker) for name in METHODS}) == len(METHODS)
    assert len({look.marker for look in LOOKS.values()}) == len(METHODS)
    assert set(LOOKS) == set(METHODS)
