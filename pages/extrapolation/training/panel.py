"""Train it yourself: the controls, the buttons, and the curves that grow while runs are trained in other processes.

Notable choices:
- The controls say which runs are meant, and a run is known by its configuration alone. So a reload, a link or another
  tab shows the same runs where they stand, and nothing has to be remembered for a reader.
- The part that shows the runs asks the queue once a second while one is active, and now and then while none is: another
  tab may start it. The rest of the page runs again only when a run begins or ends.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from alibi_viz.jobs import Busy, Progress
from alibi_viz.lessons import Lesson, load
from alibi_viz.lm.corpus import python_docs
from alibi_viz.lm.records import Run
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, state
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import escape_markdown
from pages.extrapolation.training import controls, curves, runs_list, server, study
from pages.extrapolation.training.controls import Controls

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
            numbers = {"parameters": f"{config.parameters:,}", "bytes": f"{config.tokens:,}"}
            st.caption(lesson.text("size.recall" if config.is_recall else "size", **numbers))
    except ValueError as problem:
        page.problem(problem)
    else:
        active = _active(_standing(chosen))
        st.fragment(_live, run_every=EVERY if active else IDLE)(lesson, chosen, active)
    runs_list.show(lesson)


def _standing(chosen: Controls) -> list[Progress]:
    """Every run of the controls as it stands now."""
    return [server.progress(config) for config in chosen.configs]


def _active(runs: Sequence[Progress]) -> tuple[str, ...]:
    return tuple(progress.run.hash for progress in runs if progress.run.is_active)


def _live(lesson: Lesson, chosen: Controls, active: tuple[str, ...]) -> None:
    """The part that follows the runs. `active`: those that were active when the whole page last ran."""
    server.viewers().watch(server.reader(), tuple(config.hash for config in chosen.configs))
    runs = _standing(chosen)
    if _active(runs) != active:
        st.rerun()  # a run has begun or ended: the other charts of the page follow
    _buttons(lesson, chosen, runs)
    configs, problem = st.session_state.get(_PROBLEM, (None, ""))
    if configs == chosen.configs:
        st.warning(escape_markdown(problem), icon=":material/info:")
    _cards(lesson, runs)
    if any(progress.run.losses for progress in runs):
        corpus = None if chosen.configs[0].is_recall else chosen.corpus or python_docs()
        curves.show(lesson, [progress.run for progress in runs], corpus)
    rerun.if_requested()


def _buttons(lesson: Lesson, chosen: Controls, runs: Sequence[Progress]) -> None:
    """Play, pause, a few steps, reset; each is enabled only where it would do something."""
    active, unfinished = bool(_active(runs)), [p.run for p in runs if p.run.status != "finished"]
    buttons = {
        "play": ("play_arrow", any(not run.is_active for run in unfinished), _submit, (chosen, None)),
        "pause": ("pause", active, _stop, (lesson, chosen, False)),
        "step": ("skip_next", bool(unfinished) and not active, _submit, (chosen, FEW)),
        "reset": ("replay", any(run.status != "new" for run in unfinished), _stop, (lesson, chosen, True)),
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


def _stop(lesson: Lesson, chosen: Controls, forget: bool) -> None:
    """Pause the runs of the controls, or throw the unfinished ones away; not those that others watch."""
    rerun.request()
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        others = server.viewers().count_others(server.reader(), config.hash)
        if others:
            sentence = lesson.text("others", count=others, method=TITLES[config.method])
            st.session_state[_PROBLEM] = (chosen.configs, sentence)
        elif forget:
            server.jobs().cancel(config.hash)
        else:
            server.jobs().pause(config.hash)


def _cards(lesson: Lesson, runs: Sequence[Progress]) -> None:
    """One card a run: its status, how far it is, how fast."""
    for begin in range(0, len(runs), 3):
        for column, progress in zip(st.columns(3, gap="medium"), runs[begin : begin + 3], strict=False):
            run = progress.run
            with column:
                st.markdown(f"**{TITLES[run.config.method]}** · {_status(lesson, progress)}")
                if run.status not in ("new", "finished"):
                    st.progress(run.step / run.config.steps)
                    st.caption(_pace(lesson, run))


def _status(lesson: Lesson, progress: Progress) -> str:
    """What a run does now."""
    run, waits = progress.run, progress.queue_position
    if run.is_active and run.step >= run.config.steps:
        key = "measuring"
    elif run.is_active and not run.step and not waits:
        key = "starting"
    elif run.status == "running" and waits:
        key = "turn"
    else:
        key = "failed" if run.status == "paused" and run.error else run.status
    return lesson.entry(
        "status",
        key,
        step=f"{run.step:,}",
        steps=f"{run.config.steps:,}",
        queue_position=waits or 0,
        measured=len(run.measurements) + 1,
        measurements=len(study.plan_for(run.config.steps).windows(run.config)),
        seconds=f"{run.seconds:,.0f}",
        error=escape_markdown(run.error),
    )


def _pace(lesson: Lesson, run: Run) -> str:
    """Bytes a second and the time left during training; then the time that it took."""
    steps_left = run.config.steps - run.step
    if not run.is_active or not steps_left or not run.seconds:
        return lesson.entry("status", "took", seconds=f"{run.seconds:,.0f}")
    pace = run.step / run.seconds  # without waiting
    bytes_per_second = f"{pace * run.config.batch * run.config.length:,.0f}"
    return lesson.entry("status", "pace", pace=bytes_per_second, seconds=f"{steps_left / pace:,.0f}")
