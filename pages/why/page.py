"""Where the break comes from: the loss at each position of the window, what trained heads attend to, and T5's buckets."""

from functools import partial

import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import method_pills, widgets
from alibi_viz.ui.controls.method_pills import TITLES, titles
from pages.why import buckets, charts, controls, heads, probes, study
from pages.why.facts import Facts, Formula, How, Names, facts_of
from pages.why.study import TRAIN_LENGTH, Result


def stage(lesson: Lesson) -> tuple[Result, Facts | None]:
    """Loss against the position in a window of the chosen length, and what is said of it."""
    place = layout.stage(lesson, partial(widgets.choice, controls.WINDOW), controls.TRY, controls.show_more)
    result = study.study(controls.read())
    facts = facts_of(lesson, result)
    with place.picture:
        if result.losses:
            chart(lesson, result)
        else:
            missing = Names(titles(result.missing))
            st.info(lesson.text("missing" if result.missing else "nothing", missing))
    if result.losses:
        section = "note" if result.most_at_length() else "note.flat"
        place.comment(lesson, section if facts else "short", facts)
    return result, facts


def chart(lesson: Lesson, result: Result) -> None:
    """The losses, with L marked."""
    length = result.controls.window
    lines = [Line(loss.method, TITLES[loss.method], loss.position, loss.loss) for loss in result.losses]
    labels = lesson.entries("chart") | {"train_length": lesson.entry("chart", "train_length", length=TRAIN_LENGTH)}
    figure = charts.positions(lines, labels, dark=page.dark(), length=length, train_length=TRAIN_LENGTH)
    changes = ", ".join(f"{TITLES[loss.method]} {loss.before:.2f} → {loss.last:.2f}" for loss in result.losses)
    alt = lesson.label("alt", length=length, changes=changes)
    page.chart(figure, key="ext_places", alt=alt, name=f"loss-by-position-{length}")


def explain(lesson: Lesson, result: Result, facts: Facts | None) -> None:
    """What the loss of each method does at L and after it."""
    page.what_you_see(lesson, "seen" if facts else "short", facts)
    page.prose(lesson, "hidden", probes.hidden_of())
    if result.missing:
        st.caption(lesson.text("missing", Names(titles(result.missing))))


def how(lesson: Lesson, result: Result) -> None:
    """How the losses were measured and averaged, and their numbers."""
    length = result.controls.window
    page.prose(lesson, "how", How(length, study.block_size(length)))
    rows = [{"method": TITLES[one.method], "position": one.position, "loss": one.loss} for one in result.losses]
    page.download_rows(lesson, rows, name=f"loss-by-position-{length}", key="ext_places_csv")


def show(lesson: Lesson) -> None:
    result, facts = stage(lesson)
    if given := method_pills.unknown(controls.CHOSEN, controls.METHODS):
        st.info(lesson.text("unknown", Names(given)))
    if result.losses:
        explain(lesson, result, facts)
        loss = result.losses[0]
        page.formula(lesson, *charts.formula(loss), facts=Formula(TITLES[loss.method]))
    closer = {
        "attention": partial(heads.attention, lesson, result.controls),
        "buckets": partial(buckets.show, lesson, result),
    }
    closer["probes"] = partial(probes.show, lesson)
    closer["how"] = partial(how, lesson, result)
    layout.below(lesson, controls.OPEN, closer, study.by_position, study.near_share, study.buckets)


show(page.begin("why", controls.PARAMS))
