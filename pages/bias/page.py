"""Bias: the matrix that ALiBi adds to the scores, at any length."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from alibi_viz.charts import formulas
from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi, half_weight_distance
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.controls.params import Param, Value
from alibi_viz.ui.format import format_bytes, format_number, format_slope
from pages.bias import matrices as view
from pages.bias import study as study

N = Param("n", "int", 128, low=1, high=1_048_576)
HEADS = Param("heads", "int", 8, low=1, high=128)
HEAD = Param("head", "int", 3, low=1, high=128)
FORM = Param("form", "choice", "distance", choices=tuple(study.FORMS))
CAUSAL = Param("causal", "flag", True)
AFTER = Param("after", "flag", False)
DTYPE = Param("dtype", "choice", "float32", choices=tuple(study.DTYPES))
TRAINED = Param("trained", "int", 64, low=1, high=1_048_576)
COLOURS = Param("colours", "choice", "softmax range", choices=view.COLOURS)
ROW = Param("row", "int", 0, low=0, high=1_048_575)
COL = Param("col", "int", 0, low=0, high=1_048_575)
SPAN = Param("span", "int", 0, low=0, high=1_048_576)
PARAMS = (N, HEADS, HEAD, FORM, CAUSAL, AFTER, DTYPE, TRAINED, COLOURS, ROW, COL, SPAN)
PLAIN: dict[str, Value] = {param.key: param.default for param in PARAMS}
TRY: page.Presets = {
    "paper": PLAIN,
    "train": PLAIN | {"n": 512, "trained": 64, "head": 6},
    "key": PLAIN | {"form": "key only", "n": 64},
    "encoder": PLAIN | {"form": "symmetric", "causal": False},
    "wrong": PLAIN | {"causal": False, "after": True, "n": 64},
    "bf16": PLAIN | {"n": 2048, "dtype": "bfloat16", "head": 1, "span": 512, "row": 1536},
    "million": PLAIN | {"n": 1_000_000, "head": 8, "trained": 2048},
}


def read_controls(lesson: Lesson) -> tuple[study.Controls, str]:
    """The controls, checked, without those beside the matrices; and the choice of colours."""
    with st.container(border=True):
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            form = widgets.choice(FORM, lesson)
            causal = widgets.flag(CAUSAL, lesson)
            after = widgets.flag(AFTER, lesson)
        with st.expander(lesson.label("window"), icon=":material/tune:"):
            with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
                dtype = widgets.choice(DTYPE, lesson)
                colours = widgets.choice(COLOURS, lesson)
            numbers = []
            for column, param in zip(st.columns(5), (HEAD, TRAINED, ROW, COL, SPAN), strict=True):
                with column:
                    numbers.append(int(widgets.number(param, lesson)))
    return study.Controls(1, 1, numbers[0], form, causal, after, dtype, *numbers[1:]), colours


def with_live(base: study.Controls) -> study.Controls:
    """The controls, with what the sliders beside the matrices, a picked thumbnail and a zoom say now."""
    n, heads, head, row, col, span = (int(state.read(param)) for param in (N, HEADS, HEAD, ROW, COL, SPAN))
    return replace(base, n=n, heads=heads, head=min(head, heads), row=row, col=col, span=span)


@st.fragment
def matrices(lesson: Lesson, base: study.Controls, colours: str) -> None:
    """The sliders and the matrices that follow them."""
    left, right = st.columns(2, gap="large")
    with left:
        widgets.drag(N, lesson, log=True)
    with right:
        widgets.drag(HEADS, lesson)
    chosen = with_live(base)
    result = study.study(chosen)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        page.heading(lesson.label("thumbs"))
        with st.container(height=660 if chosen.heads > 12 else "content", border=False):
            view.thumbnails(lesson, chosen, result, colours)
    with right:
        page.heading(lesson.label("large", head=chosen.head, slope=format_slope(result.slope)))
        view.large(lesson, chosen, result, colours)
    rerun.if_requested()


def explain(lesson: Lesson, chosen: study.Controls, result: study.Result) -> None:
    """“What you see”, for what is on the screen."""
    numbers: dict[str, object] = {
        "head": chosen.head,
        "heads": chosen.heads,
        "n": f"{chosen.n:,}",
        "slope": format_slope(result.slope),
        "half": format_number(half_weight_distance(result.slope)),
        "trained": f"{min(chosen.trained, chosen.n):,}",
        "same": format_number(result.same_inside),
        "dtype": chosen.dtype,
        "distinct": f"{result.distinct:,}",
        "error": format_number(result.largest_error),
        "full": format_bytes(result.full_bytes),
        "closed": format_bytes(result.closed_bytes),
    }
    if chosen.after:
        compared = study.forms_compared(result.slope, chosen.n, chosen.causal)
        verdict = lesson.text("seen.same" if chosen.causal else "seen.differ")
        shown = {
            "n": min(chosen.n, study.COMPARED),
            "compared": view.compared_text(compared),
            "verdict": verdict,
        }
        page.what_you_see(lesson, "seen.after", **shown)
    else:
        page.what_you_see(lesson, "seen.key_only" if chosen.form == "key only" else "seen.bias", **numbers)
    page.prose(lesson, "overflow" if math.isinf(result.largest_error) else "precision", **numbers)
    page.prose(lesson, "memory", **numbers)


def show(lesson: Lesson) -> None:
    page.try_this(lesson, TRY)
    base, colours = read_controls(lesson)
    matrices(lesson, base, colours)
    chosen = with_live(base)
    result = study.study(chosen)
    name = f"alibi-bias-{chosen.n}-head-{chosen.head}.csv"
    page.download(lambda: view.csv(chosen, result), name=name, key="bias_csv")
    explain(lesson, chosen, result)
    with st.expander(lesson.label("formats", n=f"{chosen.n:,}"), icon=":material/table:"):
        st.dataframe(view.formats(lesson, chosen, result), hide_index=True)
    kind = study.FORMS[chosen.form]
    words = lesson.text(f"formula.{'distance' if kind == 'causal' else kind}")
    page.formula(lesson, *formulas.bias(kind, result.slope, result.future_slope), head=chosen.head, words=words)
    page.code(Alibi.bias_by_distance, Alibi.score_bias, study.cells, study.weights)
    page.sources(lesson)


lesson = page.begin("bias", PARAMS)
show(lesson)
