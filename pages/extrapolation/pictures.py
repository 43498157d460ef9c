"""The question of the Extrapolation lesson as a drawing: how does the perplexity of one method go on beyond L?"""

import numpy as np

from alibi_viz.charts.lines import Line
from alibi_viz.ui import predict, predictions
from alibi_viz.ui.components.curve_view import Axis, Mark
from alibi_viz.ui.controls.method_pills import TITLES
from pages.extrapolation import pair
from pages.extrapolation.facts import Asked
from pages.extrapolation.study import TRAIN_LENGTH, Result

METHODS = ("rope", "t5", "sinusoidal", "alibi", "none")  # whose curve is asked for: the first that is shown
ROOM = (0.85, 1.3)  # below and above what was measured, so that the axis does not tell the answer
TICKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1000)


def of(asked: predict.Question, result: Result) -> predictions.Drawing | None:
    """The same question, to be drawn; None where no such method is shown."""
    curves = {curve.config.method: curve for curve in result.curves}
    method = next((method for method in METHODS if method in curves), None)
    if method is None:
        return None
    curve, name, lesson = curves[method], TITLES[method], asked.lesson
    keep = curve.lengths >= TRAIN_LENGTH
    xs, values = curve.lengths[keep].tolist(), curve.mean[keep].tolist()
    every = np.concatenate([curve.mean for curve in result.curves])
    low, high = ROOM[0] * float(every.min()), ROOM[1] * float(every.max())
    labels = pair.chart_labels(lesson, TRAIN_LENGTH)
    facts = Asked(name, values[0])
    return predictions.Drawing(
        lesson,
        asked.options,
        asked.right,
        begins=asked.begins,
        facts=facts,
        xs=xs,
        measured=values,
        x=Axis(labels["x_bytes"], xs[0], xs[-1], tuple(xs), log=True, whole=True),
        y=Axis(labels["y_bytes"], low, high, tuple(tick for tick in TICKS if low <= tick <= high), log=True),
        mark=Mark(TRAIN_LENGTH, labels["train_length"]),
        alt=lesson.label("alt_drawing", facts),
        what=name,
    )


def line(asked: predict.Question | None, result: Result) -> Line | None:
    """What the reader drew, as a line of the chart; None where nothing was drawn, or the chart shows another quantity."""
    if not isinstance(asked, predictions.Drawing) or result.controls.difference or (values := asked.given()) is None:
        return None
    xs = np.array(asked.xs) / (TRAIN_LENGTH if result.controls.times else 1)
    return Line("", asked.lesson.label("drawn", method=asked.what), xs, np.array(values))
