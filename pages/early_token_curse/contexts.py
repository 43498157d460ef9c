"""How far each model really looks: the loss of the same predictions from 1, 2, 4, ... bytes of context.

Loss by position mixes two things, and falls within a few bytes for every model. Here each prediction is made again from its
last bytes alone, so a byte that is out of reach cannot help.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from alibi_viz import measured
from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson
from alibi_viz.measured import Measured
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import MINUS

ENOUGH = 0.02  # nats per byte above the loss at L: the rest of the context brings less than this


@dataclass(frozen=True)
class Reach:
    """The loss of one method from each context. Arrays are [contexts]."""

    method: str
    contexts: np.ndarray  # bytes
    loss: np.ndarray  # mean of the seeds, nats per byte
    low: np.ndarray
    high: np.ndarray
    at_length: float  # loss from L bytes
    needed: int  # the smallest context from which the loss is at most ENOUGH above that from L bytes
    beyond: float | None  # change of the loss from L bytes to the longest context; None: not beyond L


def reaches(runs: Iterable[Measured]) -> list[Reach]:
    """One entry a method, in the order of the runs; runs without such measurements are left out."""
    groups: dict[str, list[Measured]] = {}
    for run in runs:
        if run.contexts:
            groups.setdefault(run.config.method, []).append(run)
    return [_reach(group) for group in groups.values()]


def _reach(runs: list[Measured]) -> Reach:
    losses = np.array([[loss for _, loss in run.contexts] for run in runs])  # [seeds, contexts]
    contexts, mean = np.array([context for context, _ in runs[0].contexts]), losses.mean(0)
    train_length = runs[0].config.length
    at_length = float(mean[contexts == train_length][0])
    needed = int(contexts[np.argmax(mean <= at_length + ENOUGH)])
    beyond = float(mean[-1]) - at_length if contexts[-1] > train_length else None
    return Reach(runs[0].config.method, contexts, mean, losses.min(0), losses.max(0), at_length, needed, beyond)


def show(lesson: Lesson) -> None:
    """The chart, and how much context each model needs."""
    page.heading(lesson.label("contexts"))
    runs = measured.shipped()
    found, train_length = reaches(runs), runs[0].config.length
    lines = [Line(r.method, TITLES[r.method], r.contexts, r.loss, r.low, r.high) for r in found]
    entries = lesson.entries("chart")
    labels = {"x": entries["cut"], "y": entries["loss"], "hover": entries["hover_cut"], "at": entries["train_length"]}
    inside = max(float(reach.loss[reach.contexts <= train_length].max()) for reach in found)
    figure = on_log_axis(lines, labels, dark=page.dark(), log_y=False, at=train_length, most=inside, height=420)
    page.chart(figure, key="contexts", alt=lesson.label("contexts"), name="loss-by-context")
    rows = [
        {"method": line.name, "context_bytes": line.x, "loss": line.y, "low": line.span[0], "high": line.span[1]}
        for line in lines
    ]
    page.download_rows(lesson, rows, name="loss-by-context", key="contexts_csv")
    needed = sorted(found, key=lambda reach: reach.needed)
    numbers: dict[str, Any] = {"enough": ENOUGH, "train_length": train_length, "most": found[0].contexts[-1]}
    numbers["needed"] = ", ".join(f"{TITLES[reach.method]} {reach.needed}" for reach in needed)
    beyond = sorted((reach.beyond, TITLES[reach.method]) for reach in found if reach.beyond is not None)
    numbers["beyond"] = ", ".join(f"{title} {change:+.3f}".replace("-", MINUS) for change, title in beyond)
    above = [TITLES[reach.method] for reach in found if reach.loss[-1] > inside]
    if above:
        st.caption(lesson.text("contexts.above", names=", ".join(above)))
    page.prose(lesson, "contexts", **numbers)
