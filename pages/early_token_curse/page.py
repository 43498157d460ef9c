"""The early token curse: who sees how much context, what that costs, and what the runs gave under both protocols."""

from functools import partial
from typing import Literal

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.results import measured
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components import windows_view as windows
from alibi_viz.ui.components.windows_view import windows_view
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.format import format_share
from pages.early_token_curse import charts, controls, runs, study
from pages.early_token_curse.study import Plan, Result

EXAMPLE = 512  # tokens: the window of the long text that the prose speaks of


@rerun.fragment
def stage(lesson: Lesson) -> Result | None:
    """The windows of one protocol over the sentence, with the sliders. None for a sentence that is too short."""
    picture, asked, side = layout.stage()
    with side:
        controls.show(lesson)
        layout.more(lesson, controls.TRY, partial(controls.show_more, lesson))
    with picture:
        result = page.attempt(lambda: study.study(controls.read()))
        if result is not None:
            asks = question(lesson, result)
            draw(lesson, result, result.controls.protocol, asks, key="windows", size="stage")
    if result is not None:
        with asked:
            predict.ask(asks)
        with side:
            summaries = {protocol: summary(lesson, plan, result) for protocol, plan in result.plans.items()}
            layout.note(lesson, **summaries)
    return result


def question(lesson: Lesson, result: Result) -> predict.Question:
    """How many words have too little context under the chosen protocol? Beside it: the other's count, and near misses."""
    chosen = result.controls
    count, other = (plan.short_count(chosen.least) for plan in (result.shown, result.other))
    guessed = len(result.shown.context)
    options = sorted({n for n in (other, count - 1, count, count + 1) if 0 <= n <= guessed})
    numbers = {
        "protocol": lesson.label(f"in_{chosen.protocol}"),
        "window": chosen.window,
        "stride": result.shown.stride,
    }
    numbers |= {"guessed": guessed, "least": chosen.least}
    return predict.Question(lesson, [str(option) for option in options], [options.index(count)], numbers)


def draw(
    lesson: Lesson,
    result: Result,
    protocol: measured.Protocol,
    asks: predict.Question | None = None,
    *,
    key: str,
    size: Literal["normal", "stage"] = "normal",
) -> None:
    """The windows of one protocol, and as outlines the contexts of the other; the sliders are previewed."""
    chosen, shown = result.controls, result.plans[protocol]
    labels = lesson.entries("chart") | {"least": lesson.entry("chart", "least", least="{least}")}
    windows_view(
        chosen.words,
        windows.Plan(shown.read, shown.counted, shown.context, result.beside(protocol).context),
        windows.Settings(chosen.window, chosen.stride, chosen.least, sliding=protocol == "sliding"),
        key=key,
        names={name: labels[name] for name in ("enough", "poor", "read", "other", "least", "pass", "context")},
        readout=lesson.entries("readout"),
        alt=predict.alt(asks, alt(lesson, result, protocol)),
        covered=predict.is_open(asks),
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
    values = {"protocol": lesson.label(protocol), "least": result.controls.least}
    return lesson.label("alt_windows", **values, **numbers(result.plans[protocol], result.controls.least))


def summary(lesson: Lesson, plan: Plan, result: Result) -> str:
    """Passes, words read, mean context and cursed words of one protocol."""
    section = "windows.summary" if len(plan.read) > 1 else "windows.summary_one"
    return lesson.text(section, least=result.controls.least, **numbers(plan, result.controls.least))


def numbers(plan: Plan, least: int) -> dict[str, object]:
    """Passes, words read, mean context and share of the cursed words."""
    return {
        "passes": len(plan.read),
        "read": plan.words_read,
        "guessed": len(plan.context),
        "mean": plan.context.mean(),
        "share": format_share(plan.short(least)),
    }


def explain(lesson: Lesson, result: Result) -> None:
    """“What you see”, with the numbers of this sentence."""
    section, values = "seen" if len(result.plans["sliding"].read) > 1 else "seen_one", dict(vars(result.controls))
    for protocol, plan in result.plans.items():
        values |= {f"{protocol}_{key}": value for key, value in numbers(plan, result.controls.least).items()}
    page.what_you_see(lesson, section, **values)


def cost(lesson: Lesson, result: Result | None) -> None:
    """Both protocols side by side, and over a long text what they cost."""
    if result is not None:
        side_by_side(lesson, result)
    trade(lesson)


def side_by_side(lesson: Lesson, result: Result) -> None:
    """Both protocols over the sentence, one below the other, and how to read such a picture."""
    chosen = result.controls
    for protocol in result.plans:
        st.markdown(f"**{lesson.label(protocol)}**")
        draw(lesson, result, protocol, key=f"windows_{protocol}")
    page.prose(lesson, "windows.how", window=chosen.window, squares=chosen.window + 1)
    common = {"window": chosen.window, "word": chosen.words[1:]}
    rows = [
        {"protocol": protocol, "stride": plan.stride, "context": plan.context, **common}
        for protocol, plan in result.plans.items()
    ]
    page.download_rows(lesson, rows, name="context-of-words", key="windows_csv")


@rerun.fragment
def trade(lesson: Lesson) -> None:
    """A long text: the share of tokens with too little context, and what the protocols cost."""
    st.markdown(f"**{lesson.label('trade')}**")
    widgets.drag(controls.LEAST_TOKENS, lesson)
    least, predictions = controls.read().least_tokens, measured.shipped()[0].points[0].predictions
    trades, words = study.trades(predictions, least), lesson.entries("chart")
    at = study.TEXT_LENGTHS.index(EXAMPLE)
    values: dict[str, object] = {"predictions": predictions, "least": least, "least_less": least - 1}
    for row in trades:
        values |= {f"{row.protocol}_share": format_share(row.share[at]), f"{row.protocol}_cost": row.cost[at]}
    for column, quantity in zip(st.columns(2, gap="medium"), ("share", "cost"), strict=True):
        with column:
            chart = charts.trade(trades, words, quantity=quantity, dark=page.dark())
            words_of_it = lesson.label(f"alt_{quantity}", example=EXAMPLE, **values)
            page.chart(chart, key=f"trade_{quantity}", alt=words_of_it, name=f"early-token-{quantity}")
    rows = [vars(row) | {"protocol": words[row.protocol]} for row in trades]
    page.download_rows(lesson, rows, name="early-token-trade", key="trade_csv")
    page.prose(lesson, "trade", example=EXAMPLE, **values)


def measured_runs(lesson: Lesson) -> None:
    """Our own models under both protocols."""
    runs.explain_alibi(lesson)
    st.latex(charts.LOSS)
    page.prose(lesson, "loss")
    runs.curves(lesson, controls.read())
    runs.small_print(lesson)


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
    result = stage(lesson)
    if result is not None:
        explain(lesson, result)
        page.formula(lesson, charts.formula(result))
    parts = {"measured": measured_runs, "paper": paper, "positions": positions}
    closer = {"cost": partial(cost, lesson, result), **{name: partial(part, lesson) for name, part in parts.items()}}
    pieces = (evaluation.windows, evaluation.tokens_processed, study.plan, study.contexts)
    closer["code"] = partial(page.code, *pieces)
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("early_token_curse", controls.PARAMS))
