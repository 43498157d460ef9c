"""The controls of the Early token curse lesson: its parameters, the widgets that set them, and how they are read."""

from dataclasses import replace

import streamlit as st

from alibi_viz.content.words import words
from alibi_viz.lessons import Lesson
from alibi_viz.results.measured import PROTOCOLS
from alibi_viz.results.pretrained import METHODS
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param, Value
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.early_token_curse.facts import Cut
from pages.early_token_curse.study import FEWEST, MOST, PAPER_LENGTHS, Controls

TEXT = Param("curse_text", "text", "the cat sat on the mat and slept", longest=500, widget="line")
WINDOW = Param("curse_window", "int", 4, low=2, high=MOST - 1, widget="drag")
STRIDE = Param("curse_stride", "int", 1, low=1, high=MOST - 1, widget="drag")
LEAST = Param("curse_least", "int", 3, low=2, high=MOST - 1, widget="drag")
LEAST_TOKENS = Param("curse_bytes", "int", 32, low=2, high=512, widget="log_drag")
SCALE = Param("curse_scale", "choice", "near", choices=("near", "all"))
PAPER = Param("curse_paper", "choice", "L512", choices=tuple(f"L{length}" for length in PAPER_LENGTHS))
METHOD = Param("curse_method", "choice", "alibi", choices=METHODS, widget="pick", width=200)
LENGTH = Param("curse_length", "choice", "128", choices=("64", "128", "256", "512", "1024", "2048"))
PROTOCOL = Param("curse_protocol", "choice", "nonoverlapping", choices=PROTOCOLS)
OPEN = sections_param("early_token_curse", "cost", "measured", "paper", "positions", "code")
PARAMS = (TEXT, WINDOW, STRIDE, LEAST, LEAST_TOKENS, METHOD, LENGTH, SCALE, PAPER, PROTOCOL, OPEN)
PLAIN: dict[str, Value] = {"curse_window": 4, "curse_stride": 1, "curse_least": 3, "curse_protocol": "nonoverlapping"}
TRY: Presets = {
    "plain": PLAIN,
    "slide": PLAIN | {"curse_protocol": "sliding"},
    "short": PLAIN | {"curse_window": 2, "curse_least": 2},
    "half": PLAIN | {"curse_stride": 2, "curse_protocol": "sliding"},
    "everything": {"curse_scale": "all", "early_token_curse_open": "measured"},
    "far": {"curse_method": "rope", "curse_length": "2048", "early_token_curse_open": "positions"},
}


def read() -> Controls:
    """The controls as they are now."""
    sentence = words(state.read(TEXT))[:MOST]
    window, stride, least = (state.read(param) for param in _sliders(len(sentence)))
    return Controls(
        words=tuple(sentence),
        window=window,
        stride=stride,
        least=least,
        protocol=state.read(PROTOCOL),
        least_tokens=state.read(LEAST_TOKENS),
        near=state.read(SCALE) == "near",
        paper_length=int(state.read(PAPER).removeprefix("L")),
        method=state.read(METHOD),
        length=int(state.read(LENGTH)),
    )


def _sliders(count: int) -> tuple[Param, Param, Param]:
    """Window, stride and enough context, within what the sentence of `count` words and then the window allow."""
    most = max(count, FEWEST) - 1  # the longest window: as many words as are predicted
    window = _up_to(WINDOW, most)
    return window, _up_to(STRIDE, state.read(window)), _up_to(LEAST, most)


def _up_to(param: Param, high: int) -> Param:
    return replace(param, high=high, default=min(int(param.default), high))


def show(lesson: Lesson) -> None:
    """The controls in sight: the protocol, and the sliders of the windows; none for a sentence that is too short."""
    widgets.choice(PROTOCOL, lesson)
    for param in _usable()[:2]:
        widgets.drag(param, lesson, channel=param.key)


def show_more(lesson: Lesson) -> None:
    """What is behind “More”: the reader's sentence, and how much context is enough."""
    sentence = words(widgets.line(TEXT, lesson))
    if len(sentence) > MOST:
        st.caption(lesson.text("windows.cut", Cut(len(sentence))))
    for param in _usable()[2:]:
        widgets.drag(param, lesson, channel=param.key)


def _usable() -> tuple[Param, ...]:
    count = len(words(state.read(TEXT))[:MOST])
    return _sliders(count) if count >= FEWEST else ()
