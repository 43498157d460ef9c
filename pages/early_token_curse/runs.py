"""What trained models gave: both protocols, the paper's tables, loss by position, and the loss by context.

Which method is better, flat or worse is computed from the runs. What is said of ALiBi alone is asserted by tests.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import streamlit as st

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson
from alibi_viz.results import measured
from alibi_viz.results.measured import RunCurve
from alibi_viz.results.pretrained import MAIN
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import escape_markdown
from pages.early_token_curse import charts, controls, study
from pages.early_token_curse.contexts import reaches
from pages.early_token_curse.facts import (
    Above,
    NotMeasured,
    alibi_of,
    by_position_of,
    changes_of,
    contexts_of,
    method_names,
    paper_of,
)


def _ends(lines: Iterable[Line]) -> str:
    """The last point of each line, for those who do not see the picture."""
    return " · ".join(f"{line.name} {line.y[-1]:.2f}" for line in lines)


def explain_alibi(lesson: Lesson) -> None:
    """What the shipped runs of ALiBi gave under both protocols, short, trained and long."""
    (alibi,) = study.both(run for run in measured.shipped() if run.config.method == "alibi")
    page.prose(lesson, "seen_runs", alibi_of(alibi))
    page.prose(lesson, "seen_why")


def _line(curve: RunCurve) -> Line:
    """The mean and the range of the seeds."""
    method = curve.config.method
    return Line(method, TITLES[method], curve.lengths, curve.mean, curve.low, curve.high)


def curves(lesson: Lesson, chosen: study.Controls) -> None:
    """The runs under both protocols side by side, on the same axes."""
    widgets.row(lesson, controls.SCALE)
    shipped = study.both(measured.shipped())
    main = [pair for pair in shipped if pair["nonoverlapping"].config.method in MAIN]
    first, drawn = shipped[0]["nonoverlapping"], study.by_protocol(main)
    everything = [curve for group in drawn.values() for curve in group]
    lengths, span = np.concatenate([curve.lengths for curve in everything]), _span(everything, chosen.near)
    labels, length, rows = lesson.entries("chart"), first.config.length, []
    for column, (protocol, group) in zip(st.columns(2, gap="medium"), drawn.items(), strict=True):
        title, lines = lesson.label(protocol), [_line(curve) for curve in group]
        rows += [{"protocol": protocol, **line.row("window", "perplexity")} for line in lines]
        with column:
            st.markdown(f"**{title}**")
            chart = charts.perplexity(
                lines, labels, "perplexity", span=span, lengths=lengths, dark=page.dark(), train_length=length
            )
            alt = lesson.label("alt_curves", protocol=title, ends=_ends(lines))
            page.chart(chart, key=f"curves_{protocol}", alt=alt, name=f"perplexity-{protocol}")
    if above := [curve.config.method for curve in drawn["nonoverlapping"] if curve.mean.min() > span[1]]:
        st.caption(lesson.text("measured.above", Above(method_names(lesson, above))))
    page.download_rows(lesson, rows, name="perplexity-both-protocols", key="curves_csv")
    facts = changes_of(lesson, shipped)
    page.prose(lesson, "measured", facts)
    page.prose(lesson, "measured.verdict", facts)
    page.prose(lesson, "measured.reversed", facts)


def _span(curves: Sequence[RunCurve], near: bool) -> tuple[float, float]:
    """Lowest and highest perplexity on both axes: all of it, or as far as a quarter above ALiBi."""
    low = min(curve.low.min() for curve in curves)
    if near:
        return 0.97 * low, 1.25 * next(curve.mean.max() for curve in curves if curve.config.method == "alibi")
    return 0.93 * low, 1.1 * max(curve.high.max() for curve in curves)


def paper(lesson: Lesson, train_length: int) -> None:
    """The paper's tables for one training length, on an axis of their own."""
    widgets.choice(controls.PAPER, lesson)
    published, lines, rows = study.paper(train_length), [], []
    lengths = published[0].lengths
    for row in published:
        name = lesson.label(f"paper_{row.protocol}", title=TITLES[row.method], table=row.table)
        hollow = row.protocol == "nonoverlapping"
        lines.append(Line(row.method, name, row.lengths, row.perplexity, hollow=hollow))
        rows.append({"protocol": name, "table": row.table, "window": row.lengths, "perplexity_word": row.perplexity})
    near = np.concatenate([row.perplexity for row in published if row.rise < np.log(2)])  # others are cut off
    labels, span = lesson.entries("chart"), (0.97 * near.min(), 1.04 * near.max())
    chart = charts.perplexity(lines, labels, "perplexity_word", span=span, lengths=lengths, dark=page.dark())
    alt = lesson.label("alt_paper", trained=train_length, ends=_ends(lines))
    page.chart(chart, key="paper", alt=alt, name=f"published-L{train_length}")
    page.download_rows(lesson, rows, name=f"published-L{train_length}", key="paper_csv")
    facts = paper_of(train_length, published)
    page.prose(lesson, "paper", facts)
    page.prose(lesson, "paper.worse", facts)


