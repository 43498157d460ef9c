"""More of the shipped runs: against the n-gram model and more steps, at other lengths, with more layers, and stretched."""

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson
from alibi_viz.results import pretrained
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from pages.extrapolation import experiments, findings
from pages.extrapolation.experiment_facts import costs_of, depth_of, larger_of, runs_of, step_order
from pages.extrapolation.experiments import ORDER
from pages.extrapolation.pair import points


def steps(lesson: Lesson) -> None:
    """Perplexity at L against the steps of training, with the n-gram model as a line."""
    level, labels = experiments.ngram(), _labels(lesson, "x_steps", "y_bytes")
    name = lesson.entry("chart", "ngram", order=ORDER, value=level)
    _figure(lesson, "steps", experiments.steps(), labels, levels={name: level})
    page.prose(lesson, "steps", step_order())


def lengths(lesson: Lesson) -> None:
    """Trained at several lengths, tested at several: here and in the paper."""
    left, right = st.columns(2, gap="medium")
    pairs = (
        ("here", experiments.short_and_long(experiments.at_lengths())),
        ("paper", experiments.paper_short_and_long()),
    )
    for column, (where, lines) in zip((left, right), pairs, strict=True):
        with column:
            st.markdown(f"**{lesson.label(f'lengths_{where}')}**")
            unit = "bytes" if where == "here" else "words"
            _figure(lesson, f"lengths_{where}", lines, _labels(lesson, f"x_{unit}", f"y_{unit}"))
    page.prose(lesson, "lengths", runs_of())
    for claim in findings.short_and_long():
        page.prose(lesson, *claim)
    _costs(lesson)


def _costs(lesson: Lesson) -> None:
    """Time and memory of training at each length: here and in the paper's Table 1."""
    entries, columns = pretrained.load_costs(), lesson.entries("cost_columns")
    if not entries:
        return
    page.prose(lesson, "costs", costs_of(entries))
    ours = {
        columns["method"]: [TITLES[entry["method"]] for entry in entries],
        columns["length"]: [entry["length"] for entry in entries],
        columns["bytes_per_second"]: [f"{entry['tokens_per_second']:,}" for entry in entries],
        columns["memory"]: [f"{entry['memory'] / 1e6:,.0f} MB" for entry in entries],
    }
    published = experiments.paper_costs()
    theirs = {
        columns["method"]: [TITLES[method] for method, _ in published],
        columns["length"]: [row["train_length"] for _, row in published],
        columns["words_per_second"]: [f"{row['train_wps']:,}" for _, row in published],
        columns["memory"]: [f"{row['memory_gb']:g} GB" for _, row in published],
    }
    for column, (label, table) in zip(st.columns(2, gap="medium"), (("here", ours), ("paper", theirs)), strict=True):
        column.caption(lesson.label(f"costs_{label}"))
        column.dataframe(pd.DataFrame(table), hide_index=True)


def larger(lesson: Lesson) -> None:
    """The paper's models of 1.3 billion parameters."""
    labels = partial(lesson.entry, "columns")
    rows = [
        {labels("model"): row["model"]}
        | {
            labels("ppl", length=n): f"{value:.2f}" if (value := row.get(f"ppl_{n}")) else "–"
            for n in experiments.LARGER
        }
        | {labels(name): f"{row[name]:,}" for name in ("updates", "gpu_hours")}
        for row in experiments.larger()
    ]
    page.prose(lesson, "larger", larger_of())
    st.dataframe(pd.DataFrame(rows), hide_index=True)


def depth(lesson: Lesson) -> None:
    """No positions at all, with more layers."""
    lines = [replace(line, name=lesson.entry("chart", "layers", layers=line.name)) for line in experiments.depth()]
    _figure(lesson, "depth", lines, _labels(lesson, "x_bytes", "y_bytes"))
    page.prose(lesson, "depth", depth_of())


def stretched(lesson: Lesson) -> None:
    """The trained models beyond L, with scaled RoPE and flatter slopes."""
    lines = [_named(lesson, line) for line in experiments.stretched()]
    labels = _labels(lesson, "x_times", "y_bytes")
    _figure(lesson, "stretched", lines, labels)
    page.prose(lesson, "stretched", runs_of())
    for claim in findings.stretched():
        page.prose(lesson, *claim)


def _named(lesson: Lesson, line: Line) -> Line:
    method, _, way = line.name.partition("/")
    name = f"{TITLES[method]}, {lesson.entry('ways', way.replace(' ', '_') or 'plain')}"
    return replace(line, name=name)


def _labels(lesson: Lesson, x: str, y: str) -> dict[str, str]:
    entries = lesson.entries("chart")
    return {"x": entries[x], "y": entries[y], "hover": entries["hover"]}


def _figure(lesson: Lesson, name: str, lines: Any, labels: dict[str, str], **options: Any) -> None:
    """The chart, and its points as CSV."""
    figure = on_log_axis(lines, labels, dark=page.dark(), **options)
    ends = " · ".join(f"{line.name} {line.y[-1]:.2f}" for line in lines)
    alt = lesson.label("alt", what=lesson.label(name), y=labels["y"], ends=ends)
    page.chart(figure, key=f"ext_{name}", alt=alt, name=f"extrapolation-{name}")
    page.download_rows(lesson, points(lines), name=f"extrapolation-{name}", key=f"ext_{name}_csv")
