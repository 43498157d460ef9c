"""The quick figure says the same as Plotly's own."""

import plotly.graph_objects as go
import pytest

from alibi_viz.charts.figure import Chart
from alibi_viz.charts.palette import LOOKS, method_line, template
from alibi_viz.positions import METHODS


def build(fig):
    """Every method that the quick figure has of its own, some twice."""
    fig.add_trace(go.Scatter(x=[1, 2], y=[3, 4], name="a", error_y={"array": [1, 2]}))
    fig.add_traces([go.Bar(y=[1, 2]), {"type": "scatter", "y": [1, 2], "line_width": 3}])
    fig.update_xaxes(type="log", title_text="tokens", range=[0, 3], tickvals=[1, 2], ticktext=["1", "2"])
    fig.update_xaxes(title={"font": {"size": 9}}, tickvals=[3])
    fig.update_yaxes({"title": {"text": "loss"}}, title_font_size=7)
    fig.update_layout(margin={"l": 1, "t": 2}, legend2={"y": 0.5}, hoverlabel_align="left")
    fig.update_layout({"showlegend": False}, margin_l=3)
    fig.update_layout(legend2={"x": 0.25})
    fig.add_annotation(text="here", x=1, y=2, font_size=4)
    fig.add_annotation(text="there", x=1, y=2, font={"color": "red"})
    fig.add_shape(type="line", x0=0, x1=1, y0=2, y1=2, line={"dash": "dot"})
    fig.add_vline(x=2, line={"width": 2}, annotation_text="edge")
    return fig


def test_a_chart_is_what_plotly_makes_of_the_same_calls():
    layout = {"template": template(dark=False), "height": 300}
    assert build(Chart(layout)).to_dict() == build(go.Figure(layout=layout)).to_dict()


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
