"""Play, pause, a few steps, reset: each is enabled only where it would do something, and says why if it is not."""

from collections.abc import Callable, Collection, Sequence

import streamlit as st

from alibi_viz.jobs import Busy, Progress
from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.run_names import method_title
from pages.train import ownership, study
from pages.train.controls import Controls

FEW = 25  # steps of the step button
_PROBLEM = "_training_problem"  # what was asked for, and why it was not done; stands until the next press of a button


def show(lesson: Lesson, chosen: Controls, runs: Sequence[Progress]) -> None:
    """The four buttons, and what came of the last press if it was refused."""
    theirs = {progress.run.hash for progress in runs if ownership.standing(progress.run.hash) == "theirs"}
    why = reasons(runs, theirs)
    actions: dict[str, tuple[str, Callable[..., None], tuple[object, ...]]] = {
        "play": ("play_arrow", _submit, (chosen, None)),
        "pause": ("pause", _stop, (lesson, chosen, ownership.pause)),
        "step": ("skip_next", _submit, (chosen, FEW)),
        "reset": ("replay", _stop, (lesson, chosen, ownership.reset)),
    }
    with st.container(horizontal=True, gap="xxsmall"):
        for name, (icon, callback, arguments) in actions.items():
            reason = why.get(name)
            help_text = lesson.entry("why", reason) if reason else lesson.entries("help").get(_helps(name, theirs))
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


def _helps(name: str, theirs: Collection[str]) -> str:
    """The entry of the lesson's table `help` for a button that can be pressed."""
    return "join" if name == "play" and theirs else name


def reasons(runs: Sequence[Progress], theirs: Collection[str] = ()) -> dict[str, str]:
    """The buttons that would do nothing now, each with its entry of the lesson's table `why`.

    theirs: the runs that other readers own. Play makes such a run this reader's too.
    """
    unfinished = [progress.run for progress in runs if progress.run.status != "finished"]
    active = [run for run in unfinished if run.is_active]
    begun = [run for run in unfinished if run.status != "new"]
    why = {}
    if all(run.hash in theirs for run in active):
        why["pause"] = "theirs" if active else "pause"
    if len(active) == len(unfinished) and not any(run.hash in theirs for run in active):
        why["play"] = "active" if active else "finished"
    if active or not unfinished:
        why["step"] = "pause_first" if active else "finished"
    if all(run.hash in theirs for run in begun):
        why["reset"] = "theirs" if begun else "reset"
    return why


def _submit(chosen: Controls, steps: int | None) -> None:
    """Start or resume every run of the controls."""
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        try:
            ownership.play(config, chosen.corpus, study.plan_for(config.steps), steps)
        except (ValueError, OSError, Busy) as problem:
            st.session_state[_PROBLEM] = (chosen.configs, str(problem))
            break
    rerun.request()


def _stop(lesson: Lesson, chosen: Controls, stop: Callable[[str], ownership.Refusal]) -> None:
    """Pause the runs of the controls, or throw the unfinished ones away, as far as they are this reader's."""
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        if refusal := stop(config.hash):
            count = len(ownership.others_here(config.hash))
            problem = lesson.entry("refusals", refusal, count=count, method=method_title(config))
            st.session_state[_PROBLEM] = (chosen.configs, problem)
    rerun.request()
