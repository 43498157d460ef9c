"""A chart as plain data: the looks of the methods, and curves on a logarithmic axis."""

import json
from base64 import b64decode
from math import log10

import numpy as np
import plotly.graph_objects as go
import plotly.io
import plotly.tools
import pytest

from alibi_viz.charts.figure import Chart, finish, trace
from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.charts.palette import LOOKS, method_line
from alibi_viz.positions import METHODS

NONSENSE = trace("scatter", mode="nonsense", y=[1.0])


@pytest.mark.hook("alibi_viz/charts/figure.py")
def test_plotly_alone_builds_a_figure_of_a_dict_to_check_it():
    chart = Chart()
    chart.add(NONSENSE)
    sent = plotly.tools.return_figure_from_figure_or_data(finish(chart), validate_figure=True)
    assert sent["data"] == [NONSENSE]
    with pytest.raises(ValueError, match="mode"):
        plotly.tools.return_figure_from_figure_or_data({"data": [NONSENSE]}, validate_figure=True)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.uint8, bool, str])
@pytest.mark.parametrize("shape", [(6,), (2, 3)])
def test_plotly_reads_every_array_as_it_was(kind, shape):
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


def test_every_method_has_its_own_look():
    """No two methods share colour, dash and marker all three; markers alone tell all apart in grey."""
    for dark in (False, True):
        assert len({(str(method_line(name, dark)), LOOKS[name].marker) for name in METHODS}) == len(METHODS)
    assert len({look.marker for look in LOOKS.values()}) == len(METHODS)
    assert set(LOOKS) == set(METHODS)


X = np.array([64.0, 128, 256, 2048])
LABELS = {"x": "length", "y": "loss", "hover": "%{y}", "at": "L", "ends": "{name}<br>ends here"}


def line(method, y, **changes):
    return Line(**{"method": method, "name": method, "x": X[: len(y)], "y": np.array(y), **changes})


@pytest.mark.parametrize("log_y", [True, False])
def test_a_line_that_cannot_go_on_gets_a_sign_and_no_number(log_y):
    lines = [line("alibi", [5, 5, 5, 5]), line("learned", [8, 7.7], name="Learned", ends=True)]
    fig = on_log_axis(lines, LABELS, dark=False, log_y=log_y)
    sign = next(trace for trace in fig.data if trace["marker"]["symbol"] == "line-ns")
    assert (sign["x"].tolist(), sign["y"].tolist()) == ([128], pytest.approx([7.7]))
    (note,) = (note for note in fig.layout["annotations"] if "ends here" in note["text"])
    assert note["x"] == pytest.approx(log10(128))
    assert note["y"] == pytest.approx(log10(7.7) if log_y else 7.7)
