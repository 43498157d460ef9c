"""Charts of the Extrapolation page: traces, axes and signs, not pixels."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.charts import palette
from alibi_viz.charts.lines import Line, on_log_axis, spread_out, within
from alibi_viz.lessons import load
from pages.extrapolation import charts as extrapolation
from tests.pages.apptest import numbers

LABELS = load("extrapolation").entries("chart") | {"x": "length", "y": "perplexity"}
X = np.array([64.0, 128, 256, 2048])


def line(method: str, y: list[float], **changes: object) -> Line:
    values = np.array(y)
    x = X[: len(y)]
    return Line(**{"method": method, "name": method, "x": x, "y": values, "low": values, "high": values, **changes})


def curves(*lines: Line, log: bool = True, dark: bool = False, **options: float):
    return extrapolation.curves(lines, LABELS, train_length=128, log=(log, log), dark=dark, **options)


def visible(fig) -> list:
    return [trace for trace in fig.data if trace.name]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("log", [False, True])
def test_lines_keep_the_look_of_their_method_and_the_numbers(dark: bool, log: bool) -> None:
    lines = [line("alibi", [5, 4.9, 4.8, 4.8]), line("rope", [4.4, 4.3, 4.3, 30])]
    fig = curves(*lines, log=log, dark=dark)
    alibi, rope = visible(fig)
    assert numbers(alibi.y).tolist() == pytest.approx([5, 4.9, 4.8, 4.8])
    assert rope.line.color == palette.method_line("rope", dark)["color"]
    low, high = fig.layout.yaxis.range
    ends = [log10(value) if log else value for value in (4.3, 30)]
    assert low < ends[0] < ends[1] < high
    assert fig.layout.shapes[0].x0 == 128
    assert not alibi.showlegend  # its name stands at its right end
    assert {note.text for note in fig.layout.annotations} >= {"alibi", "rope"}


def test_seeds_make_a_band_and_one_run_does_not() -> None:
    low, high = np.array([4.0, 4, 4, 4]), np.array([6.0, 6, 6, 6])
    spread = curves(line("alibi", [5, 5, 5, 5], low=low, high=high))
    assert [trace.fill for trace in spread.data] == [None, "tonexty", None]
    assert numbers(spread.data[0].y).tolist() == [4] * 4
    assert numbers(spread.data[1].y).tolist() == [6] * 4
    assert spread.layout.yaxis.range[1] > log10(6)
    assert len(curves(line("alibi", [5, 5, 5, 5])).data) == 1


@pytest.mark.parametrize("log", [False, True])
def test_a_line_that_cannot_go_on_gets_a_sign_and_no_number(log: bool) -> None:
    lines = [line("alibi", [5, 5, 5, 5]), line("learned", [8, 7.7], name="Learned", ends=True)]
    fig = curves(*lines, log=log)
    sign = next(trace for trace in fig.data if trace.marker.symbol == "line-ns")
    assert (numbers(sign.x).tolist(), numbers(sign.y).tolist()) == ([128], pytest.approx([7.7]))
    note = next(annotation for annotation in fig.layout.annotations if "ends here" in annotation.text)
    assert note.x == pytest.approx(log10(128) if log else 128)
    assert max(numbers(visible(fig)[1].x)) == 128


def test_ticks_of_a_log_axis_are_doublings_of_the_training_length() -> None:
    fig = curves(line("alibi", [5, 5, 5, 5]))
    assert list(fig.layout.xaxis.tickvals) == [64, 128, 256, 512, 1024, 2048]
    assert fig.layout.xaxis.ticktext[-1] == "2,048"


def test_no_line_is_an_empty_chart() -> None:
    for log in (False, True):
        assert not visible(curves(log=log))


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
    labels = {"x": "steps", "y": "perplexity", "hover": "%{y}", "at": "L"}
    band = {"low": np.array([8.0, 4, 3, 2]), "high": np.array([10.0, 6, 5, 4])}
    lines = [line("alibi", [9.0, 5, 4, 3], **band), line("rope", [9.0, 5, 4, 90]), line("learned", [9.0, 5])]
    fig = on_log_axis(lines, labels, dark=False, log_y=log_y, levels={"4-gram": 4.4}, at=128, most=20)
    drawn = [trace for trace in fig.data if trace.mode == "lines+markers"]
    assert [trace.name for trace in drawn] == ["alibi", "rope", "learned"]
    assert drawn[1].y[-1] == 90  # the number stays, though the picture ends below it
    top = fig.layout.yaxis.range[1]
    assert 20 <= (10**top if log_y else top) < 30
    texts = [note.text for note in fig.layout.annotations]
    assert texts.count("4-gram") == texts.count("L") == texts.count("alibi") == texts.count("rope") == 1
    assert "learned" not in texts  # it ends before
    assert fig.layout.xaxis.tickvals == (64, 128, 256, 2048)
