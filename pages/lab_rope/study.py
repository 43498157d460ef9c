"""RoPE: a clock for each pair of dimensions, and context scaling.

Notable choices:
- Frequencies, the attention factor and what the formula says of them come from the method that attention uses.
- Training means training without scaling, at positions 0 .. L - 1: what a clock has seen follows from its plain frequency.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from alibi_viz.positions.rotary import Rotary, kept_share

RAMPS = ("yarn", "llama3")  # scalings that keep some pairs and divide others
TURN = 2 * math.pi


@dataclass(frozen=True)
class Controls:
    head_dim: int  # d, even
    base: float
    scaling: str  # one of rotary.SCALINGS
    factor: float
    train_length: int  # tokens
    position: int


@dataclass(frozen=True)
class Result:
    """Arrays are float64 [d/2], one number a pair."""

    controls: Controls
    turns: np.ndarray  # a token
    plain: np.ndarray  # a token without scaling
    stretch: float  # what multiplies queries and keys
    kept: np.ndarray  # share of a frequency that is kept, of one of RAMPS

    @property
    def trained(self) -> np.ndarray:
        """The largest share of a turn in training; 1 where it made a full one."""
        length = self.controls.train_length
        return np.where(self.plain * length >= 1, 1.0, self.plain * (length - 1))

    @property
    def within(self) -> np.ndarray:
        """Which pairs meet only angles of training in a text that ends at the chosen position: bool [d/2]."""
        # The factor: equal but for rounding at factor x (L - 1).
        return (self.trained >= 1) | (self.controls.position * self.turns <= self.trained * (1 + 1e-12))


def compute(controls: Controls) -> Result:
    """The clocks. Raises ValueError with a sentence for numbers that do not fit together."""
    # Dynamic scaling takes the text to end at the chosen position.
    frequencies, stretch = method(controls).frequencies(controls.position + 1)
    plain, _ = method(replace(controls, scaling="none")).frequencies()
    kept = kept_share(controls.head_dim, controls.base, controls.scaling, controls.train_length)
    return Result(controls, (frequencies / TURN).numpy(), (plain / TURN).numpy(), stretch, kept.numpy())


def method(controls: Controls) -> Rotary:
    """One head of RoPE, as the reader has set it."""
    chosen: dict[str, Any] = {"base": controls.base, "scaling": controls.scaling, "factor": controls.factor}
    return Rotary(1, controls.head_dim, controls.head_dim, controls.train_length, **chosen)
