"""The stage: the controls, the buttons, and the curves that grow while runs are trained in other processes.

Notable choices:
- The controls say which runs are meant, and a run is known by its configuration alone. So a reload, a link or another
  tab shows the same runs where they stand, and nothing has to be remembered for a reader.
- The part that shows the runs asks the queue once a second while one is active, and now and then else: another tab may
  start one. The rest of the page runs again only when a run begins or ends.
"""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.jobs import Progress
from alibi_viz.lessons import Lesson
from alibi_viz.lm.corpus import python_text
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from pages.train import buttons, controls, picture, server, status, study
from pages.train.controls import Controls
from pages.train.facts import facts_of
from pages.train.sentences import sentence

EVERY, IDLE = 1.0, 5.0  # seconds between two looks at the runs: while one is active, and while none is


def stage(lesson: Lesson) -> Controls | None:
    """The controls, and the picture that follows the runs. None for what cannot be trained."""
    place = layout.places()
    try:
        with place.side:
            controls.show(lesson)
            _more(lesson)
            chosen = controls.read()
    except ValueError as problem:
        with place.picture:
            page.problem(problem)
        return None
    _, active = _look(chosen)
    with place.picture:
        st.fragment(_live, run_every=EVERY if active else IDLE)(lesson, chosen, active)
    return chosen


def _more(lesson: Lesson) -> None:
    """Presets, and the further controls; what is wrong with an own text is told where the picture would be."""
    problems: list[ValueError] = []

    def show() -> None:
        try:
            controls.show_more(lesson)
        except ValueError as problem:
            problems.append(problem)

    layout.more(lesson, controls.TRY, show)
    if problems:
        raise problems[0]


def _look(chosen: Controls) -> tuple[list[Progress], list[str]]:
    """Every run of the controls as it stands now, and the hashes of the active ones."""
    runs = [server.progress(config) for config in chosen.configs]
    return runs, [progress.run.hash for progress in runs if progress.run.is_active]


def _live(lesson: Lesson, chosen: Controls, active_before: list[str]) -> None:
    """The part that follows the runs. `active_before`: those that were active when the whole page last ran."""
    runs, active = _look(chosen)
    if active != active_before:
        st.rerun()  # a run has begun or ended: the rest of the page follows
    buttons.show(lesson, chosen, runs)
    status.show(lesson, runs)
    picture.show(lesson, [progress.run for progress in runs])


def seen(lesson: Lesson, chosen: Controls) -> None:
    """“What you see”: one sentence a run with its numbers; it follows the runs as the picture does."""
    _, active = _look(chosen)
    st.fragment(_seen, run_every=EVERY if active else None)(lesson, chosen)


def _seen(lesson: Lesson, chosen: Controls) -> None:
    runs = [progress.run for progress in _look(chosen)[0]]
    config, results = runs[0].config, [study.results(run) for run in runs]
    corpus = None if config.is_recall else chosen.corpus or python_text()
    bigram, per_word = (0.0, 0.0) if corpus is None else (study.bigram(corpus), corpus.bytes_per_word)
    measured = [result for result in results if len(result.values)]
    facts = facts_of(config, "\n".join(f"- {sentence(lesson, r, bigram, per_word)}" for r in measured), bigram)
    section = "new" if not measured else "recall" if config.is_recall else study.least(measured)
    page.what_you_see(lesson, f"seen.{section}", facts)
    page.prose(lesson, "note.recall" if config.is_recall else "note", facts)
    if any(run.losses for run in runs):
        curves = picture.losses(runs), picture.beyond(results)
        page.download_csv(lambda: _table(lesson, *curves), name="training.csv", key="training_csv")


def _table(lesson: Lesson, losses: Sequence[Line], beyond: Sequence[Line]) -> pd.DataFrame:
    """Both charts' points, run by run."""
    curves = [
        (lesson.label(key), line)
        for pair in zip(losses, beyond, strict=True)
        for key, line in zip(("loss", "beyond"), pair, strict=True)
    ]
    tables = [pd.DataFrame({"method": line.name, "line": name, "x": line.x, "y": line.y}) for name, line in curves]
    return pd.concat(tables, ignore_index=True).rename(columns=lesson.entries("columns"))
