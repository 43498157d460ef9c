"""Attention: the reader's own text through a real attention, stage by stage; with ALiBi, or in a trained model."""

import pandas as pd
import streamlit as st

from alibi_viz import trained
from alibi_viz.attention.attention import trace_attention
from alibi_viz.lessons import Lesson, load
from alibi_viz.presets import REPLIT
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import locked
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.controls.content import is_trained
from alibi_viz.ui.format import escape_markdown, format_slope
from pages.attention import charts, controls, findings, matrices, study
from pages.attention.study import Controls, Result, Trained


@st.fragment
def figure(lesson: Lesson) -> tuple[Controls, Result] | None:
    """The sliders, and the matrices that follow them. None where there is nothing to show."""
    controls.show_sliders(lesson)
    try:
        chosen = controls.read()
        result = study.study(chosen)
    except ValueError as error:
        page.problem(error)
        rerun.if_requested()
        return None
    page.heading(title(lesson, chosen, result))
    if isinstance(chosen, Trained):
        page.prose(lesson, f"how.{result.method.acts_on}", method=result.method.title)
    matrices.stages(lesson, chosen, result)
    st.caption(lesson.text("colour"))
    layer = {"layer": chosen.layer} if isinstance(chosen, Trained) else {}
    page.heading(lesson.label("thumbs_layer" if layer else "thumbs", **layer))
    matrices.thumbnails(lesson, chosen, result)
    if result.thumb_step > 1:
        st.caption(lesson.label("pooled", step=result.thumb_step))
    rerun.if_requested()
    return chosen, result


def title(lesson: Lesson, chosen: Controls, result: Result) -> str:
    """Which head the matrices show."""
    slope = format_slope(result.slopes[chosen.head - 1]) if result.slopes else ""
    if isinstance(chosen, Trained):
        name = "large_slope" if slope else "large_plain"
        return lesson.label(name, head=chosen.head, layer=chosen.layer, slope=slope)
    return lesson.label("large", head=chosen.head, slope=slope)


def one_row(lesson: Lesson, chosen: Controls) -> None:
    """The weights of one query as bars: of the locked cell, or of the last token."""
    labels = chosen.labels
    cell = locked(matrices.key(chosen, "stages"), (len(labels), len(labels)))
    query = cell[0] if cell else len(labels) - 1
    row, chart_labels, edge = study.row(chosen, query), lesson.entries("chart"), None
    token = escape_markdown(charts.shortened(labels[query], 24))
    if isinstance(chosen, Trained):
        length = chosen.loaded.config.length
        edge = query - length + 1 if query >= length else None
        chart_labels |= lesson.entries("chart.trained") | {"edge": lesson.label("edge", length=length)}
        page.heading(lesson.label("row_byte", query=token, position=query))
        what, without_bias, name = "byte", "weight_no_bias", f"trained-{chosen.loaded.config.method}-row-{query}.csv"
    else:
        page.heading(lesson.label("row", query=token))
        what, without_bias, name = "token", "weight_plain", f"attention-row-{query}.csv"
    chart = charts.row(labels, row.weights, row.weights_without_bias, chart_labels, dark=page.dark(), edge=edge)
    page.chart(chart, key="row", alt=lesson.label("weight"), name=name.removesuffix(".csv"))
    columns = {"position": range(len(labels)), what: labels, "content": row.content, "bias": row.bias}
    columns |= {"weight": row.weights, without_bias: row.weights_without_bias}
    table = {lesson.label(key): values for key, values in columns.items() if values is not None}
    page.download_csv(lambda: pd.DataFrame(table), name=name, key="row_csv")


def formula(lesson: Lesson, chosen: Controls, result: Result) -> None:
    """ALiBi's formula with the head's numbers; for another method its own, as the Compare lesson words it."""
    if not result.slopes:
        page.formula(load("compare"), section=f"formula.{result.method.name}")
        return
    m, head_dim, strength = result.slopes[chosen.head - 1], result.method.head_dim, chosen.strength
    section = "formula" if chosen.causal else "formula.symmetric"
    page.formula(
        lesson, section=section, head=chosen.head, head_dim=head_dim, strength=strength, m=m, slope=format_slope(m)
    )


def show(lesson: Lesson) -> None:
    page.prose(lesson, "intro.trained" if is_trained() else "intro.made")
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    chosen_result = figure(lesson)
    if chosen_result is None:
        return
    chosen, result = chosen_result
    one_row(lesson, chosen)
    findings.show(lesson, chosen, result)
    formula(lesson, chosen, result)
    page.code(*((trained.inputs, trace_attention) if isinstance(chosen, Trained) else (trace_attention, study.inputs)))
    page.sources(lesson, heads=REPLIT.heads, kv_heads=REPLIT.kv_heads)


show(page.begin("attention", controls.PARAMS))
