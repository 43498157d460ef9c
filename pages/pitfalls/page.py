"""Pitfalls: two pictures, one of them wrong, and what the mistake costs."""

from functools import partial

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import page, question
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import frame
from pages.pitfalls import charts, controls, mine, pictures
from pages.pitfalls.facts import Asked, facts_of
from pages.pitfalls.study import Result, difference, measure, study


@st.fragment
def pitfalls_stage(lesson: Lesson) -> tuple[Result, bool] | None:
    """Both pictures, and the question which is wrong. Returns the result, and whether the answer is in sight."""
    place = layout.places()
    with place.side:  # the question stands between the controls
        asked = controls.show(lesson)
        layout.more(lesson, controls.TRY, partial(controls.show_more, lesson))
    result = page.attempt(lambda: study(controls.read()))
    revealed = False
    if result:
        name = f"pitfalls.{result.controls.pitfall}.{int(result.wrong_first)}"
        revealed = not question.is_open(name)
        with asked:
            ask(lesson, result, name)
        if revealed:
            pitfall = result.controls.pitfall
            clue = partial(tell_clue, lesson.entry("clue", pitfall))
            with place.side:
                layout.note(lesson, f"cost.{pitfall}", facts_of(result), clue)
        with place.picture:
            pictures.pair(lesson, result, revealed=revealed)
    return (result, revealed) if result else None


def tell_clue(clue: str, cost: str) -> None:
    """What gives the mistake away, then what it costs."""
    st.markdown(f"{clue}\n\n{cost}")


def ask(lesson: Lesson, result: Result, name: str) -> None:
    """Which of the two is wrong? Another question for each pitfall and each order."""
    options = [lesson.label(side) for side in pictures.SIDES]
    drawn = Asked(lesson.text(f"drawn.{result.controls.pitfall}", facts_of(result)))
    right = [0 if result.wrong_first else 1]
    question.ask(lesson.text("predict", drawn), options, right, name=name, always=True)


def explain(lesson: Lesson, result: Result) -> None:
    """The mistake: what it costs, the lines that differ, and where it happened."""
    name, facts = result.controls.pitfall, facts_of(result)
    page.what_you_see(lesson, f"drawn.{name}", facts)
    if frame.presenting():
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.markdown(lesson.text(f"cost.{name}", facts))
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
    page.prose(lesson, "test", facts_of(result))
    page.code(result.pitfall.check)


def show(lesson: Lesson) -> None:
    shown = pitfalls_stage(lesson)
    if shown is None:
        return
    result, revealed = shown
    closer: dict[str, partial[None]] = {"mine": partial(mine.show, lesson)}
    closer["questions"] = partial(page.prose, lesson, "questions")
    if revealed:
        explain(lesson, result)
        code = partial(page.code, result.pitfall.wrong, result.pitfall.right, result.pitfall.measure, measure)
        closer = {"test": partial(test, lesson, result), **closer, "code": code}
    layout.below(lesson, controls.OPEN, closer)


show(page.begin("pitfalls", controls.PARAMS))
