"""The RoPE lab: a clock for each pair of dimensions, scaling, and layouts and forms that must agree.

Notable choices:
- Angles, wavelengths and the attention factor come from the method (`Rotary.frequencies`), with its scaling.
- Layouts and forms are compared by rotating the same random queries with the same method that attention uses.
- The average score is for a query and a key that are alike in every pair: the mean of cos(distance x frequency).
"""

from __future__ import annotations

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
    head_dim: int  # even
    base: float
    scaling: str
    factor: float
    trained: int  # original length in tokens
    position: int
    farthest: int  # largest distance of the average score


@dataclass(frozen=True)
class Result:
    angles: np.ndarray  # float64 [d/2]: of the chosen position, in turns (1.25: a full turn and a quarter)
    plain_angles: np.ndarray  # the same without scaling
    wavelengths: np.ndarray  # float64 [d/2], tokens a turn
    plain_wavelengths: np.ndarray
    stretch: float  # what multiplies queries and keys
    distances: np.ndarray  # int64 [S]
    score: np.ndarray  # float32 [S]: average score, 1 at distance 0 without stretch
    plain_score: np.ndarray

    def full_turns(self, trained: int) -> int:
        """Pairs that make at least one full turn within the training length."""
        return int((self.wavelengths <= trained).sum())


@dataclass(frozen=True)
class Differences:
    """Largest differences of rotated queries."""

    forms: float  # real against complex
    layouts: float  # interleaved against half, with the permutation that belongs to it
    mixed: float  # the same without the permutation: the mistake


def method(controls: Controls, **options: Any) -> Rotary:
    """One head of RoPE. Raises ValueError with a sentence for numbers that do not fit together."""
    chosen: dict[str, Any] = {
        "base": controls.base,
        "scaling": controls.scaling,
        "factor": controls.factor,
        "original_length": controls.trained,
    }
    return Rotary(1, controls.head_dim, controls.head_dim, **(chosen | options))


def study(controls: Controls) -> Result:
    """All that the page shows. Dynamic scaling takes the text to end at the chosen position."""
    tokens = controls.position + 1
    frequencies, stretch = method(controls).frequencies(tokens)
    plain, _ = method(controls, scaling="none").frequencies()
    distances = np.concatenate(([0], sampled(controls.farthest, even=True)))
    turns = (controls.position * x.numpy() / (2 * math.pi) for x in (frequencies, plain))
    waves = (2 * math.pi / x.numpy() for x in (frequencies, plain))
    scores = (_average(x, distances) for x in (frequencies, plain))
    angles, plain_angles = turns
    wavelengths, plain_wavelengths = waves
    score, plain_score = scores
    return Result(
        angles, plain_angles, wavelengths, plain_wavelengths, stretch, distances, score * stretch**2, plain_score
    )


def _average(frequencies: Tensor, distances: np.ndarray) -> np.ndarray:
    """Mean of cos(distance x frequency) over the pairs: float32 [S]."""
    angle = torch.from_numpy(distances).double()[:, None] * frequencies
    return angle.cos().mean(-1).float().numpy()


def differences(controls: Controls) -> Differences:
    """Rotate the same queries in every way."""
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(1, 1, COMPARED, controls.head_dim, generator=generator)
    positions = torch.arange(COMPARED)
    # Llama keeps first members of all pairs in front; GPT-J puts each pair side by side.
    half_from_pairs = torch.cat((torch.arange(0, controls.head_dim, 2), torch.arange(1, controls.head_dim, 2)))

    def turned(x: Tensor, **options: Any) -> Tensor:
        return method(controls, **options).rotate(x, x, positions, positions)[0]

    pairs, half = turned(q, layout="interleaved"), turned(q, layout="half")
    same = turned(q[..., half_from_pairs], layout="half")
    return Differences(
        forms=float((half - turned(q, form="complex")).abs().max()),
        layouts=float((pairs[..., half_from_pairs] - same).abs().max()),
        mixed=float((pairs - half).abs().max()),
    )
