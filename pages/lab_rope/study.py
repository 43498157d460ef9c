"""The RoPE lab: a clock for each pair of dimensions, scaling, and layouts and forms that must agree.

Notable choices:
- Wavelengths and the attention factor, and the rotations that are compared, come from the method that attention uses.
- Training means training without scaling, at positions 0 .. L - 1: what a clock has seen follows from its plain frequency.
- The average score is for a query and a key that are alike in every pair: the mean of cos(distance x frequency).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alibi_viz.positions.rotary import Rotary
from alibi_viz.synthetic import sampled

COMPARED = 128  # positions at which layouts and forms are compared


@dataclass(frozen=True)
class Controls:
    head_dim: int  # d, even
    base: float
    scaling: str  # one of rotary.SCALINGS
    factor: float
    train_length: int  # tokens
    position: int
    farthest: int  # largest distance of the average score


@dataclass(frozen=True)
class Result:
    controls: Controls
    wavelengths: np.ndarray  # float64 [d/2], tokens a turn
    plain_wavelengths: np.ndarray  # without scaling
    stretch: float  # what multiplies queries and keys
    distances: np.ndarray  # int64 [S]
    score: np.ndarray  # float32 [S]: average score, 1 at distance 0 without stretch
    plain_score: np.ndarray
    differences: dict[str, float]  # see `differences`

    @property
    def full_turn(self) -> np.ndarray:
        """Which pairs made at least one full turn in training: bool [d/2]."""
        return self.plain_wavelengths <= self.controls.train_length

    @property
    def seen(self) -> np.ndarray:
        """Which pairs meet only angles of training in a text that ends at the chosen position: bool [d/2]."""
        farthest, trained = (
            self.controls.position / self.wavelengths,
            (self.controls.train_length - 1) / self.plain_wavelengths,
        )
        return self.full_turn | (farthest <= trained * (1 + 1e-12))  # equal but for rounding at factor x (L - 1)


def study(controls: Controls) -> Result:
    """All that the lesson shows. Raises ValueError with a sentence for numbers that do not fit together."""
    # Dynamic scaling takes the text to end at the chosen position.
    frequencies, stretch = method(controls).frequencies(controls.position + 1)
    plain, _ = method(controls, scaling="none").frequencies()
    distances = np.concatenate(([0], sampled(controls.farthest, even=True)))
    wavelengths, plain_wavelengths = (2 * math.pi / x.numpy() for x in (frequencies, plain))
    angles = (torch.from_numpy(distances).double()[:, None] * x for x in (frequencies, plain))
    average, plain_average = (angle.cos().mean(-1).float().numpy() for angle in angles)
    scores = average * stretch**2, plain_average
    return Result(controls, wavelengths, plain_wavelengths, stretch, distances, *scores, differences(controls))


def method(controls: Controls, **options: Any) -> Rotary:
    """One head of RoPE; `options` replace what the reader set."""
    chosen: dict[str, Any] = {name: getattr(controls, name) for name in ("base", "scaling", "factor")}
    return Rotary(1, controls.head_dim, controls.head_dim, controls.train_length, **(chosen | options))


def differences(controls: Controls) -> dict[str, float]:
    """Rotate the same queries in every way; the largest difference for each pair of ways.

    forms: real against complex. layouts: interleaved against half, with the permutation that belongs to it. mixed: the
    same without the permutation, which is the mistake.
    """
    q = torch.randn(1, 1, COMPARED, controls.head_dim, generator=torch.Generator().manual_seed(0))
    positions = torch.arange(COMPARED)
    # Llama keeps the first members of all pairs in front; GPT-J puts each pair side by side.
    half_from_pairs = torch.cat((torch.arange(0, controls.head_dim, 2), torch.arange(1, controls.head_dim, 2)))

    def rotated(x: Tensor, **options: Any) -> Tensor:
        return method(controls, **options).rotate(x, x, positions, positions)[0]

    pairs, half = rotated(q, layout="interleaved"), rotated(q, layout="half")
    permuted = rotated(q[..., half_from_pairs], layout="half") - pairs[..., half_from_pairs]
    compared = {"forms": half - rotated(q, form="complex"), "layouts": permuted, "mixed": pairs - half}
    return {name: float(difference.abs().max()) for name, difference in compared.items()}
