"""The picture: how the models do beyond L, or the loss while they learn; a recorded run until the live one has begun."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.lm.records import Run
from alibi_viz.ui import predict
from alibi_viz.ui.components.curve_view import Curve, Family, Mark, Readout, curve_view
from alibi_viz.ui.controls import state
from alibi_viz.ui.run_names import method_title
from pages.train import axes, controls, recorded, sentences, study
from pages.train.study import Results

MARKERS = 9  # on a curve, so that lines can be told apart in grey
_REPLAY = "_replay"  # hashes of the runs that are waited for, and when the replay began


def show(lesson: Lesson, runs: Sequence[Run], asks: predict.Question | None) -> None:
    """The curves of these runs, and one line that says what they are. asks: the question, which covers its answer."""
    replayed = _replay(runs)
    drawn = replayed or runs
    config, labels, results = drawn[0].config, lesson.entries("chart"), [study.results(run) for run in drawn]
    empty = lesson.label("empty_begun" if any(run.losses for run in runs) else "empty")
    label = "loss" if shows_loss() else "recall" if config.is_recall else "beyond"
    lines = _open(losses(drawn) if shows_loss() else beyond(results), asks)
    if shows_loss():
        x, y = axes.losses(labels, config.steps)
    else:
        x, y = axes.lengths(lines, labels, train_length=config.length, is_recall=config.is_recall)
    numbers = " ".join(_numbers(lesson, result) for result in results if len(result.values))
    source = _source(lesson, drawn, results, is_recorded=bool(replayed))
    st.caption(source or "\u00a0")  # its line stays, so that the picture does not jump
    alt = predict.alt(asks, f"{lesson.label(label)}. {source} {numbers or empty}")
    with st.container(key="train_picture"):
        curve_view(
            np.array([x.low, x.high]),
            [_curve(line, family, percent=label == "recall") for family, line in enumerate(lines)],
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
            faint=bool(replayed),
            empty=empty,
        )


def _curve(line: Line, family: int, *, percent: bool) -> Curve:
    """The measured points; a loss that became NaN or infinite is none."""
    finite = np.isfinite(line.y)
    return Curve(line.y[finite] * (100 if percent else 1), family=family, xs=line.x[finite])


def _open(lines: list[Line], asks: predict.Question | None) -> list[Line]:
    """The lines as far as a question leaves them in sight."""
    if asks is None or asks.begins is None or not predict.is_open(asks):
        return lines
    return [replace(line, x=line.x[keep], y=line.y[keep]) for line in lines for keep in [line.x <= asks.begins]]


def shows_loss() -> bool:
    return bool(state.read(controls.SHOW) == "loss")


def losses(runs: Sequence[Run]) -> list[Line]:
    return [Line(run.config.method, method_title(run.config), *study.smoothed(run.losses)) for run in runs]


def beyond(results: Sequence[Results]) -> list[Line]:
    return [Line(r.config.method, method_title(r.config), r.lengths, r.values) for r in results]


def _replay(runs: Sequence[Run]) -> list[Run]:
    """Recorded runs as far as their replay is; none once a live one has something to show, or while none is active."""
    has_begun = any(run.losses if shows_loss() else len(study.results(run).values) for run in runs)
    hashes = tuple(run.hash for run in runs)
    if has_begun or not any(run.is_active for run in runs):
        st.session_state.pop(_REPLAY, None)
        return []
    if st.session_state.get(_REPLAY, ((), 0.0))[0] != hashes:
        st.session_state[_REPLAY] = hashes, time.monotonic()
    seconds = time.monotonic() - st.session_state[_REPLAY][1]
    return [recorded.frame(run, seconds) for run in map(recorded.nearest, (run.config for run in runs)) if run]


def _source(lesson: Lesson, drawn: Sequence[Run], results: Sequence[Results], *, is_recorded: bool) -> str:
    """What the curves are: a recorded run, a sample during training, a quick test, the full tests; empty: nothing yet."""
    config = drawn[0].config
    if is_recorded:
        step = drawn[0].step
        return lesson.entry("source", "recorded", length=config.length, step=step, steps=config.steps)
    measured = [result for result in results if len(result.values)]
    if shows_loss() or not measured:
        return ""
    stage = study.least(measured)
    done = all(run.status == "finished" for run in drawn)
    step = max(entry["step"] for run in drawn for entry in run.interim_evaluations) if stage == "training" else 0
    return lesson.entry("source", "finished" if stage == "full" and done else stage, step=step)


def _numbers(lesson: Lesson, results: Results) -> str:
    """What one run gave, for those who do not see the picture."""
    if results.config.is_recall:
        return sentences.sentence(lesson, results, 0.0, 1.0)
    pairs = zip(results.lengths, results.values, strict=True)
    numbers = ", ".join(f"{length:,.0f}: {sentences.number(value, False)}" for length, value in pairs)
    return f"{method_title(results.config)} {numbers}."
