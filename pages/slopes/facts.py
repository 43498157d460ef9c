"""What the sentences of the Slopes lesson say of its picture, as it is written there."""

from dataclasses import dataclass

from alibi_viz.results.measured import WORSE
from alibi_viz.ui.format import format_number, format_slope
from pages.slopes.study import FAR, Result

SHARE = 0.9  # of what reaches the last layer


@dataclass(frozen=True)
class Facts:
    """For equal content, and no end of the text to the left."""

    heads: int
    power: int  # heads of the power-of-two family
    double: int
    steepest: str  # slopes
    gentlest: str
    half_short: str  # tokens that halve a weight: in the steepest head, and in the gentlest
    half_long: str
    reach_long: str  # keys that hold 90 % of the weight in the gentlest head
    worth_one: str  # tokens that a content score higher by 1 makes up for in the gentlest head
    far: int  # tokens
    penalty: str  # what the gentlest head takes from the score of a key `far` tokens back
    drop: str  # percent of its weight that this takes


def facts_of(result: Result) -> Facts:
    gentlest = min(result.slopes)
    return Facts(
        heads=result.heads,
        power=result.power,
        double=2 * result.power,
        steepest=format_slope(max(result.slopes)),
        gentlest=format_slope(gentlest),
        half_short=format_number(min(result.half)),
        half_long=format_number(max(result.half)),
        reach_long=format_number(max(result.reach)),
        worth_one=format_number(1 / gentlest) if gentlest > 0 else "",
        far=FAR,
        penalty=format_number(result.far_penalty),
        drop=format_number(100 * result.far_drop),
    )


@dataclass(frozen=True)
class OtherModel:
    """A model that is chosen for its number of heads, and does not use ALiBi."""

    model: str
    method: str
    heads: int


@dataclass(frozen=True)
class Sources:
    presets: str  # names of real models, with their heads and where these are from


@dataclass(frozen=True)
class Depths:
    """How far stacked layers reach."""

    one: int  # tokens, one layer
    many: int
    gentlest: int  # the same with the gentlest head in every layer
    layers: int
    used: str  # bytes of context that are enough for our model
    used_layers: int
    share: float = SHARE
    enough: float = WORSE  # nats per word that more context may still bring
