"""The curves of runs that are being trained, what they say in words, and the list of all runs on this machine."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
import streamlit as st

from alibi_viz.corpus import BUILT_IN
from alibi_viz.figures import training as charts
from alibi_viz.lessons import Lesson, load
from alibi_viz.runs import Run
from alibi_viz.studies import training_shown as study
from alibi_viz.ui import live, page, state, texts
from alibi_viz.ui.method_pills import TITLES
from alibi_viz.ui.training_jobs import jobs

HOLDS = 1.1  # times the perplexity at L: what still counts as holding


def show(lesson: Lesson, runs: list[study.Shown]) -> None:
    """Loss and extrapolation side by side, and one sentence with the numbers."""
    words, dark = lesson.entries("chart"), page.dark()
    config = runs[0].config
    left, right = st.columns(2, gap="medium")
    with left:
        lines = [charts.Line(one.config.method, TITLES[one.config.method], one.steps, one.losses) for one in runs]
        drawing = charts.losses(lines, words, dark=dark, steps=config.steps)
        _draw(lesson.label("loss"), drawing, "train_losses")
    with right:
        lines = [charts.Line(one.config.method, TITLES[one.config.method], one.lengths, one.values) for one in runs]
        drawing = charts.lengths(lines, words, dark=dark, trained=config.length, shares=config.is_recall)
        _draw(lesson.label("recall" if config.is_recall else "beyond"), drawing, "train_lengths")
    said = [sentence(lesson, one) for one in runs if len(one.values)]
    if said:
        final = all(one.final for one in runs if len(one.values))
        section = "seen.recall" if config.is_recall else "seen.final" if final else "seen.sample"
        each = "\n".join(f"- {one}" for one in said)
        page.prose(lesson, section, each=each, bytes=f"{study.plan_for(config.steps).sample_bytes:,}")
        page.prose(lesson, "note.recall" if config.is_recall else "note")
    page.download(lambda: csv(lesson, runs), name="training.csv", key="training_csv")


def _draw(title: str, drawing: charts.Drawing, key: str) -> None:
    """A live chart under its title, which a screen reader is told too."""
    st.markdown(f"**{title}**")
    st.vega_lite_chart(drawing.data, drawing.spec | {"description": title}, key=key, theme=None, width="stretch")


def sentence(lesson: Lesson, one: study.Shown) -> str:
    """What one run gives at L and at 4 L."""
    at, far = one.at(1), one.at(4)
    words: dict[str, object] = {"method": TITLES[one.config.method], "at": "–", "far": "–"}
    if one.config.is_recall:
        words |= {"at": "–" if at is None else f"{at:.0%}", "far": "–" if far is None else f"{far:.0%}"}
        return lesson.entry("seen.one", "recall", **words)
    if at is not None:
        words["at"] = f"{at:.2f}"
    if at is None or far is None:
        return lesson.entry("seen.one", "ends" if one.ends else "near", **words)
    words |= {"far": f"{far:.2f}" if far < 100 else texts.number(far), "ratio": f"{far / at:.2f}"}
    return lesson.entry("seen.one", "keeps" if far / at <= HOLDS else "breaks", **words)


def csv(lesson: Lesson, runs: Iterable[study.Shown]) -> str:
    """Both charts' points."""
    words = lesson.entries("columns")
    rows: list[list[object]] = []
    for one in runs:
        title = TITLES[one.config.method]
        for name, xs, ys in (("loss", one.steps, one.losses), ("beyond", one.lengths, one.values)):
            rows += [[title, lesson.label(name), x, y] for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]
    return page.csv_text([words[key] for key in ("method", "line", "x", "y")], rows)


def kept_runs() -> None:
    """All runs on this machine: choose some, show one in the controls, delete them."""
    lesson = load("training")
    runs = jobs().store.runs()
    if not runs:
        return
    with st.expander(lesson.label("runs", count=len(runs)), icon=":material/list:"):
        frame = pd.DataFrame([_row(lesson, run) for run in runs])
        event = st.dataframe(
            frame,
            hide_index=True,
            height=min(38 + 35 * len(runs), 320),
            on_select="rerun",
            selection_mode="multi-row",
            key="train_runs",
            column_config={
                lesson.entry("columns", key): st.column_config.NumberColumn(format="%.2f") for key in ("at_1", "at_4")
            },
        )
        chosen = [runs[row] for row in event["selection"]["rows"] if row < len(runs)]
        with st.container(horizontal=True, gap="small"):
            st.button(lesson.label("open"), key="train_open", disabled=len(chosen) != 1, on_click=_open, args=(chosen,))
            st.button(
                lesson.label("delete"),
                icon=":material/delete:",
                key="train_delete",
                disabled=not chosen,
                on_click=_delete,
                args=(chosen,),
            )


def _row(lesson: Lesson, run: Run) -> dict[str, object]:
    config, words = run.config, lesson.entries("columns")
    one = study.shown(config, jobs().progress(config.hash))
    text = {BUILT_IN: "python_docs", "recall": "recall"}.get(config.corpus, "own_text")
    found = [one.at(times) for times in (1, 4)]
    return {
        words["method"]: TITLES[config.method],
        words["length"]: config.length,
        words["steps"]: f"{run.step:,} / {config.steps:,}",
        words["seed"]: config.seed,
        words["shape"]: f"{config.layers} × {config.width}, {config.heads}",
        words["text"]: lesson.entry("choices", text),
        words["status"]: one.status,
        words["at_1"]: found[0],
        words["at_4"]: found[1],
    }


def _open(chosen: list[Run]) -> None:
    """Set the controls to a run."""
    config = chosen[0].config
    text = {BUILT_IN: "python docs", "recall": "recall"}.get(config.corpus, "own text")
    state.assign(
        {
            "train": config.method,
            "train_length": str(config.length),
            "train_steps": config.steps,
            "train_text": text,
            "train_width": str(config.width),
            "train_layers": config.layers,
            "train_heads": config.heads,
            "train_seed": config.seed,
        }
    )
    corpus = jobs().store.text(config.corpus) if text == "own text" else None
    if corpus is not None:
        st.session_state["_own_corpus"] = corpus
    live.touch()


def _delete(chosen: list[Run]) -> None:
    """Remove runs, finished or not."""
    for run in chosen:
        jobs().cancel(run.hash)
        jobs().store.delete(run.hash)
    live.touch()
