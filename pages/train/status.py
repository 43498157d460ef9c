"""How far each run is, and how long it still takes, with its tests."""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.jobs import Progress
from alibi_viz.lessons import Lesson
from alibi_viz.lm.runs import Run
from alibi_viz.ui import reader
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.run_names import method_title
from pages.train import study

COARSE = 5  # seconds: an estimate is told in steps of this size


def show(lesson: Lesson, runs: Sequence[Progress]) -> None:
    """One line a run."""
    with st.container(horizontal=True, gap="small", key="train_states"):
        for progress in runs:
            method = method_title(progress.run.config)
            parts = line(lesson, progress)
            if not reader.is_own(progress.run):
                parts.append(lesson.entry("status", "theirs"))
            st.markdown(f"**{method}** · {' · '.join(parts)}", width="content")


def line(lesson: Lesson, progress: Progress) -> list[str]:
    """What a run does; the time that is left, or that its training took; its pace."""
    run = progress.run
    parts = [status(lesson, progress)]
    if run.is_active and progress.seconds_left is not None and run.step:
        seconds = max(COARSE, COARSE * round(progress.seconds_left / COARSE))
        parts.append(lesson.entry("status", "left" if run.step < run.config.steps else "left_tests", seconds=seconds))
    if run.is_active and run.seconds and run.step < run.config.steps:
        parts.append(lesson.entry("status", "pace", pace=_pace(run)))
    elif run.seconds and run.status != "finished":
        parts.append(lesson.entry("status", "took", seconds=run.seconds))
    return parts


def status(lesson: Lesson, progress: Progress) -> str:
    """What a run does."""
    run, waits, steps = progress.run, progress.place or 0, progress.run.config.steps
    if progress.notice:
        key: str = progress.notice
    elif run.is_active and run.step >= steps:
        key = "measuring" if run.measurements or study.results(run).stage == "quick" else "quick"
    elif run.is_active and not run.step and not waits:
        key = "starting"
    elif run.status == "running" and waits:
        key = "turn"
    else:
        key = run.status
    return lesson.entry(
        "status",
        key,
        step=run.step,
        steps=steps,
        seconds=run.seconds,
        place=waits,
        measured=len(run.measurements) + 1,
        measurements=len(study.plan_for(steps).windows(run.config)),
        error=escape_markdown(run.error),
    )


def _pace(run: Run) -> float:
    """Bytes a second in training, without waiting."""
    return run.step / run.seconds * run.config.batch * run.config.length
