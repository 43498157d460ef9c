"""What the browser says was drawn is checked before it is used."""

import math

import pytest
import streamlit as st

from alibi_viz.ui.components.curve_view import Axis
from alibi_viz.ui.components.sketch import drawn

Y = Axis("y", 1.0, 100.0, (), log=True)


@pytest.mark.parametrize(
    "report",
    [None, [], [2, 3], [2, 3, 4, 5], [2, "3", 4], [2, None, 4], [2, math.nan, 4], [2, True, 4], "abc", {"a": 1}],
)
def test_what_is_no_drawing_is_none(report, monkeypatch):
    monkeypatch.setattr(st, "session_state", {"sketch": {"drawn": report}})
    assert drawn("sketch", 3, 2.0, Y) is drawn("other", 3, 2.0, Y) is None


def test_a_drawing_begins_where_it_is_given_and_stays_on_the_axis(monkeypatch):
    monkeypatch.setattr(st, "session_state", {"sketch": {"drawn": [50, -3, 1e9]}})
    assert drawn("sketch", 3, 2.0, Y) == (2.0, 1.0, 100.0)
