"""Lab: sinusoidal positions. Waves, the whole table, and how alike two positions are."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from alibi_viz.charts import lab as charts
from alibi_viz.lessons import Lesson
from alibi_viz.positions.sinusoidal import Sinusoidal, sinusoidal_vectors
from alibi_viz.ui import page
from alibi_viz.ui import vector_table as lab_view
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.format import format_number
from pages.lab_sinusoidal import study as study

N = Param("waves_n", "int", 128, low=2, high=study.LONGEST)
WIDTH = Param("waves_width", "int", 64, low=2, high=study.WIDEST, step=2)
BASE = Param("wave_base", "int", 10_000, low=2, high=1_000_000)
PAIR = Param("pair", "int", 4, low=0, high=study.WIDEST // 2 - 1)
PARAMS = (N, WIDTH, BASE, PAIR)
PLAIN = {param.key: param.default for param in PARAMS}
TRY: page.Presets = {
    "paper": PLAIN | {"waves_width": 512, "pair": 64},
    "fast": PLAIN | {"pair": 0},
    "slow": PLAIN | {"pair": 31},
    "short": PLAIN | {"wave_base": 100},
}


def read_controls(lesson: Lesson) -> study.Controls:
    """The controls, checked. An odd width counts as the even one below it; the pair must lie in the width."""
    with st.container(border=True):
        left, right = st.columns(2, gap="large")
        with left:
            n = int(widgets.drag(N, lesson))
            base = float(widgets.drag(BASE, lesson, log=True))
        with right:
            width = int(widgets.drag(WIDTH, lesson)) // 2 * 2
            last = width // 2 - 1
            pair = int(widgets.drag(replace(PAIR, high=max(last, 1), default=min(4, max(last, 1))), lesson))
    return study.Controls(n, width, base, min(pair, last))


def show(lesson: Lesson) -> None:
    page.try_this(lesson, TRY)
    chosen = read_controls(lesson)
    result = study.study(chosen)
    words = lesson.entries("chart")
    page.heading(lesson.label("waves", pair=chosen.pair))
    waves = charts.waves(result.table, chosen.pair, words, dark=page.dark())
    page.chart(waves, key="waves", alt=lesson.label("waves", pair=chosen.pair), name="sinusoidal-waves")
    page.heading(lesson.label("table"))
    lab_view.table(lesson, result.table, (-1.0, 1.0), key="sinusoidal_table", filename="sinusoidal-table")
    page.heading(lesson.label("alike"))
    alike = charts.against_distance(
        [(words["alike"], result.alike)], result.distances, "sinusoidal", words, dark=page.dark(), span=(-0.6, 1.05)
    )
    page.chart(alike, key="alike", alt=lesson.label("alike"), name="sinusoidal-alike")
    header = [words["distance"], words["alike"]]
    rows = list(zip(result.distances.tolist(), result.alike.tolist(), strict=True))
    page.download(lambda: page.csv_text(header, rows), name="sinusoidal-alike.csv", key="alike_csv")
    numbers = {
        "pair": chosen.pair,
        "sin": 2 * chosen.pair,
        "cos": 2 * chosen.pair + 1,
        "base": f"{chosen.base:,.0f}".replace(",", "{,}"),
    }
    waves_in = {"wavelength": format_number(result.wavelength), "longest": format_number(float(result.wavelengths[-1]))}
    page.what_you_see(lesson, **numbers, **waves_in, uneven=format_number(result.uneven))
    page.formula(lesson, *lesson.text("latex", **numbers, width=chosen.width).split("\n"))
    page.code(sinusoidal_vectors, Sinusoidal, study.study)
    page.sources(lesson)


lesson = page.begin("lab_sinusoidal", PARAMS)
show(lesson)
