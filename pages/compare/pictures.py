"""The Compare lesson's matrices: one a method, with one cursor; what their captions say; and what they show in numbers."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.content import synthetic
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page, ranking
from alibi_viz.ui.components.matrix_view import Colours, Panel
from alibi_viz.ui.controls.content import sizes
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.format import MINUS, escape_markdown
from alibi_viz.ui.side_by_side import side_by_side
from pages.compare.facts import Far, Methods, Refused, fit_of, losses_of
from pages.compare.study import Controls, MethodPicture, ModelPicture, Picture, difference

WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")
DIFFERENCE = Colours("scores", (-0.5, 0.5))  # of two weights


def methods(lesson: Lesson, controls: Controls, pictures: Sequence[MethodPicture]) -> None:
    """Synthetic content: the matrices, and where the weight of the last word goes."""
    setting = controls.setting
    page.prose(lesson, "matrices.made")
    page.heading(lesson.label(f"matrices_{controls.stage}", head=controls.head))
    captions = {picture.method: _caption(lesson, picture, setting) for picture in pictures}
    _show(lesson, controls, pictures, captions, "compare_matrices", f"compare-{controls.stage}-head-{controls.head}")
    far = ", ".join(f"{picture.title} **{far_weight(picture):.0%}**" for picture in pictures)
    page.prose(lesson, "matrices.far", Far(len(controls.tokens), far))


def numbers(lesson: Lesson, controls: Controls) -> None:
    """Where the parameters of each method come from, and why some stay at initialization."""
    page.prose(lesson, f"numbers_{controls.setting.weights}")
    for name in controls.methods:
        if controls.setting.weights == "trained" and learns(name, controls.setting):
            st.caption(_trained_or_why_not(lesson, name, controls.setting))


def trained_models(lesson: Lesson, controls: Controls, pictures: Sequence[ModelPicture]) -> None:
    """Trained models: the matrices, and the losses inside and beyond the training length."""
    head, length = controls.head, controls.setting.train_length
    page.prose(lesson, "matrices.trained")
    page.heading(lesson.label(f"models_{controls.stage}", head=head, layer=controls.layer))
    captions = {p.method: lesson.label("ends_byte", known=p.known) if p.problem else "" for p in pictures}
    _show(lesson, controls, pictures, captions, "compare_models", f"compare-trained-{controls.stage}-head-{head}")
    with_model = [picture.method for picture in pictures]
    without = titles(method for method in controls.methods if method not in with_model)
    if without:
        st.caption(lesson.text("models.left_out", Methods(without)))
    losses = losses_of(controls, pictures)
    kind = "byte" if losses.in_low is None else "inside" if losses.out_low is None else "beyond"
    kind = "one" if len(pictures) == 1 and kind != "byte" else kind
    page.prose(lesson, f"models.seen.{kind}", losses)
    columns = {
        "method": [picture.title for picture in pictures],
        "inside": [_loss(picture.inside) for picture in pictures],
        "beyond_length": [_loss(picture.beyond) for picture in pictures],
        "share": [f"{picture.share:.0%}" for picture in pictures],
    }
    frame = table(lesson, columns, length=length)
    page.download_csv(lambda: frame, name="trained-models.csv", key="models_csv")
    if len(controls.text) > 1:
        ranking.show(len(controls.text) - 1)
    page.prose(lesson, "models.below")


def _show(
    lesson: Lesson, controls: Controls, pictures: Sequence[Picture], captions: Mapping[str, str], key: str, name: str
) -> None:
    """One matrix a method, one cursor: each picture itself, or its difference from one method.

    The method that is subtracted keeps its own picture: a panel of zeros would say nothing.
    """
    reference = next((picture for picture in pictures if picture.method == controls.against), None)
    panels = [_panel(picture, controls.stage, reference, captions[picture.method]) for picture in pictures]
    side_by_side(lesson, panels, controls.tokens, controls.setting.train_length, key=key, filename=name)
    if controls.stage == "weights":
        st.caption(lesson.text("colour.difference" if reference else "colour.weights"))
    problems(lesson, {picture.method: picture.problem for picture in pictures})


def _panel(picture: Picture, stage: str, reference: Picture | None, caption: str) -> Panel:
    title, values = picture.title, getattr(picture, stage)
    weights, scores = WEIGHTS, Colours("scores", (-picture.score_limit, picture.score_limit))
    if reference is not None and reference is not picture:
        title, values = f"{title} {MINUS} {reference.title}", difference(values, getattr(reference, stage))
        weights = DIFFERENCE
    return Panel(title, values, weights if stage == "weights" else scores, caption=caption, key=picture.method)


def _caption(lesson: Lesson, picture: MethodPicture, setting: synthetic.Setting) -> str:
    """What a reader must know about a method's numbers: at initialization or trained, or at an end."""
    origin = _origin(lesson, picture.method, setting) if picture.parameters else ""
    end = lesson.label("ends", known=picture.known) if picture.problem else ""
    return " · ".join(filter(None, (origin, end)))


def legend(lesson: Lesson, controls: Controls) -> dict[str, str]:
    """The name of every chosen method for a legend; it says which have parameters at initialization."""
    initial = set(origins(controls)[1])
    return {name: TITLES[name] + f" ({lesson.label('fresh')})" * (name in initial) for name in controls.methods}


def origins(controls: Controls) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The chosen methods with trained parameters, and those whose parameters are at initialization."""
    learning = [name for name in controls.methods if learns(name, controls.setting)]
    trained = [name for name in learning if synthetic.table_source(name, controls.setting)]
    return tuple(trained), tuple(name for name in learning if name not in trained)


@lru_cache(maxsize=128)
def learns(name: str, setting: synthetic.Setting) -> bool:
    """Whether training sets any number of this method."""
    return synthetic.count_parameters(synthetic.build_method(name, setting)) > 0


def _origin(lesson: Lesson, name: str, setting: synthetic.Setting) -> str:
    """Where a method's learned parameters come from, in a few words."""
    model = synthetic.table_source(name, setting)
    return lesson.label("trained_at", sizes(model.config)) if model else lesson.label("fresh")


def _trained_or_why_not(lesson: Lesson, name: str, setting: synthetic.Setting) -> str:
    """What the trained parameters are, or why the method stays at initialization."""
    model, reason = synthetic.shipped(name), synthetic.misfit(name, setting)
    fits = f"fit.{name}" if f"fit.{name}" in lesson else "fit.others"
    facts = fit_of(sizes(model.config), setting) if model else Refused(TITLES[name])
    return lesson.text(f"unfit.{reason}" if reason else fits, facts)


def table(lesson: Lesson, columns: Mapping[str, Sequence[str]], **numbers: int) -> pd.DataFrame:
    """Show a table under the lesson's names of its columns, and return it. numbers: in those names."""
    frame = pd.DataFrame({lesson.entry("columns", name, **numbers): cells for name, cells in columns.items()})
    st.dataframe(frame, hide_index=True)
    return frame


def problems(lesson: Lesson, sentences: Mapping[str, str]) -> None:
    """The sentence of every method that could not answer, under the figure where it is missing."""
    for name, sentence in sentences.items():
        if sentence:
            st.caption(lesson.text("refused", Refused(TITLES[name], escape_markdown(sentence))))


def far_weight(picture: Picture) -> float:
    """Share of the last placed token's weight that goes to keys in the first half of the text."""
    row = picture.weights[picture.known - 1, : picture.known // 2]
    return float(row[np.isfinite(row)].sum())


def _loss(loss: float | None) -> str:
    return "–" if loss is None else f"{loss:.2f}"
