"""Charts of the sinusoidal lab: traces, not pixels."""

from __future__ import annotations

from alibi_viz.lessons import load
from pages.lab_sinusoidal import charts
from pages.lab_sinusoidal.study import Controls, study

WORDS = load("lab_sinusoidal").entries("chart")
RESULT = study(Controls(5, 4, 100, 1))


def test_the_chosen_pair_stands_before_the_others() -> None:
    fig = charts.waves(RESULT, WORDS, dark=False)
    assert [trace.name for trace in fig.data] == ["", "", "sine", "cosine"]
    assert list(fig.data[-2].y) == RESULT.table[:, 2].tolist()


def test_one_curve_needs_no_legend() -> None:
    fig = charts.alike(RESULT, WORDS, dark=False)
    assert not fig.layout.showlegend
    assert not fig.layout.shapes
