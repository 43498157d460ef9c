"""The list of all runs on this machine: look at them, show one in the controls, delete some."""

from __future__ import annotations

import zlib

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run
from alibi_viz.ui.controls import rerun, state
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.controls.params import Value, clean
from pages.extrapolation.training import panel as training_view
from pages.extrapolation.training import study as study
from pages.extrapolation.training.jobs import desk, jobs, reader

MOST = 200  # rows
_REFUSED = "_runs_refused"


def kept_runs() -> None:
    """The list. Its order does not change while runs are trained, so that a chosen row stays the run that was chosen."""
    lesson = load("training")
    runs = sorted(jobs().store.runs()[:MOST], key=_order)
    if not runs:
        return
    with st.expander(lesson.label("runs", count=len(runs)), icon=":material/list:"):
        names = lesson.entries("columns")
        event = st.dataframe(
            pd.DataFrame([_row(lesson, run) for run in runs]),
            hide_index=True,
            height=min(38 + 35 * len(runs), 320),
            on_select="rerun",
            selection_mode="multi-row",
            # Rows are chosen by number: another list is another table, with nothing chosen.
            key=f"train_runs_{zlib.crc32(''.join(run.hash for run in runs).encode())}",
            column_config={names[key]: st.column_config.NumberColumn(format="%.2f") for key in ("at_1", "at_4")},
        )
        chosen = [runs[row] for row in event["selection"]["rows"] if row < len(runs)]
        with st.container(horizontal=True, gap="small"):
            _open_button(lesson, chosen)
            _delete_button(lesson, chosen)
        refused = st.session_state.pop(_REFUSED, None)
        if refused:
            st.warning(lesson.text("refused", count=refused), icon=":material/info:")


def _order(run: Run) -> tuple[object, ...]:
    config = run.config
    return config.corpus, config.length, config.steps, config.method, config.seed, run.hash


def _row(lesson: Lesson, run: Run) -> dict[str, object]:
    config, words = run.config, lesson.entries("columns")
    one = study.shown(config, jobs().progress(config.hash))
    return {
        words["method"]: TITLES[config.method],
        words["length"]: config.length,
        words["steps"]: f"{run.step:,} / {config.steps:,}",
        words["seed"]: config.seed,
        words["shape"]: f"{config.layers} × {config.width}, {config.heads}",
        words["text"]: lesson.entry("choices", training_view.text_choice(config).replace(" ", "_")),
        words["status"]: one.status,
        words["at_1"]: one.at(1),
        words["at_4"]: one.at(4),
    }


def settings(config: TrainConfig) -> dict[str, Value] | None:
    """The controls' values for a run, or None where the controls cannot say it: the terminal can ask for more."""
    values: dict[str, Value] = {
        "train": config.method,
        "train_length": str(config.length),
        "train_steps": config.steps,
        "train_text": training_view.text_choice(config),
        "train_width": str(config.width),
        "train_layers": config.layers,
        "train_heads": config.heads,
        "train_seed": config.seed,
    }
    allowed = all(clean(param, values[param.key]).problem is None for param in training_view.PARAMS)
    return values if allowed and training_view.config_of(values, config.corpus).hash == config.hash else None


def _open_button(lesson: Lesson, chosen: list[Run]) -> None:
    values = settings(chosen[0].config) if len(chosen) == 1 else None
    st.button(
        lesson.label("open"),
        key="train_open",
        disabled=values is None,
        help=lesson.entry("help", "open"),
        on_click=_open,
        args=(chosen, values),
    )


def _open(chosen: list[Run], values: dict[str, Value]) -> None:
    """Set the controls to a run, and the reader's own text to the one that it learned."""
    state.assign(values)
    for key in ("train_paste", "train_upload", training_view.CORPUS):
        st.session_state.pop(key, None)
    corpus = jobs().store.text(chosen[0].config.corpus) if values["train_text"] == "own text" else None
    if corpus is not None:
        st.session_state[training_view.CORPUS] = corpus
    rerun.request()


def _delete_button(lesson: Lesson, chosen: list[Run]) -> None:
    with st.popover(lesson.label("delete"), icon=":material/delete:", disabled=not chosen):
        st.markdown(lesson.text("delete", count=len(chosen)))
        st.button(lesson.label("delete_now"), key="train_delete", type="primary", on_click=_delete, args=(chosen,))


def _delete(chosen: list[Run]) -> None:
    """Remove runs, finished or not, but for those that another reader looks at."""
    free = [run for run in chosen if not desk().others(reader(), run.hash)]
    for run in free:
        jobs().cancel(run.hash)
        jobs().store.delete(run.hash)
    st.session_state[_REFUSED] = len(chosen) - len(free)
    rerun.request()
