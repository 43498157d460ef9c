"""The Early token curse page's sections: controls, one call of the study, a figure, its numbers as CSV, and words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.lm import recall as recall_task
from alibi_viz.measured import Curve, Measured
from alibi_viz.pretrained import METHODS
from alibi_viz.ui import page, run_names
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.format import escape_markdown
from pages.early_token_curse import charts as charts
from pages.early_token_curse import study as study
from pages.early_token_curse.charts import Line

EXAMPLE = 512  # tokens: the window of the long text that the words speak of
OWN_MOST = 6  # curves of the reader: with more, nothing could be told apart
LENGTHS = ("64", "128", "256", "512", "1024", "2048")

BYTES = Param("curse_bytes", "int", 32, low=2, high=512)
METHOD = Param("curse_method", "choice", "alibi", choices=METHODS)
LENGTH = Param("curse_length", "choice", "128", choices=LENGTHS)
PARAMS = (BYTES, METHOD, LENGTH)


def percent(share: float) -> str:
    """A share as a reader wants it: 3%, 0.4%, and 0% only if it is none."""
    return f"{100 * share:.0f}%" if share >= 0.1 or share == 0 else f"{100 * share:.2g}%"


def listed(lesson: Lesson, names: Iterable[str]) -> str:
    """Titles of methods, or the word for none of them."""
    *first, last = [TITLES[name] for name in names] or [lesson.entry("lists", "nobody")]
    return lesson.entry("lists", "and", first=", ".join(first), last=last) if first else last


def run_name(lesson: Lesson, curve: Curve | measured.RecallCurve) -> str:
    """A curve in a legend: the method, and for the reader's own what they chose."""
    title, config = TITLES[curve.config.method], curve.config
    if curve.origin == "shipped":
        return title
    first = measured.shipped(recall=config.is_recall)[0]
    corpus = "" if isinstance(curve, measured.RecallCurve) else curve.corpus
    return lesson.label("own_name", name=run_names.run_name(title, config, corpus, first.config, first.corpus))


@st.fragment
def trade(lesson: Lesson) -> None:
    """A long text: the share of tokens with too little context, and what the protocols cost."""
    page.heading(lesson.label("trade"))
    least = int(widgets.drag(BYTES, lesson, log=True))
    predictions = _points()[0].predictions
    found = study.trades(predictions, least)
    words = lesson.entries("chart")
    for column, quantity in zip(st.columns(2, gap="medium"), ("share", "cost"), strict=True):
        with column:
            lines = [(one.name, one.lengths, getattr(one, quantity)) for one in found]
            figure = charts.trade(lines, words, quantity=quantity, dark=page.dark())
            page.chart(figure, key=f"trade_{quantity}", alt=lesson.label(quantity), name=f"early-token-{quantity}")
    columns = header(lesson, "protocol", "window", "share", "cost")
    rows = [
        (words[one.name], *row)
        for one in found
        for row in zip(one.lengths.tolist(), one.share.tolist(), one.cost.tolist(), strict=True)
    ]
    page.download(lambda: page.csv_text(columns, rows), name="early-token-trade.csv", key="trade_csv")
    at = study.TEXT_LENGTHS.index(EXAMPLE)
    share = {one.name: percent(one.share[at]) for one in found}
    cost = {f"{one.name}_cost": f"{one.cost[at]:.1f}" for one in found}
    numbers = {"predictions": f"{predictions:,}", "least": least, "least_less": least - 1, "example": EXAMPLE}
    page.prose(
        lesson, "trade", **numbers, **cost, plain=share["nonoverlapping"], quarter=share["quarter"], one=share["one"]
    )
    rerun.if_requested()


def _points() -> tuple[measured.Point, ...]:
    return measured.shipped()[0].of("nonoverlapping")


def header(lesson: Lesson, *keys: str) -> list[str]:
    """The first line of a CSV."""
    return [lesson.entry("columns", key) for key in keys]


