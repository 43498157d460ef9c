"""Compare: every position method on the same content, side by side."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from alibi_viz import pretrained, synthetic
from alibi_viz.content import tokens
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.method_pills import NAMES
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.shell.sidebar import chosen_device
from pages.attention.trained import CONTENT as TRAINED_MODEL
from pages.attention.trained import CONTENT_WIDTH, LAYER
from pages.compare import matrices as view
from pages.compare import models as models
from pages.compare import sections as sections
from pages.compare import study as study

SENTENCE = "the cat sat on the mat and the dog sat on the rug near the cat"
LONG = " ".join([SENTENCE] * 8)
CHOSEN = Param("methods", "text", ",".join(view.DEFAULT), longest=200)
TEXT = Param("text", "text", SENTENCE, longest=20_000)
CONTENT = Param("content", "choice", "same words attract", choices=(*synthetic.CONTENTS, TRAINED_MODEL))
STAGE = Param("stage", "choice", "weights", choices=view.STAGES)
AGAINST = Param("against", "choice", view.NOTHING, choices=(view.NOTHING, *NAMES))
HEAD = Param("head", "int", 3, low=1, high=128)
TRAINED = Param("trained", "int", 64, low=1, high=1_048_576)
HEADS = Param("heads", "int", 8, low=1, high=16)
SIZE = Param("size", "choice", "32", choices=("8", "16", "32", "64"))
SEED = Param("seed", "int", 0, low=0, high=9_999)
WEIGHTS = Param("weights", "choice", "fresh", choices=synthetic.NUMBERS)
PARAMS = (CHOSEN, TEXT, CONTENT, STAGE, AGAINST, WEIGHTS, HEAD, TRAINED, HEADS, SIZE, SEED, LAYER, *sections.PARAMS)
TABLE_MOST = 2048  # rows: a longer table of learned positions would cost memory and show nothing new
SHARED = (CHOSEN, CONTENT, STAGE, AGAINST, WEIGHTS, HEAD, TRAINED, HEADS, SIZE, TEXT)
PLAIN = {param.key: param.default for param in SHARED}
TRY: page.Presets = {
    "rope": PLAIN | {"methods": "none,rope,alibi", "against": "No positions"},
    "added": PLAIN | {"stage": "added", "content": "equal"},
    "long": PLAIN | {"text": LONG, "methods": "none,learned,sinusoidal,alibi"},
    "kernels": PLAIN | {"methods": "alibi,kerple,kerple_power,sandwich,fire"},
    "trained": PLAIN
    | {"methods": "none,learned,t5,alibi", "weights": "trained", "size": "8", "stage": "added", "trained": 128},
    "models": PLAIN
    | {"methods": ",".join(pretrained.METHODS), "content": TRAINED_MODEL, "text": models.TEXT, "layer": "1"},
}


def read_controls(lesson: Lesson) -> tuple[study.Controls, str, str]:
    """The controls, checked; the picture to show, and the method to subtract."""
    with st.container(border=True):
        methods = view.methods(CHOSEN, lesson)
        text = widgets.text(TEXT, lesson, height=80)
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            with st.container(width=CONTENT_WIDTH):
                content = widgets.pick(CONTENT, lesson)
            stage = widgets.choice(STAGE, lesson)
            weights = widgets.choice(WEIGHTS, lesson)
        left, right = st.columns([2, 1], gap="large")
        with right:
            against = NAMES.get(widgets.pick(AGAINST, lesson), "")
        with st.expander(lesson.label("more"), icon=":material/tune:"):
            columns = st.columns(4)
            with columns[0]:
                heads = int(widgets.number(HEADS, lesson))
            with columns[1]:
                trained = int(widgets.number(TRAINED, lesson))
            with columns[2]:
                seed = int(widgets.number(SEED, lesson))
            with columns[3]:
                size = int(widgets.choice(SIZE, lesson))
        with left:
            one = replace(HEAD, high=max(heads, 2), default=min(3, heads))
            head = min(int(widgets.drag(one, lesson)), heads)
    made = tokens(text, "words")
    if len(made) > study.LONGEST:
        st.caption(lesson.text("cut", given=f"{len(made):,}", used=study.LONGEST))
    setting = synthetic.Setting(heads, size, min(trained, TABLE_MOST), content, seed, chosen_device(), weights)
    return study.Controls(setting, methods, tuple(made[: study.LONGEST]), head), stage, against


def made(lesson: Lesson) -> study.Controls | None:
    """Controls, matrices and numbers with made content. Returns the controls, or None where nothing can be shown."""
    chosen, stage, against = read_controls(lesson)
    try:
        result = study.study(chosen)
    except ValueError as problem:
        page.problem(problem)
        return None
    page.heading(lesson.label(f"matrices_{stage}", head=chosen.head))
    view.matrices(lesson, chosen, result, stage, against)
    view.colour(lesson, stage, against in chosen.methods)
    view.problems(lesson, {one.name: one.problem for one in result})
    view.numbers(lesson, chosen)
    far = ", ".join(f"{one.title} **{100 * view.far_weight(one):.0f} %**" for one in result)
    page.what_you_see(lesson, count=len(chosen.tokens), far=far)
    page.prose(lesson, f"numbers_{chosen.setting.weights}")
    return chosen


def show(lesson: Lesson) -> None:
    trained = state.read(CONTENT) == TRAINED_MODEL
    models.default_text(TEXT, trained)
    page.prose(lesson, "intro.trained" if trained else "intro.made")
    page.try_this(lesson, TRY)
    chosen = models.show(lesson, {param.key: param for param in PARAMS}) if trained else made(lesson)
    if chosen is None:
        return
    sections.score_against_distance(lesson, chosen)
    sections.reach(lesson, chosen)
    sections.shift_test(lesson, chosen)
    sections.order_test(lesson, chosen)
    sections.facts(lesson, chosen)
    page.formula(lesson)
    page.prose(lesson, "trained")
    for name in chosen.methods:
        page.prose(lesson, f"formula.{name}")
    page.code(synthetic.attend, *(METHODS[name] for name in chosen.methods if name != "none"))
    page.sources(lesson)


lesson = page.begin("compare", PARAMS)
show(lesson)
