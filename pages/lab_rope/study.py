"""The RoPE lab: a clock for each pair of dimensions, scaling, and layouts and forms that must agree.

Notable choices:
- Wavelengths and the attention factor, and the rotations that are compared, come from the method that attention uses.
- The average score and the comparison of forms are functions of their own: they stand in sections that may be closed.
- Training means training without scaling, at positions 0 .. L - 1: what a clock has seen follows from its plain frequency.
- The average score is for a query and a key that are alike in every pair: the mean of cos(distance x frequency).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alibi_viz.content.synthetic import sampled
from alibi_viz.positions.rotary import Rotary

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

    @property
    def pairs(self) -> int:
        return len(self.wavelengths)

    @property
    def full_turn(self) -> np.ndarray:
        """Which pairs made at least one full turn in training: bool [d/2]."""
        return self.plain_wavelengths <= self.controls.train_length

    @property
    def trained_turns(self) -> np.ndarray:
        """The share of a turn that training covers, 1 for those that made a full turn: float64 [d/2]."""
        return np.where(self.full_turn, 1.0, (self.controls.train_length - 1) / self.plain_wavelengths)

    @property
    def seen(self) -> np.ndarray:
        """Which pairs meet only angles of training in a text that ends at the chosen position: bool [d/2]."""
        farthest = self.controls.position / self.wavelengths
        # The factor: equal but for rounding at factor x (L - 1).
        return self.full_turn | (farthest <= self.trained_turns * (1 + 1e-12))


@dataclass(frozen=True)
class Average:
    """The average score against distance."""

    distances: np.ndarray  # int64 [S]
    score: np.ndarray  # float32 [S], 1 at distance 0 without stretch
    plain_score: np.ndarray  # without scaling


def study(controls: Controls) -> Result:
    """The clocks. Raises ValueError with a sentence for numbers that do not fit together."""
    # Dynamic scaling takes the text to end at the chosen position.
    frequencies, stretch = method(controls).frequencies(controls.position + 1)
    plain, _ = method(controls, scaling="none").frequencies()
    wavelengths, plain_wavelengths = (2 * math.pi / x.numpy() for x in (frequencies, plain))
    return Result(controls, wavelengths, plain_wavelengths, stretch)


def average(result: Result) -> Average:
    """What a query and a key score that are alike in every pair, at each distance."""
    distances = np.concatenate(([0], sampled(result.controls.farthest, even=True)))

    def mean(wavelengths: np.ndarray) -> np.ndarray:
        turns: np.ndarray = distances[:, None] / wavelengths
        return np.cos(2 * math.pi * turns).mean(1).astype(np.float32)

    score = mean(result.wavelengths) * np.float32(result.stretch**2)
    return Average(distances, score, mean(result.plain_wavelengths))


def method(controls: Controls, **options: Any) -> Rotary:
    """One head of RoPE; `options` replace what the reader set."""
    chosen: dict[str, Any] = {name: getattr(controls, name) for name in ("base", "scaling", "factor")}
    return Rotary(1, controls.head_dim, controls.head_dim, controls.train_length, **(chosen | options))


def differences(controls: Controls) -> dict[str, float]:
    """Rotate the same queries in every way; the largest difference for each pair of ways.

    forms: real against complex. layouts: interleaved against half, with the permutation that belongs to it. mixed: the
    same without the permutation, which is the mistake. scale: the largest number that is rotated.
    """
    q = torch.randn(1, 1, COMPARED, controls.head_dim, generator=torch.Generator().manual_seed(0))
    positions = torch.arange(COMPARED)
    # Llama keeps the first members of all pairs in front; GPT-J puts each pair side by side.
    half_from_pairs = torch.cat((torch.arange(0, controls.head_dim, 2), torch.arange(1, controls.head_dim, 2)))

    def rotated(x: Tensor, **options: Any) -> Tensor:
        return method(controls, **options).rotate(x, x, positions, positions)[0]

    pairs, half = rotated(q, layout="interleaved"), rotated(q, layout="half")
    permuted = rotated(q[..., half_from_pairs], layout="half") - pairs[..., half_from_pairs]
    compared = {"forms": half - rotated(q, form="complex"), "layouts": permuted, "mixed": pairs - half, "scale": q}
    return {name: float(difference.abs().max()) for name, difference in compared.items()}
