"""Bias: the matrix that ALiBi adds to the scores, at any length."""

import math

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi, half_weight_distance
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.format import format_bytes, format_number, format_slope
from pages.bias import controls, matrices
from pages.bias.study import COMPARED, DTYPES, FORMS, Result, cells, forms_compared, precision, study, weights


@st.fragment
def figure(lesson: Lesson) -> Result:
    """The sliders and the matrices that follow them."""
    widgets.columns(lesson, [controls.N], [controls.HEADS])
    result = study(controls.read())
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


def window_table(result: Result) -> pd.DataFrame:
    """The cells on the screen; the first column and the header name the tokens."""
    table = pd.DataFrame(result.values, columns=result.window.cols())
    table.insert(0, "query \\ key", result.window.rows())
    return table


def precision_table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """How many distances each number format tells apart, and its largest error."""
    rows = [(dtype, *precision(result.slope, result.controls.n, dtype)) for dtype in DTYPES]
    return pd.DataFrame(rows, columns=list(lesson.entries("columns").values()))


def explain(lesson: Lesson, result: Result) -> None:
    """“What you see”, for what is on the screen."""
    chosen = result.controls
    numbers: dict[str, object] = {
        "head": chosen.head,
        "heads": chosen.heads,
        "n": f"{chosen.n:,}",
        "slope": format_slope(result.slope),
        "half": format_number(half_weight_distance(result.slope)),
        "train_length": f"{min(chosen.train_length, chosen.n):,}",
        "same": format_number(result.same_inside),
        "dtype": chosen.dtype,
        "distinct": f"{result.distinct:,}",
        "error": format_number(result.largest_error),
        "full": format_bytes(chosen.heads * float(chosen.n) ** 2 * DTYPES[chosen.dtype].itemsize),
        "slopes": format_bytes(chosen.heads * 4.0),  # float32
    }
    if chosen.after:
        differences = forms_compared(result.slope, chosen.n, chosen.causal)
        compared = ", ".join(f"{form} **{format_number(value)}**" for form, value in differences.items())
        page.what_you_see(lesson, "seen.after", n=min(chosen.n, COMPARED), compared=compared)
        page.prose(lesson, "seen.same" if chosen.causal else "seen.differ")
    else:
        page.what_you_see(lesson, "seen.key_only" if chosen.form == "key only" else "seen.bias", **numbers)
    page.prose(lesson, "overflow" if math.isinf(result.largest_error) else "precision", **numbers)
    page.prose(lesson, "memory", **numbers)


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = figure(lesson)
    chosen, form = result.controls, FORMS[result.controls.form]
    name = f"alibi-bias-{chosen.n}-head-{chosen.head}.csv"
    page.download_csv(lambda: window_table(result), name=name, key="bias_csv")
    explain(lesson, result)
    with st.expander(lesson.label("formats", n=f"{chosen.n:,}"), icon=":material/table:"):
        st.dataframe(precision_table(lesson, result), hide_index=True)
    slopes = {"slope": f"{result.slope:.4g}", "future": f"{result.future_slope:.4g}"}
    latex = lesson.text(f"latex.{form}", **slopes).split("\n")
    page.formula(lesson, *latex, section=f"formula.{form}", head=chosen.head)
    page.code(Alibi.bias_by_distance, Alibi.score_bias, cells, weights)
    page.sources(lesson)


show(page.begin("bias", controls.PARAMS))