def positions(lesson: Lesson, method: str, length: int) -> None:
    """Loss by position of one method in windows of one length."""
    widgets.row(lesson, controls.METHOD, controls.LENGTH)
    runs = [run for run in measured.shipped() if run.config.method == method]
    losses = study.positions(runs, length)
    if losses is None:
        point = runs[0].at(length)
        reason = escape_markdown(point.reason) if point else ""
        st.info(lesson.text("positions.missing", NotMeasured(TITLES[method], length, reason)))
        return
    name, middle = f"loss-by-position-{method}-{length}", np.sqrt(losses.first * losses.last.astype(np.float64))
    line = Line(method, TITLES[method], middle, losses.loss, losses.low, losses.high)
    chart = charts.positions(line, losses, lesson.entries("chart"), dark=page.dark())
    facts = by_position_of(method, length, len(runs), losses)
    page.chart(chart, key="places", alt=lesson.label("alt_positions", facts), name=name)
    columns = {"first_position": losses.first, "last_position": losses.last, "loss": losses.loss}
    columns |= {"low": losses.low, "high": losses.high, "predictions": losses.predictions}
    page.download_rows(lesson, [columns], name=name, key="places_csv")
    page.prose(lesson, "positions", facts)
    page.prose(lesson, "positions.cursed" if losses.cursed > 0.01 else "positions.hardly_cursed", facts)
    if losses.level_to < length:
        page.prose(lesson, "positions.beyond", facts)
    page.prose(lesson, "positions.noise", facts)


def contexts(lesson: Lesson) -> None:
    """The loss with the context cut, and how much context each model needs."""
    runs = measured.shipped()
    every, train_length = reaches(runs), runs[0].config.length
    lines = [Line(r.method, TITLES[r.method], r.contexts, r.loss, r.low, r.high) for r in every]
    entries = lesson.entries("chart")
    labels = {"x": entries["cut"], "y": entries["loss"], "hover": entries["hover_cut"], "at": entries["train_length"]}
    inside = max(float(reach.loss[reach.contexts <= train_length].max()) for reach in every)
    figure = on_log_axis(lines, labels, dark=page.dark(), log_y=False, at=train_length, most=inside, height=420)
    facts = contexts_of(train_length, every)
    page.chart(figure, key="contexts", alt=lesson.label("alt_contexts", facts), name="loss-by-context")
    rows = [line.row("context_bytes", "loss") for line in lines]
    page.download_rows(lesson, rows, name="loss-by-context", key="contexts_csv")
    if above := [TITLES[reach.method] for reach in every if reach.loss[-1] > inside]:
        st.caption(lesson.text("contexts.above", Above(", ".join(above))))
    page.prose(lesson, "contexts", facts)
