"""Where the break comes from: the loss at each position of the window, what trained heads attend to, and T5's buckets."""

from functools import partial
from math import exp

import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.results.pretrained import SEEDS
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.method_pills import TITLES, titles
from pages.why import buckets, charts, controls, heads, study
from pages.why.study import TRAIN_LENGTH, PositionLoss, Result

MOST_OPTIONS = 5  # of a question


def stage(lesson: Lesson) -> Result:
    """Loss against the position in a window of the chosen length."""
    picture, asked, side = layout.stage()
    with side:
        widgets.choice(controls.WINDOW, lesson)
        layout.more(lesson, controls.TRY, partial(controls.show, lesson))
    result = study.study(controls.read())
    asks = question(lesson, result)
    with picture:
        if result.losses:
            chart(lesson, result, asks)
        else:
            missing = titles(result.missing)
            st.info(lesson.text("missing", names=missing) if missing else lesson.text("nothing"))
    with asked:
        predict.ask(asks)
    if result.losses:
        with side:
            note(lesson, result)
    return result


def question(lesson: Lesson, result: Result) -> predict.Question | None:
    """Whose loss rises most just after L? None where no loss rises there, or where there is nothing to choose from."""
    most = result.most_at_length()
    if most is None or len(result.losses) < 2 or result.controls.window <= TRAIN_LENGTH:
        return None
    others = [loss.method for loss in result.losses if loss is not most][: MOST_OPTIONS - 1]
    options = [loss.method for loss in result.losses if loss is most or loss.method in others]
    numbers = {"train_length": TRAIN_LENGTH, "length": result.controls.window}
    titles_of = [TITLES[method] for method in options]
    return predict.Question(lesson, titles_of, [options.index(most.method)], numbers, begins=TRAIN_LENGTH)


def chart(lesson: Lesson, result: Result, asks: predict.Question | None) -> None:
    """The losses, with L marked."""
    length = result.controls.window
    lines = [Line(loss.method, TITLES[loss.method], loss.position, loss.loss) for loss in result.losses]
    labels = lesson.entries("chart") | {"train_length": lesson.entry("chart", "train_length", length=TRAIN_LENGTH)}
    figure = charts.positions(lines, labels, dark=page.dark(), length=length, train_length=TRAIN_LENGTH)
    changes = ", ".join(f"{TITLES[loss.method]} {loss.before:.2f} → {loss.last:.2f}" for loss in result.losses)
    alt = lesson.label("alt", length=length, changes=changes)
    page.chart(figure, key="ext_places", alt=alt, name=f"loss-by-position-{length}", asks=asks)


def note(lesson: Lesson, result: Result) -> None:
    """Which method's loss rises most just after L, and which changes least."""
    if result.controls.window <= TRAIN_LENGTH:
        layout.note(lesson, "short")
        return
    most, least = result.most(), result.least()
    numbers: dict[str, object] = {"least": TITLES[least.method], "before": least.before, "last": least.last}
    numbers |= {"most": TITLES[most.method], "most_before": most.before, "most_after": most.after}
    numbers |= {"most_factor": exp(most.before - most.after), "change": study.CHANGE}
    layout.note(lesson, "note" if result.most_at_length() else "note.flat", **numbers)


def explain(lesson: Lesson, result: Result) -> None:
    """What the loss of each method does at L and after it."""
    if result.controls.window <= TRAIN_LENGTH:
        page.what_you_see(lesson, "short")
    else:
        each = "\n".join(f"- {course(lesson, loss)}" for loss in result.losses)
        page.what_you_see(lesson, each=each)
    if result.missing:
        st.caption(lesson.text("missing", names=titles(result.missing)))


def how(lesson: Lesson, result: Result) -> None:
    """How the losses were measured and averaged, and their numbers."""
    length = result.controls.window
    numbers = {"seeds": len(SEEDS), "length": length, "change": study.CHANGE, "half": TRAIN_LENGTH // 2}
    page.prose(lesson, "how", block=study.block_size(length), **numbers)
    rows = [{"method": TITLES[one.method], "position": one.position, "loss": one.loss} for one in result.losses]
    page.download_rows(lesson, rows, name=f"loss-by-position-{length}", key="ext_places_csv")


def course(lesson: Lesson, loss: PositionLoss) -> str:
    """What the loss of one method does at L and after it."""
    numbers = {"name": TITLES[loss.method], "times": (loss.rise or 0) / TRAIN_LENGTH, **vars(loss)}
    return lesson.text(f"course.{loss.course}", **numbers)


def show(lesson: Lesson) -> None:
    result = stage(lesson)
    if given := controls.unknown():
        st.info(lesson.text("unknown", given=given))
    if result.losses:
        explain(lesson, result)
        loss = result.losses[0]
        page.formula(lesson, *charts.formula(loss), name=TITLES[loss.method], train_length=TRAIN_LENGTH)
    closer = {
        "attention": partial(heads.attention, lesson, result.controls),
        "buckets": partial(buckets.show, lesson, result),
    }
    closer["how"] = partial(how, lesson, result)
    closer["code"] = partial(page.code, study.by_position, study.near_share, study.buckets)
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("why", controls.PARAMS))
