"""The nine scenes of the story: each draws one picture, has at most two controls, and returns the facts of its note."""

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.charts.lines import on_log_axis
from alibi_viz.content.words import words
from alibi_viz.lessons import Lesson, load
from alibi_viz.positions.alibi import slopes as alibi_slopes
from alibi_viz.results import measured
from alibi_viz.ui import caption, page, question
from alibi_viz.ui.components.matrix_view import (
    Axis,
    Colours,
    Length,
    Mark,
    Model,
    Panel,
    Readout,
    Strength,
    matrix_view,
)
from alibi_viz.ui.components.orders import Sentence, orders
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_slope
from alibi_viz.ui.shell import navigation
from pages.story import charts, controls, study
from pages.story.facts import (
    beyond,
    difference_of,
    growth_of,
    recap,
    shifts_of,
    slope_of,
    slopes_of,
    windows_of,
)
from pages.story.study import SHOWN, TRAINED

ROUNDING = 1e-6  # a smaller difference between two weights is none
TOKENS = 24  # of the penalty's picture
FAMILY = 8  # heads, as in the shipped models
WEIGHT = Colours("weight", (0.0, 1.0), "sqrt")
FAINT = Colours("weight", (0.0, 0.1), "sqrt")
BIAS = Colours("bias", (-10.0, 0.0))
LESSONS = ("extrapolation", "recall", "use")


