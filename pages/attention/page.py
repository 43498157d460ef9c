"""Attention: the reader's own text through a real attention with ALiBi, stage by stage."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from alibi_viz.attention.attention import trace_attention
from alibi_viz.charts import formulas
from alibi_viz.content import tokens
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Event
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.controls.params import Param, Value
from alibi_viz.ui.format import format_slope
from alibi_viz.ui.shell.sidebar import chosen_device
from pages.attention import matrices as view
from pages.attention import study as study
from pages.attention import trained as trained

SENTENCE = "the cat sat on the mat and the dog sat on the rug near the cat"
STORY = " ".join([SENTENCE, "while rain fell on the roof and nobody in the house wanted to go out"] * 24)
TEXT = Param("text", "text", SENTENCE, longest=20_000)
UNIT = Param("unit", "choice", "words", choices=("words", "characters"))
CONTENT = Param("content", "choice", "same words attract", choices=(*study.CONTENTS, trained.CONTENT))
SEED = Param("seed", "int", 0, low=0, high=9_999)
HEADS = Param("heads", "int", 8, low=1, high=32)
KV_HEADS = Param("kv_heads", "int", 0, low=0, high=32)
HEAD_DIM = Param("head_dim", "int", 32, low=1, high=128)
HEAD = Param("head", "int", 3, low=1, high=128)
STRENGTH = Param("strength", "float", 1.0, low=0.0, high=4.0, step=0.01)
CAUSAL = Param("causal", "flag", True)
CACHED = Param("cached", "int", study.LONGEST, low=1, high=study.LONGEST)
PARAMS = (TEXT, UNIT, CONTENT, SEED, HEADS, KV_HEADS, HEAD_DIM, HEAD, STRENGTH, CAUSAL, CACHED, *trained.PARAMS)
PLAIN: dict[str, Value] = {param.key: param.default for param in PARAMS}
TRY: page.Presets = {
    "equal": PLAIN | {"content": "equal"},
    "same": PLAIN,
    "off": PLAIN | {"strength": 0.0},
    "strong": PLAIN | {"strength": 4.0},
    "random": PLAIN | {"content": "random"},
    "encoder": PLAIN | {"content": "equal", "causal": False},
    "long": PLAIN | {"text": STORY, "head": 6},
    "trained": PLAIN | {"content": trained.CONTENT, "head": 8},
}


def read_controls(lesson: Lesson) -> study.Controls:
    """The controls, checked. Raises ValueError with a sentence for a text without tokens."""
    with st.container(border=True):
        text = widgets.text(TEXT, lesson, height=80)
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            unit = widgets.choice(UNIT, lesson)
            with st.container(width=trained.CONTENT_WIDTH):
                content = widgets.pick(CONTENT, lesson)
            causal = widgets.flag(CAUSAL, lesson)
        with st.expander(lesson.label("more"), icon=":material/tune:"):
            numbers = []
            for column, param in zip(st.columns(4), (HEAD, KV_HEADS, HEAD_DIM, SEED), strict=True):
                with column:
                    numbers.append(int(widgets.number(param, lesson)))
    head, kv_heads, head_dim, seed = numbers
    made = tokens(text, unit)
    if len(made) > study.LONGEST:
        st.caption(lesson.text("cut", given=f"{len(made):,}", used=f"{study.LONGEST:,}"))
    if not made:
        raise ValueError(lesson.text("empty"))
    used = tuple(made[: study.LONGEST])
    return study.Controls(used, content, seed, 1, kv_heads, head_dim, head, 1.0, causal, chosen_device())


def with_live(base: study.Controls) -> study.Controls:
    """The controls, with what the sliders beside the matrices, and a picked thumbnail, say now."""
    heads, head, strength = int(state.read(HEADS)), int(state.read(HEAD)), float(state.read(STRENGTH))
    return replace(base, heads=heads, kv_heads=base.kv_heads or heads, head=min(head, heads), strength=strength)


@st.fragment
def matrices(lesson: Lesson, base: study.Controls) -> Event | None:
    """The sliders and the matrices that follow them. Returns what the reader did, or None if nothing can be shown."""
    cached = replace(CACHED, high=len(base.tokens), default=len(base.tokens))
    widgets.drag(STRENGTH, lesson, channel=view.CHANNEL)
    left, right = st.columns(2, gap="medium")
    with left:
        widgets.drag(HEADS, lesson)
    with right:
        count = int(widgets.drag(cached, lesson)) if len(base.tokens) > 1 else 1
    chosen = with_live(base)
    try:
        result = study.study(chosen)
    except ValueError as problem:
        page.problem(problem)
        rerun.if_requested()
        return None
    slope = format_slope(result.slopes[chosen.head - 1])
    page.heading(lesson.label("large", head=chosen.head, slope=slope))
    event = view.stages(lesson, chosen, result, count)
    st.caption(lesson.text("colour"))
    page.heading(lesson.label("thumbs"))
    view.thumbnails(lesson, chosen, result)
    rerun.if_requested()
    return event


def show(lesson: Lesson) -> None:
    reads = state.read(CONTENT) == trained.CONTENT
    page.prose(lesson, "intro.trained" if reads else "intro.made")
    page.try_this(lesson, TRY)
    if reads:
        trained.show(lesson, content=CONTENT, head=HEAD, strength=STRENGTH)
        return
    try:
        base = read_controls(lesson)
    except ValueError as problem:
        page.problem(problem)
        return
    event = matrices(lesson, base)
    if event is None:
        return
    chosen, last = with_live(base), len(base.tokens) - 1
    result, count = study.study(chosen), min(int(state.read(CACHED)), last + 1)
    view.one_row(lesson, chosen, min(event.cell[0], last) if event.cell else last)
    view.explain(lesson, chosen, result, count)
    slope = result.slopes[chosen.head - 1]
    page.formula(
        lesson,
        *formulas.attention(slope, chosen.strength, chosen.head_dim),
        head=chosen.head,
        slope=format_slope(slope),
    )
    page.code(trace_attention, study.inputs)
    page.sources(lesson)


lesson = page.begin("attention", PARAMS)
show(lesson)
