"""Attention: the reader's own text through a real attention, without a bias and with it; or in a trained model."""

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.inputs import position_alone
from alibi_viz.checkpoints import checkpoint
from alibi_viz.lessons import Lesson, load
from alibi_viz.results import trained
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import local_model, locked
from alibi_viz.ui.format import escape_markdown, isolated
from alibi_viz.ui.shell import navigation
from pages.attention import charts, controls, findings, pictures, study
from pages.attention.facts import Sources, formula_of
from pages.attention.study import Controls, Local, Result, Synthetic, Trained


@st.fragment
def attention_stage(lesson: Lesson) -> tuple[Controls, Result] | None:
    """How the weights of a head arise, and the controls that they follow. None where there is nothing to show."""
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    with place.picture:
        shown = page.attempt(compute)
        if shown:
            pictures.stages(lesson, *shown, findings.alt(lesson, *shown))
    if shown:
        with place.side:
            findings.note(lesson, *shown)
    return shown


def compute() -> tuple[Controls, Result]:
    """The controls, and what the study makes of them. Raises ValueError for controls that do not fit together."""
    chosen = controls.read()
    return chosen, study.study(chosen)


def heads(lesson: Lesson, chosen: Controls, result: Result) -> None:
    """The weights of every head."""
    of_layer = None if isinstance(chosen, Synthetic) else lesson.label("thumbs_layer", layer=chosen.layer)
    st.markdown(of_layer or lesson.label("thumbs"))
    pictures.thumbnails(lesson, chosen, result)
    if result.thumb_step > 1:
        st.caption(lesson.label("pooled", step=result.thumb_step))


def one_row(lesson: Lesson, chosen: Controls) -> None:
    """The weights of one query as bars: of the locked cell, or of the first query."""
    labels = chosen.labels
    cell = locked.within(range(len(labels)), range(len(labels)))
    query = cell[0] if cell else study.first_query(chosen)
    row, chart_labels, edge = study.row(chosen, query), lesson.entries("chart"), None
    token = escape_markdown(charts.shortened(labels[query], 24))
    if isinstance(chosen, Synthetic):
        st.markdown(lesson.label("row", query=token))
        without_bias, name = "weight_plain", f"attention-row-{query}.csv"
    else:
        length = chosen.train_length
        edge = query - length + 1 if length is not None and query >= length else None
        chart_labels |= lesson.entries("chart.trained") | {"edge": lesson.label("edge", length=length or 0)}
        st.markdown(lesson.label("row_at", query=token, position=query))
        without_bias, name = "weight_no_bias", f"{chosen.name}-row-{query}.csv"
    shown = [isolated(label) for label in labels]
    chart = charts.row(shown, row.weights, row.weights_without_bias, chart_labels, dark=page.dark(), edge=edge)
    best = int(row.weights.argmax())
    alt = lesson.label("alt_row", query=shown[query], best=shown[best], weight=f"{row.weights[best]:.3f}")
    page.chart(chart, key="row", alt=alt, name=name.removesuffix(".csv"))
    columns = {"position": range(len(labels)), "token": labels, "content": row.content, "bias": row.bias}
    columns |= {"weight": row.weights, without_bias: row.weights_without_bias}
    table = {lesson.label(key): values for key, values in columns.items() if values is not None}
    page.download_csv(lambda: pd.DataFrame(table), name=name, key="row_csv")


def formula(lesson: Lesson, chosen: Controls, result: Result) -> None:
    """ALiBi's formula with the head's numbers; for another method its own, as the Compare lesson words it."""
    if not result.slopes:
        page.formula(load("compare"), section=f"formula.{result.method.name}")
        return
    section = "formula" if chosen.causal else "formula.symmetric"
    page.formula(lesson, section=section, facts=formula_of(chosen, result))


def show(lesson: Lesson) -> None:
    shown = attention_stage(lesson)
    controls.show_cut(lesson)
    if shown is None:
        return
    chosen, result = shown
    findings.show(lesson, chosen, result)
    if isinstance(chosen, Local):
        query = {"model_source": "folder", local_model.FOLDER.key: chosen.reading.checkpoint.folder.name}
        navigation.link("models", lesson.label("whole_model"), query)
    formula(lesson, chosen, result)
    closer: dict[str, Callable[[], object]] = {"row": partial(one_row, lesson, chosen)}
    closer["heads"] = partial(heads, lesson, chosen, result)
    if isinstance(chosen, Trained):
        closer["reading"] = partial(findings.reading, lesson, chosen, result)
        pieces: tuple[Callable[..., object], ...] = (trained.inputs, trace_attention)
    elif isinstance(chosen, Local):
        pieces = (checkpoint.inputs, trace_attention, position_alone)
    else:
        closer["cache"] = partial(findings.checks, lesson, chosen)
        pieces = (trace_attention, study.inputs)
    layout.below(lesson, controls.OPEN, closer, *pieces, sources=Sources())


show(page.begin("attention", controls.PARAMS))
