"""What the trained heads of up to four methods look at, on one text that is longer than their training."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm.corpus import python_text
from alibi_viz.results import trained
from alibi_viz.typed import strip_control_characters
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Colours, Panel
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.content import TRAINED_MODEL
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.side_by_side import side_by_side
from pages.why import controls
from pages.why.facts import Refused, Seed, Text, heads_of
from pages.why.study import TRAIN_LENGTH, Controls

READ = 320  # bytes of the held-out text, if the reader gives none
SIDE_BY_SIDE = 4
WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")
Readings = dict[str, trained.ModelReading]  # method -> what one head of its model does with the text


def attention(lesson: Lesson, chosen: Controls) -> None:
    """The trained weights of one head of up to four methods, on one text longer than L."""
    page.prose(lesson, "attention", Seed())
    text = _text(lesson, chosen.text)
    widgets.choice(controls.LAYER, lesson)
    why__heads(lesson, chosen.methods, text, chosen.layer)


def _text(lesson: Lesson, own: bytes) -> bytes:
    """The reader's text, or the beginning of the held-out one, in at most MOST_READ bytes."""
    widgets.text(controls.TEXT, lesson, height=80)
    if len(own) > controls.MOST_READ:
        st.caption(lesson.text("cut", Text(len(own))))
    if not own.strip():
        st.caption(lesson.text("default_text", Text(READ)))
        return strip_control_characters(python_text().held_out[:READ].decode(errors="ignore")).encode()
    if len(own) <= TRAIN_LENGTH:
        st.caption(lesson.text("text.short", Text(len(own))))
    return own[: controls.MOST_READ]


@st.fragment
def why__heads(lesson: Lesson, methods: tuple[str, ...], text: bytes, layer: int) -> None:
    """The head's slider, and what follows it."""
    (head,) = widgets.row(lesson, controls.HEAD)
    readings, problems = read_heads(methods, text, layer, head)
    if readings:
        panels = [Panel(TITLES[key], reading.stages.weights, WEIGHTS, key=key) for key, reading in readings.items()]
        name = f"trained-layer-{layer}-head-{head}"
        side_by_side(lesson, panels, trained.labels(text), TRAIN_LENGTH, key="ext_matrices", filename=name)
        beyond = len(text) > TRAIN_LENGTH
        facts = heads_of(readings, beyond=beyond)
        page.prose(lesson, "attention.loss" if beyond else "attention.loss_inside", facts)
        if beyond:
            page.prose(lesson, "attention.near", facts)
        # The same text, layer and head on the Attention page, and the strength as trained: not one of an earlier visit.
        same = {"content": TRAINED_MODEL, "passage": text.decode(errors="ignore"), "strength": "1"}
        st.caption(lesson.label("stages"))
        with st.container(horizontal=True, gap="small"):
            for method in readings:
                query = {**same, "layer": str(layer), "head": str(head), "model": method}
                navigation.link("attention", TITLES[method], query)
    for method, problem in problems.items():
        st.caption(lesson.text("refused", Refused(TITLES[method], escape_markdown(problem))))


def read_heads(methods: tuple[str, ...], text: bytes, layer: int, head: int) -> tuple[Readings, dict[str, str]]:
    """The first four methods that can read the text, and the sentences of those that cannot."""
    readings: Readings = {}
    problems: dict[str, str] = {}
    for method in methods:
        if len(readings) == SIDE_BY_SIDE:
            break
        loaded = trained.load(method)
        try:
            if loaded is None:
                raise ValueError(f"There is no trained model {method!r}.")
            readings[method] = trained.read(loaded, text, layer, head)
        except ValueError as problem:
            problems[method] = str(problem)
    return readings, problems
