"""Train it yourself: the controls, the buttons, and the curves that grow while runs are trained in other processes.

Notable choices:
- The controls say which runs are meant, and a run is known by its configuration alone. So a reload, a link or another
  tab shows the same runs where they stand, and nothing has to be remembered for a reader.
- The part that shows the runs asks the queue once a second while one is going, and now and then while none is: another
  tab may start it. The rest of the page runs again only when a run begins or ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from alibi_viz.jobs import Busy
from alibi_viz.lessons import Lesson, load
from alibi_viz.lm.config import RECALL, TrainConfig
from alibi_viz.lm.corpus import BUILT_IN, Corpus, own_text, python_docs
from alibi_viz.positions import METHODS
from alibi_viz.pretrained import METHODS as SHIPPED
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.controls.method_pills import TITLES, method_pills
from alibi_viz.ui.controls.params import Param, Value, printable
from alibi_viz.ui.format import escape_markdown
from pages.extrapolation.training import curves as training_curves
from pages.extrapolation.training import study as study
from pages.extrapolation.training.jobs import desk, jobs, reader

TRAIN = Param("train", "text", "alibi,sinusoidal", longest=200)
LENGTH = Param("train_length", "choice", "128", choices=("32", "64", "128", "256", "512"))
STEPS = Param("train_steps", "int", 400, low=25, high=5_000, step=25)
TEXT = Param("train_text", "choice", "python docs", choices=("python docs", "own text", "recall"))
TEXTS = {"python docs": BUILT_IN, "recall": RECALL}  # what a configuration calls them; an own text has a key of its own
WIDTH = Param("train_width", "choice", "64", choices=("16", "32", "64", "128", "256"))
LAYERS = Param("train_layers", "int", 2, low=1, high=6)
HEADS = Param("train_heads", "int", 8, low=1, high=32)
SEED = Param("train_seed", "int", 0, low=0, high=9_999)
PARAMS = (TRAIN, LENGTH, STEPS, TEXT, WIDTH, LAYERS, HEADS, SEED)
FEW = 25  # steps of the step button
EVERY, IDLE = 1.0, 5.0  # seconds between two looks: at a run that is going, and at none, which another tab may start
CORPUS = "_own_corpus"  # the reader's own text, kept while the session lasts
_PROBLEM = "_training_problem"  # what was asked for, and why it was not done; stands until the next press of a button


@dataclass(frozen=True)
class Chosen:
    """What the controls ask for: one configuration a method, and the reader's own text if that is to be learned."""

    configs: tuple[TrainConfig, ...]
    corpus: Corpus | None = None


def panel() -> None:
    """The whole part of the page."""
    lesson = load("training")
    st.header(lesson.text("title"), anchor=False, divider="gray")
    intro = st.container()
    try:
        chosen = read_controls(lesson)
    except ValueError as problem:
        page.problem(problem)
        return
    with intro:
        page.prose(lesson, "intro", length=chosen.configs[0].length)
    going = tuple(one.config.hash for one in standing(chosen) if one.going)
    st.fragment(_live, run_every=EVERY if going else IDLE)(lesson, chosen, going)


def read_controls(lesson: Lesson) -> Chosen:
    """The controls, checked. Raises ValueError with a sentence for what cannot be trained."""
    with st.container(border=True):
        methods, unknown = method_pills(TRAIN, lesson, tuple(dict.fromkeys((*SHIPPED, *METHODS))))
        if unknown:
            st.info(lesson.text("unknown", given=printable(", ".join(unknown))))
        with st.container(horizontal=True, gap="medium", vertical_alignment="top"):
            length = int(widgets.choice(LENGTH, lesson))
            with st.container(width=150):
                steps = int(widgets.number(STEPS, lesson))
            text = widgets.choice(TEXT, lesson)
        with st.expander(lesson.label("more"), icon=":material/tune:"):
            first, second, third, fourth = st.columns([3, 2, 2, 2], gap="medium")
            with first:
                width = int(widgets.choice(WIDTH, lesson))
            with second:
                layers = int(widgets.number(LAYERS, lesson))
            with third:
                heads = int(widgets.number(HEADS, lesson))
            with fourth:
                seed = int(widgets.number(SEED, lesson))
        corpus = own_corpus(lesson) if text == "own text" else None
        if not methods:
            raise ValueError(lesson.text("no_method"))
        key = corpus.key if corpus else TEXTS[text]
        shape = {"length": length, "steps": steps, "width": width, "layers": layers, "heads": heads, "seed": seed}
        values: dict[str, Value] = {f"train_{name}": value for name, value in shape.items()}
        configs = tuple(config_of(values | {"train": method}, key) for method in methods)
        for config in configs:
            jobs().limits.check(config)
        name = "size.recall" if configs[0].is_recall else "size"
        told = {"parameters": f"{configs[0].parameters:,}", "bytes": f"{configs[0].tokens:,}"}
        st.caption(lesson.text(name, **told))
    return Chosen(configs, corpus)


def config_of(values: Mapping[str, Value], corpus: str) -> TrainConfig:
    """The run that these values of the controls mean. Raises ValueError for numbers that do not fit together."""
    names = ("length", "steps", "width", "layers", "heads", "seed")
    shape = {name: int(values[f"train_{name}"]) for name in names}
    return TrainConfig.from_dict({"method": values["train"], "corpus": corpus, **shape})


def text_choice(config: TrainConfig) -> str:
    """The control's word for the text of a run."""
    return next((word for word, key in TEXTS.items() if key == config.corpus), "own text")


