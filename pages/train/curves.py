"""The curves of the runs: what they draw, what they are, and their numbers for those who do not see them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import pandas as pd
import streamlit as st

from alibi_viz.charts.figure import Chart
from alibi_viz.charts.lines import scatter
from alibi_viz.charts.palette import figure, floats, ink, mark
from alibi_viz.lessons import Lesson, joined
from alibi_viz.lm.runs import Run
from alibi_viz.ui import page
from alibi_viz.ui.format import format_number
from pages.train import study
from pages.train.study import method_title

MARKERS = 9  # on a curve, so that lines can be told apart in grey


def draw(text: Lesson, runs: Sequence[Run], *, shows_loss: bool) -> None:
    """How the models do beyond L, or the loss while they learn. A recorded run stands faint where one of the reader has
    not begun, and behind a finished one."""
    behind = behind_of(runs)
    name = "loss" if shows_loss else "recall" if runs[0].config.is_recall else "beyond"
    origin = source(text, runs, behind, shows_loss=shows_loss)
    with st.container(key="train_source"):
        st.caption(origin)
    measured = [run for run in runs if len(study.results(run).values)]
    numbers = [numbers_of(run) for run in measured or filter(None, behind)] or [text.label("empty")]
    alt = joined((joined(filter(None, (text.label(name), origin)), "stop"), *numbers), "sentences")
    st.session_state[page.NOTE] = alt
    drawn = tuple(study.Drawn.of(run, shows_loss=shows_loss) for run in runs)
    page.chart(picture, text, name, drawn, key="train_picture", alt=alt, name=f"training-{name}")


def behind_of(runs: Sequence[Run]) -> list[Run | None]:
    """Of each run that has not begun, or is finished, the recorded one like it."""
    return [study.nearest(run.config) if run.status in ("new", "finished") else None for run in runs]


def picture(text: Lesson, name: str, drawn: tuple[study.Drawn, ...]) -> Chart:
    """The curves of the runs, and behind finished ones those of recorded runs, on axes that do not follow them."""
    runs, labels, dark = [each.run for each in drawn], text.entries("chart"), page.dark()
    config, line_of = runs[0].config, study.loss_line if name == "loss" else study.result_line
    x: study.Axis = {"title": labels["step"], "range": [0, config.steps]}
    y: study.Axis = {"title": labels["loss"], "range": [0, 7]}
    if name != "loss":
        x, y = study.length_axes(labels, runs)
    behind = behind_of(runs)
    lines = [replace(line_of(run), faint=True) for run in behind if run] + [line_of(run) for run in runs]
    if name == "recall":
        lines = [replace(line, y=100 * line.y) for line in lines]  # in percent
    hover = text.entry("readout", name, family="%{fullData.name}", x="%{x:,}", y="%{y:,.4~r}") + "<extra></extra>"
    fig = figure(dark)
    for line in lines:
        fig.add(scatter(line, dark, hover, markers=MARKERS, showlegend=not line.faint))
        if not len(line.x):  # a trace without a point has no entry in the legend, which would move the picture later
            fig.data[-1].update(x=floats([math.nan]), y=floats([math.nan]))
    fig.x_axis(**x)
    fig.y_axis(**y)
    fig.lay_out(margin={"t": 8})
    if name != "loss":
        mark(fig, "x", config.length, labels["trained"], dark, log=True)
    if not any(len(line.x) for line in lines):
        middle = {"x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper", "showarrow": False}
        fig.annotate(text=text.label("empty"), font={"size": 15, "color": ink(dark).faint}, **middle)
    return fig


def source(text: Lesson, runs: Sequence[Run], behind: Sequence[Run | None], *, shows_loss: bool) -> str:
    """What the curves are: a sample during training, a quick test, the full tests; and what the faint ones are."""
    sentences, measured = [], [result for run in runs if len((result := study.results(run)).values)]
    if measured and not shows_loss:
        stage = min((result.stage for result in measured), key=get_args(study.Stage).index)
        is_done = stage == "full" and all(run.status == "finished" for run in runs)
        step = max((entry["step"] for run in runs for entry in run.interim_evaluations), default=0)
        name = "finished" if is_done else stage
        kind = "_recall" if runs[0].config.is_recall and stage == "full" else ""
        sentences.append(text.entry("source", f"{name}{kind}", step=step))
    if recorded := next((run.config for run in behind if run), None):
        sentences.append(text.entry("source", "recorded", length=recorded.length, steps=recorded.steps))
    return joined(sentences, "sentences") if sentences else ""


def numbers_of(run: Run) -> str:
    """What one run gave, for those who do not see the picture."""
    result = study.results(run)
    pairs = zip(result.lengths, result.values, strict=True)
    numbers = joined(
        joined((f"{length:,.0f}", number(value, run.config.is_recall)), "colon") for length, value in pairs
    )
    return f"{method_title(run.config)} {numbers}."


def number(value: float | None, is_recall: bool) -> str:
    """A perplexity, or for recall a share of right answers."""
    if value is None:
        return "–"
    return f"{value:.0%}" if is_recall else f"{value:.2f}" if value < 100 else format_number(value)


def table(text: Lesson, runs: Sequence[Run]) -> pd.DataFrame:
    """Both charts' points, run by run."""
    lines = [
        (text.label(key), line_of(run))
        for run in runs
        for key, line_of in (("loss", study.loss_line), ("beyond", study.result_line))
    ]
    headers = text.entries("file").values()
    tables = [pd.DataFrame(dict(zip(headers, (line.name, name, line.x, line.y), strict=True))) for name, line in lines]
    return pd.concat(tables, ignore_index=True)
