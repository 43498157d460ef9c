"""What the sentences of the Pitfalls lesson say: of one mistake."""

from dataclasses import dataclass

from alibi_viz.pitfalls.identify_slopes import MOST_HEADS
from alibi_viz.pitfalls.sentences import Judged as Judged  # of the reader's own numbers
from pages.pitfalls.study import Result


@dataclass(frozen=True)
class Facts:
    """What the mistake costs, in the unit of its sentence; and the settings of the pitfall (None: it has no such one)."""

    key: str  # the pitfall's name in the code
    wrong: float
    right: float
    times: float  # wrong / right
    last: float  # where the chart of the damage ends
    heads: int | None
    layers: int | None
    width: int | None  # of a head
    tokens: int | None
    step: int | None  # tokens
    far: int | None  # tokens
    beyond: int | None  # tokens
    blind: float | None  # a share of the weight


def facts_of(result: Result) -> Facts:
    damage, pitfall = result.measured.damage, result.pitfall
    return Facts(
        key=result.controls.pitfall,
        wrong=damage.wrong,
        right=damage.right,
        times=damage.wrong / damage.right if damage.right else 0.0,
        last=float(damage.x[-1]),
        heads=getattr(pitfall, "HEADS", None),
        layers=getattr(pitfall, "LAYERS", None),
        width=getattr(pitfall, "WIDTH", None),
        tokens=getattr(pitfall, "TOKENS", None),
        step=getattr(pitfall, "STEP", None),
        far=getattr(pitfall, "FAR", None),
        beyond=getattr(pitfall, "BEYOND", None),
        blind=getattr(pitfall, "BLIND", None),
    )


@dataclass(frozen=True)
class Asked:
    drawn: str  # what the pictures show


@dataclass(frozen=True)
class Cells:
    row: str  # what a row of the pictures is, and a column
    col: str


@dataclass(frozen=True)
class Limit:
    heads: int = MOST_HEADS
