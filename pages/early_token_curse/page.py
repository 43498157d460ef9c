"""Longer windows: who sees how much context under both protocols, and what that makes of one model's perplexity."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.charts.figure import Chart, Trace, trace
from alibi_viz.charts.lines import Line, letters_wide
from alibi_viz.charts.palette import figure, floats, ink
from alibi_viz.content.words import words
from alibi_viz.lessons import Lesson, load
from alibi_viz.lm.evaluation import tokens_processed, windows
from alibi_viz.results import pretrained, table
from alibi_viz.results.facts import compared, joined_titles, load_facts
from alibi_viz.results.table import PROTOCOLS, Protocol
from alibi_viz.ui import lesson, page
from alibi_viz.ui.control_panel import ControlPanel, Presets
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.controls.content import example
from alibi_viz.ui.format import format_share
from alibi_viz.ui.shell import navigation
from pages.early_token_curse import study
from pages.early_token_curse.study import FEWEST, LONG_LEAST, LONG_WINDOW, MOST, Plan

PRESET_VALUES: Presets = {
    "plain": {},
    "half": {"curse_stride": 2},
    "short": {"curse_window": 2, "curse_least": 2},
    "whole": {"curse_window": 7},
}
LATEX = (
    r"$$\text{windows} = 1 + \left\lceil \tfrac{\max(M - W,\, 0)}{S} \right\rceil = 1 + \left\lceil "
    r"\tfrac{\max(%(guessed)d - %(window)d,\, 0)}{%(stride)d} \right\rceil = %(count)d$$"
)
PAPER_LENGTHS = ("512", "1024")  # training lengths that both protocols were published for
PAIR_HEIGHT = 204
KINDS = ("read", "short", "enough")  # of a cell: only read; predicted with too little context, or with enough
LONGEST = 9  # letters of a word below the picture
CELL = 0.94  # of a column and of a row, so that a gap stays between cells
FEWEST_ROWS = 2  # of windows of a protocol
FLAT = 4  # letters of the longest word: so short ones need not be turned, however many
MANY = 8  # words: so many may have to be turned, and then take another row
BETWEEN = 0.24  # of the rows: as high as words and a name are on a phone


def main() -> None:
    facts = load_facts("early_token_curse")
    text, controls = lesson.begin("early_token_curse")
    given = words(controls.line("curse_text", example("short"), longest=500))
    used = given[:MOST]
    most = max(len(used), FEWEST) - 1
    window = controls.slider("curse_window", 4, low=2, high=most)
    stride = controls.slider("curse_stride", 1, low=1, high=most, within="curse_window")
    least = controls.slider("curse_least", 3, low=2, high=most)
    cut = text.entry("notes", "cut", count=len(given), used=MOST)
    lesson.say_problems(text, *([cut] if len(given) > MOST else []))
    stage = lesson.stage()
    with stage:
        controls.row(PRESET_VALUES)
        plans = page.attempt(partial(study.compute, len(used), window, stride))
    if plans is not None:
        numbers = facts_of(plans, window, least)
        with stage:
            lesson.note(text.text("note", numbers))
            inputs = (text, tuple(used), window, stride, least)
            page.chart(protocols, *inputs, key="windows", alt=text.label("alt", numbers), name="windows")
    pair(text, facts)
    latex = [] if plans is None else [LATEX % numbers]
    lesson.seen_and_formula([], [*latex, text.text("formula")])
    sections = {
        "cost": partial(cost, text),
        "measured": partial(measured, text, facts),
        "context": partial(context, text, facts),
    }
    lesson.end(text, sections, windows, tokens_processed, study.plan)


def protocols(text: Lesson, words: tuple[str, ...], window: int, stride: int, least: int) -> Chart:
    """A row a window, a column a word; the protocols stand below each other, each over the words. A number is the context
    of a word."""
    labels, dark, plans = text.entries("chart"), page.dark(), study.compute(len(words), window, stride)
    tones, fig = ink(dark), figure(dark)
    cells: dict[str, list[tuple[float, int, str]]] = {kind: [] for kind in KINDS}  # row, column, and what stands there
    ticks: dict[float, str] = {}  # row: number of the window
    names = [word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…" for word in words]
    is_wide = len(words) > MANY and max(map(letters_wide, words)) > FLAT
    angle = -45 if is_wide else 0
    # Between the two is room for words and a name; one window alone would be a wall.
    room = max(1, BETWEEN * sum(len(plan.read) for plan in plans.values())) + (len(words) > MANY)
    top = 0.0
    for protocol, plan in plans.items():
        context, rows = [0, *plan.context], len(plan.read)
        title = text.entry("chart", protocol, read=plan.words_read, stride=plan.stride)
        place = {"x": 0, "xref": "x domain", "xanchor": "left", "y": top - 0.5, "yanchor": "bottom", "showarrow": False}
        fig.annotate(text=f"<b>{title}</b>", font={"size": 13}, **place)
        for row, column in np.argwhere(plan.read | plan.counted).tolist():
            is_counted, seen = plan.counted[row, column], context[column]
            kind = "read" if not is_counted else "short" if seen < least else "enough"
            cells[kind].append((top + row, column, str(seen) if is_counted else ""))
        ticks |= {top + row: str(row + 1) for row in range(rows)}
        if protocol != list(plans)[-1]:  # below the last one are the names of the axis
            below = {"y": top + rows - 0.5, "yanchor": "top", "yshift": -4, "showarrow": False}
            below |= {"textangle": angle, "xanchor": "right" if angle else "center"}
            for column, name in enumerate(names):
                fig.annotate(text=name, x=column, font={"size": 12, "color": tones.faint}, **below)
        top += max(rows, FEWEST_ROWS) + room
    for kind, shade in zip(KINDS, (tones.grid, tones.second, tones.accent), strict=True):
        if cells[kind]:
            about = labels["hover"] if kind != "read" else f"%{{customdata}}<br>{labels[kind]}<extra></extra>"
            look = {"name": labels[kind], "marker": {"color": shade}, "hovertemplate": about}
            fig.add(_squares(cells[kind], words, textfont={"size": 13, "color": tones.surface}, **look))
    fig.x_axis(tickvals=[*range(len(words))], ticktext=names, showgrid=False, ticks="")
    fig.x_axis(range=[-0.5, len(words) - 0.5], tickangle=angle)
    fig.y_axis(tickvals=list(ticks), ticktext=list(ticks.values()), showgrid=False, ticks="")
    fig.y_axis(title=labels["window"], range=[top - room - 0.5, -0.5])
    fig.lay_out(legend={"y": 1.08}, margin={"t": 62, "l": 44, "b": 56 if angle else 30}, barmode="overlay")
    return fig


def _squares(cells: list[tuple[float, int, str]], words: tuple[str, ...], **look: Any) -> Trace:
    """Cells of one kind: a bar each, which begins and ends in its column."""
    rows, columns, texts = zip(*cells, strict=True)
    size = {"base": floats(columns) - CELL / 2, "x": np.full(len(cells), CELL, np.float32), "width": CELL}
    inside = {"textposition": "inside", "insidetextanchor": "middle", "textangle": 0}
    names = [words[column] for column in columns]
    return trace("bar", orientation="h", y=floats(rows), text=texts, customdata=names, **size, **inside, **look)


def facts_of(plans: Mapping[Protocol, Plan], window: int, least: int) -> dict[str, object]:
    """Of both protocols over the sentence."""
    plain, sliding = (plans[protocol] for protocol in PROTOCOLS)
    return {
        "window": window,
        "stride": sliding.stride,
        "least": least,
        "guessed": len(plain.context),
        "count": len(sliding.read),
        "plain_short": plain.short(least),
        "sliding_short": sliding.short(least),
    }


def pair(text: Lesson, facts: dict[str, Any]) -> None:
    """One model under both protocols: ALiBi's perplexity against the window, and what is seen of it beside it."""
    if page_options.presenting():
        return
    lesson.prose(f"## {load('shared').label('seen')}")
    chart, words = st.columns([3, 2], gap="medium", vertical_alignment="center")
    with chart:
        look = {"at": facts["length"], "height": PAIR_HEIGHT, "has_file": False}
        lesson.curves(text, pair_lines, (text,), "length", "perplexity", "longer-windows-pair", **look)
    with words:
        lesson.prose(text.text("pair", facts))


