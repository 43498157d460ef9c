"""The ten scenes of the story: each draws one picture, has at most one control, and returns the facts of its note."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.lines import on_log_axis
from alibi_viz.content.synthetic import count_parameters
from alibi_viz.lessons import Lesson, load
from alibi_viz.positions.alibi import slopes as alibi_slopes
from alibi_viz.results import measured, trained
from alibi_viz.ui import page, predict, predictions
from alibi_viz.ui.components.matrix_view import (
    Axis,
    Colours,
    Mark,
    Model,
    Panel,
    Readout,
    Strength,
    matrix_view,
)
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_number
from alibi_viz.ui.shell import navigation
from pages.story import charts, controls, study
from pages.story.facts import (
    TRAINED,
    Square,
    Unseen,
    beyond,
    difference_of,
    shifts_of,
    slope_of,
    slopes_of,
    windows_of,
)
from pages.story.study import SHOWN

TOKENS = 24  # of the penalty's picture
WEIGHT = Colours("weight", (0.0, 1.0), "sqrt")
LESSONS = ("slopes", "attention", "compare", "extrapolation", "early_token_curse", "today")


def order(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    return _orders(lesson, picture, causal=False)


def mask(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    return _orders(lesson, picture, causal=True)


def _orders(lesson: Lesson, picture: DeltaGenerator, *, causal: bool) -> object:
    """Weights of one sentence in two orders, and their difference, word by word."""
    first, second = (lesson.label(name).split() for name in ("first", "second"))
    result = study.orders(first, second, causal=causal)
    edge = Colours("content", (-1.0, 1.0))
    panels = [
        Panel(" ".join(first), result.first, WEIGHT, key="a"),
        Panel(" ".join(second), result.second, WEIGHT, lesson.label("reordered"), key="b"),
        Panel(lesson.label("difference"), result.change, edge, key="delta"),
    ]
    rows, cols = (Axis(labels=tuple(first), name=lesson.label(side)) for side in ("query", "key"))
    readout = Readout(*(lesson.text(f"readout.{cell}") for cell in ("allowed", "masked", "empty")))
    name, facts = "mask" if causal else "order", difference_of(result)
    alt = lesson.plain(f"{name}.note", facts)
    with picture:
        options: Any = {"readout": readout, "size": "stage", "alt": alt, "filename": f"story_{name}"}
        matrix_view(panels, key=f"story_{name}", rows=rows, cols=cols, **options)
    return facts


def penalty(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """One slope by hand: the bias, and the weights of equal content."""
    with side:
        slope = widgets.drag(controls.STEEP, lesson, channel="story")
    result = study.penalty(slope, TOKENS)
    model = Model(None, 1.0, strength=slope, total=TOKENS)
    panels = [
        Panel(lesson.label("bias"), result.bias, Colours("bias", (-10.0, 0.0)), model=model, stage="bias"),
        Panel(lesson.label("weights"), result.weights, WEIGHT, model=model, stage="weights"),
    ]
    readout = Readout(*(lesson.text(f"readout.penalty.{cell}") for cell in ("allowed", "masked", "empty")))
    axes = {name: Axis(name=lesson.label(side)) for name, side in (("rows", "query"), ("cols", "key"))}
    facts = slope_of(slope)
    options: Any = {"follows": [Strength("story", slope)], "readout": readout, "size": "stage", **axes}
    with picture:
        alt = lesson.plain("penalty.note", facts)
        matrix_view(panels, key="story_penalty", filename="penalty", alt=alt, **options)
    return facts


def family(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """A slope for each head."""
    with side:
        heads = widgets.drag(controls.HEADS, lesson)
    slopes = alibi_slopes(heads)
    facts = slopes_of(slopes)
    with picture:
        figure = charts.family(slopes, lesson.entries("chart"), dark=page.dark())
        page.chart(figure, key="story_family", alt=lesson.label("alt_family", facts), name="slopes")
    return facts


def matrix(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """The bias at several lengths, with the training square: what it has inside never changes."""
    with side:
        times = int(widgets.choice(controls.TIMES, lesson))
    n, slope = TRAINED * times, 1 / 16
    short, long = study.penalty(slope, TRAINED).bias, study.penalty(slope, n).bias
    seen = np.isfinite(short)
    same = float(np.abs(short[seen] - long[:TRAINED, :TRAINED][seen]).max())
    marks = [Mark(0, 0, TRAINED, TRAINED, lesson.label("mark", length=TRAINED))] if times > 1 else []
    panel = Panel("", long, Colours("bias", (-10.0, 0.0)), model=Model(None, slope, total=n), stage="bias")
    readout = Readout(*(lesson.text(f"readout.penalty.{cell}") for cell in ("allowed", "masked", "empty")))
    axes: Any = {name: Axis(name=lesson.label(side)) for name, side in (("rows", "query"), ("cols", "key"))}
    facts = Square(n, format_number(same))
    options: Any = {"marks": marks, "readout": readout, "size": "stage", "filename": "bias", **axes}
    with picture:
        matrix_view([panel], key="story_matrix", alt=lesson.plain("matrix.note", facts), **options)
    return facts


def softmax(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """Where trained heads attend at L and in a longer text."""
    profiles = study.profiles()
    facts = shifts_of(profiles)
    with picture:
        figure = charts.attended(profiles, lesson.entries("chart"), TITLES, dark=page.dark())
        page.chart(figure, key="story_softmax", alt=lesson.label("alt_softmax", facts), name="attended")
    return facts


def question(lesson: Lesson) -> predictions.Order:
    """In which order the methods break (in a room: which one first); the shipped runs answer."""
    breaks = study.breaks()
    ranks = [breaks[method] for method in SHOWN]
    right = [number for number, rank in enumerate(ranks) if rank == min(ranks)]
    names, length = [TITLES[method] for method in SHOWN], measured.shipped()[0].config.length
    return predictions.Order(lesson, names, right, ranks=ranks, begins=length)


def prediction(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """The question; its picture is the one of the next scene, covered beyond L until it is answered."""
    asks = question(lesson)
    with side:
        predict.ask(asks)
    return _measured(lesson, picture, asks)


def result(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """Measured: the loss above that at L."""
    return _measured(lesson, picture)


def _measured(lesson: Lesson, picture: DeltaGenerator, asks: predict.Question | None = None) -> object:
    labels = lesson.entries("chart") | {"x": lesson.entry("chart", "window"), "y": lesson.entry("chart", "rise")}
    lines, facts = study.lines("nonoverlapping", SHOWN, rise=True), beyond()
    with picture:
        figure = on_log_axis(lines, labels, dark=page.dark(), height=None, log_y=False, at=facts.length)
        page.chart(figure, key="story_result", alt=lesson.label("alt_result", facts), name="beyond-L", asks=asks)
    return facts


def limitation(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """ALiBi with each kind of windows: most of the gain is relief at their beginnings."""
    with side:
        protocol = widgets.choice(controls.PROTOCOL, lesson)
    labels = lesson.entries("chart") | {"x": lesson.entry("chart", "window"), "y": lesson.entry("chart", "perplexity")}
    both = study.alibi_lines()
    facts, chosen = windows_of(both), both["sliding" if protocol == "sliding" else "nonoverlapping"]
    with picture:
        one_scale: Any = {"hold": list(both.values()), "height": None, "log_y": False}
        figure = on_log_axis([chosen], labels, dark=page.dark(), **one_scale)
        page.chart(figure, key="story_limit", alt=lesson.label("alt_limit", facts), name="early-token-curse")
    return facts


def yours(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """What each method adds to a model, and where to go from here."""
    with picture:
        rows = [row for method in ("none", *study.COSTS) if (row := _cost(lesson, method))]
        st.dataframe(pd.DataFrame(rows, columns=list(lesson.entries("costs").values())), hide_index=True)
    with side:
        for name in LESSONS:
            navigation.link(name, load(name).text("title"))
    return beyond()


def _cost(lesson: Lesson, method: str) -> tuple[str, str, str, str] | None:
    """Counted on the shipped model of a method; None if it is not there."""
    loaded = trained.load(method)
    if loaded is None:
        return None
    position = loaded.model.position
    ends = lesson.label("ends" if loaded.max_bytes < trained.LONGEST else "goes_on")
    return TITLES[method], lesson.entry("acts", position.acts_on), f"{count_parameters(position):,}", ends


def worksheet() -> tuple[object, ...]:
    """What it asks of all scenes: the shipped runs at L and beyond, and two orders of one sentence."""
    first, second = (load("story").label(name).split() for name in ("first", "second"))
    unseen = Unseen(difference_of(study.orders(first, second, causal=False)).difference)
    return unseen, beyond(), windows_of(study.alibi_lines())


SCENES: dict[str, Callable[[Lesson, DeltaGenerator, DeltaGenerator], object]] = {
    "order": order,
    "mask": mask,
    "penalty": penalty,
    "family": family,
    "matrix": matrix,
    "softmax": softmax,
    "predict": prediction,
    "result": result,
    "limitation": limitation,
    "yours": yours,
}
