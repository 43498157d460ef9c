"""The Compare lesson's controls: the methods and the head of the stage, the text and the content of its sections."""

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from alibi_viz.content.synthetic import LONGEST, WEIGHTS, Setting
from alibi_viz.content.words import tokens
from alibi_viz.lessons import Lesson, load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained
from alibi_viz.results.trained import labels
from alibi_viz.typed import printable
from alibi_viz.ui.controls import content, method_pills, state, widgets
from alibi_viz.ui.controls.content import CONTENT, LAYER, PASSAGE, SENTENCE, TEXT, TRAINED_MODEL, is_trained, sizes
from alibi_viz.ui.controls.params import Param, Value
from alibi_viz.ui.page import Presets
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.sidebar import chosen_device
from alibi_viz.ui.stage import sections_param
from pages.compare.distance import FARTHEST as MOST_FARTHEST
from pages.compare.facts import Instead
from pages.compare.study import Controls, shipped

FEWEST, MOST = 2, 6  # methods side by side
TABLE_MOST = 2048  # rows: a longer table of learned positions would cost memory and show nothing new
DEFAULT = ("none", "sinusoidal", "rope", "t5", "alibi", "fire")
STAGES = ("weights", "scores", "added")
NOTHING = "nothing"
LONG = " ".join([SENTENCE] * 8)
MODEL_TEXT = PASSAGE[:LONGEST]

CHOSEN = Param("methods", "text", ",".join(DEFAULT), longest=200)
STAGE = Param("stage", "choice", "weights", choices=STAGES)
AGAINST = Param("against", "choice", NOTHING, choices=(NOTHING, *method_pills.NAMES), widget="pick", width=240)
HEAD = Param("head", "int", 3, low=1, high=128, widget="drag")
TRAINED = Param("trained", "int", 64, low=1, high=1_048_576, width=170)
HEADS = Param("heads", "int", 8, low=1, high=16, width=150)
SIZE = Param("size", "choice", "32", choices=("8", "16", "32", "64"))
SEED = Param("seed", "int", 0, low=0, high=9_999, width=150)
# Trained ones, where they fit: T5's bias and FIRE at initialization look like no positions.
PARAMETERS = Param("weights", "choice", "trained", choices=WEIGHTS)
FARTHEST = Param("farthest", "int", 4 * TrainConfig.length, low=16, high=MOST_FARTHEST, widget="log_drag")
AXIS = Param("axis", "choice", "log", choices=("log", "linear"))
# Of the sections.
SHARE = Param("share", "choice", "90%", choices=("50%", "90%", "99%"))
PAST = Param("past", "int", 1024, low=2, high=4096, width=220)
SHIFT = Param("shift", "int", 16, low=0, high=4096, widget="drag")
FACTS_N = Param("facts_n", "int", 512, low=1, high=2048, width=220)
MEASURE = Param("measure", "flag", False)
TOP = (CHOSEN, CONTENT, STAGE, AGAINST, PARAMETERS, HEAD, TRAINED, HEADS, SIZE, TEXT)
OPEN = sections_param("compare", "matrices", "numbers", "reach", "tests", "facts", "code")
PARAMS = (*TOP, SEED, LAYER, FARTHEST, AXIS, SHARE, PAST, SHIFT, FACTS_N, MEASURE, OPEN)
PLAIN: dict[str, Value] = {param.key: param.default for param in (*TOP, FARTHEST) if param != TEXT} | {
    OPEN.key: OPEN.default
}
MATRICES: dict[str, Value] = PLAIN | {OPEN.key: "matrices"}
TABLES: dict[str, Value] = {"methods": "none,learned,t5,alibi", "weights": "trained", "size": "8", "trained": 128}
MODELS: dict[str, Value] = {"methods": ",".join(pretrained.MAIN), "content": TRAINED_MODEL, "text": MODEL_TEXT}
TRY: Presets = {
    "six": PLAIN,
    "kernels": PLAIN | {"methods": "alibi,kerple,kerple_power,sandwich,fire", "farthest": 64},
    "models": MATRICES | MODELS | {"layer": "1"},
    "fresh": PLAIN | {"weights": "fresh"},
    "trained": PLAIN | TABLES | {"stage": "added", OPEN.key: "numbers"},
    "rope": MATRICES | {"methods": "none,rope,alibi", "against": "No positions"},
    "added": MATRICES | {"stage": "added", "content": "equal"},
    "long": MATRICES | {"text": LONG, "methods": "none,learned,sinusoidal,alibi"},
}


