"""The sinusoidal lab: waves along the sequence, the whole table, and how similar two positions are, all read from
`sinusoidal_vectors`, which the method itself adds to the embeddings.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.positions.sinusoidal import sinusoidal_vectors

LONGEST, WIDEST = 512, 512


@dataclass(frozen=True)
class Controls:
    positions: int
    width: int  # D, even
    base: float
    pair: int  # 0 .. D/2 - 1


@dataclass(frozen=True)
class Result:
    controls: Controls  # T = controls.positions
    table: np.ndarray  # float32 [T, D]
    wavelengths: np.ndarray  # float64 [D/2], tokens
    distances: np.ndarray  # int64 [T]: 0 .. T-1
    dot_products: np.ndarray  # float32 [T]: of two positions so far apart, divided by D/2 (1: the same position)
    one_pair: np.ndarray  # float32 [T]: the same for the two dimensions of the chosen pair alone
    deviation: float  # largest change of a dot product when both positions move

    @property
    def closest(self) -> int:
        """The distance of the two positions that are hardest to tell apart."""
        return int(self.dot_products[1:].argmax()) + 1


def study(controls: Controls) -> Result:
    """All that the lesson shows."""
    distances, width = torch.arange(controls.positions), controls.width
    table = sinusoidal_vectors(distances, width, controls.base)
    dot_products = table @ table[0] * 2 / width
    pair = table[:, 2 * controls.pair : 2 * controls.pair + 2]
    # The same distances from the other end of the table: a dot product must not depend on where the two stand.
    moved = (table.flip(0) @ table[-1]) * 2 / width
    wavelengths = 2 * math.pi * controls.base ** (np.arange(0, width, 2) / width)
    deviation = float((dot_products - moved).abs().max())
    products = dot_products.numpy(), (pair @ pair[0]).numpy()
    return Result(controls, table.numpy(), wavelengths, distances.numpy(), *products, deviation)
