"""Train it yourself: the controls, the buttons, and the curves that grow while runs are trained in other processes.

Notable choices:
- The controls say which runs are meant, and a run is known by its configuration alone. So a reload, a link or another
  tab shows the same runs where they stand, and nothing has to be remembered for a reader.
- The part that shows the runs asks the queue once a second while one is active, and now and then else: another tab may
  start one. The rest of the page runs again only when a run begins or ends.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.jobs import Busy, Progress
from alibi_viz.lessons import Lesson, load
from alibi_viz.lm.corpus import Corpus, python_docs
from alibi_viz.lm.records import Run
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, state
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import escape_markdown, format_number
from pages.extrapolation.study import WORSE
from pages.extrapolation.training import charts, controls, runs_list, server, study
from pages.extrapolation.training.controls import Controls
from pages.extrapolation.training.study import Results

FEW = 25  # steps of the step button
EVERY, IDLE = 1.0, 5.0  # seconds between two looks at the runs: while one is active, and while none is
_PROBLEM = "_training_problem"  # what was asked for, and why it was not done; stands until the next press of a button


def panel() -> None:
    """The whole part of the page, with the list of all runs below it."""
    lesson = load("training")
    st.header(lesson.text("title"), anchor=False, divider="gray")
    page.prose(lesson, "intro", length=state.read(controls.LENGTH))
    try:
        with st.container(border=True):
            controls.show(lesson)
            chosen = controls.read()
            config = chosen.configs[0]
            size = "size.recall" if config.is_recall else "size"
            st.caption(lesson.text(size, parameters=config.parameters, bytes=config.tokens))
    except ValueError as problem:
        page.problem(problem)
    else:
        _, active = _look(chosen)
        st.fragment(_live, run_every=EVERY if active else IDLE)(lesson, chosen, active)
    runs_list.show(lesson)


def _look(chosen: Controls) -> tuple[list[Progress], list[str]]:
    """Every run of the controls as it stands now, and the hashes of the active ones."""
    runs = [server.progress(config) for config in chosen.configs]
    return runs, [progress.run.hash for progress in runs if progress.run.is_active]


def _live(lesson: Lesson, chosen: Controls, active_before: list[str]) -> None:
    """The part that follows the runs. `active_before`: those that were active when the whole page last ran."""
    server.viewers().watch(server.reader(), tuple(config.hash for config in chosen.configs))
    runs, active = _look(chosen)
    if active != active_before:
        st.rerun()  # a run has begun or ended: the other charts of the page follow
    _buttons(lesson, chosen, runs)
    configs, problem = st.session_state.get(_PROBLEM, (None, ""))
    if configs == chosen.configs:
        st.warning(escape_markdown(problem), icon=":material/info:")
    _cards(lesson, runs)
    if any(progress.run.losses for progress in runs):
        corpus = None if chosen.configs[0].is_recall else chosen.corpus or python_docs()
        _curves(lesson, [progress.run for progress in runs], corpus)
    rerun.if_requested()


def _buttons(lesson: Lesson, chosen: Controls, runs: Sequence[Progress]) -> None:
    """Play, pause, a few steps, reset; each is enabled only where it would do something."""
    active, unfinished = any(p.run.is_active for p in runs), [p.run for p in runs if p.run.status != "finished"]
    buttons = {
        "play": ("play_arrow", not all(run.is_active for run in unfinished), _submit, (chosen, None)),
        "pause": ("pause", active, _stop, (lesson, chosen, server.jobs().pause)),
        "step": ("skip_next", bool(unfinished) and not active, _submit, (chosen, FEW)),
        "reset": (
            "replay",
            any(run.status != "new" for run in unfinished),
            _stop,
            (lesson, chosen, server.jobs().cancel),
        ),
    }
    with st.container(horizontal=True, gap="small"):
        for name, (icon, enabled, callback, arguments) in buttons.items():
            action: dict[str, Any] = {"on_click": callback, "args": arguments, "disabled": not enabled}
            action["type"], help_text = "primary" if name == "play" else "secondary", lesson.entries("help").get(name)
            st.button(lesson.label(name, steps=FEW), f"train_{name}", help_text, icon=f":material/{icon}:", **action)


def _submit(chosen: Controls, steps: int | None) -> None:
    """Start or resume every run of the controls."""
    rerun.request()
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        try:
            server.jobs().submit(config, chosen.corpus, study.plan_for(config.steps), steps=steps)
        except (ValueError, OSError, Busy) as problem:
            st.session_state[_PROBLEM] = (chosen.configs, str(problem))
            return


def _stop(lesson: Lesson, chosen: Controls, stop: Callable[[str], None]) -> None:
    """Pause the runs of the controls, or throw the unfinished ones away; not those that others watch."""
    rerun.request()
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        if others := server.viewers().count_others(server.reader(), config.hash):
            problem = lesson.text("others", count=others, method=TITLES[config.method])
            st.session_state[_PROBLEM] = (chosen.configs, problem)
        else:
            stop(config.hash)


def _cards(lesson: Lesson, runs: Sequence[Progress]) -> None:
    for begin in range(0, len(runs), 3):
        for column, progress in zip(st.columns(3, gap="medium"), runs[begin : begin + 3], strict=False):
            run = progress.run
            column.markdown(f"**{TITLES[run.config.method]}** · {_status(lesson, progress)}")
            if run.status not in ("new", "finished"):
                column.progress(run.step / run.config.steps)
                column.caption(_pace(lesson, run))


def _status(lesson: Lesson, progress: Progress) -> str:
    run, waits, steps = progress.run, progress.queue_position or 0, progress.run.config.steps
    if run.is_active and run.step >= steps:
        key = "measuring"
    elif run.is_active and not run.step and not waits:
        key = "starting"
    elif run.status == "running" and waits:
        key = "turn"
    else:
        key = "failed" if run.status == "paused" and run.error else run.status
    tests = {"measured": len(run.measurements) + 1, "measurements": len(study.plan_for(steps).windows(run.config))}
    numbers = {"step": run.step, "steps": steps, "seconds": run.seconds, "queue_position": waits, **tests}
    return lesson.entry("status", key, error=escape_markdown(run.error), **numbers)


def _pace(lesson: Lesson, run: Run) -> str:
    """Bytes a second and the time left during training; then the time that it took."""
    steps_left, pace = run.config.steps - run.step, run.step / run.seconds if run.seconds else 0  # without waiting
    if not (run.is_active and steps_left and pace):
        return lesson.entry("status", "took", seconds=run.seconds)
    return lesson.entry("status", "pace", pace=pace * run.config.batch * run.config.length, seconds=steps_left / pace)


def _curves(lesson: Lesson, runs: Sequence[Run], corpus: Corpus | None) -> None:
    """Loss and extrapolation side by side, and one sentence a run with its numbers. corpus: None for recall."""
    config, is_recall, labels, dark = runs[0].config, corpus is None, lesson.entries("chart"), page.dark()
    results = [study.results(run) for run in runs]
    losses = [Line(run.config.method, TITLES[run.config.method], *study.smoothed(run.losses)) for run in runs]
    beyond = [Line(r.config.method, TITLES[r.config.method], r.lengths, r.values) for r in results]
    growing = charts.losses(losses, labels, dark=dark, steps=config.steps)
    tested = charts.lengths(beyond, labels, dark=dark, train_length=config.length, is_recall=is_recall)
    drawings = {"train_losses": ("loss", growing), "train_lengths": ("recall" if is_recall else "beyond", tested)}
    for column, (key, (label, drawing)) in zip(st.columns(2, gap="medium"), drawings.items(), strict=True):
        column.markdown(f"**{lesson.label(label)}**")
        spec = drawing.spec | {"description": lesson.label(label)}  # for screen readers
        column.vega_lite_chart(drawing.data, spec, key=key, theme=None, width="stretch")
    bigram, per_word = (0.0, 0.0) if corpus is None else (study.bigram(corpus), corpus.bytes_per_word)
    if measured := [result for result in results if len(result.values)]:
        final = all(result.final for result in measured)
        section = "seen.recall" if is_recall else "seen.final" if final else "seen.sample"
        sentences = "\n".join(f"- {_sentence(lesson, result, bigram, per_word)}" for result in measured)
        page.prose(lesson, section, each=sentences, bytes=study.plan_for(config.steps).sample_bytes)
        page.prose(lesson, "note.recall" if is_recall else "note", bigram=bigram, worse=WORSE, pairs=config.pairs)
    page.download_csv(lambda: _table(lesson, losses, beyond), name="training.csv", key="training_csv")


def _sentence(lesson: Lesson, results: Results, bigram: float, bytes_per_word: float) -> str:
    """What one run gives at L and at 4 L. No verdict on a model that has learned no more than a bigram model knows."""
    method, near, far, is_recall = results.config.method, results.at(1), results.at(4), results.config.is_recall
    rise = math.log(far / near) * bytes_per_word if near and far else 0.0  # nats per word
    if near is None or far is None:
        key = "ends" if results.ends and METHODS[method].has_position_table else "near"
    elif is_recall:
        key = "recall"
    else:
        key = "early" if near >= bigram else "keeps" if rise <= WORSE else "breaks"
    numbers = {"at": _number(near, is_recall), "far": _number(far, is_recall)}
    return lesson.entry("seen.one", key, method=TITLES[method], rise=rise, **numbers)


def _number(value: float | None, is_recall: bool) -> str:
    if value is None:
        return "–"
    return f"{value:.0%}" if is_recall else f"{value:.2f}" if value < 100 else format_number(value)


def _table(lesson: Lesson, losses: Sequence[Line], beyond: Sequence[Line]) -> pd.DataFrame:
    """Both charts' points, run by run."""
    curves = [
        (lesson.label(key), line)
        for pair in zip(losses, beyond, strict=True)
        for key, line in zip(("loss", "beyond"), pair, strict=True)
    ]
    tables = [pd.DataFrame({"method": line.name, "line": name, "x": line.x, "y": line.y}) for name, line in curves]
    return pd.concat(tables, ignore_index=True).rename(columns=lesson.entries("columns"))
