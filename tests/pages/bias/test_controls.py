"""Zooming in the large matrix sets the window."""

from __future__ import annotations

import pytest

from pages.bias import controls
from pages.bias.study import window


@pytest.mark.parametrize(
    ("span", "zoom", "expected"),
    [
        (0, (500, 400, 2.0), (250, 150, 500)),  # half of the text, around the cell
        (500, (900, 0, 2.0), (750, 0, 250)),  # the window stays inside the text
        (10, (5, 5, 2.0), (1, 1, 8)),  # never closer than eight tokens
        (500, (300, 300, 0.5), (0, 0, 0)),  # wider than the text is the whole text
        (64, (300, 300, 0.0), (0, 0, 0)),
        (64, None, (7, 7, 64)),
    ],
)
def test_a_zoom_moves_the_window(monkeypatch, span, zoom, expected):
    values, requests = {"n": 1000, "row": 7, "col": 7, "span": span}, []
    monkeypatch.setattr(controls, "zoomed", lambda view: zoom)
    monkeypatch.setattr(controls.state, "read", lambda param: values[param.key])
    monkeypatch.setattr(controls.state, "assign", values.update)
    monkeypatch.setattr(controls.rerun, "request", lambda: requests.append(True))
    controls.follow_zoom("bias_large")
    assert (values["row"], values["col"], values["span"]) == expected
    assert bool(requests) == (zoom is not None)
    assert window(1000, *expected).row == values["row"]