def read() -> Controls:
    """The controls as they are now. Raises ValueError with a sentence if no chosen method has a trained model."""
    methods, stage, device = _methods(), state.read(_stage_param()), chosen_device()
    if is_trained():
        config = _config()
        if config is None:
            raise ValueError(load("compare").text("models.none"))
        text, layer = state.read(TEXT).encode()[:LONGEST], int(state.read(content.layer_param(config)))
        setting = Setting(config.heads, config.width // config.heads, config.length, device=device, weights="trained")
        return Controls(setting, methods, labels(text), _read_head(config.heads), text, layer, stage)
    heads, length = state.read(HEADS), min(state.read(TRAINED), TABLE_MOST)
    kind, seed, weights = state.read(CONTENT), state.read(SEED), state.read(PARAMETERS)
    setting = Setting(heads, int(state.read(SIZE)), length, kind, seed, device, weights)
    words, against = tokens(state.read(TEXT), "words")[:LONGEST], method_pills.NAMES.get(state.read(AGAINST), "")
    return Controls(setting, methods, tuple(words), _read_head(heads), stage=stage, against=against)


def _methods() -> tuple[str, ...]:
    return allowed(method_pills.read(CHOSEN)[0])


def _config() -> TrainConfig | None:
    """Of the shipped models of the chosen methods, which differ in the method alone; None: there is no such model."""
    return next((loaded.config for loaded in shipped(_methods()).values()), None)


def allowed(methods: Iterable[str]) -> tuple[str, ...]:
    """The nearest allowed choice: at most six, and ALiBi and no positions added until there are two."""
    chosen = [name for name in METHODS if name in set(methods)][:MOST]
    partners = [name for name in ("alibi", "none") if name not in chosen][: max(FEWEST - len(chosen), 0)]
    return tuple(name for name in METHODS if name in (*chosen, *partners))


def _stage_param() -> Param:
    """Trained models differ in everything, so what the method alone adds is not known."""
    return replace(STAGE, choices=STAGES[:2]) if is_trained() else STAGE


def _head_param(heads: int) -> Param:
    """HEAD for so many heads. A slider needs two values: `_read_head` gives the one head that there may be."""
    return replace(HEAD, high=max(heads, 2), default=min(3, heads))


def _read_head(heads: int) -> int:
    return min(state.read(_head_param(heads)), heads)


def axis() -> tuple[int, bool]:
    """The farthest distance of the picture, and whether its distances are evenly spaced."""
    return int(state.read(FARTHEST)), state.read(AXIS) == "linear"


def show(lesson: Lesson) -> None:
    """The slider beside the picture."""
    config = _config() if is_trained() else None
    widgets.drag(_head_param(config.heads if config else state.read(HEADS)), lesson)


def show_more(lesson: Lesson) -> None:
    """What is behind “More”: the methods, the axis, and the size of the made-up model."""
    _show_methods(lesson)
    if not is_trained():
        widgets.show(PARAMETERS, lesson)
    widgets.show(FARTHEST, lesson)
    widgets.show(AXIS, lesson)
    if not is_trained():
        widgets.row(lesson, HEADS, TRAINED)
        widgets.row(lesson, SIZE, SEED)
    navigation.link("models", load("words").label("open_model"))


def show_text(lesson: Lesson) -> None:
    """Above the matrices: the text, what is its content, and which matrix is shown."""
    # Each content has a default text of its own: the few words of SENTENCE say little about a trained model.
    text = widgets.text(replace(TEXT, default=MODEL_TEXT) if is_trained() else TEXT, lesson, height=80)
    config = _config() if is_trained() else None
    last = [content.layer_param(config)] if config else [] if is_trained() else [AGAINST]
    widgets.row(lesson, CONTENT, _stage_param(), *last)
    if config:
        st.caption(lesson.text("models.made", sizes(config)))
    count = len(text.encode()) if is_trained() else len(tokens(text, "words"))
    if count > LONGEST:
        st.caption(lesson.text("models.cut" if is_trained() else "cut", Instead(count, LONGEST)))


def _show_methods(lesson: Lesson) -> None:
    """Says so when the address line or the reader asks for something else than two to six methods."""
    known, unknown = method_pills.method_pills(CHOSEN, lesson)
    used = method_pills.titles(allowed(known))
    if unknown:
        st.info(lesson.text("methods.unknown", Instead(printable(", ".join(unknown)))))
    if not FEWEST <= len(known) <= MOST:
        st.info(lesson.text("methods.few" if len(known) < FEWEST else "methods.many", Instead("", used)))
