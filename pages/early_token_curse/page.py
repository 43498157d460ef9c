"""The early token curse: who sees how much context, what that costs, and what the runs gave under both protocols."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from alibi_viz import measured
from alibi_viz.content import words as words_of
from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.lm.recall import recall_question
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.controls.params import Param
from pages.early_token_curse import charts as charts
from pages.early_token_curse import runs as runs
from pages.early_token_curse import sections as view
from pages.early_token_curse import study as study

TEXT = Param("curse_text", "text", "the cat sat on the mat and slept", longest=500)
WINDOW = Param("curse_window", "int", 4, low=2, high=study.MOST - 1)
STRIDE = Param("curse_stride", "int", 1, low=1, high=study.MOST - 1)
LEAST = Param("curse_least", "int", 3, low=2, high=study.MOST - 1)
PARAMS = (TEXT, WINDOW, STRIDE, LEAST, *view.PARAMS, *runs.PARAMS)
PLAIN = {param.key: param.default for param in PARAMS}
TRY: page.Presets = {
    "plain": PLAIN,
    "short": {"curse_window": 2, "curse_stride": 1, "curse_least": 2},
    "half": {"curse_window": 4, "curse_stride": 2, "curse_least": 3},
    "everything": {"curse_scale": "all"},
    "far": {"curse_method": "rope", "curse_length": "2048"},
}


def sentence(lesson: Lesson) -> tuple[str, ...]:
    """The reader's words, cut where no more fit."""
    found = words_of(widgets.line(TEXT, lesson))
    if len(found) > study.MOST:
        st.caption(lesson.text("windows.cut", given=len(found), used=study.MOST))
    return tuple(found[: study.MOST])


def sliders(lesson: Lesson, words: int) -> tuple[int, int, int]:
    """Window, stride and enough context, each within what the sentence and the window allow."""

    def slide(param: Param, high: int) -> int:
        return int(widgets.drag(replace(param, high=high, default=min(int(param.default), high)), lesson))

    left, middle, right = st.columns(3, gap="large")
    with left:
        window = slide(WINDOW, words - 1)
    with middle:
        stride = slide(STRIDE, window)
    with right:
        least = slide(LEAST, words - 1)
    return window, stride, least


@st.fragment
def figure(lesson: Lesson, text: tuple[str, ...]) -> None:
    """The sliders, and both protocols under them."""
    window, stride, least = sliders(lesson, len(text))
    plans = [study.plan(len(text), window, step) for step in (window, stride)]
    rows: list[tuple[object, ...]] = []
    for column, protocol, plan in zip(st.columns(2, gap="medium"), measured.PROTOCOLS, plans, strict=True):
        with column:
            st.markdown(f"**{lesson.label(protocol)}**")
            st.markdown(lesson.text("windows.summary", **numbers(lesson, plan, least)))
            made = charts.windows(
                [(one.begin, one.end, one.counted.start) for one in plan.windows],
                plan.context,
                text,
                lesson.entries("chart"),
                least=least,
                rows=max(len(one.windows) for one in plans),
                dark=page.dark(),
            )
            passes = len(plan.windows)
            alt = lesson.label("alt_windows", protocol=lesson.label(protocol), passes=passes)
            page.chart(made, key=f"windows_{protocol}", alt=alt, name=f"windows-{protocol}")
        rows += [(protocol, window, plan.stride, text[i + 1], int(n)) for i, n in enumerate(plan.context)]
    page.prose(lesson, "windows.how", window=window, squares=window + 1)
    columns_of = view.header(lesson, "protocol", "window", "stride", "word", "context")
    page.download(lambda: page.csv_text(columns_of, rows), name="context-of-words.csv", key="windows_csv")
    rerun.if_requested()


def numbers(lesson: Lesson, plan: study.Plan, least: int) -> dict[str, object]:
    """Passes, words read, mean context and share of a plan, as the words need them."""
    count = len(plan.windows)
    return {
        "passes": lesson.entry("windows.counts", "one" if count == 1 else "many", n=count),
        "read": plan.words_read,
        "guessed": len(plan.context),
        "mean": f"{plan.context.mean():.1f}",
        "share": view.percent(plan.short(least)),
        "least": least,
    }


def explain(lesson: Lesson, text: tuple[str, ...]) -> None:
    """“What you see”, with the numbers of this sentence, then those of the runs."""
    window, stride, least = (int(state.read(param)) for param in (WINDOW, STRIDE, LEAST))
    plain, slide = (numbers(lesson, study.plan(len(text), window, step), least) for step in (window, stride))
    told = {f"plain_{key}": value for key, value in plain.items()} | {f"slide_{key}": v for key, v in slide.items()}
    page.what_you_see(lesson, window=window, stride=stride, least=least, **told)
    runs.explain_alibi(lesson)


def show(lesson: Lesson) -> None:
    page.try_this(lesson, TRY)
    text = sentence(lesson)
    try:
        study.plan(len(text), 2, 1)
    except ValueError as problem:
        page.problem(problem)
    else:
        figure(lesson, text)
        explain(lesson, text)
    view.trade(lesson)
    runs.curves(lesson)
    runs.paper(lesson)
    view.places(lesson)
    view.recall(lesson, bool(state.read(runs.OWN)))
    view.small_print(lesson)
    if len(text) >= study.FEWEST:
        window, stride = (int(state.read(param)) for param in (WINDOW, STRIDE))
        page.formula(lesson, *charts.formulas(len(text) - 1, window, stride))
    page.code(evaluation.windows, evaluation.tokens_processed, study.plan, study.contexts, recall_question)
    page.sources(lesson)


lesson = page.begin("early_token_curse", PARAMS)
show(lesson)