def order(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    with side:
        _ask_if_order_is_seen(lesson)
    return _orders(lesson, picture, side, causal=False)


def mask(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    return _orders(lesson, picture, side, causal=True)


def _orders(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator, *, causal: bool) -> object:
    """Weights of one sentence in two orders; asked for, the second moves to the order of the first."""
    with side:
        widgets.choice(controls.SENTENCE, lesson)
        moved = widgets.choice(controls.ORDER, lesson) == "first"
    first, second = _sentences(lesson)
    free, masked = (study.orders(first, second, causal=causal) for causal in (False, True))
    a, b = Sentence(first, free.first, masked.first), Sentence(second, free.second, masked.second)
    name, facts = "mask" if causal else "order", difference_of(masked if causal else free)
    about: Any = {"names": lesson.entries("labels"), "filename": f"story_{name}"}
    with picture:  # both scenes have one picture: from the first to the second the mask fades in
        alt = lesson.plain(f"{name}.note", facts)
        orders(a, b, moved=moved, mask=causal, key="story_orders", alt=alt, **about)
    return facts


def _ask_if_order_is_seen(lesson: Lesson) -> None:
    """Do the weights change with the order of the words? Both are computed, and compared."""
    difference = study.orders(*_sentences(lesson), causal=False).difference
    options = [lesson.label("answer_changes"), lesson.label("answer_moves")]
    question.ask(lesson.text("predict.order"), options, [int(difference < ROUNDING)], name="story.order")


def _sentences(lesson: Lesson) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same words in two orders."""
    which = state.read(controls.SENTENCE)
    first, second = (words(lesson.label(f"{which}_{place}")) for place in ("first", "second"))
    return tuple(first), tuple(second)


def penalty(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """One slope by hand: the bias, and the weights of equal content."""
    with side:
        slope = widgets.drag(controls.STEEP, lesson, channel="story")
    result, facts = study.penalty(slope, TOKENS), slope_of(slope)
    model = Model(None, 1.0, strength=slope, total=TOKENS)
    panels = [
        Panel(lesson.label("bias"), result.bias, BIAS, model=model, stage="bias"),
        Panel(lesson.label("weights"), result.weights, WEIGHT, model=model, stage="weights"),
    ]
    with picture:
        options = _matrices(lesson, "penalty", Axis(), facts)
        matrix_view(panels, key="story_penalty", follows=[Strength("story", slope)], **options)
    return facts


def _matrices(lesson: Lesson, name: str, axis: Axis, facts: object) -> Any:
    """What stands around the matrices of a scene."""
    readout = Readout(*(lesson.text(f"readout.{cell}") for cell in ("allowed", "masked", "empty")))
    sides = {
        side: Axis(axis.start, axis.step, name=lesson.label(label))
        for side, label in (("rows", "query"), ("cols", "key"))
    }
    alt = lesson.plain(f"{name}.note", facts)
    return {"readout": readout, "size": "stage", "filename": name, "alt": alt, **sides}


def family(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """A slope for each head."""
    with side:
        heads = widgets.drag(controls.HEADS, lesson)
    slopes = alibi_slopes(heads)
    facts = slopes_of(slopes)
    with picture:
        lines = charts.falls(slopes, lesson.entries("chart"))
        figure = charts.family(lines, lesson.entries("chart"), dark=page.dark())
        page.chart(figure, key="story_family", alt=lesson.label("alt_family", facts), name="slopes")
    return facts


def matrix(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """The steepest and the gentlest head of the family as the text grows."""
    with side:
        times = int(widgets.choice(controls.TIMES, lesson))
    n, slopes = TRAINED * times, alibi_slopes(FAMILY)
    facts = growth_of(lesson, slopes, n)
    square = Mark(0, 0, TRAINED, TRAINED, lesson.label("mark"))
    length = Length("story_length", n, most=TRAINED, marks=(square,), glides=True)
    with picture:
        options = _matrices(lesson, "matrix", Axis(step=times), facts) | {"marks": [square] if times > 1 else []}
        panels = [_head(lesson, min(slopes), times, "bias")]
        panels += [_head(lesson, slope, times, "weights") for slope in (max(slopes), min(slopes))]
        matrix_view(panels, key="story_matrix", follows=[length], **options)
    return facts


def _head(lesson: Lesson, slope: float, times: int, stage: Literal["bias", "weights"]) -> Panel:
    """Bias or weights of one head; a sample is so many tokens."""
    result, n = study.penalty(slope, TRAINED * times, times), TRAINED * times
    values, colours = (result.bias, BIAS) if stage == "bias" else (result.weights, FAINT)
    title = lesson.label(f"{stage}_of", slope=format_slope(slope))
    return Panel(title, values, colours, model=Model(None, slope, total=n), stage=stage, key=f"{stage}_{slope:g}")


def softmax(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """Where trained heads attend at L and in a longer text."""
    profiles = study.profiles()
    facts = shifts_of(lesson, profiles)
    with picture:
        labels = lesson.entries("chart")
        figure = charts.attended(profiles, labels, TITLES, dark=page.dark())
        page.chart(figure, key="story_softmax", alt=lesson.label("alt_softmax", facts), name="attended")
    return facts


def result(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """Measured: the loss above that at L."""
    lines, facts = study.rises(), beyond(lesson)
    with side:
        _ask_who_breaks(lesson)
    with picture:
        labels = _axes(lesson)
        ends: Any = {"at": facts.length, "most": charts.ceiling(lines, measured.WORSE)}
        figure = on_log_axis(lines, labels, dark=page.dark(), height=None, log_y=False, **ends)
        page.chart(figure, key="story_result", alt=lesson.label("alt_result", facts), name="beyond-L")
    return facts


def _ask_who_breaks(lesson: Lesson) -> None:
    """Which method breaks first? The shipped runs answer."""
    breaks = study.breaks()
    titles, first = [TITLES[method] for method in SHOWN], min(breaks[method] for method in SHOWN)
    right = [number for number, method in enumerate(SHOWN) if breaks[method] == first]
    question.ask(lesson.text("predict"), titles, right, name="story.result")


def _axes(lesson: Lesson) -> dict[str, str]:
    """Both charts of measured losses have the same two axes."""
    return lesson.entries("chart") | {"x": lesson.entry("chart", "window"), "y": lesson.entry("chart", "rise")}


def limitation(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """ALiBi with each kind of windows: most of the gain is relief at their beginnings."""
    lines = study.by_windows({kind: lesson.entry("choices", kind) for kind in measured.PROTOCOLS})
    facts = windows_of(lines)
    with picture:
        labels, both = _axes(lesson), list(lines.values())
        figure = on_log_axis(both, labels, dark=page.dark(), height=None, log_y=False)
        alt = lesson.label("alt_limit", facts)
        page.chart(figure, key="story_limit", alt=alt, name="early-token-curse")
    return facts


def end(lesson: Lesson, picture: DeltaGenerator, side: DeltaGenerator) -> object:
    """What, why, and what it does not prove; and where to go from here."""
    facts = recap(lesson)
    with picture, st.container(key="story_recap", gap="small"):
        st.markdown(lesson.text("recap", facts))
        caption.keep_note(lesson.text("recap", facts))
    with side:
        for name in LESSONS:
            navigation.link(name, load(name).text("title"))
    return facts


SCENES: dict[str, Callable[[Lesson, DeltaGenerator, DeltaGenerator], object]] = {
    "order": order,
    "mask": mask,
    "penalty": penalty,
    "family": family,
    "matrix": matrix,
    "softmax": softmax,
    "result": result,
    "limitation": limitation,
    "recap": end,
}
