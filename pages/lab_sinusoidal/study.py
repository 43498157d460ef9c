"""The sinusoidal lab: waves along the sequence, the whole table, and how alike two positions are.

Everything is read from `sinusoidal_vectors`, which the method itself adds to the embeddings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.positions.sinusoidal import sinusoidal_vectors

LONGEST, WIDEST = 512, 512


@dataclass(frozen=True)
class Controls:
    n: int  # positions
    width: int  # D, even
    base: float
    pair: int  # 0 .. D/2 - 1


@dataclass(frozen=True)
class Result:
    table: np.ndarray  # float32 [n, D]
    wavelength: float  # tokens of the chosen pair
    wavelengths: np.ndarray  # float64 [D/2]
    distances: np.ndarray  # int64 [n]: 0 .. n-1
    alike: np.ndarray  # float32 [n]: dot product of two positions, divided by D/2 (1: the same position)
    uneven: float  # largest change of that product when both positions move


def study(controls: Controls) -> Result:
    """All that the page shows."""
    positions = torch.arange(controls.n)
    table = sinusoidal_vectors(positions, controls.width, controls.base)
    alike = table @ table[0] * 2 / controls.width
    # The same distances, from the other end: the dot product must not see where the pair stands.
    moved = (table.flip(0) @ table[-1]) * 2 / controls.width
    pairs = np.arange(controls.width // 2)
    wavelengths = 2 * math.pi * controls.base ** (2 * pairs / controls.width)
    return Result(
        table.numpy(),
        float(wavelengths[controls.pair]),
        wavelengths,
        positions.numpy(),
        alike.numpy(),
        float((alike - moved).abs().max()),
    )
