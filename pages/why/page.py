"""Why it breaks: the loss at each position of a long window; far keys hidden, heads taken away, positions stretched."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import exp, floor
from typing import Any, get_args

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.lines import Line, names_at_end, scatter
from alibi_viz.charts.palette import figure, mark
from alibi_viz.lessons import Lesson
from alibi_viz.pictures.hands.message import Value
from alibi_viz.positions import METHODS
from alibi_viz.results import facts, table
from alibi_viz.results.pretrained import MAIN
from alibi_viz.results.pretrained import METHODS as MEASURED
from alibi_viz.ui import lesson, page
from alibi_viz.ui.controls.content import TRAINED_MODEL
from alibi_viz.ui.format import format_slope
from alibi_viz.ui.shell import navigation
from pages.why import study
from pages.why.study import Course, PositionLoss

TITLES = {method: METHODS[method].title for method in MEASURED}
WINDOWS = ("128", "256", "512", "1024", "2048")
ALL = ",".join(MAIN)
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "plain": {"ext_methods": ALL, "ext_window": "512"},
    "rivals": {"ext_methods": "alibi,rope,t5", "ext_window": "2048"},
    "near": {"ext_methods": "rope,sinusoidal", "ext_window": "256"},
    "inside": {"ext_methods": ALL, "ext_window": "128"},
}
MARKERS = 9  # on a line
LEAST = 1e-4  # nats: less is drawn here, on a logarithmic axis
LATEX = r"$$\text{loss}(n) = -\ln p(x_{n+1} \mid x_1 \dots x_n), \qquad e^{%.2f} = %.2f$$"


def main() -> None:
    known, length = facts.load("why"), facts.load("extrapolation")["length"]
    text = lesson.begin("why", {"length": length})
    picture, side = lesson.stage()
    with side:
        window = int(lesson.choice(text, "ext_window", WINDOWS, "512"))
        methods = lesson.several(text, "ext_methods", TITLES, MAIN)
        lesson.presets(text, PRESET_VALUES)
    losses = study.by_position(methods, window, length)
    missing = [method for method in methods if method not in [loss.line.method for loss in losses]]
    left_out = text.entry("courses", "missing", listed=facts.listed(missing))
    with picture:
        lesson.say_problems(text, *([] if losses else [left_out]))
        if losses:
            lesson.note(note(text, losses, window, length))
            changes = ", ".join(f"{loss.line.name} {loss.before:.2f} → {loss.last:.2f}" for loss in losses)
            alt = text.label("alt", length=window, changes=changes)
            page.chart(positions(text, losses, window, length), key="positions", alt=alt, name=f"by-position-{window}")
    numbers = known["hidden"] | {"change": study.CHANGE, "t5_at": known["t5"]["at_1"], "t5_far": known["t5"]["at_4"]}
    said = courses(text, losses) if window > length else []
    said += [left_out] if losses and missing else []
    seen = [" ".join(said)] if said else []
    latex = [LATEX % (losses[0].before, exp(losses[0].before))] if losses else []
    name = losses[0].line.name if losses else "–"
    formula = text.text("formula", {"name": name, "length": length})
    lesson.seen_and_formula([*seen, text.text("hidden", numbers)], [*latex, formula])
    sections = {
        "heads": partial(heads, text, known["heads"], length),
        "stretched": partial(stretched, text, known["stretched"], length),
        "depth": partial(depth, text, known["depth"], length),
    }
    lesson.sections(text, sections, study.course, table.by_position)
    lesson.end(text)


def note(text: Lesson, losses: Sequence[PositionLoss], window: int, length: int) -> str:
    """Who changes most just after L, and who least."""
    if window <= length:
        return text.text("note_inside")
    most = max(losses, key=lambda loss: loss.after - loss.before)
    least = min(losses, key=lambda loss: abs(loss.last - loss.before))
    numbers = {"most": most.line.name, "before": most.before, "after": most.after, "least": least.line.name}
    numbers |= {"least_before": least.before, "least_last": least.last, "change": study.CHANGE}
    return text.text("note" if most.after - most.before > study.CHANGE else "note_flat", numbers)


def courses(text: Lesson, losses: Sequence[PositionLoss]) -> list[str]:
    """Who rises right after L, who later, and who does not."""
    said = []
    for course in get_args(Course):
        those = [loss for loss in losses if loss.course == course]
        ends = [(loss.line.name, loss.before, loss.after if course == "jump" else loss.last) for loss in those]
        if ends:
            listed = ", ".join(f"{name} {before:.2f} → {after:.2f}" for name, before, after in ends)
            said.append(text.entry("courses", course, listed=listed))
    return said


def positions(text: Lesson, losses: Sequence[PositionLoss], window: int, length: int) -> go.Figure:
    """Loss against the position in a window, with L marked; names stand at the right end."""
    labels, dark, lines = text.entries("chart"), page.dark(), [loss.line for loss in losses]
    fig = figure(dark)
    fig.add_traces([scatter(line, dark, labels["hover_position"], markers=MARKERS, showlegend=False) for line in lines])
    every = np.concatenate([line.y for line in lines])
    span = (floor(10 * (float(every.min()) - 0.05)) / 10, float(every.max()) + 0.15)
    fig.update_yaxes(title_text=labels["loss"], range=list(span))
    fig.update_xaxes(title_text=labels["position"], range=[0, window])
    mark(fig, "x", length, text.entry("chart", "train_length", length=length), dark)
    names_at_end(fig, lines, span, dark, log=False)
    fig.update_layout(margin={"r": 96, "t": 12})
    return fig


def heads(text: Lesson, known: dict[str, Any], length: int) -> None:
    """Far keys hidden, and one head taken away."""
    lesson.curves(text, study.hidden(length), "hidden", "loss", "why-hidden")
    lesson.prose(text.text("keys"))
    costs, labels, dark = study.without_heads(length), text.entries("chart"), page.dark()
    fig = figure(dark, 320)
    for method, values in costs.items():
        layers, count = values.shape
        x = np.concatenate([layer * (count + 1) + np.arange(1, count + 1) for layer in range(layers)])
        line = Line(method, TITLES[method], x, values.ravel().clip(min=LEAST))
        fig.add_trace(scatter(line, dark, "%{x}: %{y:.3f}", mode="markers"))
    names = [str(head) for _ in range(layers) for head in range(1, count + 1)]
    fig.update_xaxes(title_text=labels["head"], showgrid=False, tickvals=x.tolist(), ticktext=names)
    fig.update_yaxes(type="log", title_text=labels["rise"])
    numbers = known | {"slope": format_slope(known["slope"])}
    page.chart(fig, key="ablated", alt=text.label("alt_ablated", numbers), name="why-ablated")
    lesson.prose(text.text("ablated", numbers))
    query = {"content": TRAINED_MODEL, "model": "rope", "layer": "2", "strength": "1"}
    navigation.link("attention", text.label("attention"), query)


def stretched(text: Lesson, known: dict[str, Any], length: int) -> None:
    """RoPE's scalings and flatter slopes, without further training."""
    ways = text.entries("ways")
    lines = [
        replace(line, name=f"{TITLES[method]}, {ways[way.replace(' ', '_')]}")
        for (method, way), line in study.stretched().items()
    ]
    lesson.curves(text, lines, "times", "loss", "why-stretched")
    rope, alibi = known["rope"], known["alibi"]
    best = {
        f"best_{at[3:]}": ", ".join(
            f"{ways[way]} {loss:.2f}"
            for loss, way in sorted((losses[at], way) for way, losses in rope.items() if way != "trained")
        )
        for at in ("at_4", "at_16")
    }
    numbers = best | {"length": length, "rope": rope["trained"], "alibi": alibi["trained"]}
    numbers |= {"flat": alibi["interpolated"], "gentle": alibi["gentle half"]}
    lesson.prose(text.text("stretched", numbers))


def depth(text: Lesson, known: dict[str, Any], length: int) -> None:
    """No positions at all, with more layers."""
    lines = [
        replace(line, name=text.entry("chart", "layers", layers=layers), hollow=layers > 2)
        for layers, line in study.depth().items()
    ]
    lesson.curves(text, lines, "length", "loss", "why-depth")
    numbers = {
        where: ", ".join(
            f"{text.entry('chart', 'layers', layers=layers)}: {loss:.2f}" for layers, loss in known[where].items()
        )
        for where in ("at", "far")
    }
    lesson.prose(text.text("depth", numbers | {"alibi": known["alibi"]}))


if __name__ == "__main__":
    main()
