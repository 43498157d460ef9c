"""All training runs on this machine: a table, of which one can be opened in the controls, and any deleted."""

import zlib
from collections.abc import Sequence
from operator import attrgetter

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson, problems
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run
from alibi_viz.ui import address, reader
from alibi_viz.ui.controls.params import Value
from alibi_viz.ui.format import escape_markdown
from pages.train import server, study
from pages.train.study import method_title

CORPUS = "_own_corpus"  # in the session: the reader's own text, kept while the session lasts
IN_ORDER = attrgetter("config.corpus", "config.length", "config.steps", "config.method", "config.seed", "hash")


def show_runs(text: Lesson) -> None:
    """All runs on this machine. Their order does not change during training, so that a chosen row stays that run."""
    shows_all = not reader.is_class()
    stored = server.jobs().store.runs()
    runs = sorted((r for r in stored if reader.is_own(r) or (shows_all and not r.config.has_own_text)), key=IN_ORDER)
    st.caption(text.text("runs", {"count": len(runs)}))
    if not runs:
        return
    columns = text.entries("columns")
    rows = pd.DataFrame([row(text, columns, server.progress(run.config).run) for run in runs])
    # Rows are chosen by number: another list is another table, with nothing chosen.
    key = f"train_runs_{zlib.crc32(''.join(run.hash for run in runs).encode())}"
    event = st.dataframe(
        rows,
        key=key,
        height=min(38 + 35 * len(runs), 320),
        hide_index=True,
        selection_mode="multi-row",
        on_select="rerun",
        column_config={columns[name]: st.column_config.NumberColumn(format="%.2f") for name in ("at_1", "at_4")},
    )
    chosen = [runs[number] for number in event["selection"]["rows"] if number < len(runs)]
    with st.container(horizontal=True, gap="small"):
        values = study.address_of(chosen[0].config) if len(chosen) == 1 else None
        about = None if values else text.entry("why", "choose" if len(chosen) != 1 else "open_settings")
        args = (chosen[0].config, values) if values else ()
        st.button(text.label("open"), "train_show_run", about, on_click=open_run, args=args, disabled=not values)
        why_not = None if chosen else text.entry("why", "choose")
        with st.popover(text.label("delete"), icon=":material/delete:", disabled=not chosen, help=why_not):
            st.markdown(text.text("delete", {"count": len(chosen)}))
            st.button(text.label("delete_now"), "train_delete", on_click=delete, args=(text, chosen), type="primary")


def row(text: Lesson, columns: dict[str, str], run: Run) -> dict[str, object]:
    config, result = run.config, study.results(run)
    learned = next((name for name, key in study.TEXTS.items() if key == config.corpus), study.OWN_TEXT)
    cells = {
        "method": method_title(config),
        "length": config.length,
        "steps": f"{run.step:,} / {config.steps:,}",
        "seed": config.seed,
        "shape": f"{config.layers} × {config.width}, {config.heads}",
        "text": text.choice(learned),
        "status": text.entry("states", run.status),
        "at_1": result.at(1),
        "at_4": result.at(4),
    }
    return {columns[name]: value for name, value in cells.items()}


def open_run(config: TrainConfig, values: dict[str, Value]) -> None:
    """Callback: set the controls to a run, and the reader's own text to the one that it learned."""
    for key in ("train_paste", "train_upload"):
        st.session_state.pop(key, None)
    st.session_state[CORPUS] = server.jobs().store.text(config.corpus) if config.has_own_text else None
    address.write(values)


def delete(text: Lesson, chosen: Sequence[Run]) -> None:
    """Callback: remove runs, finished or not, as far as they are this reader's; say of the others why they stay."""
    for run in chosen:
        try:
            if others := server.jobs().delete(run.hash, reader.unless_alone()):
                st.toast(text.text("left", {"count": others, "method": method_title(run.config)}))
        except ValueError as error:
            st.toast(escape_markdown(problems.say(error)))
