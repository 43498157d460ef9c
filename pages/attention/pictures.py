"""The Attention lesson's matrices: the study's pictures as panels that preview while the strength is dragged."""

from collections.abc import Sequence

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrix_view.message import Stage
from alibi_viz.ui.components.matrix_view import Axis, Colours, Mark, Model, Panel, Readout, Strength, matrix_view
from alibi_viz.ui.controls import local_model, widgets
from alibi_viz.ui.format import format_slope
from pages.attention import study
from pages.attention.controls import CHANNEL, HEAD
from pages.attention.facts import Square
from pages.attention.study import Controls, Local, Result, Synthetic

WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")


def key(controls: Controls, view: str) -> str:
    """The key of a matrix view: “stages” or “heads”."""
    return f"{'attention' if isinstance(controls, Synthetic) else 'trained'}_{view}"


def filename(controls: Controls) -> str:
    """How the names of saved files begin."""
    return "attention" if isinstance(controls, Synthetic) else f"{controls.name}-layer-{controls.layer}"


def stages(lesson: Lesson, controls: Controls, result: Result, alt: str) -> None:
    """Content scores, bias (where the method adds one), masked scores and weights of the chosen head, with one cursor.

    Of a model whose method adds no bias also the weights that its positions alone would give. alt: what they show, for
    screen readers.
    """
    # The colour scales are fixed, so that a drag changes the picture and not its meaning.
    ends, pictures = (-result.score_limit, result.score_limit), result.stages
    scores = Colours("scores", ends)
    rows: tuple[tuple[Stage, np.ndarray | None, Colours], ...] = (
        ("content", pictures.content, Colours("content", ends)),
        ("bias", pictures.bias, Colours("bias", (-10.0, 0.0)) if result.slopes else scores),
        ("masked", pictures.scores, scores),
        ("weights", pictures.weights, WEIGHTS),
    )
    model = _chosen_model(controls, result)
    panels = [
        Panel(_title(lesson, controls, result, stage), values, colours, model=model, stage=stage)
        for stage, values, colours in rows
        if values is not None
    ]
    if not isinstance(controls, Synthetic) and pictures.bias is None:
        panels.insert(0, Panel(lesson.label("weights_positions"), study.alone(controls), WEIGHTS, key="alone"))
    matrix_view(
        panels,
        key=key(controls, "stages"),
        rows=Axis(step=result.step, labels=controls.labels, name=lesson.label("query")),
        cols=Axis(step=result.step, labels=controls.labels, name=lesson.label("key")),
        marks=_marks(lesson, controls),
        readout=_readout(lesson, controls, result),
        follows=_follows(controls) if result.previews else (),  # else PyTorch would not confirm the preview
        filename=f"{filename(controls)}-head-{controls.head}",
        alt=alt,
        size="stage",
        front=(0, len(panels) - 1),
    )


def _follows(controls: Controls) -> tuple[Strength, ...]:
    return (Strength(CHANNEL, controls.strength),)


def _chosen_model(controls: Controls, result: Result) -> Model | None:
    return None if result.content is None else _model(controls, result, controls.head - 1, result.content)


def _title(lesson: Lesson, controls: Controls, result: Result, stage: str) -> str:
    whole = stage == "content" and not result.method.scales_scores
    plain = (stage == "masked" and result.stages.bias is None) or (stage == "bias" and not result.slopes)
    slope = format_slope(result.slopes[controls.head - 1]) if result.slopes else ""
    return lesson.label(f"panel_{stage}{'_whole' if whole else '_plain' if plain else ''}", slope=slope)


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
    if isinstance(controls, Synthetic):
        name, size = "generated", controls.cached
    else:
        name, size = "mark", controls.train_length or len(controls.labels)
    return [Mark(0, 0, size, size, lesson.label(name, length=size))] if size < len(controls.labels) else []


def _readout(lesson: Lesson, controls: Controls, result: Result) -> Readout:
    """What is said of a cell."""
    if result.content is not None:
        section = "allowed"
    elif result.step > 1:
        section = "square"
    else:
        section = "plain" if result.stages.bias is None else "bias"
    allowed, masked = lesson.text(f"readout.{section}", Square(result.step)), lesson.text("readout.masked")
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
        marks=[] if isinstance(controls, Synthetic) else _marks(lesson, controls),
        follows=_follows(controls) if contents else (),
        picked=controls.head - 1,
        filename=f"{filename(controls)}-{len(result.thumbs)}-heads",
        on_change=lambda: widgets.follow_pick(local_model.HEAD if isinstance(controls, Local) else HEAD, view),
    )
