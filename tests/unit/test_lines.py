"""Curves on a logarithmic axis: traces, axes, names and signs, not pixels."""

from math import log10

import numpy as np
import pytest

from alibi_viz.charts.lines import Line, on_log_axis

X = np.array([64.0, 128, 256, 2048])
LABELS = {"x": "length", "y": "loss", "hover": "%{y}", "at": "L", "ends": "{name}<br>ends here"}


def line(method: str, y: list[float], **changes: object) -> Line:
    return Line(**{"method": method, "name": method, "x": X[: len(y)], "y": np.array(y), **changes})


@pytest.mark.parametrize("log_y", [True, False])
def test_a_line_that_cannot_go_on_gets_a_sign_and_no_number(log_y: bool) -> None:
    lines = [line("alibi", [5, 5, 5, 5]), line("learned", [8, 7.7], name="Learned", ends=True)]
    fig = on_log_axis(lines, LABELS, dark=False, log_y=log_y)
    sign = next(trace for trace in fig.data if trace["marker"]["symbol"] == "line-ns")
    assert (sign["x"].tolist(), sign["y"].tolist()) == ([128], pytest.approx([7.7]))
    (note,) = (note for note in fig.layout["annotations"] if "ends here" in note["text"])
    assert note["x"] == pytest.approx(log10(128))
    assert note["y"] == pytest.approx(log10(7.7) if log_y else 7.7)
