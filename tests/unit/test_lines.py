"""Curves on a logarithmic axis: traces, axes, names and signs, not pixels."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.charts import palette
from alibi_viz.charts.lines import Line, on_log_axis, spread_out, within

X = np.array([64.0, 128, 256, 2048])
LABELS = {"x": "length", "y": "loss", "hover": "%{y}", "at": "L", "ends": "{name}<br>ends here"}


def line(method: str, y: list[float], **changes: object) -> Line:
    return Line(**{"method": method, "name": method, "x": X[: len(y)], "y": np.array(y), **changes})


@pytest.mark.parametrize("wanted", [[0.5, 0.5, 0.5], [0.9, 0.1], [0.1, 0.12, 0.11, 0.8], [0.3], []])
def test_names_keep_their_order_and_their_distance(wanted: list[float]) -> None:
    heights = spread_out(wanted, 0.05)
    assert np.argsort(heights, kind="stable").tolist() == np.argsort(wanted, kind="stable").tolist()
    assert (np.diff(sorted(heights)) >= 0.05 - 1e-9).all()
    assert np.mean(heights) == pytest.approx(np.mean(wanted)) if wanted else not heights


@given(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=12))
def test_names_stay_within_the_chart_and_apart(wanted):
    spread = spread_out(wanted, 0.05)
    heights = within(spread, 0.05)
    assert min(heights) >= 0
    assert max(heights) <= 1 + 1e-9
    assert np.argsort(heights, kind="stable").tolist() == np.argsort(spread, kind="stable").tolist()
    assert (np.diff(sorted(heights)) >= 0.05 - 1e-9).all()
    assert heights == pytest.approx(spread) or not 0 <= min(spread) <= max(spread) <= 1


@pytest.mark.parametrize("log_y", [True, False])
def test_lines_on_a_log_axis(log_y):
    band = {"low": np.array([8.0, 4, 3, 2]), "high": np.array([10.0, 6, 5, 4])}
    lines = [line("alibi", [9.0, 5, 4, 3], **band), line("rope", [9.0, 5, 4, 90]), line("none", [9.0, 5])]
    fig = on_log_axis(lines, LABELS, dark=False, log_y=log_y, levels={"4-gram": 4.4}, at=128, most=20)
    drawn = [trace for trace in fig.data if trace.mode == "lines+markers"]
    assert [trace.name for trace in drawn] == ["alibi", "rope", "none"]
    assert drawn[1].line.color == palette.method_line("rope", False)["color"]
    assert drawn[1].y[-1] == 90  # the number stays, though the picture ends below it
    assert [trace.fill for trace in fig.data if trace.mode == "lines"] == [None, "tonexty"]  # seeds make a band
    top = fig.layout.yaxis.range[1]
    assert 20 <= (10**top if log_y else top) < 30
    texts = [note.text for note in fig.layout.annotations]
    assert texts.count("4-gram") == texts.count("L") == texts.count("alibi") == texts.count("rope") == 1
    assert "none" not in texts  # it ends before
    assert fig.layout.xaxis.tickvals == (64, 128, 256, 2048)


@pytest.mark.parametrize("log_y", [True, False])
def test_a_line_that_cannot_go_on_gets_a_sign_and_no_number(log_y: bool) -> None:
    lines = [line("alibi", [5, 5, 5, 5]), line("learned", [8, 7.7], name="Learned", ends=True)]
    fig = on_log_axis(lines, LABELS, dark=False, log_y=log_y)
    sign = next(trace for trace in fig.data if trace.marker.symbol == "line-ns")
    assert (sign.x.tolist(), sign.y.tolist()) == ([128], pytest.approx([7.7]))
    (note,) = (annotation for annotation in fig.layout.annotations if "ends here" in annotation.text)
    assert note.x == pytest.approx(log10(128))
    assert note.y == pytest.approx(log10(7.7) if log_y else 7.7)
