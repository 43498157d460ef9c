"""Charts of the RoPE lab: traces and axes, not pixels."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from alibi_viz.lessons import load
from pages.lab_rope import charts
from pages.lab_rope.study import Controls, average, study

WORDS = load("lab_rope").entries("chart")
RESULT = study(Controls(6, 10_000.0, "none", 8.0, 100, 40, 200))


def test_full_turns_are_filled() -> None:
    waves = np.array([6.0, 60.0, 600.0])
    fig = charts.wavelengths(
        dataclasses.replace(RESULT, wavelengths=8 * waves, plain_wavelengths=waves), WORDS, dark=False
    )
    assert [len(trace.x) for trace in fig.data] == [3, 2, 1]
    assert [trace.name for trace in fig.data] == [WORDS["plain"], WORDS["full"], WORDS["part"]]


@pytest.mark.parametrize(("scaling", "names"), [("none", ["scaled"]), ("linear", ["scaled", "plain"])])
def test_the_score_is_drawn_beside_that_without_scaling(scaling: str, names: list[str]) -> None:
    result = study(dataclasses.replace(RESULT.controls, scaling=scaling))
    fig = charts.score(result, average(result), WORDS, dark=True)
    assert [trace.name for trace in fig.data] == [WORDS[name] for name in names]
    assert fig.layout.showlegend == (len(names) > 1)
    assert fig.layout.shapes[0].x0 == 100
