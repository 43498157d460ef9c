"""The picture: how the models do beyond L, or the loss while they learn; behind a finished run a recorded one, faint."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.lm.runs import Run
from alibi_viz.ui.components.curve_view import Curve, Family, Mark, Readout, curve_view
from alibi_viz.ui.controls import state
from alibi_viz.ui.run_names import method_title
from pages.train import axes, controls, recorded, sentences, study
from pages.train.study import Results

MARKERS = 9  # on a curve, so that lines can be told apart in grey


def show(lesson: Lesson, runs: Sequence[Run]) -> None:
    """The curves of these runs, and one line that says what they are."""
    config, labels, results = runs[0].config, lesson.entries("chart"), [study.results(run) for run in runs]
    empty = lesson.label("empty_begun" if any(run.losses for run in runs) else "empty")
    label = "loss" if shows_loss() else "recall" if config.is_recall else "beyond"
    behind, lines = _recorded(runs), _lines(runs)
    faint = {family: line for family, run in enumerate(behind) if run for line in _lines([run])}
    if shows_loss():
        x, y = axes.losses(labels, config.steps)
    else:
        room = _lines([run for run in map(recorded.nearest, (run.config for run in runs)) if run])
        known, is_recall = study.seen(runs), config.is_recall
        x, y = axes.lengths([*room, *lines], labels, seen=known, train_length=config.length, is_recall=is_recall)
    measured = [result for result in results if len(result.values)]
    told = measured or [study.results(run) for run in behind if run]
    numbers = " ".join([*(_numbers(lesson, result) for result in told), *([] if measured else [empty])])
    source = " ".join(filter(None, (_source(lesson, runs, results), _source_behind(lesson, behind))))
    st.caption(source or "\u00a0")  # its line stays, so that the picture does not jump
    alt = f"{lesson.label(label)}. {source} {numbers}"
    is_percent = label == "recall"
    curves = [_curve(line, family, percent=is_percent, faint=True) for family, line in faint.items()]
    curves += [_curve(line, family, percent=is_percent) for family, line in enumerate(lines)]
    with st.container(key="train_picture"):
        curve_view(
            np.array([x.low, x.high]),
            curves,
            key=f"train_{label}",
            x=x,
            y=y,
            alt=alt,
            families=[Family(line.name, line.method) for line in lines],
            mark=None if shows_loss() else Mark(config.length, labels["trained"]),
            readout=Readout(lesson.entry("readout", label), lesson.entry("readout", "empty")),
            size="stage",
            filename=f"training-{label}",
            markers=MARKERS,
            empty=empty,
        )


def _curve(line: Line, family: int, *, percent: bool, faint: bool = False) -> Curve:
    """The measured points; a loss that became NaN or infinite is none."""
    finite = np.isfinite(line.y)
    return Curve(line.y[finite] * (100 if percent else 1), family=family, faint=faint, xs=line.x[finite])


def shows_loss() -> bool:
    return bool(state.read(controls.SHOW) == "loss")


def losses(runs: Sequence[Run]) -> list[Line]:
    return [Line(run.config.method, method_title(run.config), *study.smoothed(run.losses)) for run in runs]


def beyond(results: Sequence[Results]) -> list[Line]:
    return [Line(r.config.method, method_title(r.config), r.lengths, r.values) for r in results]


def _lines(runs: Sequence[Run]) -> list[Line]:
    """One line for each run of what is shown."""
    return losses(runs) if shows_loss() else beyond([study.results(run) for run in runs])


def _recorded(runs: Sequence[Run]) -> list[Run | None]:
    """For each run a recorded one, to stand behind it once it is finished: before, it would give the answer away."""
    return [recorded.nearest(run.config) if run.status == "finished" else None for run in runs]


def _source(lesson: Lesson, runs: Sequence[Run], results: Sequence[Results]) -> str:
    """What the reader's curves are: a sample during training, a quick test, the full tests; empty: nothing yet."""
    measured = [result for result in results if len(result.values)]
    if shows_loss() or not measured:
        return ""
    stage = study.least(measured)
    done = all(run.status == "finished" for run in runs)
    step = max(entry["step"] for run in runs for entry in run.interim_evaluations) if stage == "training" else 0
    return lesson.entry("source", "finished" if stage == "full" and done else stage, step=step)


def _source_behind(lesson: Lesson, behind: Sequence[Run | None]) -> str:
    """What the faint curves are; empty where there are none."""
    config = next((run.config for run in behind if run), None)
    return lesson.entry("source", "recorded", length=config.length, steps=config.steps) if config else ""


def _numbers(lesson: Lesson, results: Results) -> str:
    """What one run gave, for those who do not see the picture."""
    if results.config.is_recall:
        return sentences.sentence(lesson, results, 0.0, 1.0)
    pairs = zip(results.lengths, results.values, strict=True)
    numbers = ", ".join(f"{length:,.0f}: {sentences.number(value, False)}" for length, value in pairs)
    return f"{method_title(results.config)} {numbers}."
