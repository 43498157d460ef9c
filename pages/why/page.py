"""Why it breaks: perplexity at each position of a long window; far keys hidden, heads taken away, positions stretched."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import log10
from typing import Any

import numpy as np

from alibi_viz.charts.figure import Chart, trace
from alibi_viz.charts.lines import Line, log_ticks, names_at_end, scatter
from alibi_viz.charts.palette import color, figure, floats, mark
from alibi_viz.lessons import Lesson, joined, plain
from alibi_viz.pictures.hands.message import Value
from alibi_viz.positions import title_of, titles_of
from alibi_viz.results import table
from alibi_viz.results.facts import joined_titles, load_facts
from alibi_viz.results.pretrained import MAIN
from alibi_viz.results.pretrained import METHODS as MEASURED
from alibi_viz.ui import lesson, page
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.format import format_slope
from alibi_viz.ui.shell import navigation
from pages.why import study
from pages.why.study import ABOVE, BLOCK, Course

WINDOWS = (128, 256, 512, 1024, 2048)
ALL = ",".join(MAIN)
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "plain": {"ext_methods": ALL, "ext_window": "512"},
    "rivals": {"ext_methods": "alibi,rope,t5", "ext_window": "2048"},
    "near": {"ext_methods": "rope,sinusoidal", "ext_window": "256"},
    "inside": {"ext_methods": ALL, "ext_window": "128"},
}
MARKERS = 9  # on a line
RING = 16  # pixels: around the point where a line leaves its level
RISES = (1e-4, 1e-3, 0.01, 0.1, 1, 10)  # ticks; a smaller rise is drawn at the first, on a logarithmic axis
LATEX = (
    r"$$\text{perplexity}(n) = \exp\big(\text{mean of } -\ln p(x_{n+1} \mid x_1 \dots x_n)\big),"
    r"\qquad %.2f \cdot %.2f = %.2f$$"
)


def main() -> None:
    facts, length = load_facts("why"), load_facts("extrapolation")["length"]
    text = lesson.begin("why", {"length": length})
    picture, side = lesson.stage()
    with side:
        controls = ControlPanel(text)
        window = controls.choice("ext_window", WINDOWS, 512)
        methods = controls.multi_choice("ext_methods", titles_of(MEASURED), MAIN)
        controls.widgets()
        controls.presets(PRESET_VALUES)
    courses = study.by_position(methods, window, length)
    missing = [method for method in methods if method not in [course.line.method for course in courses]]
    left_out = text.entry("leaving", "missing", listed=joined_titles(missing))
    with picture:
        lesson.say_problems(text, *([] if courses else [left_out]))
        if courses:
            left = joined(
                text.entry("leaving", "left", method=c.line.name, position=c.position, times=c.position / length)
                for c in leaving(courses)
            )
            kind = "note_inside" if window <= length else "note" if leaving(courses) else "note_flat"
            lesson.note(text.text(kind, {"left": left}))
            alt = plain(text.label("alt", length=window, left=left, stay=staying(courses)))
            inputs = (text, methods, window, length)
            page.chart(positions, *inputs, key="positions", alt=alt, name=f"by-position-{window}")
    said = rule(text, courses) if window > length else []
    said += [left_out] if courses and missing else []
    seen = [joined(said, "sentences")] if said else []
    numbers = facts["hidden"] | {"t5_at": facts["t5"]["at_1"], "t5_far": facts["t5"]["at_4"]}
    formula = []
    if courses:
        first = (leaving(courses) or courses)[0]
        formula = [LATEX % (1 + ABOVE, first.level, (1 + ABOVE) * first.level)]
        formula.append(text.text("formula", {"name": first.line.name, "above": ABOVE}))
    lesson.seen_and_formula([*seen, text.text("hidden", numbers)], formula)
    sections = {
        "heads": partial(heads, text, facts["heads"], length),
        "stretched": partial(stretched, text, facts["stretched"], length),
        "depth": partial(depth, text, facts["depth"], length),
    }
    lesson.sections(text, sections, study.course, table.by_position)
    lesson.end(text)


def leaving(courses: Sequence[Course]) -> list[Course]:
    """Those that leave their level, the first one first."""
    return sorted((course for course in courses if course.leaves is not None), key=lambda course: course.position)


def staying(courses: Sequence[Course]) -> str:
    """The methods that do not leave their level."""
    return joined_titles(course.line.method for course in courses if course.leaves is None)


def rule(text: Lesson, courses: Sequence[Course]) -> list[str]:
    """What a level is, and who leaves it; who does not."""
    changes = [
        text.entry("leaving", "change", method=course.line.name, level=course.level, then=course.then)
        for course in leaving(courses)
    ]
    numbers = {"above": ABOVE, "block": BLOCK, "least": study.LEAST, "listed": joined(changes)}
    said = [text.entry("leaving", "leave", numbers)]
    if len(changes) < len(courses):
        said.append(text.entry("leaving", "stay", listed=staying(courses)))
    return said


def positions(text: Lesson, methods: tuple[str, ...], window: int, length: int) -> Chart:
    """Perplexity against the position in a window, with L marked, and a ring where a line leaves its level; names stand at
    the right end."""
    labels, dark, courses = text.entries("chart"), page.dark(), study.by_position(methods, window, length)
    lines = [course.line for course in courses]
    fig = figure(dark)
    blocks = [f"{first:,}–{first + BLOCK - 1:,}" for first in range(1, window + 1, BLOCK)]
    look: dict[str, Any] = {"markers": MARKERS, "showlegend": False, "text": blocks}
    fig.add(*[scatter(line, dark, labels["hover_position"], **look) for line in lines])
    for course in courses:
        if course.leaves is not None:
            x, y = (floats([values[course.leaves]]) for values in (course.line.x, course.line.y))
            ring = {
                "symbol": "circle-open",
                "size": RING,
                "color": color(course.line.method, dark),
                "line": {"width": 3},
            }
            fig.add(trace("scatter", x=x, y=y, mode="markers", marker=ring, hoverinfo="skip", showlegend=False))
    every = np.concatenate([line.y for line in lines])
    low, high = 0.95 * float(every.min()), 1.1 * float(every.max())
    fig.y_axis(title=labels["perplexity"], type="log", range=[log10(low), log10(high)])
    fig.y_axis(**log_ticks(low, high))
    fig.x_axis(title=labels["position"], range=[0, window])
    mark(fig, "x", length, text.entry("chart", "train_length", length=length), dark)
    names_at_end(fig, lines, (log10(low), log10(high)), dark, log=True)
    fig.lay_out(margin={"r": 96, "t": 12})
    return fig


def heads(text: Lesson, facts: dict[str, Any], length: int) -> None:
    """Far keys hidden, and one head taken away."""
    lesson.curves(text, study.hidden, (length,), "hidden", "perplexity", "why-hidden")
    lesson.prose(text.text("keys"))
    rises, labels, dark = study.without_heads(length), text.entries("chart"), page.dark()
    fig = figure(dark, 320)
    for method, values in rises.items():
        layers, count = values.shape
        x = np.concatenate([layer * (count + 1) + np.arange(1, count + 1) for layer in range(layers)])
        line = Line(method, title_of(method), x, values.ravel().clip(min=RISES[0]))
        fig.add(scatter(line, dark, "%{y:,.2%}", mode="markers"))
    names = [str(head) for _ in range(layers) for head in range(1, count + 1)]
    fig.x_axis(title=labels["head"], showgrid=False, tickvals=x.tolist(), ticktext=names)
    percents = [f"{100 * rise:,g}%" for rise in RISES]
    fig.y_axis(type="log", title=labels["rise"], tickvals=RISES, ticktext=percents)
    numbers = facts | {"slope": format_slope(facts["slope"])}
    page.chart(fig, key="ablated", alt=text.label("alt_ablated", numbers), name="why-ablated")
    lesson.prose(text.text("ablated", numbers))
    navigation.link("attention_model", text.label("attention_model"), {"model": "rope", "layer": "2"})


def stretched(text: Lesson, facts: dict[str, Any], length: int) -> None:
    """RoPE's scalings and flatter slopes, without further training."""
    lesson.curves(text, stretched_lines, (text,), "times", "perplexity", "why-stretched")
    ways = text.entries("ways")
    rope, alibi = facts["rope"], facts["alibi"]
    best = {
        f"best_{at[3:]}": joined(
            f"{ways[way]} {perplexity:.3g}"
            for perplexity, way in sorted((values[at], way) for way, values in rope.items() if way != "trained")
        )
        for at in ("at_4", "at_16")
    }
    numbers = best | {"length": length, "rope": rope["trained"], "alibi": alibi["trained"]}
    numbers |= {"flat": alibi["interpolated"], "gentle": alibi["gentle half"]}
    lesson.prose(text.text("stretched", numbers))


def stretched_lines(text: Lesson) -> list[Line]:
    ways = text.entries("ways")
    return [
        replace(line, name=joined((title_of(method), ways[way.replace(" ", "_")]), "apart"))
        for (method, way), line in study.stretched().items()
    ]


def depth(text: Lesson, facts: dict[str, Any], length: int) -> None:
    """No positions at all, with more layers."""
    lesson.curves(text, depth_lines, (text,), "length", "perplexity", "why-depth")
    numbers = {
        where: joined(
            joined((text.entry("chart", "layers", layers=layers), f"{perplexity:.3g}"), "colon")
            for layers, perplexity in facts[where].items()
        )
        for where in ("at", "far")
    }
    lesson.prose(text.text("depth", numbers | {"alibi": facts["alibi"]}))


def depth_lines(text: Lesson) -> list[Line]:
    return [
        replace(line, name=text.entry("chart", "layers", layers=layers), hollow=layers > 2)
        for layers, line in study.depth().items()
    ]


if __name__ == "__main__":
    main()
