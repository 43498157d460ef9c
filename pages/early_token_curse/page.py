"""The early token curse: who sees how much context, what that costs, and what the runs gave under both protocols."""

from functools import partial
from typing import Literal

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.results import measured
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components import windows_view as windows
from alibi_viz.ui.components.windows_view import windows_view
from alibi_viz.ui.controls import widgets
from pages.early_token_curse import charts, controls, runs, study
from pages.early_token_curse.facts import Facts, facts_of, long_text_of, shipped_config, windows_of
from pages.early_token_curse.study import Result


@st.fragment
def early_token_curse_stage(lesson: Lesson) -> tuple[Result, Facts] | None:
    """The windows of one protocol over the sentence, with the sliders, and what is said of them.

    None for a sentence that is too short.
    """
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    with place.picture:
        result = page.attempt(lambda: study.study(controls.read()))
        if result is not None:
            draw(lesson, result, result.controls.protocol, key="windows", size="stage")
    if result is None:
        return None
    facts = facts_of(lesson, result)
    place.comment(lesson, "note", facts)
    return result, facts


def draw(
    lesson: Lesson,
    result: Result,
    protocol: measured.Protocol,
    *,
    key: str,
    size: Literal["normal", "stage"] = "normal",
) -> None:
    """The windows of one protocol, and as outlines the contexts of the other; the sliders are previewed."""
    chosen, shown = result.controls, result.plans[protocol]
    labels = lesson.entries("chart") | {"least": lesson.entry("chart", "least", least="{least}")}
    windows_view(
        chosen.words,
        windows.WindowPlan(shown.read, shown.counted, shown.context, result.beside(protocol).context),
        windows.Settings(chosen.window, chosen.stride, chosen.least, sliding=protocol == "sliding"),
        key=key,
        names={name: labels[name] for name in ("enough", "poor", "read", "other", "least", "pass", "context")},
        readout=lesson.entries("readout"),
        alt=alt(lesson, result, protocol),
        follows=[
            windows.Dragged(controls.WINDOW.key, chosen.window, "window"),
            windows.Dragged(controls.STRIDE.key, chosen.stride, "stride"),
            windows.Dragged(controls.LEAST.key, chosen.least, "least"),
        ],
        size=size,
        filename=f"windows-{protocol}",
    )


def alt(lesson: Lesson, result: Result, protocol: measured.Protocol) -> str:
    """The picture of one protocol in words."""
    return lesson.label("alt_windows", windows_of(result, protocol), protocol=lesson.label(protocol))


def cost(lesson: Lesson, drawn: tuple[Result, Facts] | None) -> None:
    """Both protocols side by side, and over a long text what they cost."""
    if drawn is not None:
        side_by_side(lesson, *drawn)
    early_token_curse_trade(lesson)


def side_by_side(lesson: Lesson, result: Result, facts: Facts) -> None:
    """Both protocols over the sentence, one below the other, and how to read such a picture."""
    chosen = result.controls
    for protocol in result.plans:
        st.markdown(f"**{lesson.label(protocol)}**")
        draw(lesson, result, protocol, key=f"windows_{protocol}")
    page.prose(lesson, "windows.how", facts)
    common = {"window": chosen.window, "word": chosen.words[1:]}
    rows = [
        {"protocol": protocol, "stride": plan.stride, "context": plan.context, **common}
        for protocol, plan in result.plans.items()
    ]
    page.download_rows(lesson, rows, name="context-of-words", key="windows_csv")


@st.fragment
def early_token_curse_trade(lesson: Lesson) -> None:
    """A long text: the share of tokens with too little context, and what the protocols cost."""
    st.markdown(f"**{lesson.label('trade')}**")
    widgets.drag(controls.LEAST_TOKENS, lesson)
    least, predictions = controls.read().least_tokens, measured.shipped()[0].points[0].predictions
    trades, words = study.trades(predictions, least), lesson.entries("chart")
    facts = long_text_of(predictions, least, trades)
    for column, quantity in zip(st.columns(2, gap="medium"), ("share", "cost"), strict=True):
        with column:
            chart = charts.trade(trades, words, quantity=quantity, dark=page.dark())
            words_of_it = lesson.label(f"alt_{quantity}", facts)
            page.chart(chart, key=f"trade_{quantity}", alt=words_of_it, name=f"early-token-{quantity}")
    rows = [vars(row) | {"protocol": words[row.protocol]} for row in trades]
    page.download_rows(lesson, rows, name="early-token-trade", key="trade_csv")
    page.prose(lesson, "trade", facts)


def measured_runs(lesson: Lesson) -> None:
    """Our own models under both protocols."""
    runs.explain_alibi(lesson)
    st.latex(charts.LOSS)
    page.prose(lesson, "loss")
    runs.curves(lesson, controls.read())
    page.prose(lesson, "small", shipped_config())


def paper(lesson: Lesson) -> None:
    """The paper's tables."""
    runs.paper(lesson, controls.read().paper_length)


def positions(lesson: Lesson) -> None:
    """How much context is enough: by position in the window, and with the context cut."""
    chosen = controls.read()
    runs.positions(lesson, chosen.method, chosen.length)
    st.markdown(f"**{lesson.label('contexts')}**")
    runs.contexts(lesson)


def show(lesson: Lesson) -> None:
    drawn = early_token_curse_stage(lesson)
    if drawn is not None:
        result, facts = drawn
        page.what_you_see(lesson, "seen" if len(result.plans["sliding"].read) > 1 else "seen_one", facts)
        page.formula(lesson, charts.formula(result))
    parts = {"measured": measured_runs, "paper": paper, "positions": positions}
    closer = {"cost": partial(cost, lesson, drawn)} | {name: partial(part, lesson) for name, part in parts.items()}
    code = (evaluation.windows, evaluation.tokens_processed, study.plan, study.contexts)
    layout.below(lesson, controls.OPEN, closer, *code)


show(page.begin("early_token_curse", controls.PARAMS))
