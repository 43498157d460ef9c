"""Lab: sinusoidal positions. Waves, the whole table, and how alike two positions are."""

import pandas as pd

from alibi_viz.lessons import Lesson
from alibi_viz.positions.sinusoidal import Sinusoidal, sinusoidal_vectors
from alibi_viz.ui import page
from alibi_viz.ui.format import format_number
from alibi_viz.ui.vector_table import vector_table
from pages.lab_sinusoidal import charts, controls
from pages.lab_sinusoidal.study import study


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = study(controls.read())
    chosen, labels = result.controls, lesson.entries("chart")
    title, dark = lesson.label("waves", pair=chosen.pair), page.dark()
    page.heading(title)
    page.chart(charts.waves(result, labels, dark=dark), key="waves", alt=title, name="sinusoidal-waves")
    page.heading(lesson.label("table"))
    vector_table(lesson, result.table, 1.0, key="sinusoidal_table", filename="sinusoidal-table")
    page.heading(lesson.label("alike"))
    page.chart(charts.alike(result, labels, dark=dark), key="alike", alt=lesson.label("alike"), name="sinusoidal-alike")
    table = pd.DataFrame({labels["distance"]: result.distances, labels["alike"]: result.dot_products})
    page.download_csv(lambda: table, name="sinusoidal-alike.csv", key="alike_csv")
    turns = result.wavelengths
    numbers = {"wavelength": turns[chosen.pair], "longest": turns[-1], "deviation": result.deviation}
    page.what_you_see(lesson, pair=chosen.pair, **{name: format_number(value) for name, value in numbers.items()})
    base = f"{chosen.base:,.0f}".replace(",", "{,}")
    page.formula(lesson, base=base, sin=2 * chosen.pair, cos=2 * chosen.pair + 1, width=chosen.width)
    page.code(sinusoidal_vectors, Sinusoidal, study)
    page.sources(lesson)


show(page.begin("lab_sinusoidal", controls.PARAMS))
