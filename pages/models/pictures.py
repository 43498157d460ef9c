"""The pictures of the stage: curves of what a configuration says, or matrices of what a checkpoint does."""

from alibi_viz.checkpoints.reading_head import HeadReading, ReadingHead
from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.curve_view import Axis, Curve, Family, Labels, Mark, Readout, curve_view
from alibi_viz.ui.components.matrix_view import Colours, Panel
from alibi_viz.ui.side_by_side import side_by_side
from pages.models.study import Result

LABELS_AT = (0.57, 0.43)
TICKS = tuple(4.0**power for power in range(15))
WEIGHTS = Colours("weight", (0.0, 1.0), "sqrt")


def curves(lesson: Lesson, result: Result, alt: str) -> None:
    """What the method does by itself, in its own quantity, against distance (a table: against position)."""
    shown, config, words = result.curves, result.controls.config, lesson.entries("chart")
    assert shown is not None
    said = [{"head": head, "slope": m} for head, m in shown.heads.items()] if shown.heads else [{}]
    drawn = [Curve(values, about) for about, values in zip(said, shown.values, strict=True)]
    families = [Family(words["scaled"] if shown.unscaled is not None else words[config.method], config.method)]
    if shown.unscaled is not None:
        drawn.append(Curve(shown.unscaled, family=1))
        families.append(Family(words["unscaled"], "none"))
    low, high = float(shown.x[0]), float(shown.x[-1])
    ticks = tuple(tick for tick in TICKS if low <= tick <= high)
    steps = (0.0, 0.5, 1.0) if shown.top <= 1.1 else tuple(range(0, int(shown.top) + 1, max(1, int(shown.top) // 4)))
    limit = "before_scaling" if shown.unscaled is not None else "train_length"
    curve_view(
        shown.x,
        drawn,
        key=f"model_curves_{config.method}",
        x=Axis(words["position" if config.method == "learned" else "distance"], low, high, ticks, log=True, whole=True),
        y=Axis(words[config.method], shown.bottom, shown.top * 1.02, steps),
        alt=alt,
        families=families,
        readout=Readout(lesson.entry("readout.curves", config.method), lesson.entry("readout.curves", "empty")),
        size="stage",
        filename=f"model-{config.family}-{config.method}",
        mark=Mark(config.train_length, words[limit]) if config.train_length else None,
        labels=Labels("{slope}", LABELS_AT, first="m = {slope}") if shown.heads else None,
    )


def weights(lesson: Lesson, chosen: ReadingHead, found: HeadReading) -> None:
    """The weights by position alone, and those of the text."""
    panels = [
        Panel(lesson.label("panel_alone"), found.alone.weights, WEIGHTS, key="alone"),
        Panel(lesson.label("panel_weights"), found.stages.weights, WEIGHTS, key="weights"),
    ]
    _side_by_side(lesson, chosen, panels, "stage")


def stages(lesson: Lesson, chosen: ReadingHead, found: HeadReading) -> None:
    """Content scores, bias (where the method adds one), masked scores and weights."""
    shown, scores = found.stages, (-found.limit, found.limit)
    rows = (("content", shown.content), ("bias", shown.bias), ("scores", shown.scores))
    panels = [
        Panel(lesson.label(f"panel_{name}"), values, Colours("scores", scores), key=name)
        for name, values in rows
        if values is not None
    ]
    panels.append(Panel(lesson.label("panel_weights"), shown.weights, WEIGHTS, key="weights"))
    _side_by_side(lesson, chosen, panels, "steps")


def _side_by_side(lesson: Lesson, chosen: ReadingHead, panels: list[Panel], view: str) -> None:
    config = chosen.checkpoint.config
    side_by_side(
        lesson,
        panels,
        chosen.text.labels,
        config.train_length,
        key=f"model_{view}",
        filename=f"model-{config.family}-layer-{chosen.layer}-head-{chosen.head}",
        size="stage" if view == "stage" else "normal",
    )
