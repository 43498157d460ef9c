"""Pitfalls: two pictures, one of them wrong, and what the mistake costs."""

from functools import partial

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import page, page_facts, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import frame, rerun
from pages.pitfalls import charts, controls, mine, pictures
from pages.pitfalls.study import Result, difference, measure, study


@rerun.fragment
def stage(lesson: Lesson) -> tuple[Result, bool] | None:
    """Both pictures, and the question which is wrong. Returns the result, and whether the answer is in sight."""
    picture, _, side = layout.stage()  # the question stands between the controls
    with side:
        asked = controls.show_stage(lesson)
        layout.more(lesson, controls.TRY, partial(controls.show, lesson))
    result = page.attempt(lambda: study(controls.read()))
    revealed = False
    if result:
        asks = question(lesson, result)
        revealed = not predict.is_open(asks)
        with asked:
            predict.ask(asks)
        if revealed:
            name = result.controls.pitfall
            with side:
                layout.note(
                    lesson, f"cost.{name}", None, partial(tell_clue, lesson.entry("clue", name)), **result.numbers
                )
        with picture:
            pictures.pair(lesson, result, revealed=revealed)
    return (result, revealed) if result else None


def tell_clue(clue: str, cost: str) -> None:
    """What gives the mistake away, then what it costs."""
    st.markdown(f"{clue}\n\n{cost}")


def question(lesson: Lesson, result: Result) -> predict.Question:
    """Which of the two is wrong? Another question for each pitfall and each order."""
    options = [lesson.label(side) for side in pictures.SIDES]
    name, right = result.controls.pitfall, [0 if result.wrong_first else 1]
    drawn = {"drawn": lesson.text(f"drawn.{name}", **result.numbers)}
    return predict.Question(lesson, options, right, drawn, about=f"{name}.{int(result.wrong_first)}", always=True)


def explain(lesson: Lesson, result: Result) -> None:
    """The mistake: what it costs, the lines that differ, and where it happened."""
    name, numbers = result.controls.pitfall, result.numbers
    page.what_you_see(lesson, f"drawn.{name}", **numbers)
    if frame.quiet():
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.markdown(lesson.text(f"cost.{name}", **numbers))
        labels = {part: lesson.entry("damage", part) for part in ("wrong", "right", "hover")}
        labels |= {axis: lesson.entry(f"damage_{axis}", name) for axis in ("x", "y")}
        chart = charts.damage(result.measured.damage, labels, dark=page.dark())
        alt = lesson.label("alt", name=lesson.entry("choices", name), x=labels["x"], y=labels["y"])
        page.chart(chart, key="pitfall_damage", alt=alt, name=f"pitfall-{name}-damage")
    with right:
        st.markdown(lesson.text("differ"))
        st.code(difference(name), language="diff", wrap_lines=True)
        st.markdown(lesson.text(f"happened.{name}"))


def test(lesson: Lesson, result: Result) -> None:
    """The check that tells both versions apart."""
    page.prose(lesson, "test", key=result.controls.pitfall)
    page.code(result.pitfall.check)


def tell(lesson: Lesson, result: Result) -> None:
    """The numbers of the worksheet."""
    name = result.controls.pitfall
    cost = lesson.plain(f"cost.{name}", **result.numbers)
    said = {table: lesson.entry(table, name) for table in ("clue", "proof")}
    said |= {
        "name": lesson.entry("choices", name),
        "side": lesson.label(pictures.SIDES[0 if result.wrong_first else 1]),
    }
    page_facts.record(None, said | {"cost": cost})


def show(lesson: Lesson) -> None:
    shown = stage(lesson)
    if shown is None:
        return
    result, revealed = shown
    tell(lesson, result)
    closer = {"mine": partial(mine.show, lesson)}
    if revealed:
        explain(lesson, result)
        code = partial(page.code, result.pitfall.wrong, result.pitfall.right, result.pitfall.measure, measure)
        closer = {"test": partial(test, lesson, result), **closer, "code": code}
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("pitfalls", controls.PARAMS))
