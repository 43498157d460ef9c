"""The controls of the ALiBi lab: its parameters, the widgets that set them, and how they are read."""

from dataclasses import replace
from math import log2

import streamlit as st

from alibi_viz.content.synthetic import CONTENTS, LONGEST
from alibi_viz.content.words import tokens
from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import frame, rerun, state, widgets
from alibi_viz.ui.controls.content import TEXT
from alibi_viz.ui.controls.params import Param, clean
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.lab_alibi.facts import Cut
from pages.lab_alibi.study import Controls

CONTENT = Param("content", "choice", "equal", choices=CONTENTS)
HEADS = Param("lab_heads", "int", 4, low=1, high=8, widget="drag")
HEAD = Param("lab_head", "int", 2, low=1, high=8, widget="drag")
FARTHEST = Param("lab_farthest", "int", 64, low=4, high=4096, widget="log_drag")
TARGET = Param("target", "int", 16, low=1, high=256, widget="log_drag")
#: Exponents e of the slopes 2^-e, so that steep and gentle slopes have equal room; the paper's for four heads, and on.
EXPONENTS = tuple(Param(f"m{h}", "float", 2.0 * h, low=0.0, high=20.0, step=0.25, widget="drag") for h in range(1, 9))
SET = (TEXT, CONTENT, HEADS, HEAD, FARTHEST, TARGET, *EXPONENTS)
OPEN = sections_param("lab_alibi", "training", "shapes", "code")
PARAMS = (*SET, OPEN)
DEFAULTS = {param.key: param.default for param in SET}
TRY: Presets = {
    "paper": DEFAULTS,
    "alike": DEFAULTS | {param.key: 3.0 for param in EXPONENTS},
    "far": DEFAULTS | {"target": 200, "lab_farthest": 512},
    "off": DEFAULTS | {"m2": 20.0},
    "steep": DEFAULTS | {"m2": 1.0},
    "words": DEFAULTS | {"content": "same words attract", "lab_alibi_open": "shapes"},
}


def head_among(heads: int) -> Param:
    """The chosen head. A slider needs two ends: with one head it ends at 2, and `read` takes 2 as 1."""
    return replace(HEAD, high=max(heads, 2))


def exponents() -> tuple[float, ...]:
    """e of each head's slope 2^-e."""
    return tuple(state.read(exponent) for exponent in EXPONENTS[: state.read(HEADS)])


def read() -> Controls:
    """The controls as they are now."""
    heads, used = state.read(HEADS), tokens(state.read(TEXT), "words")[:LONGEST]
    head = min(state.read(head_among(heads)), heads)
    slopes = tuple(2.0**-exponent for exponent in exponents())
    return Controls(slopes, head, tuple(used), *map(state.read, (CONTENT, FARTHEST, TARGET)))


def bendable() -> bool:
    """Whether a hand may set slopes: not where a link locks or hides one of them."""
    return not any(frame.is_locked(param.key) or frame.is_hidden(param.key) for param in EXPONENTS)


def bend(head: int, slope: float) -> None:
    """Callback of the picture: the slope of one head (from 0), which becomes the chosen one."""
    if bendable():
        param = EXPONENTS[head]
        state.assign({param.key: clean(param, round(-log2(slope), 2)).value, HEAD.key: head + 1})
        rerun.request()


def show(lesson: Lesson) -> None:
    """In sight: the slope of the chosen head, and the distance that training asks for."""
    _exponent(EXPONENTS[read().head - 1], lesson)
    widgets.show(TARGET, lesson)


def show_more(lesson: Lesson) -> None:
    """Behind “More”: the heads, the slopes of the others, and the chart's end."""
    heads = widgets.show(HEADS, lesson)
    for param in (head_among(heads), FARTHEST):
        widgets.show(param, lesson)
    chosen = read().head
    for head, param in enumerate(EXPONENTS[:heads], start=1):
        if head != chosen:
            _exponent(param, lesson)


def _exponent(param: Param, lesson: Lesson) -> None:
    """The slider of a slope; the pictures hear it under the parameter's key."""
    widgets.drag(param, lesson, channel=param.key)


def show_content(lesson: Lesson) -> None:
    """What the shapes are tried on."""
    text = widgets.text(TEXT, lesson, height=80)
    widgets.show(CONTENT, lesson)
    if (count := len(tokens(text, "words"))) > LONGEST:
        st.caption(lesson.text("cut", Cut(count)))
