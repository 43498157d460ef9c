"""The matrices of a trained model on the Attention page: stages of one head, and the weights of all heads."""

from __future__ import annotations

import numpy as np

from alibi_viz import trained
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui.components.matrix_view import Axis, Event, Mark, Model, Panel, Readout, matrix_view
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import format_slope
from pages.attention import trained_study as study
from pages.attention.matrices import CHANNEL, STAGES, follow_pick


def how(chosen: study.Controls) -> str:
    """Where the model's method does its work."""
    return METHODS[chosen.loaded.config.method].acts_on


def stages(lesson: Lesson, chosen: study.Controls, result: study.Result) -> Event:
    """Content scores, bias (where the method adds one), masked scores and weights of the chosen head, with one cursor."""
    shown, slopes = result.stages, result.slopes
    made = zip(STAGES, (shown.content, shown.bias, shown.scores, shown.weights), strict=True)
    panels = []
    for (stage, quantity, ends, scale), values in made:
        if values is None:
            continue
        if stage in ("content", "masked") or (stage == "bias" and not slopes):
            quantity, ends = ("scores" if stage == "bias" else quantity), (-result.reach, result.reach)
        model = 0 if slopes and result.step == 1 else None
        panels.append(
            Panel(
                _title(lesson, chosen, stage), values, quantity, ends, model=model, stage=stage, key=stage, scale=scale
            )
        )
    preview = bool(slopes) and chosen.layer == 1 and result.step == 1
    return matrix_view(
        panels,
        key="trained_stages",
        rows=_axis(lesson, "query", chosen, result.step),
        cols=_axis(lesson, "key", chosen, result.step),
        models=[_model(chosen, shown.content, slopes)] if slopes and result.step == 1 else [],
        marks=_marks(lesson, chosen),
        readout=_readout(lesson, result),
        channel=CHANNEL if preview else None,
        value=chosen.strength,
        filename=f"trained-{chosen.loaded.config.method}-layer-{chosen.layer}-head-{chosen.head}",
        on_change=rerun.request,
    )


def _title(lesson: Lesson, chosen: study.Controls, stage: str) -> str:
    if stage == "content" and not chosen.loaded.model.position.scales_scores:
        return lesson.label("panel_content_whole")
    if stage == "masked" and how(chosen) != "scores":
        return lesson.label("panel_masked_plain")
    return lesson.label(f"panel_{stage}")


def _axis(lesson: Lesson, name: str, chosen: study.Controls, step: int) -> Axis:
    named = trained.labels(chosen.text)
    return Axis(
        0, step, -(-len(named) // step), labels=named if step == 1 else None, names=named, name=lesson.label(name)
    )


def _marks(lesson: Lesson, chosen: study.Controls) -> list[Mark]:
    """The square of the training length, when the text is longer."""
    length = chosen.loaded.config.length
    inside = lesson.label("mark", length=length)
    return [Mark(0, 0, length, length, inside)] if length < len(chosen.text) else []


def _model(chosen: study.Controls, content: np.ndarray, slopes: tuple[float, ...]) -> Model:
    """The head's arithmetic for the browser: for previews, and for the sum in the readout."""
    return Model(
        content=content,
        slope=slopes[chosen.head - 1],
        form="causal",  # under the mask all of ALiBi's forms with distances agree
        strength=chosen.strength,
        causal=True,
        total=len(chosen.text),
    )


def _readout(lesson: Lesson, result: study.Result) -> Readout:
    kind = (
        "square"
        if result.step > 1
        else "alibi"
        if result.slopes
        else "bias"
        if result.stages.bias is not None
        else "plain"
    )
    allowed = lesson.text("readout.allowed" if kind == "alibi" else f"readout.{kind}", step=result.step)
    masked = lesson.text("readout.masked")
    return Readout(allowed=allowed, masked=masked, empty=lesson.text("readout.empty"), ahead=masked)


def thumbnails(lesson: Lesson, chosen: study.Controls, result: study.Result) -> Event:
    """The weights of every head of the layer; a click opens that head."""
    _, quantity, ends, scale = STAGES[3]
    panels = [
        Panel(_thumb(lesson, number, result.slopes), values, quantity, ends, key="weights", scale=scale, size="thumb")
        for number, values in enumerate(result.thumbs)
    ]
    named = trained.labels(chosen.text)
    axes = [
        Axis(0, result.thumb_step, len(result.thumbs[0]), names=named, name=lesson.label(name))
        for name in ("query", "key")
    ]
    return matrix_view(
        panels,
        key="trained_heads",
        rows=axes[0],
        cols=axes[1],
        marks=_marks(lesson, chosen),
        mode="pick",
        picked=chosen.head - 1,
        filename=f"trained-{chosen.loaded.config.method}-layer-{chosen.layer}",
        on_change=lambda: follow_pick("trained_heads"),
    )


def _thumb(lesson: Lesson, head: int, slopes: tuple[float, ...] | None) -> str:
    if slopes:
        return lesson.label("thumb", head=head + 1, slope=format_slope(slopes[head]))
    return lesson.label("thumb_plain", head=head + 1)
