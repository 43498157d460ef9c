"""The Attention page's matrices: the study's numbers into panels that preview while the strength is dragged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Axis, Event, Mark, Model, Panel, Readout, matrix_view
from alibi_viz.ui.components.matrix_view.message import Quantity, Scale, Stage
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import escape_markdown, format_number, format_slope
from pages.attention import charts as charts
from pages.attention import study as study

CHANNEL = "strength"
#: Stage, quantity, ends of the colour scale, scale. Fixed, so that a drag changes the picture and not its meaning.
STAGES: tuple[tuple[Stage, Quantity, tuple[float, float], Scale], ...] = (
    ("content", "content", (-8.0, 8.0), "linear"),
    ("bias", "bias", (-10.0, 0.0), "linear"),
    ("masked", "scores", (-8.0, 8.0), "linear"),
    ("weights", "weight", (0.0, 1.0), "sqrt"),
)


def stages(lesson: Lesson, controls: study.Controls, result: study.Result, cached: int) -> Event:
    """The four stages of the chosen head, with one cursor."""
    shown = result.stages
    made = (shown.content, shown.bias, shown.scores, study.hatched(shown.weights, shown.scores))
    panels = [
        Panel(
            lesson.label(f"panel_{stage}"),
            values,
            quantity,
            ends,
            model=0,
            stage=stage,
            key=stage,
            scale=scale,
        )
        for (stage, quantity, ends, scale), values in zip(STAGES, made, strict=True)
    ]
    count = len(controls.tokens)
    mark = [Mark(0, 0, cached, cached, lesson.label("generated", count=cached))] if cached < count else []
    parts = ("allowed", "masked", "empty", "ahead")
    return matrix_view(
        panels,
        key="attention_stages",
        rows=_axis(controls, result, lesson.label("query")),
        cols=_axis(controls, result, lesson.label("key")),
        models=[_model(controls, result, controls.head - 1)],
        marks=mark,
        readout=Readout(**{part: lesson.text(f"readout.{part}") for part in parts}),
        channel=CHANNEL if result.step == 1 else None,  # a pooled square has no preview that PyTorch would confirm
        value=controls.strength,
        filename=f"attention-head-{controls.head}",
        on_change=rerun.request,
    )


def thumbnails(lesson: Lesson, controls: study.Controls, result: study.Result) -> Event:
    """The weights of every head; a click opens that head."""
    quantity, ends, scale = STAGES[3][1:]
    panels = [
        Panel(
            lesson.label("thumb", head=head + 1, slope=format_slope(slope)),
            study.hatched(values, result.stages.scores),
            quantity,
            ends,
            model=head if result.contents else None,
            stage="weights",
            key="weights",
            scale=scale,
            size="thumb",
        )
        for head, (values, slope) in enumerate(zip(result.thumbs, result.slopes, strict=True))
    ]
    return matrix_view(
        panels,
        key="attention_heads",
        rows=_axis(controls, result, lesson.label("query"), labels=False),
        cols=_axis(controls, result, lesson.label("key"), labels=False),
        models=[_model(controls, result, head) for head in range(controls.heads)] if result.contents else [],
        channel=CHANNEL if result.step == 1 else None,
        value=controls.strength,
        mode="pick",
        picked=controls.head - 1,
        filename=f"attention-{controls.heads}-heads",
        on_change=lambda: follow_pick("attention_heads"),
    )


def _axis(controls: study.Controls, result: study.Result, name: str, labels: bool = True) -> Axis:
    count = math.ceil(len(controls.tokens) / result.step)
    tokens = controls.tokens if labels else None
    return Axis(0, result.step, count, labels=tokens if result.step == 1 else None, names=tokens, name=name)


def _model(controls: study.Controls, result: study.Result, head: int) -> Model:
    """One head's arithmetic for the browser: for previews, and for the exact number of every cell."""
    content: np.ndarray | tuple[np.ndarray, np.ndarray, float]
    content = result.contents[head] if result.contents else (result.q, result.k, 1 / math.sqrt(controls.head_dim))
    return Model(
        content=content,
        slope=result.slopes[head],
        form="causal" if controls.causal else "symmetric",
        strength=controls.strength,
        causal=controls.causal,
        logsum=result.logsum if head == controls.head - 1 else None,
        total=len(controls.tokens),
    )


def follow_pick(key: str) -> None:
    """A thumbnail of the matrix view `key` was chosen: it becomes the page's head."""
    chosen = st.session_state[key].get("picked")
    if isinstance(chosen, int) and 0 <= chosen < 128:
        st.session_state["head"] = chosen + 1
        rerun.request()


def one_row(lesson: Lesson, chosen: study.Controls, query: int) -> None:
    """The weights of one query as bars."""
    row = study.row(chosen, query)
    name = escape_markdown(charts.shortened(chosen.tokens[query], 24))
    page.heading(lesson.label("row", query=name))
    figure = charts.row(chosen.tokens, row.weights, row.plain, lesson.entries("chart"), dark=page.dark())
    page.chart(figure, key="row", alt=lesson.label("weight"), name=f"attention-row-{query}")
    names = ("content", "bias", "weight", "weight_plain")
    columns = dict(zip(names, (row.content, row.bias, row.weights, row.plain), strict=True))
    page.download(
        lambda: row_csv(lesson, "token", chosen.tokens, columns), name=f"attention-row-{query}.csv", key="row_csv"
    )


def row_csv(lesson: Lesson, what: str, tokens: Sequence[str], columns: Mapping[str, np.ndarray]) -> str:
    """One query and all its keys, one column for each array; the names are labels. A masked key has the weight 0."""
    header = [lesson.label(key) for key in ("place", what, *columns)]
    rows = zip(range(len(tokens)), tokens, *(x.tolist() for x in columns.values()), strict=True)
    return page.csv_text(header, rows)


def explain(lesson: Lesson, chosen: study.Controls, result: study.Result, count: int) -> None:
    """“What you see”, with the last query's numbers, and the checks."""
    last = len(chosen.tokens) - 1
    row, window = study.row(chosen, last), min(4, last + 1)
    slope = format_slope(result.slopes[chosen.head - 1])
    near, plain = (f"{100 * float(x[-window:].sum()):.0f}%" for x in (row.weights, row.plain))
    size = f"{last + 1:,}"
    names: dict[str, object] = {"tokens": size, "head": chosen.head, "heads": chosen.heads, "window": window}
    query = escape_markdown(charts.shortened(chosen.tokens[last], 24))
    page.what_you_see(lesson, "seen.base", **names, slope=slope, query=query, near=near, near_plain=plain)
    if chosen.strength == 0 and chosen.content == "equal":
        page.prose(lesson, "seen.off")
    if not result.exact:
        page.prose(lesson, "seen.approximate", head_dim=chosen.head_dim)
    checks: dict[str, object] = {
        "cache": format_number(study.cached_difference(chosen, count)),
        "fused": format_number(study.fused_difference(chosen)),
        "which": lesson.text(f"which.{'all' if last < study.ALL_HEADS_UP_TO else 'one'}", head=chosen.head),
    }
    page.prose(lesson, "seen.checks", count=f"{count:,}", **checks)