def own_corpus(lesson: Lesson) -> Corpus:
    """The reader's own text. Raises ValueError with a sentence where there is none, or where it cannot be used."""
    left, right = st.columns(2, gap="medium")
    with left:
        upload = st.file_uploader(lesson.label("upload"), key="train_upload")
    with right:
        pasted = st.text_area(lesson.label("paste"), key="train_paste", height=130)
    if upload is not None or pasted.strip():
        st.session_state[CORPUS] = own_text(upload.getvalue() if upload is not None else pasted)
    corpus = st.session_state.get(CORPUS)
    if not isinstance(corpus, Corpus):
        raise ValueError(lesson.text("text.none"))
    sizes = {"train": f"{len(corpus.train):,}", "held_out": f"{len(corpus.held_out):,}"}
    st.caption(lesson.text("text.kept", title=escape_markdown(corpus.title), **sizes))
    return corpus


def standing(chosen: Chosen) -> list[study.Shown]:
    """Every run of the controls as it stands now."""
    return [study.shown(config, jobs().progress(config.hash)) for config in chosen.configs]


def _live(lesson: Lesson, chosen: Chosen, going: tuple[str, ...]) -> None:
    """The part that follows the runs. `going`: those that were going when the whole page last ran."""
    desk().look(reader(), tuple(config.hash for config in chosen.configs))
    runs = standing(chosen)
    if tuple(one.config.hash for one in runs if one.going) != going:
        st.rerun()  # a run has begun or ended: the other charts of the page follow
    _buttons(lesson, chosen, runs)
    meant, problem = st.session_state.get(_PROBLEM, (None, ""))
    if meant == chosen.configs:
        st.warning(escape_markdown(problem), icon=":material/info:")
    _bars(lesson, runs)
    if any(len(one.losses) for one in runs):
        corpus = None if chosen.configs[0].is_recall else chosen.corpus or python_docs()
        training_curves.show(lesson, runs, corpus)
    rerun.if_requested()


def _buttons(lesson: Lesson, chosen: Chosen, runs: list[study.Shown]) -> None:
    """Play, pause, a few steps, reset; each is alive only where it would do something."""
    going, done = any(one.going for one in runs), all(one.status == "finished" for one in runs)
    begun = any(one.status != "new" and one.status != "finished" for one in runs)
    idle = any(not one.going and one.status != "finished" for one in runs)
    play, step = (_submit, (chosen, None)), (_submit, (chosen, FEW))
    pause, reset = (_stop, (lesson, chosen, False)), (_stop, (lesson, chosen, True))
    with st.container(horizontal=True, gap="small"):
        _button(lesson, "play", ":material/play_arrow:", idle, play)
        _button(lesson, "pause", ":material/pause:", going, pause)
        _button(lesson, "step", ":material/skip_next:", not going and not done, step)
        _button(lesson, "reset", ":material/replay:", begun, reset)


def _button(
    lesson: Lesson, name: str, icon: str, alive: bool, act: tuple[Callable[..., None], tuple[Any, ...]]
) -> None:
    """One button. act: the callback and its arguments."""
    st.button(
        lesson.label(name, steps=FEW),
        icon=icon,
        type="primary" if name == "play" else "secondary",
        key=f"train_{name}",
        disabled=not alive,
        help=lesson.entries("help").get(name),
        on_click=act[0],
        args=act[1],
    )


def _submit(chosen: Chosen, steps: int | None) -> None:
    """Start or go on with every run of the controls."""
    rerun.request()
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        try:
            jobs().submit(config, chosen.corpus, study.plan_for(config.steps), steps=steps)
        except (ValueError, OSError, Busy) as problem:
            st.session_state[_PROBLEM] = (chosen.configs, str(problem))
            return


def _stop(lesson: Lesson, chosen: Chosen, forget: bool) -> None:
    """Pause the runs of the controls, or throw the unfinished ones away; not those that others watch."""
    rerun.request()
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        others = desk().others(reader(), config.hash)
        if others:
            said = lesson.text("others", count=others, method=TITLES[config.method])
            st.session_state[_PROBLEM] = (chosen.configs, said)
        elif forget:
            jobs().cancel(config.hash)
        else:
            jobs().pause(config.hash)


def _bars(lesson: Lesson, runs: list[study.Shown]) -> None:
    """One card a run: what it does, how far it is, how fast."""
    for begin in range(0, len(runs), 3):
        for column, one in zip(st.columns(3, gap="medium"), runs[begin : begin + 3], strict=False):
            with column:
                st.markdown(f"**{TITLES[one.config.method]}** · {status(lesson, one)}")
                if one.status not in ("new", "finished"):
                    st.progress(one.step / one.config.steps)
                    st.caption(pace(lesson, one))


def status(lesson: Lesson, one: study.Shown) -> str:
    """What a run does now, in words."""
    words: Mapping[str, object] = {
        "step": f"{one.step:,}",
        "steps": f"{one.config.steps:,}",
        "place": one.place or 0,
        "measured": one.measured + 1,
        "measurements": one.measurements,
        "seconds": f"{one.seconds:,.0f}",
        "error": escape_markdown(one.error),
    }
    key = one.status
    if one.going and not one.training:
        key = "measuring"
    elif one.going and not one.step and not one.place:
        key = "starting"
    elif one.status == "running" and one.place:
        key = "turn"
    elif one.status == "paused" and one.error:
        key = "failed"
    return lesson.entry("status", key, **words)


def pace(lesson: Lesson, one: study.Shown) -> str:
    """Bytes a second and the time left while it is trained; then the time that it took."""
    if not one.going or not one.training or one.tokens_per_second is None or one.seconds_left is None:
        return lesson.entry("status", "took", seconds=f"{one.seconds:,.0f}")
    told = {"pace": f"{one.tokens_per_second:,.0f}", "seconds": f"{one.seconds_left:,.0f}"}
    return lesson.entry("status", "pace", **told)
