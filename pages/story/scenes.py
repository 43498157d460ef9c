"""The ten scenes of the story: each draws one picture, has at most one control, and returns the numbers of its note."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.content.synthetic import count_parameters
from alibi_viz.lessons import Lesson, load
from alibi_viz.positions.alibi import half_weight_distance
from alibi_viz.positions.alibi import slopes as alibi_slopes
from alibi_viz.results import measured, pretrained, trained
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
from alibi_viz.ui.format import format_number, format_slope
from alibi_viz.ui.shell import navigation
from pages.story import charts, controls, study

Numbers = dict[str, Any]
TOKENS = 24  # of the penalty's picture
TRAINED = 64  # tokens of the training square
SHOWN = ("sinusoidal", "rope", "t5", "alibi")  # the paper's four methods
WEIGHT = Colours("weight", (0.0, 1.0), "sqrt")
LESSONS = ("slopes", "attention", "compare", "extrapolation", "early_token_curse", "today")


def order(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
    return _orders(lesson, picture, causal=False)


def mask(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
    return _orders(lesson, picture, causal=True)


def _orders(lesson: Lesson, picture: DeltaGenerator, *, causal: bool) -> Numbers:
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
    name, numbers = "mask" if causal else "order", {"difference": format_number(result.difference)}
    alt = lesson.plain(f"{name}.note", **numbers)
    with picture:
        options: Any = {"readout": readout, "size": "stage", "alt": alt, "filename": f"story_{name}"}
        matrix_view(panels, key=f"story_{name}", rows=rows, cols=cols, **options)
    return numbers


def penalty(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
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
    half = half_weight_distance(slope) if slope else np.inf
    numbers = {"slope": format_number(slope), "half": format_number(half), "ten": format_number(10 * slope)}
    options: Any = {"follows": [Strength("story", slope)], "readout": readout, "size": "stage", **axes}
    with picture:
        alt = lesson.plain("penalty.note", **numbers)
        matrix_view(panels, key="story_penalty", filename="penalty", alt=alt, **options)
    return numbers


def family(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
    """A slope for each head."""
    with side:
        heads = widgets.drag(controls.HEADS, lesson)
    slopes, labels = alibi_slopes(heads), lesson.entries("chart")
    ends = {"steepest": format_slope(max(slopes)), "gentlest": format_slope(min(slopes)), "heads": heads}
    ends |= {"half": format_number(half_weight_distance(max(slopes)))}
    ends |= {"far": format_number(half_weight_distance(min(slopes)))}
    with picture:
        figure = charts.family(slopes, labels, dark=page.dark())
        page.chart(figure, key="story_family", alt=lesson.label("alt_family", **ends), name="slopes")
    return ends


def matrix(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
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
    numbers: Numbers = {"n": n, "trained": TRAINED, "same": format_number(same)}
    options: Any = {"marks": marks, "readout": readout, "size": "stage", "filename": "bias", **axes}
    with picture:
        matrix_view([panel], key="story_matrix", alt=lesson.plain("matrix.note", **numbers), **options)
    return numbers


def softmax(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
    """Where trained heads attend at L and in a longer text."""
    profiles = study.profiles()
    shifts = {profile.method: profile.shift for profile in profiles}
    numbers: Numbers = {f"{method}_shift": shift for method, shift in shifts.items()}
    numbers |= {f"{profile.method}_near": profile.near for profile in profiles}
    numbers |= {"times": study.TIMES, "queries": study.QUERIES, "seed": pretrained.SEEDS[0]}
    with picture:
        figure = charts.attended(profiles, lesson.entries("chart"), TITLES, dark=page.dark())
        page.chart(figure, key="story_softmax", alt=lesson.label("alt_softmax", **numbers), name="attended")
    return numbers


def _breaks() -> dict[str, float]:
    """Method -> the first measured window, in training lengths, where it breaks (see measured.WORSE); infinite: none."""
    first = {}
    for curve in measured.curves(measured.shipped()):
        if curve.config.method in SHOWN and curve.rise is not None:
            rise = curve.rise.mean(1)
            broken = curve.lengths[(rise > measured.WORSE) & (curve.lengths > curve.config.length)]
            first[curve.config.method] = float(broken[0]) / curve.config.length if len(broken) else np.inf
    return first


def question(lesson: Lesson) -> predictions.Order:
    """In which order the methods break (in a room: which one first); the shipped runs answer."""
    breaks = _breaks()
    ranks = [breaks[method] for method in SHOWN]
    right = [number for number, rank in enumerate(ranks) if rank == min(ranks)]
    names, length = [TITLES[method] for method in SHOWN], measured.shipped()[0].config.length
    return predictions.Order(lesson, names, right, ranks=ranks, begins=length)


def _lines(protocol: measured.Protocol, methods: tuple[str, ...], *, rise: bool) -> list[Line]:
    """Curves of the shipped runs from L on: loss above that at L, or perplexity."""
    lines = []
    for curve in measured.curves(measured.shipped(), protocol):
        if curve.config.method in methods:
            keep = curve.lengths >= curve.config.length
            values = curve.rise if rise else curve.per_seed
            if values is not None:
                of_seeds = values[keep]
                spread = of_seeds.mean(1), of_seeds.min(1), of_seeds.max(1)
                lines.append(Line(curve.config.method, TITLES[curve.config.method], curve.lengths[keep], *spread))
    return lines


def prediction(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
    """The question; its picture is the one of the next scene, covered beyond L until it is answered."""
    asks = question(lesson)
    with side:
        predict.ask(asks)
    return _measured(lesson, picture, asks)


def result(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
    """Measured: the loss above that at L."""
    return _measured(lesson, picture)


def _measured(lesson: Lesson, picture: DeltaGenerator, asks: predict.Question | None = None) -> Numbers:
    labels = lesson.entries("chart") | {"x": lesson.entry("chart", "window"), "y": lesson.entry("chart", "rise")}
    lines, numbers = _lines("nonoverlapping", SHOWN, rise=True), _beyond()
    with picture:
        figure = on_log_axis(lines, labels, dark=page.dark(), height=None, log_y=False, at=numbers["length"])
        page.chart(figure, key="story_result", alt=lesson.label("alt_result", **numbers), name="beyond-L", asks=asks)
    return numbers


def _beyond() -> Numbers:
    """Which methods break, and where."""
    lines, breaks = _lines("nonoverlapping", SHOWN, rise=True), _breaks()
    length = measured.shipped()[0].config.length
    order = sorted(breaks, key=lambda method: breaks[method])
    listed = [f"{TITLES[m]} ({breaks[m]:g} L)" for m in order if np.isfinite(breaks[m])]
    never = [TITLES[m] for m in order if not np.isfinite(breaks[m])]
    numbers = {"listed": ", ".join(listed), "never": ", ".join(never), "length": length, "broken": measured.WORSE}
    return numbers | {"seeds": len(pretrained.SEEDS), "longest": int(lines[0].x[-1])}


def limitation(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
    """ALiBi with each kind of windows: most of the gain is relief at their beginnings."""
    with side:
        protocol = widgets.choice(controls.PROTOCOL, lesson)
    labels = lesson.entries("chart") | {"x": lesson.entry("chart", "window"), "y": lesson.entry("chart", "perplexity")}
    numbers, both = _windows()
    chosen = both["sliding" if protocol == "sliding" else "nonoverlapping"]
    with picture:
        one_scale: Any = {"hold": list(both.values()), "height": None, "log_y": False}
        figure = on_log_axis([chosen], labels, dark=page.dark(), **one_scale)
        page.chart(figure, key="story_limit", alt=lesson.label("alt_limit", **numbers), name="early-token-curse")
    return numbers


def _windows() -> tuple[Numbers, dict[measured.Protocol, Line]]:
    """ALiBi's perplexity at L and at the longest window, and the curve, of each kind of windows."""
    both: dict[measured.Protocol, Line] = {kind: _lines(kind, ("alibi",), rise=False)[0] for kind in measured.PROTOCOLS}
    numbers: Numbers = {"length": int(both["sliding"].x[0]), "longest": int(both["sliding"].x[-1])}
    for kind, line in both.items():
        numbers |= {f"{kind}_at": float(line.y[0]), f"{kind}_far": float(line.y[-1])}
    return numbers, both


