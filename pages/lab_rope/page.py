"""Lab: RoPE. One clock for each pair of dimensions, scaling, layouts and forms."""

import pandas as pd

from alibi_viz.charts.palette import color
from alibi_viz.lessons import Lesson
from alibi_viz.positions.rotary import Rotary, inv_freq, scaled_inv_freq, turn
from alibi_viz.ui import page
from alibi_viz.ui.components.clocks import clocks
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.format import format_number
from pages.lab_rope import charts, controls
from pages.lab_rope.study import COMPARED, Result, study


def dials(lesson: Lesson, result: Result) -> None:
    """The clocks; their hands also follow the slider inside the browser."""
    position, wavelengths, full = result.controls.position, result.wavelengths.tolist(), result.full_turn.tolist()
    names = [lesson.label("dial", pair=i, wavelength=format_number(tokens)) for i, tokens in enumerate(wavelengths)]
    label = lesson.label("dials_alt", pairs=len(wavelengths), position=position)
    look = {"colour": color("rope", page.dark()), "channel": controls.CHANNEL}
    page.heading(lesson.label("dials", position=position))
    frequencies = [1 / tokens for tokens in wavelengths]
    clocks(frequencies, key="rope_clocks", position=position, full=full, names=names, label=label, **look)


def curves(lesson: Lesson, result: Result) -> None:
    """Wavelengths, and the average score against distance."""
    labels, dark = lesson.entries("chart"), page.dark()
    title = lesson.label("wavelengths")
    page.heading(title)
    page.chart(charts.wavelengths(result, labels, dark=dark), key="wavelengths", alt=title, name="rope-wavelengths")
    page.heading(lesson.label("score"))
    widgets.drag(controls.FARTHEST, lesson)
    page.chart(charts.score(result, labels, dark=dark), key="rope_score", alt=lesson.label("score"), name="rope-score")
    columns = {"distance": result.distances, "scaled": result.score, "plain": result.plain_score}
    table = pd.DataFrame(columns).rename(columns=labels)
    page.download_csv(lambda: table, name="rope-score.csv", key="rope_csv")


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = page.attempt(lambda: study(controls.read()))
    if result is None:
        return
    dials(lesson, result)
    pairs, full = len(result.full_turn), int(result.full_turn.sum())
    slowest, now = (format_number(x[-1]) for x in (result.plain_wavelengths, result.wavelengths))
    numbers = vars(result.controls) | {
        "slowest": slowest,
        "slowest_now": now,
        "stretch": format_number(result.stretch, 4),
    }
    numbers |= {"pairs": pairs, "full": full, "rest": pairs - full, "within": int(result.seen.sum())}
    page.what_you_see(lesson, **numbers)
    page.prose(lesson, f"scaling.{result.controls.scaling}", **numbers)
    page.prose(lesson, "angles", **numbers)
    curves(lesson, result)
    page.heading(lesson.label("same"))
    differences = {name: format_number(value) for name, value in result.differences.items()}
    page.prose(lesson, "same", n=COMPARED, **differences)
    base = f"{result.controls.base:,.0f}".replace(",", "{,}")
    page.formula(lesson, base=base, dim=result.controls.head_dim)
    page.code(inv_freq, scaled_inv_freq, turn, Rotary)
    page.sources(lesson)


show(page.begin("lab_rope", controls.PARAMS))