def places(lesson: Lesson) -> None:
    """Loss by position of one method at one window."""
    page.heading(lesson.label("places"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        with st.container(width=200):
            method = widgets.pick(METHOD, lesson)
        length = int(widgets.choice(LENGTH, lesson))
    runs = [run for run in measured.shipped() if run.config.method == method]
    trained = runs[0].config.length
    found = study.places(runs, length)
    if found is None:
        point = runs[0].at(length)
        reason = point.reason if point else ""
        st.info(
            lesson.text("places.missing", method=TITLES[method], length=f"{length:,}", reason=escape_markdown(reason))
        )
        return
    middle = np.sqrt(found.first * found.last.astype(np.float64))
    figure = charts.places(
        Line(method, TITLES[method], middle, found.loss, found.low, found.high),
        lesson.entries("chart"),
        length=length,
        level=found.level,
        needed=found.needed,
        trained=trained,
        dark=page.dark(),
    )
    page.chart(figure, key="places", alt=lesson.label("places"), name=f"loss-by-position-{method}-{length}")
    columns = header(lesson, "first_place", "last_place", "loss", "low", "high", "predictions")
    table = np.stack([found.first, found.last, found.loss, found.low, found.high, found.predictions], axis=1)
    rows = [(int(row[0]), int(row[1]), *row[2:5].tolist(), int(row[5])) for row in table]
    page.download(
        lambda: page.csv_text(columns, rows), name=f"loss-by-position-{method}-{length}.csv", key="places_csv"
    )
    explain_places(lesson, found, runs, length)


def explain_places(lesson: Lesson, found: study.Places, runs: Sequence[Measured], length: int) -> None:
    """The context that is needed, read off the chart."""
    trained = runs[0].config.length
    within = min(trained, length)
    share = (found.needed - 1) / length
    page.prose(
        lesson,
        "places",
        title=TITLES[runs[0].config.method],
        length=f"{length:,}",
        seeds=len(runs),
        first=f"{found.loss[0]:.2f}",
        level=f"{found.level:.2f}",
        late_from=within // 2 + 1,
        late_to=within,
        needed=found.needed,
        share=percent(share),
        words=lesson.entry("places.words", "short" if share > 0.01 else "long"),
    )
    if length > trained:
        page.prose(lesson, "places.beyond", trained=trained, last=f"{found.loss[-1]:.2f}")
    page.prose(lesson, "places.noise", least=int(found.predictions.min()))


def recall(lesson: Lesson, with_own: bool) -> None:
    """The recall task at growing distance: who still finds the key?"""
    page.heading(lesson.label("recall"))
    shipped = measured.recall_curves(measured.shipped(recall=True))
    own = measured.recall_curves(measured.own())[:OWN_MOST] if with_own else ()
    shown, words = (*shipped, *own), lesson.entries("chart")
    trained = shipped[0].config.length
    farthest = recall_task.farthest(trained)
    page.prose(
        lesson,
        "recall",
        example=study.recall_example(),
        chance=percent(study.CHANCE),
        trained=trained,
        farthest=farthest,
        most=f"{int(max(one.distances.max() for one in shipped)):,}",
    )
    figure = charts.recall(
        [_recall_line(lesson, one) for one in shown],
        words,
        chance=study.CHANCE,
        trained=farthest,
        dark=page.dark(),
    )
    page.chart(figure, key="recall", alt=lesson.label("recall"), name="recall-by-distance")
    columns = header(lesson, "method", "distance", "right", "low", "high")
    rows = [
        (run_name(lesson, one), *row)
        for one in shown
        for row in zip(*(part.tolist() for part in (one.distances, one.mean, one.low, one.high)), strict=True)
    ]
    page.download(lambda: page.csv_text(columns, rows), name="recall-by-distance.csv", key="recall_csv")
    st.caption(lesson.text("recall.table", seeds=len(shipped[0].seeds)))
    st.dataframe(recall_table(lesson, shipped), hide_index=True)
    explain_recall(lesson, shipped)


def recall_table(lesson: Lesson, shipped: Sequence[measured.RecallCurve]) -> pd.DataFrame:
    """Methods down, distances across; a dash where a method cannot be asked."""
    distances = sorted({distance for one in shipped for distance in one.distances.tolist()})
    titles = {lesson.entry("columns", "method"): [TITLES[one.config.method] for one in shipped]}
    shares = {f"{far:,}": [_share(one.at(far)) for one in shipped] for far in distances}
    return pd.DataFrame(titles | shares)


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _recall_line(lesson: Lesson, one: measured.RecallCurve) -> Line:
    name, own = run_name(lesson, one), one.origin == "own"
    mean, low, high = 100 * one.mean, 100 * one.low, 100 * one.high
    return Line(one.config.method, name, one.distances, mean, low, high, hollow=own, own=own)


def explain_recall(lesson: Lesson, shipped: Sequence[measured.RecallCurve]) -> None:
    """Who found the byte how far away, and whether ALiBi is among them."""
    trained = shipped[0].config.length
    four, eight, sixteen = (times * trained - 1 for times in (4, 8, 16))
    names = {
        f"names_{word}": listed(lesson, [one.config.method for one in shipped if (one.at(far) or 0) >= study.FOUND])
        for word, far in (("four", four), ("eight", eight), ("sixteen", sixteen))
    }
    found = percent(study.FOUND)
    places = {"four": f"{four:,}", "eight": f"{eight:,}", "sixteen": f"{sixteen:,}"}
    page.prose(lesson, "recall.found", found=found, **places, **names, **_widest(shipped))
    alibi = next(one for one in shipped if one.config.method == "alibi").at(sixteen) or 0
    ahead = [one.config.method for one in shipped if (one.at(sixteen) or 0) > alibi]
    which = "recall.alibi_behind" if ahead else "recall.alibi_ahead"
    why = " ".join(lesson.entry("recall.why", name) for name in ahead)
    page.prose(lesson, which, names=listed(lesson, ahead), sixteen=f"{sixteen:,}", why=why)
    worse = [one.config.method for one in measured.curves(measured.shipped()) if study.changed(one) == "worse"]
    if names_worse := [name for name in ahead if name in worse]:
        page.prose(lesson, "recall.but", names=listed(lesson, names_worse))
    page.prose(lesson, "recall.learned", farthest=recall_task.farthest(trained))
    page.prose(lesson, "recall.choice")


def _widest(shipped: Sequence[measured.RecallCurve]) -> dict[str, str]:
    """Where the seeds of one method differ most."""
    one = max(shipped, key=lambda one: float((one.high - one.low).max()))
    at = int((one.high - one.low).argmax())
    return {
        "spread_name": TITLES[one.config.method],
        "spread_at": f"{one.distances[at]:,}",
        "spread_low": percent(one.low[at]),
        "spread_high": percent(one.high[at]),
    }


def small_print(lesson: Lesson) -> None:
    """What the runs are."""
    config = measured.shipped()[0].config
    numbers = {"layers": config.layers, "width": config.width, "heads": config.heads, "trained": config.length}
    page.prose(lesson, "small", steps=f"{config.steps:,}", corpus=lesson.text("small.corpus"), **numbers)
