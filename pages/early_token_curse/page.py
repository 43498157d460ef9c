"""The early token curse: who sees how much context, what that costs, and what the runs gave under both protocols."""

import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.format import format_share
from pages.early_token_curse import charts, controls, runs, study

EXAMPLE = 512  # tokens: the window of the long text that the prose speaks of


@st.fragment
def figure(lesson: Lesson) -> study.Result | None:
    """The sliders, and both protocols under them. None for a sentence that is too short."""
    controls.show_sliders(lesson)
    result = page.attempt(lambda: study.study(controls.read()))
    if result is None:
        return None
    words, window, least = result.controls.words, result.controls.window, result.controls.least
    most = max(len(plan.read) for plan in result.plans.values())
    for column, (protocol, plan) in zip(st.columns(2, gap="medium"), result.plans.items(), strict=True):
        title, passes = lesson.label(protocol), len(plan.read)
        with column:
            st.markdown(f"**{title}**")
            summary = "windows.summary" if passes > 1 else "windows.summary_one"
            st.markdown(lesson.text(summary, least=least, **numbers(plan, least)))
            chart = charts.windows(plan, words, lesson.entries("chart"), least=least, rows=most, dark=page.dark())
            alt = lesson.label("alt_windows", protocol=title, passes=passes)
            page.chart(chart, key=f"windows_{protocol}", alt=alt, name=f"windows-{protocol}")
    page.prose(lesson, "windows.how", window=window, squares=window + 1)
    rows = [
        {"protocol": protocol, "window": window, "stride": plan.stride, "word": words[1:], "context": plan.context}
        for protocol, plan in result.plans.items()
    ]
    page.download_rows(lesson, rows, name="context-of-words", key="windows_csv")
    rerun.if_requested()
    return result


def numbers(plan: study.Plan, least: int) -> dict[str, object]:
    """Passes, words read, mean context and share of the cursed words."""
    return {
        "passes": len(plan.read),
        "read": plan.words_read,
        "guessed": len(plan.context),
        "mean": plan.context.mean(),
        "share": format_share(plan.short(least)),
    }


def explain(lesson: Lesson, result: study.Result) -> None:
    """“What you see”, with the numbers of this sentence."""
    section, values = "seen" if len(result.plans["sliding"].read) > 1 else "seen_one", dict(vars(result.controls))
    for protocol, plan in result.plans.items():
        values |= {f"{protocol}_{key}": value for key, value in numbers(plan, result.controls.least).items()}
    page.what_you_see(lesson, section, **values)


@st.fragment
def trade(lesson: Lesson) -> None:
    """A long text: the share of tokens with too little context, and what the protocols cost."""
    page.heading(lesson.label("trade"))
    widgets.drag(controls.LEAST_TOKENS, lesson)
    least, predictions = controls.read().least_tokens, measured.shipped()[0].points[0].predictions
    trades, words = study.trades(predictions, least), lesson.entries("chart")
    for column, quantity in zip(st.columns(2, gap="medium"), ("share", "cost"), strict=True):
        with column:
            chart = charts.trade(trades, words, quantity=quantity, dark=page.dark())
            page.chart(chart, key=f"trade_{quantity}", alt=lesson.label(quantity), name=f"early-token-{quantity}")
    rows = [vars(row) | {"protocol": words[row.protocol]} for row in trades]
    page.download_rows(lesson, rows, name="early-token-trade", key="trade_csv")
    at = study.TEXT_LENGTHS.index(EXAMPLE)
    values: dict[str, object] = {"predictions": predictions, "least": least, "least_less": least - 1}
    for row in trades:
        values |= {f"{row.protocol}_share": format_share(row.share[at]), f"{row.protocol}_cost": row.cost[at]}
    page.prose(lesson, "trade", example=EXAMPLE, **values)
    rerun.if_requested()


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show_sentence(lesson)
    result = figure(lesson)
    if result is not None:
        explain(lesson, result)
        runs.explain_alibi(lesson)
    trade(lesson)
    chosen = controls.read()
    runs.curves(lesson, chosen)
    runs.paper(lesson, chosen.paper_length)
    runs.positions(lesson, chosen.method, chosen.length)
    runs.contexts(lesson)
    runs.small_print(lesson)
    if result is not None:
        page.formula(lesson, *charts.formula(result))
    page.code(evaluation.windows, evaluation.tokens_processed, study.plan, study.contexts)
    page.sources(lesson)


show(page.begin("early_token_curse", controls.PARAMS))
