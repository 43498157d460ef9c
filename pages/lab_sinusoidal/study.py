"""Sinusoidal positions: waves along the sequence, and how similar two positions are, read from `sinusoidal_vectors`, which
the method itself adds to the embeddings.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.positions.sinusoidal import sinusoidal_vectors


@dataclass(frozen=True)
class Controls:
    positions: int
    width: int  # D, even
    base: float
    pair: int  # 0 .. D/2 - 1


@dataclass(frozen=True)
class Result:
    table: np.ndarray  # float32 [T, D], T = controls.positions
    wavelengths: np.ndarray  # float64 [D/2], tokens
    #: float32 [T]: of two positions so far apart, the dot product by D/2 (1: the same position).
    similarities: np.ndarray
    of_pair: np.ndarray  # float32 [T]: the same for the two dimensions of the chosen pair alone
    deviation: float  # largest change of a similarity when both positions move

    @property
    def closest(self) -> int:
        """The distance of the two positions that are hardest to tell apart."""
        return int(self.similarities[1:].argmax()) + 1


@lru_cache(maxsize=64)
def compute(controls: Controls) -> Result:
    """All that the lesson shows."""
    width, pair = controls.width, slice(2 * controls.pair, 2 * controls.pair + 2)
    table = sinusoidal_vectors(torch.arange(controls.positions), width, controls.base).numpy()
    similarities = table @ table[0] * 2 / width
    # The same distances from the other end of the table: a similarity must not depend on where the two stand.
    moved = table[::-1] @ table[-1] * 2 / width
    wavelengths = 2 * math.pi * controls.base ** (np.arange(0, width, 2) / width)
    of_pair, deviation = table[:, pair] @ table[0, pair], float(np.abs(similarities - moved).max())
    return Result(table, wavelengths, similarities, of_pair, deviation)
