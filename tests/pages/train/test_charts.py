"""Charts of runs that are being trained."""

from __future__ import annotations

import json

import numpy as np
import pytest

from alibi_viz.charts.lines import Line
from alibi_viz.charts.palette import LOOKS, color
from alibi_viz.lessons import load
from pages.train import charts

WORDS = load("train").entries("chart")


def line(method: str, y: list[float]) -> Line:
    return Line(method, method, 64 * 2.0 ** np.arange(len(y)), np.array(y))


def test_a_specification_stays_while_the_curve_grows():
    """Else the drawing would be built anew, and flicker."""
    early, late = (charts.losses([line("alibi", [5.0] * n)], WORDS, dark=False, steps=400) for n in (1, 40))
    assert early.spec == late.spec
    early, late = (
        charts.lengths([line("rope", [first, 12.0])], WORDS, dark=False, train_length=128, is_recall=False)
        for first in (5.0, 5.1)
    )
    assert early.spec == late.spec
    assert not early.data.equals(late.data)


@pytest.mark.parametrize("y", [[3.0, 9.0, 40.0], [250.0, 1e6], [1.01], []])
def test_every_perplexity_that_can_be_is_inside_the_axis(y):
    spec = charts.lengths([line("rope", y)], WORDS, dark=True, train_length=128, is_recall=False).spec
    low, high = spec["layer"][-1]["encoding"]["y"]["scale"]["domain"]
    assert 0 < low < high
    assert all(low <= value <= high for value in y if charts.LOWEST <= value <= charts.HIGHEST)
    json.dumps(spec, allow_nan=False)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_keep_their_meaning(dark):
    chart = charts.lengths(
        [line("alibi", [5.0]), line("none", [9.0])], WORDS, dark=dark, train_length=128, is_recall=False
    )
    scale = chart.spec["layer"][-1]["encoding"]["color"]["scale"]
    assert scale == {"domain": ["alibi", "none"], "range": [color("alibi", dark), color("none", dark)]}


def test_every_method_has_a_marker_and_a_dash_that_vega_knows():
    names = list(LOOKS)
    chart = charts.losses([line(name, [5.0]) for name in names], WORDS, dark=False, steps=10)
    lines, points = (layer["encoding"] for layer in chart.spec["layer"])
    shapes = points["shape"]["scale"]["range"]
    assert len(set(shapes)) == len(names)
    known = {"circle", "square", "cross", "diamond", "triangle-up", "triangle-down"}
    assert all(shape in known or shape.startswith("M") for shape in shapes)
    assert all(isinstance(dash, list) for dash in lines["strokeDash"]["scale"]["range"])


def test_every_point_is_there_and_a_few_have_markers():
    chart = charts.losses([line("alibi", [5.0] * 100), line("t5", [4.0] * 3)], WORDS, dark=False, steps=100)
    counted = chart.data.groupby("method")["marked"].agg(["size", "sum"])
    assert counted.loc["alibi"].tolist() == [100, charts.MARKERS]
    assert counted.loc["t5"].tolist() == [3, 3]
    assert chart.data["y"].dtype == np.float32


def test_recall_is_a_share():
    spec = charts.lengths([line("alibi", [1.0, 0.1])], WORDS, dark=False, train_length=128, is_recall=True).spec
    assert spec["layer"][-1]["encoding"]["y"]["scale"]["domain"] == [0, 1]


def test_an_empty_chart_says_so_until_it_has_a_point():
    options = {"dark": False, "empty": "Press Play"}
    texts = [
        charts.losses([line("alibi", y)], WORDS, steps=10, **options).spec["layer"][0]["mark"] for y in ([], [5.0])
    ]
    assert texts[0]["text"] == "Press Play"
    assert texts[1]["type"] == "line"
    at = {"train_length": 128, "is_recall": False}
    assert "Press Play" in json.dumps(charts.lengths([line("alibi", [])], WORDS, **at, **options).spec)


def test_recorded_curves_are_fainter():
    own, recorded = (
        charts.losses([line("alibi", [5.0])], WORDS, dark=False, steps=10, faint=faint).spec["layer"]
        for faint in (False, True)
    )
    assert all(a["mark"]["opacity"] > b["mark"]["opacity"] for a, b in zip(own, recorded, strict=True))


def test_a_projector_gets_larger_type_and_the_same_data():
    drawing = charts.losses([line("alibi", [5.0])], WORDS, dark=False, steps=10)
    large = charts.enlarged(drawing, 1.5)
    assert large.spec["config"]["axis"]["labelFontSize"] == 1.5 * drawing.spec["config"]["axis"]["labelFontSize"]
    assert large.spec["layer"][0]["encoding"] | {"color": 0} == drawing.spec["layer"][0]["encoding"] | {"color": 0}
    assert large.data is drawing.data
