"""Lab: sinusoidal positions. How similar two positions are, from one wave and from all of them."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.sinusoidal import Sinusoidal, sinusoidal_vectors
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import format_difference, format_number
from alibi_viz.ui.vector_table import vector_table
from pages.lab_sinusoidal import charts, controls
from pages.lab_sinusoidal.study import Result, study


def words(result: Result) -> dict[str, object]:
    """The numbers that the sentences share."""
    chosen, closest = result.controls, result.closest
    shared: dict[str, object] = {"wavelength": format_number(result.wavelengths[chosen.pair])}
    shared |= {"likeness": format_number(result.dot_products[closest], 4), "closest": closest}
    return shared | {"pair": chosen.pair, "width": chosen.width, "positions": chosen.positions}


@rerun.fragment
def stage(lesson: Lesson) -> Result:
    """The two similarities, and the sliders that change them."""
    picture, asked, side = layout.stage()
    with side:
        controls.show(lesson)
        layout.more(lesson, controls.TRY, partial(controls.show_more, lesson))
    result = study(controls.read())
    labels, numbers = lesson.entries("chart"), words(result)
    names = (labels["one_pair"].format(**numbers), labels["all_pairs"].format(**numbers))
    asks = question(lesson, result, (names[1], labels["closest"])) if result.candidates[1:] else None
    with asked:
        predict.ask(asks)
    with side:
        layout.note(lesson, **numbers)
    with picture:
        figure = charts.similarity(result, names, labels, dark=page.dark())
        page.chart(figure, key="alike", alt=lesson.label("alt", **numbers), name="sinusoidal-similarity", asks=asks)
    return result


def question(lesson: Lesson, result: Result, hidden: tuple[str, ...]) -> predict.Question:
    """At which distance are two positions most similar? The right one is read from the curve."""
    options = [lesson.entry("options", "distance", tokens=distance) for distance in result.candidates]
    right = [result.candidates.index(result.closest)]
    return predict.Question(lesson, options, right, {"width": result.controls.width}, hidden=hidden)


def waves(lesson: Lesson, result: Result) -> None:
    """Sine and cosine of the chosen pair."""
    figure, alt = (
        charts.waves(result, lesson.entries("chart"), dark=page.dark()),
        lesson.label("waves", **words(result)),
    )
    page.prose(lesson, "waves")
    page.chart(figure, key="waves", alt=alt, name="sinusoidal-waves")


def table(lesson: Lesson, result: Result) -> None:
    """The vector of every position."""
    page.prose(lesson, "table")
    vector_table(lesson, result.table, 1.0, key="sinusoidal_table", filename="sinusoidal-table")


def numbers(lesson: Lesson, result: Result) -> None:
    """Both curves, to read and to download."""
    labels = lesson.entries("columns")
    columns = {"distance": result.distances, "one_pair": result.one_pair, "all_pairs": result.dot_products}
    rows = pd.DataFrame(columns).rename(columns=labels)
    st.dataframe(rows, hide_index=True, height=min(38 + 35 * len(rows), 460))
    page.download_csv(lambda: rows, name="sinusoidal-similarity.csv", key="alike_csv")


def show(lesson: Lesson) -> None:
    result = stage(lesson)
    chosen, longest = result.controls, format_number(result.wavelengths[-1])
    deviation = format_difference(result.deviation, float(result.dot_products[0]))
    page.what_you_see(lesson, longest=longest, deviation=deviation, **words(result))
    base = f"{chosen.base:,.0f}".replace(",", "{,}")
    page.formula(lesson, base=base, sin=2 * chosen.pair, cos=2 * chosen.pair + 1, width=chosen.width, pair=chosen.pair)
    closer = {"waves": partial(waves, lesson, result), "table": partial(table, lesson, result)}
    closer |= {"numbers": partial(numbers, lesson, result)}
    closer |= {"code": partial(page.code, sinusoidal_vectors, Sinusoidal, study)}
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("lab_sinusoidal", controls.PARAMS))
