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
    scores = Colours("scores", ends)
    rows: tuple[tuple[Stage, np.ndarray | None, Colours], ...] = (
        ("content", pictures.content, Colours("content", ends)),
        ("bias", pictures.bias, Colours("bias", (-10.0, 0.0)) if result.slopes else scores),
        ("masked", pictures.scores, scores),
        ("weights", pictures.weights, WEIGHTS),
    )
    model = None if result.content is None else _model(controls, result, controls.head - 1, result.content)
    panels = [
        Panel(_title(lesson, result, stage), values, colours, model=model, stage=stage)
        for stage, values, colours in rows
        if values is not None
    ]
    matrix_view(
        panels,
        key=key(controls, "stages"),
        rows=Axis(step=result.step, labels=controls.labels, name=lesson.label("query")),
        cols=Axis(step=result.step, labels=controls.labels, name=lesson.label("key")),
        marks=_marks(lesson, controls),
        readout=_readout(lesson, controls, result),
        channel=CHANNEL if result.previews else None,  # else PyTorch would not confirm the preview
        value=controls.strength,
        filename=f"{filename(controls)}-head-{controls.head}",
        on_change=rerun.request,
    )


def _title(lesson: Lesson, result: Result, stage: str) -> str:
    whole = stage == "content" and not result.method.scales_scores
    plain = stage == "masked" and result.stages.bias is None
    return lesson.label(f"panel_{stage}{'_whole' if whole else '_plain' if plain else ''}")


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


def _marks(lesson: Lesson, controls: Controls) -> Sequence[Mark]:
    """What the KV cache holds, or the square of the training length; nothing where that is the whole text."""
    if isinstance(controls, Trained):
        name, size = "mark", controls.loaded.config.length
    else:
        name, size = "generated", controls.cached
    return [Mark(0, 0, size, size, lesson.label(name, length=size))] if size < len(controls.labels) else []


def _readout(lesson: Lesson, controls: Controls, result: Result) -> Readout:
    if result.content is not None:
        section = "allowed"
    elif result.step > 1:
        section = "square"
    else:
        section = "plain" if result.stages.bias is None else "bias"
    allowed, masked = lesson.text(f"readout.{section}", step=result.step), lesson.text("readout.masked")
    ahead = masked if controls.causal else lesson.text("readout.ahead")
    return Readout(allowed, masked, empty=lesson.text("readout.empty"), ahead=ahead)


def thumbnails(lesson: Lesson, controls: Controls, result: Result) -> None:
    """The weights of every head; a click opens that head."""
    contents = result.contents
    view = key(controls, "heads")
    panels = []
    for head, weights in enumerate(result.thumbs):
        slope = format_slope(result.slopes[head]) if result.slopes else ""
        title = lesson.label("thumb" if slope else "thumb_plain", head=head + 1, slope=slope)
        model = _model(controls, result, head, contents[head]) if contents else None
        panels.append(Panel(title, weights, WEIGHTS, model=model, stage="weights"))
    matrix_view(
        panels,
        key=view,
        rows=Axis(step=result.thumb_step, name=lesson.label("query")),
        cols=Axis(step=result.thumb_step, name=lesson.label("key")),
        marks=_marks(lesson, controls) if isinstance(controls, Trained) else [],
        channel=CHANNEL if contents else None,
        value=controls.strength,
        picked=controls.head - 1,
        filename=f"{filename(controls)}-{len(result.thumbs)}-heads",
        on_change=lambda: widgets.follow_pick(HEAD, view),
    )
