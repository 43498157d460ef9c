"""What slopes mean for equal content: one row a head, one column a distance."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from alibi_viz.pitfalls.base import picture

LAST = 2047  # position of the query whose weights are compared
COLUMNS = 48


def decay(slopes: Sequence[float], step: int = 1) -> np.ndarray:
    """Weight of a key against the nearest, e^(-m d) at d = 0, step, 2 step ...: float32 [H, COLUMNS]."""
    return picture(torch.exp(-torch.tensor(slopes)[:, None] * torch.arange(COLUMNS) * step))


def bias_of_last_query(slopes: Sequence[float]) -> Tensor:
    """-m (i - j) of the query LAST: float32 [H, 1, LAST + 1]."""
    return -torch.tensor(slopes)[:, None, None] * (LAST - torch.arange(LAST + 1))
