"""Recall: right answers against the distance of the key, and whether it is the key that a model follows."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm.recall import recall_questions
from alibi_viz.results import measured
from alibi_viz.results.measured import Measured
from alibi_viz.ui import page, predict, reader
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.format import format_share
from alibi_viz.ui.run_names import curve_line
from alibi_viz.ui.shell import navigation
from pages.recall import charts, controls, pictures, study
from pages.recall.study import Result

MOST_OPTIONS = 5  # of a question


def stage(lesson: Lesson, own: Sequence[Measured]) -> Result | None:
    """Right answers by distance. None where no run was asked so."""
    picture, asked, side = layout.stage()
    with side:
        widgets.choice(controls.PAIRS, lesson)
        layout.more(lesson, controls.TRY, partial(controls.show, lesson))
    result = study.study(controls.read(), own)
    asks = question(lesson, result) if result is not None and result.at_far() else None
    with picture:
        if result is None:
            st.info(lesson.text("none"))
        elif not result.drawn("right"):
            st.info(lesson.text("nothing"), icon=":material/edit:")
        else:
            pictures.show(lesson, result, "right", asks=asks)
    if result is not None and (shares := result.at_far()):
        with asked:
            predict.ask(asks)
        best, numbers = result.best_at_far(), {"far": result.far, "times": (result.far + 1) // result.config.length}
        with side:
            alibi = "alibi" in shares and "alibi" not in best
            second = " " + lesson.label("note_alibi", share=format_share(shares["alibi"])) if alibi else ""
            values = {"best": titles(best), "share": format_share(shares[best[0]]), "chance": study.CHANCE}
            pairs = {"pairs": result.controls.pairs, "any": 1 / result.controls.pairs}
            layout.note(lesson, second=second, **values, **numbers, **pairs)
    return result


def question(lesson: Lesson, result: Result) -> predict.Question | None:
    """Who is right most often at the farthest distance? None where there is nothing to choose from."""
    shares, best = result.at_far(), result.best_at_far()
    asked = [curve.config.method for curve in result.right if curve.config.method in shares]
    first = asked[:MOST_OPTIONS]
    options = first if set(first) & set(best) else [*first[:-1], best[0]]
    right = [number for number, method in enumerate(options) if method in best]
    if len(right) == len(options):
        return None
    names = [TITLES[method] for method in options]
    return predict.Question(lesson, names, right, {"far": result.far}, begins=result.trained)


def names(lesson: Lesson, methods: Iterable[str]) -> str:
    """Titles of methods, each once, or the words for none of them."""
    return titles(dict.fromkeys(methods)) or lesson.label("no_method")


def explain(lesson: Lesson, result: Result) -> None:
    """Who learned the task, and whether ALiBi is behind others at the farthest distance."""
    numbers = {"success": study.RECALLED, "farthest": result.trained, "all": len(result.right)}
    numbers |= {"failure": 1 - study.RECALLED, "penalty": result.penalty[1]}
    page.what_you_see(lesson, count=len(result.learned), **numbers)
    shares = {curve.config.method: curve.at(result.far) or 0 for curve in result.learned}
    if "alibi" in shares:
        ahead = [method for method, share in shares.items() if share > shares["alibi"]]
        values: dict[str, Any] = {"ahead": len(ahead), "alibi": format_share(shares["alibi"]), "far": result.far}
        page.prose(lesson, "alibi_behind" if ahead else "alibi_ahead", **values)


def both_controls(lesson: Lesson, result: Result) -> None:
    """Another key asked, and the nearest digit."""
    learned = [curve.config.method for curve in result.learned]
    others = names(lesson, (curve.config.method for curve in result.right if curve.config.method not in learned))
    rule = {"success": study.RECALLED, "failure": 1 - study.RECALLED, "farthest": result.trained}
    page.prose(lesson, "controls", names=names(lesson, learned), others=others, **rule)
    for column, share in zip(st.columns(2, gap="medium"), study.SHARES[1:], strict=True):
        with column:
            pictures.show(lesson, result, share, 360)


def table(lesson: Lesson, result: Result) -> None:
    """Right answers of every method at every distance; a dash where a method cannot be asked."""
    values: dict[str, Any] = {"success": study.RECALLED}
    for times in study.TIMES:
        distance = times * result.config.length - 1
        methods = [c.config.method for c in result.learned if (c.at(distance) or 0) >= study.RECALLED]
        values[f"names_{times}"] = names(lesson, methods)
    page.prose(lesson, "success", **values)
    seeds = sorted({len(curve.seeds) for curve in result.right})
    st.caption(lesson.text("table", seeds="–".join(map(str, dict.fromkeys((seeds[0], seeds[-1]))))))
    columns = {lesson.entry("columns", "method"): [TITLES[curve.config.method] for curve in result.right]}
    for distance in np.unique(np.concatenate([curve.distances for curve in result.right])):
        shares = [curve.at(distance) for curve in result.right]
        columns[f"{distance:,}"] = ["–" if share is None else format_share(share) for share in shares]
    st.dataframe(pd.DataFrame(columns), hide_index=True)
    rows = [curve_line(c).row("distance", share) for share in study.SHARES for c in result.drawn(share)]
    page.download_rows(lesson, rows, name="recall-by-distance", key="recall_csv")


def task(lesson: Lesson, result: Result) -> None:
    """The task, how the models were trained, and how both were chosen."""
    page.prose(lesson, "task", example=study.example(), chance=study.CHANCE)
    values = vars(result.config) | {"trained": result.config.length, "asked": result.controls.pairs}
    page.prose(lesson, "trained", farthest=result.trained, most=result.far, **values)
    page.prose(lesson, "choice")


def own_runs(lesson: Lesson, result: Result) -> None:
    """The reader's own runs of this task."""
    widgets.flag(controls.OWN, lesson)
    page.prose(lesson, "own" if result.own["right"] else "own.none", most=study.MOST_OWN)
    navigation.link("train", lesson.label("train"), {"train_text": "recall", "train_steps": "2000"})


def show(lesson: Lesson) -> None:
    result = stage(lesson, measured.own(reader.in_sight()))
    if given := controls.unknown():
        st.info(lesson.text("unknown", given=given))
    if result is not None:
        explain(lesson, result)
        numbers: dict[str, Any] = {"heads": result.config.heads, "penalty": result.penalty[1], "far": result.far}
        page.formula(lesson, charts.formula(result), **numbers)
        closer = {"controls": both_controls, "table": table, "task": task, "own": own_runs}
        contents = {name: partial(part, lesson, result) for name, part in closer.items()}
        contents["code"] = partial(page.code, recall_questions, study.learned)
        layout.sections(lesson, controls.OPEN, contents)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("recall", controls.PARAMS))
