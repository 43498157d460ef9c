"""The Compare page with trained models as content: its controls, one matrix a model, and how well each reads the text.

The controls of made content (heads, sizes, fresh or trained tables, subtracting) have no meaning here and are not shown.
The sections below the matrices need no text and no model: they go on with the position methods alone, at the models' size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from alibi_viz import synthetic
from alibi_viz.lessons import Lesson
from alibi_viz.lm.config import TrainConfig
from alibi_viz.trained import labels
from alibi_viz.ui import page
from alibi_viz.ui import ranking as compare_ranking
from alibi_viz.ui.components.matrix_view import Event, Panel
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.shell.sidebar import chosen_device
from alibi_viz.ui.side_by_side import side_by_side
from pages.attention.trained import CONTENT_WIDTH, LAYER, PASSAGE
from pages.compare import matrices as view
from pages.compare import models_study as study
from pages.compare import study as tables

TEXT = PASSAGE[: study.LONGEST]
STAGES = ("weights", "scores")


def default_text(param: Param, trained: bool) -> None:
    """Each kind of content has a default text of its own: a text that is still the other kind's default is exchanged.

    The words of made content are too few bytes to say much about a trained model.
    """
    words = str(param.default)
    other, own = (words, TEXT) if trained else (TEXT, words)
    if st.session_state.get(param.key) == other:
        st.session_state[param.key] = own


def show(lesson: Lesson, params: Mapping[str, Param]) -> tables.Controls | None:
    """Controls, matrices and numbers. Returns what the sections below go on with, or None where nothing can be shown."""
    with st.container(border=True):
        methods = view.methods(params["methods"], lesson)
        text = widgets.text(replace(params["text"], default=TEXT), lesson, height=80).encode()
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            with st.container(width=CONTENT_WIDTH):
                widgets.pick(params["content"], lesson)
            stage = widgets.choice(replace(params["stage"], choices=STAGES), lesson)
        found = study.there(methods)
        if not found:
            st.warning(lesson.text("models.none"), icon=":material/edit:")
            return None
        config = next(iter(found.values())).config
        left, right = st.columns([3, 1], gap="large", vertical_alignment="bottom")
        with right:
            layer = int(widgets.choice(replace(LAYER, choices=LAYER.choices[: config.layers]), lesson))
        with left:
            one = replace(params["head"], high=max(config.heads, 2), default=min(3, config.heads))
            head = min(int(widgets.drag(one, lesson)), config.heads)
        st.caption(lesson.text("models.made", **_shape(config)))
    used = text[: study.LONGEST]
    if len(text) > len(used):
        st.caption(lesson.text("models.cut", given=f"{len(text):,}", used=len(used)))
    try:
        read = study.read(found.values(), used, layer, head)
    except ValueError as problem:
        page.problem(problem)
        return None
    page.heading(lesson.label(f"models_{stage}", head=head, layer=layer))
    matrices(lesson, read, used, stage, head)
    view.colour(lesson, stage)
    _left_out(lesson, [name for name in methods if name not in found])
    view.problems(lesson, {one.name: one.problem for one in read})
    explain(lesson, read, config, head)
    if len(used) > 1:
        compare_ranking.show(len(used) - 1)
    page.prose(lesson, "models.below", **_shape(config))
    width = config.width // config.heads
    setting = synthetic.Setting(config.heads, width, config.length, device=chosen_device(), weights="trained")
    return tables.Controls(setting, methods, labels(used), head)


def _shape(config: TrainConfig) -> dict[str, str]:
    names = ("length", "layers", "heads", "width", "steps", "batch", "seed")
    return {name: f"{getattr(config, name):,}" for name in names}


def matrices(lesson: Lesson, read: Sequence[study.Reading], text: bytes, stage: str, head: int) -> Event:
    """One matrix a model, with one cursor. Scores have a scale of their own each: those of RoPE are ten times ALiBi's."""
    quantity, ends, scale = view.ENDS[stage]
    panels = [
        Panel(
            one.title,
            getattr(one, stage),
            quantity,
            ends if stage == "weights" else (-one.reach, one.reach),
            lesson.label("ends_byte", known=one.known) if one.problem else "",
            key=one.name,
            scale=scale,
        )
        for one in read
    ]
    name = f"compare-trained-{stage}-head-{head}"
    return side_by_side(lesson, panels, labels(text), read[0].config.length, key="compare_models", filename=name)


def _left_out(lesson: Lesson, names: Iterable[str]) -> None:
    """One sentence about chosen methods that have no model here."""
    listed = ", ".join(TITLES[name] for name in names)
    if listed:
        st.caption(lesson.text("models.left_out", methods=listed))


def explain(lesson: Lesson, read: Sequence[study.Reading], config: TrainConfig, head: int) -> None:
    """“What you see”: the losses of all models on this text, inside and beyond the training length."""
    numbers = _ends([(one.title, one.inside) for one in read], "in") | _ends(
        [(one.title, one.beyond) for one in read], "out"
    )
    kind = "beyond" if "out_low" in numbers else "inside" if "in_low" in numbers else "byte"
    kind = "one" if len(read) == 1 and kind != "byte" else kind
    page.what_you_see(lesson, f"models.seen.{kind}", length=config.length, head=head, **numbers)
    frame = pd.DataFrame(
        {
            lesson.entry("columns", "method"): [one.title for one in read],
            lesson.entry("columns", "inside", length=config.length): [_loss(one.inside) for one in read],
            lesson.entry("columns", "beyond_length", length=config.length): [_loss(one.beyond) for one in read],
            lesson.entry("columns", "share", length=config.length): [f"{100 * one.share:.0f} %" for one in read],
        }
    )
    st.dataframe(frame, hide_index=True)
    page.download(lambda: frame.to_csv(index=False), name="trained-models.csv", key="models_csv")


def _ends(losses: Iterable[tuple[str, float | None]], name: str) -> dict[str, str]:
    """The smallest and the largest loss, and whose they are."""
    known = sorted((loss, title) for title, loss in losses if loss is not None)
    if not known:
        return {}
    (low, best), (high, worst) = known[0], known[-1]
    return {f"{name}_low": _loss(low), f"{name}_best": best, f"{name}_high": _loss(high), f"{name}_worst": worst}


def _loss(loss: float | None) -> str:
    return "–" if loss is None else f"{loss:.2f}"
