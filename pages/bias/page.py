"""Bias: the matrix that ALiBi adds to the scores, at any length."""

import math

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi, half_weight_distance
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.format import format_bytes, format_number, format_slope
from pages.bias import controls, matrices, study


@st.fragment
def figure(lesson: Lesson) -> study.Result:
    """The sliders and the matrices that follow them."""
    widgets.columns(lesson, [controls.N], [controls.HEADS])
    result = study.study(controls.read())
    chosen = result.controls
    left, right = st.columns([2, 3], gap="medium")
    with left:
        page.heading(lesson.label("thumbs"))
        with st.container(height=660 if chosen.heads > 12 else "content", border=False):
            matrices.thumbnails(lesson, result)
    with right:
        page.heading(lesson.label("large", head=chosen.head, slope=format_slope(result.slope)))
        matrices.large(lesson, result)
    rerun.if_requested()
    return result


def explain(lesson: Lesson, result: study.Result) -> None:
    """“What you see”, for what is on the screen."""
    chosen, slope = result.controls, result.slope
    trained = min(chosen.train_length, chosen.n)
    numbers = vars(chosen) | {"slope": format_slope(slope), "train_length": trained, "distinct": result.distinct}
    numbers |= {"last": chosen.n - 1}
    numbers |= dict(zip(("by_distance", "by_key"), map(format_number, result.weight_errors), strict=True))
    exact = {"half": half_weight_distance(slope), "same": result.same_inside, "error": result.largest_error}
    full = chosen.heads * float(chosen.n) ** 2 * study.DTYPES[chosen.dtype].itemsize
    numbers |= {"full": format_bytes(full), "slopes": format_bytes(chosen.heads * 4.0)}  # slopes: float32
    numbers |= {name: format_number(value) for name, value in exact.items()}
    if chosen.after:
        differences = study.forms_compared(slope, chosen.n, chosen.causal)
        compared = ", ".join(f"{form} **{format_number(value)}**" for form, value in differences.items())
        page.what_you_see(lesson, "seen.after", n=min(chosen.n, study.COMPARED), compared=compared)
        page.prose(lesson, "seen.same" if chosen.causal else "seen.differ")
    else:
        page.what_you_see(lesson, "seen.key_only" if chosen.form == "key only" else "seen.bias", **numbers)
    page.prose(lesson, "overflow" if math.isinf(result.largest_error) else "precision", **numbers)
    page.prose(lesson, "memory", **numbers)


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = figure(lesson)
    chosen, form, corner = result.controls, study.FORMS[result.controls.form], "query \\ key"
    table = pd.DataFrame(result.values, result.window.rows(), result.window.cols()).reset_index(names=corner)
    page.download_csv(lambda: table, name=f"alibi-bias-{chosen.n}-head-{chosen.head}.csv", key="bias_csv")
    explain(lesson, result)
    with st.expander(lesson.label("formats", n=chosen.n), icon=":material/table:"):
        formats = [(result.slope, chosen.n, dtype) for dtype in study.DTYPES]
        rows = [(of[-1], *study.precision(*of), *study.weight_errors(*of)) for of in formats]
        st.dataframe(pd.DataFrame(rows, columns=[*lesson.entries("columns").values()]), hide_index=True)
    slopes = {"slope": result.slope, "future": result.slope * study.FUTURE_SHARE}
    page.formula(lesson, section=f"formula.{form}", head=chosen.head, **slopes)
    page.code(Alibi.bias_by_distance, Alibi.score_bias, study.cells, study.weights)
    page.sources(lesson)


show(page.begin("bias", controls.PARAMS))
