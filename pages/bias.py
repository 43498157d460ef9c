"""Bias: the matrix that ALiBi adds to the scores, at any length."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from alibi_viz.figures import formulas
from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi, half_weight_distance
from alibi_viz.studies import bias as study
from alibi_viz.ui import bias_view as view
from alibi_viz.ui import controls, live, page, state, texts
from alibi_viz.ui.params import Param, Value

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
TRY: page.Settings = {
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
            form = controls.choice(FORM, lesson)
            causal = controls.flag(CAUSAL, lesson)
            after = controls.flag(AFTER, lesson)
        with st.expander(lesson.label("window"), icon=":material/tune:"):
            with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
                dtype = controls.choice(DTYPE, lesson)
                colours = controls.choice(COLOURS, lesson)
            numbers = []
            for column, param in zip(st.columns(5), (HEAD, TRAINED, ROW, COL, SPAN), strict=True):
                with column:
                    numbers.append(int(controls.number(param, lesson)))
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
        controls.drag(N, lesson, log=True)
    with right:
        controls.drag(HEADS, lesson)
    chosen = with_live(base)
    result = study.study(chosen)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.subheader(lesson.label("thumbs"), anchor=False)
        with st.container(height=660 if chosen.heads > 12 else "content", border=False):
            view.thumbnails(lesson, chosen, result, colours)
    with right:
        st.subheader(lesson.label("large", head=chosen.head, slope=texts.slope(result.slope)), anchor=False)
        view.large(lesson, chosen, result, colours)
    live.finish()


def explain(lesson: Lesson, chosen: study.Controls, result: study.Result) -> None:
    """“What you see”, for what is on the screen."""
    numbers: dict[str, object] = {
        "head": chosen.head,
        "heads": chosen.heads,
        "n": f"{chosen.n:,}",
        "slope": texts.slope(result.slope),
        "half": texts.number(half_weight_distance(result.slope)),
        "trained": f"{min(chosen.trained, chosen.n):,}",
        "same": texts.number(result.same_inside),
        "dtype": chosen.dtype,
        "distinct": f"{result.distinct:,}",
        "error": texts.number(result.largest_error),
        "full": texts.memory(result.full_bytes),
        "closed": texts.memory(result.closed_bytes),
    }
    if chosen.after:
        compared = study.forms_compared(result.slope, chosen.n, chosen.causal)
        verdict = lesson.text("seen.same" if chosen.causal else "seen.differ")
        shown = {
            "n": min(chosen.n, study.COMPARED),
            "compared": view.compared_text(compared),
            "verdict": verdict,
        }
        page.seen(lesson, "seen.after", **shown)
    else:
        page.seen(lesson, "seen.key_only" if chosen.form == "key only" else "seen.bias", **numbers)
    page.prose(lesson, "overflow" if math.isinf(result.largest_error) else "precision", **numbers)
    page.prose(lesson, "memory", **numbers)


def show(lesson: Lesson) -> None:
    page.tries(lesson, TRY)
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


lesson = page.start("bias", PARAMS)
show(lesson)
