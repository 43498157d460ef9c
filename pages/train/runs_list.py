"""The list of all runs on this machine: look at them, show one in the controls, delete some."""

import zlib
from operator import attrgetter

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm.runs import Run
from alibi_viz.ui import reader
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.run_names import method_title
from pages.train import controls, server, study
from pages.train.facts import Count

_PROBLEMS = "_runs_problems"  # of the last deletion
_ORDER = attrgetter("config.corpus", "config.length", "config.steps", "config.method", "config.seed", "hash")


def show(lesson: Lesson) -> None:
    """The list. Its order does not change during training, so that a chosen row stays the run that was chosen."""
    shows_all = not reader.is_class()
    stored = server.jobs().store.runs()
    runs = sorted((r for r in stored if reader.is_own(r) or (shows_all and not r.config.has_own_text)), key=_ORDER)
    st.caption(lesson.text("runs" if shows_all else "runs.class", Count(len(runs))))
    if runs:
        columns = lesson.entries("columns")
        event = st.dataframe(
            pd.DataFrame([_row(lesson, columns, server.progress(run.config).run) for run in runs]),
            hide_index=True,
            height=min(38 + 35 * len(runs), 320),
            on_select="rerun",
            selection_mode="multi-row",
            # Rows are chosen by number: another list is another table, with nothing chosen.
            key=f"train_runs_{zlib.crc32(''.join(run.hash for run in runs).encode())}",
            column_config={columns[key]: st.column_config.NumberColumn(format="%.2f") for key in ("at_1", "at_4")},
        )
        chosen = [runs[row] for row in event["selection"]["rows"] if row < len(runs)]
        with st.container(horizontal=True, gap="small"):
            values = controls.values_of(chosen[0].config) if len(chosen) == 1 else None
            args = (chosen[0].config, values) if values else None
            why = "open_one" if len(chosen) != 1 else "open_settings"
            help_text = lesson.entry("help", "open") if values else lesson.entry("why", why)
            label, follow = lesson.label("open"), controls.show_run
            st.button(label, "train_show_run", help_text, on_click=follow, args=args, disabled=not args)
            why_not = None if chosen else lesson.entry("why", "delete")
            with st.popover(lesson.label("delete"), icon=":material/delete:", disabled=not chosen, help=why_not):
                st.markdown(lesson.text("delete", Count(len(chosen))))
                st.button(
                    lesson.label("delete_now"), "train_delete", on_click=_delete, args=(lesson, chosen), type="primary"
                )
    for problem in st.session_state.pop(_PROBLEMS, ()):
        st.warning(escape_markdown(problem), icon=":material/info:")


def _row(lesson: Lesson, columns: dict[str, str], run: Run) -> dict[str, object]:
    config, results = run.config, study.results(run)
    browser = reader.unless_alone()
    whose = {columns["whose"]: lesson.entry("whose", _whose(run, browser))} if browser else {}
    return {
        columns["method"]: method_title(config),
        columns["length"]: config.length,
        columns["steps"]: f"{run.step:,} / {config.steps:,}",
        columns["seed"]: config.seed,
        columns["shape"]: f"{config.layers} × {config.width}, {config.heads}",
        columns["text"]: lesson.entry("choices", controls.text_choice(config).replace(" ", "_")),
        columns["status"]: run.status,
        **whose,
        columns["at_1"]: results.at(1),
        columns["at_4"]: results.at(4),
    }


def _whose(run: Run, browser: str) -> str:
    """The entry of the lesson's table `whose`."""
    if not run.browsers:
        return "everybodys"
    return "theirs" if browser not in run.browsers else "shared" if len(run.browsers) > 1 else "yours"


def _delete(lesson: Lesson, chosen: list[Run]) -> None:
    """Remove runs, finished or not, as far as they are this reader's; say of the others why they stay."""
    problems: dict[str, None] = {}
    for run in chosen:
        try:
            if others := server.jobs().delete(run.hash, reader.unless_alone()):
                problems[lesson.entry("left", "reset", count=others, method=method_title(run.config))] = None
        except ValueError as refused:
            problems[str(refused)] = None
    st.session_state[_PROBLEMS] = list(problems)
    rerun.request()
