"""Play, pause, a few steps, reset: each is enabled only where it would do something, and says why if it is not."""

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from alibi_viz.jobs import Progress
from alibi_viz.lessons import Lesson
from alibi_viz.ui import reader
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.run_names import method_title
from pages.train import server, study
from pages.train.controls import Controls

FEW = 25  # steps of the step button
_PROBLEM = "_training_problem"  # what was asked for, and why it was not done; stands until the next press of a button


def show(lesson: Lesson, chosen: Controls, runs: Sequence[Progress]) -> None:
    """The four buttons, and what came of the last press if it was refused."""
    browser = reader.unless_alone()
    why = reasons(runs, browser)
    joins = any(progress.run.is_active and not _watches(progress, browser) for progress in runs)
    actions: dict[str, tuple[str, Callable[..., None], tuple[object, ...]]] = {
        "play": ("play_arrow", _submit, (chosen, None)),
        "pause": ("pause", _stop, (lesson, chosen, "pause")),
        "step": ("skip_next", _submit, (chosen, FEW)),
        "reset": ("replay", _stop, (lesson, chosen, "reset")),
    }
    with st.container(horizontal=True, gap="xxsmall"):
        for name, (icon, callback, arguments) in actions.items():
            reason = why.get(name)
            help_text = (
                lesson.entry("why", reason)
                if reason
                else lesson.entries("help").get("join" if name == "play" and joins else name)
            )
            st.button(
                lesson.label(name, steps=FEW),
                f"train_{name}",
                help_text,
                on_click=callback,
                args=arguments,
                disabled=bool(reason),
                type="primary" if name == "play" else "secondary",
                icon=f":material/{icon}:",
            )
    configs, problem = st.session_state.get(_PROBLEM, (None, ""))
    if configs == chosen.configs:
        st.warning(escape_markdown(problem), icon=":material/info:")


def _watches(progress: Progress, browser: str) -> bool:
    return not browser or browser in progress.watchers


def reasons(runs: Sequence[Progress], browser: str = "") -> dict[str, str]:
    """The buttons that would do nothing now, each with its entry of the lesson's table `why`.

    browser: whose page it is; "": of one who is alone with the server.
    """
    unfinished = [progress for progress in runs if progress.run.status != "finished"]
    active = [progress for progress in unfinished if progress.run.is_active]
    begun = [progress for progress in unfinished if progress.run.status != "new"]
    why = {}
    if not any(progress.may_pause(browser) for progress in active):
        why["pause"] = "theirs" if active else "pause"
    if all(progress.run.is_active and _watches(progress, browser) for progress in unfinished):
        why["play"] = "active" if active else "finished"
    if active or not unfinished:
        why["step"] = "pause_first" if active else "finished"
    if not any(progress.run.is_own(browser) for progress in begun):
        why["reset"] = "theirs" if begun else "reset"
    return why


def _submit(chosen: Controls, steps: int | None) -> None:
    """Start, resume or watch every run of the controls."""
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        try:
            plan = study.plan_for(config.steps)
            server.jobs().submit(config, chosen.corpus, plan, steps=steps, browser=reader.owner())
        except ValueError as problem:
            st.session_state[_PROBLEM] = (chosen.configs, str(problem))
            break
    rerun.request()


def _stop(lesson: Lesson, chosen: Controls, action: Literal["pause", "reset"]) -> None:
    """Pause the runs of the controls, or throw the unfinished ones away, as far as they are this reader's."""
    st.session_state.pop(_PROBLEM, None)
    jobs, browser = server.jobs(), reader.unless_alone()
    for config in chosen.configs:
        try:
            if action == "pause":
                others = jobs.pause(config.hash, browser)
            else:
                is_finished = server.progress(config).run.status == "finished"
                others = 0 if is_finished else jobs.delete(config.hash, browser)
            problem = lesson.entry("left", action, count=others, method=method_title(config)) if others else ""
        except ValueError as refused:
            problem = str(refused)
        if problem:
            st.session_state[_PROBLEM] = (chosen.configs, problem)
    rerun.request()
