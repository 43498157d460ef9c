"""The ALiBi lab: other slopes, slopes that are trained, and other shapes of the penalty on the same content.

Notable choices:
- Shapes run through the same attention as on the Compare page (`compare.attend`), with the reader's slopes.
- Training has one task with a known answer: equal content, and the weight should lie D tokens back. The best single slope
  is then ln(1 + 1/D) (set the derivative of -m D + ln(1 - e^-m) to zero), so the page can say how near training came.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.positions.alibi import Alibi, slopes
from alibi_viz.positions.shapes import SHAPES, ShapedAlibi
from alibi_viz.synthetic import Reach, Setting, attend, reach_of, sampled, words_of

PAST = 1024  # tokens in sight for the reach
STEPS, RATE = 200, 0.05


@dataclass(frozen=True)
class Controls:
    slopes: tuple[float, ...]
    head: int  # 1 .. len(slopes)
    tokens: tuple[str, ...]
    content: str
    farthest: int  # largest distance on the chart


@dataclass(frozen=True)
class Shape:
    name: str
    weights: np.ndarray  # float32 [T, T] of the chosen head, -inf where masked
    distances: np.ndarray  # int64 [S]
    penalty: np.ndarray  # float32 [S]; -inf outside the window
    reach: Reach


@dataclass(frozen=True)
class Training:
    """Slopes after every step: float32 [steps + 1, H]; the first row is the start."""

    path: np.ndarray
    best: float  # the slope that the task asks for


def study(controls: Controls) -> list[Shape]:
    """Every shape on the same content, with the reader's slopes. Raises ValueError for an empty text."""
    if not controls.tokens:
        raise ValueError("The text is empty. Write a few words.")
    return [_shape(name, controls) for name in SHAPES]


@torch.no_grad()
def _shape(name: str, controls: Controls) -> Shape:
    setting = Setting(heads=len(controls.slopes), head_dim=16, content=controls.content)
    method = ShapedAlibi(setting.heads, setting.head_dim, setting.width, shape=name, slopes=controls.slopes)
    x = words_of(controls.tokens, setting)
    positions = torch.arange(x.shape[1])
    trace = attend(method, setting, x, positions, x, positions)
    head = controls.head - 1
    weights = trace.weights[0, head].masked_fill(positions[:, None] < positions, -math.inf)
    distances = np.concatenate(([0], sampled(controls.farthest, even=True)))
    penalty = method.bias_by_distance(torch.from_numpy(distances))[head]
    reach = reach_of(method, replace(setting, content="equal"), PAST)
    return Shape(name, weights.numpy(), distances, penalty.numpy(), reach)


@lru_cache(maxsize=32)
def train(heads: int, distance: int) -> Training:
    """Learn slopes, from the paper's, so that the last token looks `distance` tokens back among equal content."""
    method = Alibi(heads, 1, heads, trainable=True)
    optimiser = torch.optim.Adam(method.parameters(), lr=RATE)
    length = 16 * max(distance, 16)
    query, keys = torch.tensor([length - 1]), torch.arange(length)
    path = [method.slopes.detach().numpy().copy()]
    for _ in range(STEPS):
        bias = method.score_bias(query, keys)
        assert bias is not None
        loss = -bias[:, 0].log_softmax(-1)[:, length - 1 - distance].mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        path.append(method.slopes.detach().numpy().copy())
    return Training(np.stack(path), math.log1p(1 / distance) if distance else math.inf)


def paper(heads: int) -> Sequence[float]:
    """The slopes to start from."""
    return slopes(heads)
