"""The Attention lesson's matrices: the study's pictures as panels that preview while the strength is dragged."""

from collections.abc import Sequence

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import Axis, Colours, Mark, Model, Panel, Readout, matrix_view
from alibi_viz.ui.components.matrix_view.message import Stage
from alibi_viz.ui.controls import rerun, widgets
from alibi_viz.ui.format import format_slope
from pages.attention.controls import CHANNEL, HEAD
from pages.attention.study import Controls, Result, Trained

WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")


def key(controls: Controls, view: str) -> str:
    """The key of a matrix view: “stages” or “heads”."""
    return f"{'trained' if isinstance(controls, Trained) else 'attention'}_{view}"


def filename(controls: Controls) -> str:
    """How the names of saved files begin."""
    if isinstance(controls, Trained):
        return f"trained-{controls.loaded.config.method}-layer-{controls.layer}"
    return "attention"


def stages(lesson: Lesson, controls: Controls, result: Result) -> None:
    """Content scores, bias (where the method adds one), masked scores and weights of the chosen head, with one cursor."""
    # The colour scales are fixed, so that a drag changes the picture and not its meaning.
    ends, pictures = (-result.score_limit, result.score_limit), result.stages
    bias = Colours("bias", (-10.0, 0.0)) if result.slopes else Colours("scores", ends)
    rows: tuple[tuple[Stage, np.ndarray | None, Colours], ...] = (
        ("content", pictures.content, Colours("content", ends)),
        ("bias", pictures.bias, bias),
        ("masked", pictures.scores, Colours("scores", ends)),
        ("weights", pictures.weights, WEIGHTS),
    )
    model = None if result.content is None else _model(controls, result, controls.head - 1, result.content)
    matrix_view(
        [
            Panel(_title(lesson, result, stage), values, colours, model=model, stage=stage)
            for stage, values, colours in rows
            if values is not None
        ],
        key=key(controls, "stages"),
        rows=Axis(step=result.step, labels=controls.labels, name=lesson.label("query")),
        cols=Axis(step=result.step, labels=controls.labels, name=lesson.label("key")),
        marks=_mark(lesson, controls),
        readout=_readout(lesson, controls, result),
        channel=CHANNEL if result.previews else None,  # else PyTorch would not confirm the preview
        value=controls.strength,
        filename=f"{filename(controls)}-head-{controls.head}",
        on_change=rerun.request,
    )


def _title(lesson: Lesson, result: Result, stage: str) -> str:
    if stage == "content" and not result.method.scales_scores:
        return lesson.label("panel_content_whole")
    if stage == "masked" and result.stages.bias is None:
        return lesson.label("panel_masked_plain")
    return lesson.label(f"panel_{stage}")


def _model(
    controls: Controls, result: Result, head: int, content: np.ndarray | tuple[np.ndarray, np.ndarray, float]
) -> Model:
    """One head's arithmetic for the browser: for previews, and for the exact number of every cell."""
    assert result.slopes is not None
    return Model(
        content=content,
        slope=result.slopes[head],
        form="causal" if controls.causal else "symmetric",  # under the mask all of ALiBi's forms with distances agree
        strength=controls.strength,
        causal=controls.causal,
        logsum=result.logsum if head == controls.head - 1 else None,
        total=len(controls.labels),
    )


def _mark(lesson: Lesson, controls: Controls) -> Sequence[Mark]:
    """What the KV cache holds, or the square of the training length; nothing where that is the whole text."""
    if isinstance(controls, Trained):
        size = controls.loaded.config.length
        label = lesson.label("mark", length=size)
    else:
        size = controls.cached
        label = lesson.label("generated", count=size)
    return [Mark(0, 0, size, size, label)] if size < len(controls.labels) else []


def _readout(lesson: Lesson, controls: Controls, result: Result) -> Readout:
    if result.content is not None:
        section = "allowed"
    elif result.step > 1:
        section = "square"
    else:
        section = "plain" if result.stages.bias is None else "bias"
    masked = lesson.text("readout.masked")
    return Readout(
        allowed=lesson.text(f"readout.{section}", step=result.step),
        masked=masked,
        empty=lesson.text("readout.empty"),
        ahead=masked if controls.causal else lesson.text("readout.ahead"),
    )


def thumbnails(lesson: Lesson, controls: Controls, result: Result) -> None:
    """The weights of every head; a click opens that head."""
    contents = result.contents
    view = key(controls, "heads")
    matrix_view(
        [
            Panel(
                _thumb_title(lesson, result, head),
                weights,
                WEIGHTS,
                model=_model(controls, result, head, contents[head]) if contents else None,
                stage="weights",
            )
            for head, weights in enumerate(result.thumbs)
        ],
        key=view,
        rows=Axis(step=result.thumb_step, name=lesson.label("query")),
        cols=Axis(step=result.thumb_step, name=lesson.label("key")),
        marks=_mark(lesson, controls) if isinstance(controls, Trained) else [],
        channel=CHANNEL if contents else None,
        value=controls.strength,
        picked=controls.head - 1,
        filename=f"{filename(controls)}-{len(result.thumbs)}-heads",
        on_change=lambda: widgets.follow_pick(HEAD, view),
    )


def _thumb_title(lesson: Lesson, result: Result, head: int) -> str:
    if result.slopes:
        return lesson.label("thumb", head=head + 1, slope=format_slope(result.slopes[head]))
    return lesson.label("thumb_plain", head=head + 1)