def yours(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> Numbers:
    """What each method adds to a model, and where to go from here."""
    with picture:
        rows = [row for method in ("none", *study.COSTS) if (row := _cost(lesson, method))]
        st.dataframe(pd.DataFrame(rows, columns=list(lesson.entries("costs").values())), hide_index=True)
    with side:
        for name in LESSONS:
            navigation.link(name, load(name).text("title"))
    return {"length": measured.shipped()[0].config.length}


def _cost(lesson: Lesson, method: str) -> tuple[str, str, str, str] | None:
    """Counted on the shipped model of a method; None if it is not there."""
    loaded = trained.load(method)
    if loaded is None:
        return None
    position = loaded.model.position
    ends = lesson.label("ends" if loaded.max_bytes < trained.LONGEST else "goes_on")
    return TITLES[method], lesson.entry("acts", position.acts_on), f"{count_parameters(position):,}", ends


def summary() -> Numbers:
    """What the worksheet asks of all scenes: the shipped runs at L and beyond."""
    first, second = (load("story").label(name).split() for name in ("first", "second"))
    numbers = {"unseen": format_number(study.orders(first, second, causal=False).difference)}
    return numbers | _beyond() | _windows()[0]


SCENES: dict[str, Callable[[Lesson, DeltaGenerator, DeltaGenerator], Numbers]] = {
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
