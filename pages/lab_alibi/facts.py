"""What the sentences of the ALiBi lab say of its slopes."""

from dataclasses import dataclass

from alibi_viz.content.synthetic import LONGEST
from alibi_viz.positions.shapes import SHAPES
from alibi_viz.ui.format import format_number, format_slope
from pages.lab_alibi.study import PAST, PUBLISHED_COST, Result


@dataclass(frozen=True)
class Facts:
    slopes: str  # set by hand
    target: int  # the distance that training asks for
    learned: str  # slope of every head
    best: str  # slope that the task asks for
    share_learned: str  # percent of the weight on the key `target` tokens back: with the learned slope
    share_most: str  # the same with the best of those set by hand
    head: int  # the chosen one
    slope: float  # its slope
    cost: int = PUBLISHED_COST  # percent of the training speed


def facts_of(result: Result) -> Facts:
    chosen, training = result.controls, result.training
    return Facts(
        slopes=", ".join(map(format_slope, chosen.slopes)),
        target=chosen.target,
        learned=f"{training.learned:.4g}",
        best=f"{training.best:.4g}",
        share_learned=format_number(100 * result.held_learned),
        share_most=format_number(100 * max(result.held)),
        head=chosen.head,
        slope=result.slope,
    )


@dataclass(frozen=True)
class Training:
    steps: int
    heads: int
    target: int
    best: str
    learned: str  # slopes of all heads
    gap: str  # percent of the best slope


def training_of(result: Result) -> Training:
    training = result.training
    return Training(
        steps=training.steps,
        heads=len(result.controls.slopes),
        target=result.controls.target,
        best=f"{training.best:.4g}",
        learned=", ".join(f"{slope:.4g}" for slope in training.path[-1].tolist()),
        gap=format_number(100 * training.gap, 2),
    )


@dataclass(frozen=True)
class Shapes:
    """How many of the nearest tokens hold 90 % of the weight in the chosen head."""

    head: int
    slope: str
    listed: str
    past: int = PAST  # tokens in sight


@dataclass(frozen=True)
class Cut:
    """A text that is too long for the shapes."""

    count: int  # words
    used: int = LONGEST  # of these


@dataclass(frozen=True)
class Sources:
    shapes: int = len(SHAPES)
