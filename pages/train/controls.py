"""The controls of the lesson that trains models: its parameters, the widgets, and the runs that they mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.lm.config import BLOCKS, RECALL, TrainConfig
from alibi_viz.lm.corpus import BUILT_IN, Corpus, own_text
from alibi_viz.positions import METHODS
from alibi_viz.results.pretrained import METHODS as SHIPPED
from alibi_viz.ui.controls import method_pills, rerun, state, widgets
from alibi_viz.ui.controls.params import Param, Value, clean
from alibi_viz.ui.controls.upload import upload
from alibi_viz.ui.page import Presets
from alibi_viz.ui.run_names import BLOG
from alibi_viz.ui.stage import sections_param
from pages.train import server
from pages.train.facts import own_text_of

TRAIN = Param("train", "text", "alibi,sinusoidal", longest=200)
LENGTH = Param("train_length", "choice", "128", choices=("32", "64", "128", "256", "512"))
STEPS = Param("train_steps", "int", 400, low=25, high=10_000, step=25, width=150)
TEXT = Param("train_text", "choice", "python text", choices=("python text", "own text", "recall"))
WIDTH = Param("train_width", "choice", "64", choices=("16", "32", "64", "128", "256"))
LAYERS = Param("train_layers", "int", 2, low=1, high=6)
HEADS = Param("train_heads", "int", 8, low=1, high=32)
SEED = Param("train_seed", "int", 0, low=0, high=9_999)
BLOCK = Param("train_block", "choice", "gpt", choices=tuple(BLOCKS))
SLOPES = Param("train_slopes", "choice", "paper", choices=("paper", "2^-h"))
RULES = {"paper": {}, "2^-h": {"rule": BLOG}}  # options of ALiBi; other methods have no slopes to choose
SHOW = Param("train_show", "choice", "beyond", choices=("beyond", "loss"))
OPEN = sections_param("train", "runs", "how", "code")
RUN = (TRAIN, LENGTH, STEPS, TEXT, WIDTH, LAYERS, HEADS, SEED, BLOCK, SLOPES)  # what a run is known by
PARAMS = (*RUN, SHOW, OPEN)
SHAPE = {"length": LENGTH, "steps": STEPS, "width": WIDTH, "layers": LAYERS, "heads": HEADS, "seed": SEED}
TEXTS = {"python text": BUILT_IN, "recall": RECALL}  # what a configuration calls them; an own text has a key of its own
OPTIONS = tuple(dict.fromkeys((*SHIPPED, *METHODS)))  # shipped methods first
PLAIN = {"train_length": "128", "train_text": "python text", "train_block": "gpt", "train_slopes": "paper"}
TRY: Presets = {
    "plain": PLAIN | {"train": "alibi,sinusoidal", "train_steps": 400},
    "rivals": PLAIN | {"train": "alibi,rope,t5", "train_steps": 400},
    "short": PLAIN | {"train": "alibi,sinusoidal", "train_length": "32", "train_steps": 400},
    "recall": PLAIN | {"train": "alibi,rope", "train_text": "recall", "train_steps": 2000},
}
CORPUS = "_own_corpus"  # the reader's own text, kept while the session lasts


@dataclass(frozen=True)
class Controls:
    """One configuration a method, and the reader's own text if that is to be learned."""

    configs: tuple[TrainConfig, ...]
    corpus: Corpus | None = None


def read() -> Controls:
    """The controls as they are now. Raises ValueError with a sentence for what cannot be trained."""
    lesson, text = load("train"), state.read(TEXT)
    methods, _ = method_pills.read(TRAIN, OPTIONS)
    corpus: Corpus | None = st.session_state.get(CORPUS) if text == "own text" else None
    if text == "own text" and corpus is None:
        raise ValueError(lesson.text("text.none"))
    if not methods:
        raise ValueError(lesson.text("no_method"))
    values = {param.key: state.read(param) for param in RUN}
    key = corpus.key if corpus else TEXTS[text]
    configs = tuple(config_of(values | {TRAIN.key: method}, key) for method in methods)
    for config in configs:
        server.jobs().limits.check(config)
    return Controls(configs, corpus)


def config_of(values: Mapping[str, Value], corpus: str) -> TrainConfig:
    """The run that these values of the controls mean. Raises ValueError for numbers that do not fit together."""
    shape: dict[str, Any] = {name: int(values[param.key]) for name, param in SHAPE.items()}
    method, block = str(values[TRAIN.key]), str(values[BLOCK.key])
    options = RULES[str(values[SLOPES.key])] if method == "alibi" else {}
    return TrainConfig(method, tuple(options.items()), corpus=corpus, block=block, **shape)


def values_of(config: TrainConfig) -> dict[str, Value] | None:
    """The controls' values for a run, or None where the controls cannot say it: the terminal can ask for more."""
    raw: dict[str, object] = {TRAIN.key: config.method, TEXT.key: text_choice(config), BLOCK.key: config.block}
    raw[SLOPES.key] = next((rule for rule, options in RULES.items() if options == dict(config.options)), None)
    raw |= {param.key: getattr(config, name) for name, param in SHAPE.items()}
    cleaned = {param.key: clean(param, raw[param.key]) for param in RUN}
    values = {key: value.value for key, value in cleaned.items()}
    allowed = all(value.problem is None for value in cleaned.values())
    return values if allowed and config_of(values, config.corpus).hash == config.hash else None


def text_choice(config: TrainConfig) -> str:
    """The control's word for the text of a run."""
    return next((choice for choice, key in TEXTS.items() if key == config.corpus), "own text")


def show(lesson: Lesson) -> None:
    """The widgets in sight."""
    method_pills.method_pills(TRAIN, lesson, OPTIONS)
    widgets.choice(LENGTH, lesson)
    widgets.number(STEPS, lesson)
    widgets.choice(SHOW, lesson)


def show_more(lesson: Lesson) -> None:
    """What is behind “More”. Raises ValueError with a sentence for an own text that cannot be used."""
    widgets.choice(TEXT, lesson)
    if state.read(TEXT) == "own text":
        _own_text(lesson)
    widgets.choice(WIDTH, lesson)
    widgets.choice(BLOCK, lesson)
    if "alibi" in method_pills.read(TRAIN, OPTIONS)[0]:
        widgets.choice(SLOPES, lesson)
    widgets.columns(lesson, [LAYERS], [HEADS], [SEED], gap="small")


def _own_text(lesson: Lesson) -> None:
    file = upload(lesson.label("upload"), key="train_upload")
    pasted = st.text_area(lesson.label("paste"), key="train_paste", height=100)
    if file is not None or pasted.strip():
        st.session_state[CORPUS] = own_text(file.getvalue() if file is not None else pasted)
    corpus: Corpus | None = st.session_state.get(CORPUS)
    if corpus is not None:
        st.caption(lesson.text("text.kept", own_text_of(corpus)))


def show_run(config: TrainConfig, values: Mapping[str, Value]) -> None:
    """Set the controls to a run, and the reader's own text to the one that it learned. For callbacks."""
    state.assign(values)
    for key in ("train_paste", "train_upload"):
        st.session_state.pop(key, None)
    st.session_state[CORPUS] = server.jobs().store.text(config.corpus) if config.has_own_text else None
    rerun.request()