def pair_lines(text: Lesson) -> list[Line]:
    every, lines = table.losses(), []
    for protocol in PROTOCOLS:
        (line,) = table.lines(every[(every.protocol == protocol) & (every.method == "alibi")])
        name, hollow = text.entry("chart", f"pair_{protocol}"), protocol == "nonoverlapping"
        lines.append(replace(line, name=name, hollow=hollow))
    return lines


def cost(text: Lesson) -> None:
    """A long text: the share of tokens with too little context, and what the protocols cost."""
    predictions = pretrained.load_all()[0]["corpus"]["held_out_bytes"] - 1
    rows = []
    for name, stride in (("plain", LONG_WINDOW), ("quarter", LONG_WINDOW // 4), ("one", 1)):
        share, passes = study.long_text(predictions, LONG_WINDOW, stride, LONG_LEAST)
        rows.append([text.entry("strides", name), format_share(share), f"{passes:,.1f}"])
    columns = [text.entry("cost_columns", name, least=LONG_LEAST) for name in ("windows", "share", "cost")]
    st.dataframe(pd.DataFrame(rows, columns=columns), hide_index=True)
    lesson.prose(text.text("cost", {"predictions": predictions, "window": LONG_WINDOW}))


def measured(text: Lesson, facts: dict[str, Any]) -> None:
    """All methods under both protocols, and the paper's rows of both."""
    result = load_facts("extrapolation")
    plain, sliding = (
        compared(result[protocol]["verdicts"], with_itself=True, once=result["once"]) for protocol in PROTOCOLS
    )
    changes = {"plain": plain, "sliding": sliding, "overlapping": compared(facts["overlapping"], once=result["once"])}
    lesson.prose(text.text("changes", facts | changes))
    navigation.link("extrapolation", text.label("result"), {"ext_protocol": "nonoverlapping"})
    controls = ControlPanel(text)
    train_length = controls.choice("curse_paper", {n: f"{int(n):,}" for n in PAPER_LENGTHS}, PAPER_LENGTHS[0])
    controls.row()
    near = max(float(line.y.max()) for line in paper_lines(text, train_length) if line.method == "alibi")
    inputs = (text, train_length)
    lesson.curves(text, paper_lines, inputs, "words", "per_word", "longer-windows-paper", most=1.25 * near)
    lesson.prose(text.text("paper", facts["paper"][train_length] | {"train_length": int(train_length)}))


def paper_lines(text: Lesson, train_length: str) -> list[Line]:
    return study.paper(int(train_length), text.entries("paper_names"))


def context(text: Lesson, facts: dict[str, Any]) -> None:
    """The same predictions from less context: how far each model really looks."""
    every = table.measurements("contexts")
    length, of_context = facts["length"], facts["context"]
    inside = float(np.exp(every[every.context <= length].loss.max()))
    look = {"at": length, "most": inside, "height": 420}
    lesson.curves(text, study.context, (), "context", "perplexity", "longer-windows-context", **look)
    numbers = {
        "length": length,
        "most": of_context["most"],
        "predictions": of_context["predictions"],
        "all": facts["predictions"],
        "enough": joined_titles(of_context["enough"]),
        "beyond": joined_titles(of_context["beyond"], "{title} {value:+.1%}"),
        "compared": compared(of_context["verdicts"]),
    }
    lesson.prose(text.text("context", numbers))
