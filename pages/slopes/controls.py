"""The controls of the Slopes lesson: its parameters, the widgets that set them, and how they are read."""

from typing import Any

import streamlit as st

from alibi_viz.checkpoints.presets import PRESETS
from alibi_viz.lessons import Lesson, load
from alibi_viz.positions import METHODS
from alibi_viz.typed import parse_numbers
from alibi_viz.ui.controls import frame, rerun, state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.stage import sections_param
from pages.slopes.facts import OtherModel
from pages.slopes.study import RULES, Controls, study

HEADS = Param("heads", "int", 8, low=1, high=128, widget="drag")
RULE = Param("rule", "choice", "paper", choices=tuple(RULES))
MAX_BIAS = Param("max_bias", "float", 8.0, low=1.0, high=32.0, step=0.5)
OWN = Param("own", "text", "1/2, 1/4, 1/8, 1/16, 0.05", longest=2_000, widget="line")
OPEN = sections_param("slopes", "heads", "depth", "table", "code")
PARAMS = (HEADS, RULE, MAX_BIAS, OWN, OPEN)
TRY: Presets = {
    "eight": {"heads": 8, "rule": "paper", "max_bias": 8.0},
    "twelve": {"heads": 12, "rule": "paper", "max_bias": 8.0},
    "bloom": {"heads": 112, "rule": "paper", "max_bias": 8.0},
    "blog": {"heads": 32, "rule": "2^-h"},
    "far": {"heads": 32, "rule": "paper", "max_bias": 16.0},
}


def read() -> Controls:
    """The controls as they are now. Raises ValueError with a sentence for slopes that cannot be read."""
    rule = state.read(RULE)
    own = parse_numbers(state.read(OWN), most=128) if rule == "own list" else ()
    return Controls(state.read(HEADS), rule, state.read(MAX_BIAS), tuple(own))


def bendable() -> bool:
    """Whether a hand may set slopes: not where a link locks the rule or the list."""
    return not any(frame.is_locked(param.key) or frame.is_hidden(param.key) for param in (RULE, OWN))


def bend(head: int, slope: float) -> None:
    """Callback of the picture: the slope of one head (from 0) is the reader's own, and so the list is."""
    if not bendable():
        return
    own = study(read()).slopes
    own[head] = slope
    state.assign({RULE.key: "own list", OWN.key: ", ".join(map(_written, own))})
    rerun.request()


def use_paper() -> None:
    """Callback: the paper's slopes again, of the heads that there were."""
    state.assign({RULE.key: "paper"})
    rerun.request()


def _written(slope: float) -> str:
    """A slope of the list: 1/256 where it is such a fraction, else six digits."""
    whole = slope > 0 and (1 / slope).is_integer() and slope >= 2.0**-20
    return f"1/{1 / slope:.0f}" if whole and slope < 1 else f"{slope:.6g}"


def show_more(lesson: Lesson) -> None:
    """What is behind “More”: the rule, its number, and the heads of real models."""
    rule = widgets.choice(RULE, lesson)
    for param in {"2^-h": (), "own list": (OWN,)}.get(rule, (MAX_BIAS,)):
        widgets.show(param, lesson)
    names = {preset.title: f"{preset.title} ({METHODS[preset.method].title})" for preset in PRESETS}
    options: dict[str, Any] = {"placeholder": lesson.label("preset_none"), "format_func": names.get}
    st.selectbox(lesson.label("preset"), list(names), None, key="preset", on_change=_use_preset, **options)
    navigation.link("models", load("words").label("open_model"))


def other_method() -> OtherModel | None:
    """If the heads are those of a chosen model without ALiBi: its name, method and heads."""
    chosen = next((preset for preset in PRESETS if preset.title == st.session_state.get("preset")), None)
    if chosen is None or chosen.method == "alibi" or (state.read(RULE), state.read(HEADS)) != ("paper", chosen.heads):
        return None
    return OtherModel(chosen.title, METHODS[chosen.method].title, chosen.heads)


def _use_preset() -> None:
    """Set the controls to those of the chosen model."""
    for preset in PRESETS:
        if preset.title == st.session_state.get("preset"):
            heads = min(preset.heads, int(HEADS.high))
            state.assign({"heads": heads, "rule": "paper", "max_bias": preset.max_bias})
