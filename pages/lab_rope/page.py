"""Lab: RoPE. One clock for each pair of dimensions, scaling, layouts and forms."""

from __future__ import annotations

import streamlit as st

from alibi_viz.charts import lab as charts
from alibi_viz.charts.palette import method_line
from alibi_viz.lessons import Lesson
from alibi_viz.positions.rotary import SCALINGS, Rotary, inv_freq, scaled_inv_freq, turn
from alibi_viz.ui import page
from alibi_viz.ui.components.clocks import clocks
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.format import format_number
from pages.lab_rope import study as study

DIM = Param("rope_dim", "int", 32, low=2, high=128, step=2)
BASE = Param("rope_base", "int", 10_000, low=2, high=5_000_000)
SCALING = Param("scaling", "choice", "none", choices=SCALINGS)
FACTOR = Param("factor", "float", 8.0, low=1.0, high=128.0, step=0.5)
TRAINED = Param("rope_trained", "int", 2048, low=1, high=131_072)
POSITION = Param("position", "int", 40, low=0, high=16_384)
FARTHEST = Param("rope_farthest", "int", 4096, low=16, high=65_536)
PARAMS = (DIM, BASE, SCALING, FACTOR, TRAINED, POSITION, FARTHEST)
PLAIN = {param.key: param.default for param in PARAMS}
TRY: page.Presets = {
    "plain": PLAIN,
    "linear": PLAIN | {"scaling": "linear"},
    "dynamic": PLAIN | {"scaling": "dynamic", "position": 16_384},
    "yarn": PLAIN | {"scaling": "yarn", "rope_dim": 64},
    "llama": PLAIN | {"scaling": "llama3", "rope_dim": 128, "rope_base": 500_000, "rope_trained": 8192},
}
CHANNEL = "position"


def read_controls(lesson: Lesson) -> study.Controls:
    """The controls, checked. An odd head size counts as the even one below it."""
    with st.container(border=True):
        position = int(widgets.drag(POSITION, lesson, channel=CHANNEL))
        left, right = st.columns(2, gap="large")
        with left:
            dim = int(widgets.drag(DIM, lesson)) // 2 * 2
        with right:
            base = float(widgets.drag(BASE, lesson, log=True))
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            scaling = widgets.choice(SCALING, lesson)
            with st.container(width=150):
                factor = float(widgets.number(FACTOR, lesson))
            with st.container(width=170):
                trained = int(widgets.number(TRAINED, lesson))
    # The slider stands at its chart, further down; its value is needed here already.
    farthest = int(state.read(FARTHEST))
    return study.Controls(dim, base, scaling, factor, trained, position, farthest)


def dials(lesson: Lesson, chosen: study.Controls, result: study.Result) -> None:
    """The clocks; their hands also follow the slider inside the browser."""
    names = [
        lesson.label("dial", pair=i, wavelength=format_number(w)) for i, w in enumerate(result.wavelengths.tolist())
    ]
    clocks(
        [1 / w for w in result.wavelengths.tolist()],
        key="rope_clocks",
        position=chosen.position,
        full=[w <= chosen.trained for w in result.wavelengths.tolist()],
        names=names,
        label=lesson.label("dials_alt", pairs=len(names), position=f"{chosen.position:,}"),
        colour=method_line("rope", page.dark())["color"],
        channel=CHANNEL,
    )


def curves(lesson: Lesson, chosen: study.Controls, result: study.Result) -> None:
    """Wavelengths, and the average score against distance."""
    words, dark = lesson.entries("chart"), page.dark()
    page.heading(lesson.label("wavelengths"))
    waves = charts.wavelengths(result.wavelengths, result.plain_wavelengths, chosen.trained, words, dark=dark)
    page.chart(waves, key="wavelengths", alt=lesson.label("wavelengths"), name="rope-wavelengths")
    page.heading(lesson.label("score"))
    widgets.drag(FARTHEST, lesson, log=True)
    lines = [(words["scaled"], result.score), (words["plain"], result.plain_score)]
    score = charts.against_distance(
        lines if chosen.scaling != "none" else lines[:1],
        result.distances,
        "rope",
        words,
        dark=dark,
        span=(-0.6, max(1.05, float(result.score.max()) + 0.05)),
        trained=chosen.trained,
    )
    page.chart(score, key="rope_score", alt=lesson.label("score"), name="rope-score")
    header = [words["distance"], words["scaled"], words["plain"]]
    rows = list(zip(result.distances.tolist(), result.score.tolist(), result.plain_score.tolist(), strict=True))
    page.download(lambda: page.csv_text(header, rows), name="rope-score.csv", key="rope_csv")


def show(lesson: Lesson) -> None:
    page.try_this(lesson, TRY)
    chosen = read_controls(lesson)
    try:
        result, found = study.study(chosen), study.differences(chosen)
    except ValueError as problem:
        page.problem(problem)
        return
    page.heading(lesson.label("dials", position=f"{chosen.position:,}"))
    dials(lesson, chosen, result)
    pairs, full = len(result.wavelengths), result.full_turns(chosen.trained)
    numbers = {"pairs": pairs, "full": full, "rest": pairs - full, "trained": f"{chosen.trained:,}"}
    slowest = {"slowest": format_number(float(result.wavelengths[-1])), "stretch": format_number(result.stretch, 4)}
    page.what_you_see(lesson, **numbers, **slowest)
    page.prose(lesson, f"scaling.{chosen.scaling}", factor=f"{chosen.factor:g}", **numbers, **slowest)
    curves(lesson, chosen, result)
    page.heading(lesson.label("same"))
    differences = {"forms": found.forms, "layouts": found.layouts, "mixed": found.mixed}
    page.prose(lesson, "same", n=study.COMPARED, **{key: format_number(value) for key, value in differences.items()})
    base = f"{chosen.base:,.0f}".replace(",", "{,}")
    page.formula(lesson, *lesson.text("latex", base=base, dim=chosen.head_dim).split("\n"))
    page.code(inv_freq, scaled_inv_freq, turn, Rotary)
    page.sources(lesson)


lesson = page.begin("lab_rope", PARAMS)
show(lesson)
