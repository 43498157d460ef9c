"""The Slopes page: one slope a head, by whichever rule, and how far each head can look, for equal content and no end to
the left. Weights are then a geometric series in e^-m (see `alibi_viz.positions.alibi` for the two closed forms).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import expm1, isclose, log2
from typing import Literal

import numpy as np
import torch

from alibi_viz.positions.alibi import (
    Alibi,
    distance_holding,
    half_weight_distance,
    slope_exponents,
    slope_families,
    slopes,
)

#: The words of the page's control, and the rule's name in the library.
RULES: dict[str, Literal["paper", "plain", "blog", "custom"]]
RULES = {"paper": "paper", "plain": "plain", "2^-h": "blog", "own list": "custom"}
FARTHEST = 4096  # tokens: the end of the curves
DISTANCES = np.geomspace(1, FARTHEST, 97).astype(np.float32)  # evenly on a log axis
FAR = 2048  # tokens: the training length of BLOOM


@dataclass(frozen=True)
class Controls:
    heads: int  # 1 to 128
    rule: str  # a key of RULES
    max_bias: float  # the largest exponent
    own: tuple[float, ...] = ()  # slopes typed by the reader


@dataclass(frozen=True)
class Result:
    """One entry a head, in head order (never sorted)."""

    controls: Controls
    slopes: list[float]
    exponents: list[Fraction | None]  # slope = 2^-exponent; None where a typed slope has no short exact form
    families: list[int]  # 1: the extra family of head counts that are not a power of two
    half: list[float]  # tokens
    reach: list[float]  # how many of the nearest keys hold 90% of the weight
    weights: np.ndarray  # float32 [H, S]: of a key at each of DISTANCES, against the nearest key

    @property
    def heads(self) -> int:
        return len(self.slopes)

    @property
    def rule_slopes(self) -> list[float]:
        """What the rule gives to so many heads; for a list of the reader's own, the paper's rule."""
        rule = RULES[self.controls.rule]
        return self.slopes if rule != "custom" else slopes(self.heads, "paper", self.controls.max_bias)

    @property
    def power(self) -> int:
        """Heads of the power-of-two family; the others are the extra family."""
        return self.families.count(0)

    @property
    def far_penalty(self) -> float:
        """What the gentlest head takes from the score of a key FAR tokens back."""
        return min(self.slopes) * FAR

    @property
    def far_drop(self) -> float:
        """By which share this lowers the key's weight, against the nearest key of equal content; 0 where nothing does."""
        return -expm1(-max(self.far_penalty, 0.0))


def study(controls: Controls) -> Result:
    """All that the lesson shows. Raises ValueError for own slopes that are missing."""
    rule, heads, top = RULES[controls.rule], controls.heads, controls.max_bias
    values = list(controls.own) if rule == "custom" else slopes(heads, rule, top)
    exponents = map(_exact, values) if rule == "custom" else slope_exponents(heads, rule, top)
    families = slope_families(heads) if rule == "paper" else [0] * len(values)
    if not values:
        raise ValueError("Write at least one slope.")
    half = [half_weight_distance(slope) for slope in values]
    reach = [distance_holding(slope, 0.9) + 1 for slope in values]  # distance 0 is a key too
    bias = Alibi(len(values), 1, len(values), slopes=values).bias_by_distance(torch.from_numpy(DISTANCES))
    weights = bias.clamp(max=1.0).exp().numpy()  # a negative slope leaves every picture
    return Result(controls, values, list(exponents), families, half, reach, weights)


def _exact(slope: float) -> Fraction | None:
    """The exponent of a typed slope when it is a short fraction, such as 1/2 for 2^-0.5."""
    if slope <= 0:
        return None
    exponent = Fraction(-log2(slope)).limit_denominator(64)
    return exponent if isclose(2.0 ** -float(exponent), slope, rel_tol=1e-12) else None
