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
    chosen, words = result.controls, lesson.entries("chart")
    title = lesson.label("waves", pair=chosen.pair)
    page.heading(title)
    page.chart(charts.waves(result, words, dark=page.dark()), key="waves", alt=title, name="sinusoidal-waves")
    page.heading(lesson.label("table"))
    vector_table(lesson, result.table, 1.0, key="sinusoidal_table", filename="sinusoidal-table")
    title = lesson.label("alike")
    page.heading(title)
    page.chart(charts.alike(result, words, dark=page.dark()), key="alike", alt=title, name="sinusoidal-alike")
    table = pd.DataFrame({words["distance"]: result.distances, words["alike"]: result.dot_products})
    page.download_csv(lambda: table, name="sinusoidal-alike.csv", key="alike_csv")
    wavelengths = {
        "wavelength": format_number(float(result.wavelengths[chosen.pair])),
        "longest": format_number(float(result.wavelengths[-1])),
    }
    page.what_you_see(lesson, pair=chosen.pair, **wavelengths, deviation=format_number(result.deviation))
    base = f"{chosen.base:,.0f}".replace(",", "{,}")
    columns = {"sin": 2 * chosen.pair, "cos": 2 * chosen.pair + 1, "width": chosen.width}
    page.formula(lesson, *lesson.text("latex", base=base, **columns).split("\n"))
    page.code(sinusoidal_vectors, Sinusoidal, study)
    page.sources(lesson)


show(page.begin("lab_sinusoidal", controls.PARAMS))
