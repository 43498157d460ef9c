"""The Order lesson's matrices: the change of the weights, and the outputs of the layer."""

import numpy as np
import streamlit as st

from alibi_viz.attention.pictures import difference
from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrix_view.message import Options
from alibi_viz.ui.components.matrix_view import Axis, Colours, Panel, Readout, matrix_view
from alibi_viz.ui.format import format_number
from pages.start.study import Result

STAGE = ("plain", "alibi")  # the cases without a mask
LEAST = 1e-3  # of the colour scale


def changes(lesson: Lesson, result: Result, alt: str) -> None:
    """The weights in the first sentence, and what becomes of them in the second: without positions, and with ALiBi.

    alt: the same in words.
    """
    edge = max(LEAST, *(result.cases[name].largest_change for name in STAGE))
    panels = []
    for name in STAGE:
        case = result.cases[name]
        caption = lesson.label("largest_change", change=format_number(case.largest_change))
        method, colours = lesson.label(f"case_{name}"), Colours("content", (-edge, edge))
        first, then = (lesson.label(part, method=method) for part in ("weights_first", "weights_change"))
        panels.append(Panel(first, case.weights, Colours("weight", (0.0, 1.0), "sqrt"), key=f"{name}_first"))
        panels.append(Panel(then, case.change, colours, caption, key=name))
    words = tuple(result.first)
    rows, cols = (Axis(labels=words, name=lesson.label(side)) for side in ("query", "key"))
    readout = Readout(*(lesson.text(f"readout.{part}") for part in ("change", "masked", "empty")))
    look = Options(rows=rows, cols=cols, readout=readout, size="stage", front=(1, 3), filename="order-of-words")
    matrix_view(panels, key="start", **(look | Options(alt=alt)))


def outputs(lesson: Lesson, result: Result, name: str) -> None:
    """Outputs of the first sentence, of the second, and their difference, on one scale."""
    case = result.cases[name]
    edge = float(max(np.abs(case.first).max(), np.abs(case.second).max()))
    values = {"a": case.first, "b": case.second, "delta": difference(case.first, case.second, edge)}
    colors = Colours("content", (-edge, edge))
    panels = [Panel(lesson.label(f"panel_{key}"), values[key], colors, key=key) for key in values]
    rows, cols = Axis(labels=tuple(result.first), name=lesson.label("rows")), Axis(name=lesson.label("cols"))
    readout = Readout(*(lesson.text(f"readout.{part}") for part in ("allowed", "masked", "empty")))
    st.markdown(f"**{lesson.label(f'case_{name}')}**")
    matrix_view(panels, key=f"start_{name}", rows=rows, cols=cols, readout=readout, filename=f"order-{name}")
