"""Where each number comes from: what the code is checked against, what is often said, papers, runs, and how to cite."""

from functools import partial
from math import log10

import pandas as pd
import streamlit as st

from alibi_viz.charts.figure import Chart, trace
from alibi_viz.charts.palette import figure, floats, ink, mark
from alibi_viz.checkpoints.presets import PRESETS
from alibi_viz.lessons import Lesson, joined
from alibi_viz.positions import title_of
from alibi_viz.ui import lesson, page
from pages.sources import study

LEAST = 1e-9  # where a difference of 0 stands on the logarithmic axis
FORMULAS = {"factor": "$e^{-m}$", "blog": "$2^{-h}$", "rule": "$2^{-8h/n}$", "symmetric": r"$-m\,\lvert i-j \rvert$"}


def main() -> None:
    text, _ = lesson.begin("sources")
    checks, names = study.checks(), text.entries("checks")
    facts = {
        "count": len(checks),
        "exact": sum(check.difference == 0 for check in checks),
        "largest": checks[0].difference,
        "largest_name": names[checks[0].check],
        "listed": joined(
            (
                text.label("difference", name=names[check.check], difference=check.difference, bound=check.bound)
                for check in checks
            ),
            "semicolon",
        ),
    }
    lesson.say_problems(text)
    with lesson.stage():
        page.chart(differences, text, key="sources_picture", alt=text.label("alt", facts), name="alibi-checked")
    lesson.seen_and_formula([text.text("seen", facts)])
    sections = {"said": claims, "methods": methods, "runs": runs, "cite": cite}
    lesson.end(text, {name: partial(show, text) for name, show in sections.items()})


def differences(text: Lesson) -> Chart:
    """A filled dot: the largest difference. An open one: the largest that the test allows. Exact ones stand at the left."""
    labels, names, dark, checks = text.entries("chart"), text.entries("checks"), page.dark(), study.checks()
    fig, look, rows = figure(dark), ink(dark), [names[check.check] for check in checks]
    ends = {"bound": [check.bound for check in checks], "difference": [check.difference for check in checks]}
    line = {"line": {"color": look.quiet, "width": 1.5}, "hoverinfo": "skip", "showlegend": False, "mode": "lines"}
    for row, *pair in zip(rows, *ends.values(), strict=True):
        fig.add(trace("scatter", x=[max(value, LEAST) for value in pair], y=[row, row], **line))
    for (name, values), fill in zip(ends.items(), (look.surface, look.accent), strict=True):
        marker = {"size": 11, "color": fill, "line": {"width": 2, "color": look.accent}}
        packages = (f"{check.package} {check.version}" for check in checks)
        hovers = [joined((f"{value:.2g}", package), "apart") for value, package in zip(values, packages, strict=True)]
        points = {"x": floats(values).clip(LEAST), "y": rows, "mode": "markers", "marker": marker}
        fig.add(trace("scatter", name=labels[name], text=hovers, hovertemplate="%{y}: %{text}", **points))
    powers = range(-8, -2)
    names_of_powers = [labels["exact"], *(f"10<sup>−{-power}</sup>" for power in powers)]
    ticks = {"tickvals": [LEAST, *(10.0**power for power in powers)], "ticktext": names_of_powers}
    fig.x_axis(type="log", title=labels["x"], range=[log10(LEAST) - 0.3, -2.7], **ticks)
    fig.y_axis(type="category", autorange="reversed", automargin=True, showgrid=True)
    mark(fig, "x", study.EPSILON, labels["epsilon"], dark, log=True)
    fig.lay_out(margin={"l": 10, "t": 34})
    return fig


def claims(text: Lesson) -> None:
    """Claims about ALiBi, each with a verdict and the page that shows it."""
    lesson.prose(text.text("said", study.papers_numbers() | study.own_numbers() | FORMULAS))


def methods(text: Lesson) -> None:
    show_table(text, "methods", pd.DataFrame(study.method_sources(), columns=["method", "source"]))
    tables = text.entries("tables").items()
    show_table(text, "published", pd.DataFrame(tables, columns=["table", "what"]))


def runs(text: Lesson) -> None:
    kinds = text.entries("kinds")
    show_table(text, "runs", study.runs().assign(kind=lambda rows: rows["kind"].map(kinds)))
    models = [(preset.title, title_of(preset.method), preset.heads, preset.source) for preset in PRESETS]
    show_table(text, "models", pd.DataFrame(models, columns=["model", "method", "heads", "source"]))


def show_table(text: Lesson, section: str, rows: pd.DataFrame) -> None:
    """A sentence, and a table under it in the lesson's words."""
    lesson.prose(text.text(section))
    st.dataframe(rows.rename(columns=text.entries("columns")), hide_index=True, height="content")


def cite(text: Lesson) -> None:
    """BibTeX, with a button that copies it."""
    lesson.prose(text.text("cite"))
    st.code(text.sections["bibtex"], language="bibtex", wrap_lines=True)
