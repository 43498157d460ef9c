"""Lab: ALiBi. Other slopes, other shapes of the penalty, and slopes that are trained."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from alibi_viz.charts import lab as charts
from alibi_viz.content import tokens
from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.shapes import SHAPES, ShapedAlibi
from alibi_viz.synthetic import CONTENTS
from alibi_viz.ui import page
from alibi_viz.ui import vector_table as lab_view
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.format import format_slope
from pages.compare.study import LONGEST
from pages.lab_alibi import study as study

SENTENCE = "the cat sat on the mat and the dog sat on the rug near the cat"
TEXT = Param("text", "text", SENTENCE, longest=20_000)
CONTENT = Param("content", "choice", "equal", choices=CONTENTS)
HEADS = Param("lab_heads", "int", 4, low=1, high=8)
HEAD = Param("lab_head", "int", 2, low=1, high=8)
FARTHEST = Param("lab_farthest", "int", 64, low=4, high=4096)
TARGET = Param("target", "int", 16, low=1, high=256)
SLOPES = (  # exponents e of the slopes 2^-e; the paper's for four heads, and on
    Param("m1", "float", 2.0, low=0.0, high=20.0, step=0.25),
    Param("m2", "float", 4.0, low=0.0, high=20.0, step=0.25),
    Param("m3", "float", 6.0, low=0.0, high=20.0, step=0.25),
    Param("m4", "float", 8.0, low=0.0, high=20.0, step=0.25),
    Param("m5", "float", 10.0, low=0.0, high=20.0, step=0.25),
    Param("m6", "float", 12.0, low=0.0, high=20.0, step=0.25),
    Param("m7", "float", 14.0, low=0.0, high=20.0, step=0.25),
    Param("m8", "float", 16.0, low=0.0, high=20.0, step=0.25),
)
PARAMS = (TEXT, CONTENT, HEADS, HEAD, FARTHEST, TARGET, *SLOPES)
PLAIN = {param.key: param.default for param in PARAMS}
TRY: page.Presets = {
    "paper": PLAIN,
    "alike": PLAIN | {f"m{h}": 3.0 for h in range(1, 9)},
    "off": PLAIN | {"m2": 20.0},
    "steep": PLAIN | {"m2": 1.0},
    "words": PLAIN | {"content": "same words attract"},
}


def read_slopes(lesson: Lesson) -> tuple[float, ...]:
    """One slider a head: the exponent e of its slope 2^-e, so that steep and gentle slopes have the same room."""
    heads = int(widgets.drag(HEADS, lesson))
    columns = st.columns(2, gap="large")
    slopes = []
    for number, param in enumerate(SLOPES[:heads]):
        with columns[number % 2]:
            slopes.append(2.0 ** -float(widgets.drag(param, lesson)))
    st.caption(lesson.text("slopes", slopes=", ".join(format_slope(m) for m in slopes)))
    return tuple(slopes)


def read_controls(lesson: Lesson) -> study.Controls:
    """The controls, checked."""
    with st.container(border=True):
        slopes = read_slopes(lesson)
        text = widgets.text(TEXT, lesson, height=80)
        left, right = st.columns(2, gap="large")
        with left:
            content = widgets.choice(CONTENT, lesson)
            most = max(len(slopes), 2)
            head = int(widgets.drag(replace(HEAD, high=most, default=min(2, most)), lesson))
        with right:
            farthest = int(widgets.drag(FARTHEST, lesson, log=True))
    made = tokens(text, "words")
    if len(made) > LONGEST:
        st.caption(lesson.text("cut", given=f"{len(made):,}", used=LONGEST))
    return study.Controls(slopes, min(head, len(slopes)), tuple(made[:LONGEST]), content, farthest)


def trained(lesson: Lesson, heads: int) -> None:
    """Slopes that learn one task; the answer is known."""
    page.heading(lesson.label("training"))
    target = int(widgets.drag(TARGET, lesson, log=True))
    result = study.train(heads, target)
    words = lesson.entries("chart")
    figure = charts.training(result.path, result.best, words, dark=page.dark())
    page.chart(figure, key="training", alt=lesson.label("training"), name="alibi-trained-slopes")
    numbers = {"target": target, "steps": study.STEPS, "heads": heads, "best": f"{result.best:.4g}"}
    page.prose(lesson, "training", **numbers, found=", ".join(f"{m:.4g}" for m in result.path[-1].tolist()))


def show(lesson: Lesson) -> None:
    page.try_this(lesson, TRY)
    chosen = read_controls(lesson)
    try:
        found = study.study(chosen)
    except ValueError as problem:
        page.problem(problem)
        return
    slope, names = format_slope(chosen.slopes[chosen.head - 1]), lesson.entries("shapes")
    page.heading(lesson.label("shapes", head=chosen.head, slope=slope))
    lab_view.shapes(lesson, chosen.tokens, found, chosen.head)
    page.heading(lesson.label("penalty"))
    lines = [(names[shape.name], shape.penalty) for shape in found]
    penalty = charts.shapes(lines, found[0].distances, lesson.entries("chart"), dark=page.dark())
    page.chart(penalty, key="penalty", alt=lesson.label("penalty"), name="alibi-shapes")
    reach = {shape.name: f"{int(shape.reach.tokens[chosen.head - 1, 1]) + 1:,}" for shape in found}
    listed = ", ".join(f"{names[name]} **{tokens_}**" for name, tokens_ in reach.items())
    page.what_you_see(lesson, head=chosen.head, slope=slope, listed=listed, past=f"{study.PAST:,}")
    header = [lesson.label("shape"), lesson.label("head"), *(lesson.label(f"share_{s}") for s in (50, 90, 99))]
    rows = [
        [names[shape.name], h + 1, *(row + 1).tolist()] for shape in found for h, row in enumerate(shape.reach.tokens)
    ]
    page.download(lambda: page.csv_text(header, rows), name="alibi-shapes-reach.csv", key="shapes_csv")
    trained(lesson, len(chosen.slopes))
    page.formula(lesson, *lesson.text("latex", slope=f"{chosen.slopes[chosen.head - 1]:.4g}").split("\n"))
    page.code(ShapedAlibi, Alibi, study.train)
    page.sources(lesson, shapes=len(SHAPES))


lesson = page.begin("lab_alibi", PARAMS)
show(lesson)
