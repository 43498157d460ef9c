"""The ALiBi lab: slopes set by hand, slopes that are trained, and other shapes of the penalty on the same content.

Notable choices:
- Shapes run through the same attention as on the Compare page (`synthetic.attend`), with the reader's slopes.
- Training has one task with a known answer: equal content, and the weight should lie D tokens back. The best single slope
  is then ln(1 + 1/D): there the derivative of -m D + ln(1 - e^-m) is zero.
- Trained are the exponents, by Rprop: a slope 2^-e stays above zero. A step size that takes a slope from 1/2 to the best
  in time is larger than the whole best slope of far distances (1/256) and jumps over it, below zero.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.content.synthetic import Setting, attend, embed, reach_of, sampled
from alibi_viz.positions.alibi import Alibi
from alibi_viz.positions.shapes import SHAPES, ShapedAlibi

PAST = 1024  # tokens in sight for the reach
FIRST_STEP, MOST_STEPS = 0.1, 300  # of an exponent, then Rprop finds its own step sizes; about 60 steps are enough
PUBLISHED_COST = 3  # % of the training speed: Press and others 2022, of trained slopes
FLAT = 1e-4  # training stops when every gradient is below: then a slope is right to about as many parts


@dataclass(frozen=True)
class Controls:
    slopes: tuple[float, ...]
    head: int  # 1 .. len(slopes)
    tokens: tuple[str, ...]  # at most synthetic.LONGEST
    content: str  # one of synthetic.CONTENTS
    farthest: int  # largest distance on the chart
    target: int  # the distance that training asks for


@dataclass(frozen=True)
class Training:
    path: np.ndarray  # slopes after every step, float32 [steps + 1, H]; the first row is the start
    best: float  # the slope that the task asks for

    @property
    def steps(self) -> int:
        return len(self.path) - 1

    @property
    def learned(self) -> float:
        """The slope of every head after training, within `gap`."""
        return float(self.path[-1].mean())

    @property
    def gap(self) -> float:
        """Largest relative difference of a learned slope from the best."""
        return float(np.abs(self.path[-1] / self.best - 1).max())


@dataclass(frozen=True)
class Result:
    controls: Controls
    distances: np.ndarray  # int64 [S]: 0 and up to `farthest`
    training: Training
    penalties: np.ndarray  # float32 [H + 1, S]: of every head, and of the learned slope, at each distance
    held: tuple[float, ...]  # of each head: the share of the weight on the key `target` tokens back, for equal content
    held_learned: float  # the same, with the learned slope

    def nearest(self, count: int) -> list[float]:
        """The different slopes set by hand that are nearest to the learned one, by their ratio; the nearest first."""
        learned = self.training.learned
        return sorted(set(self.controls.slopes), key=lambda slope: abs(math.log(slope / learned)))[:count]

    @property
    def slope(self) -> float:
        """The slope of the chosen head."""
        return self.controls.slopes[self.controls.head - 1]


@dataclass(frozen=True)
class Shape:
    name: str  # a key of SHAPES
    weights: np.ndarray  # float32 [T, T] of the chosen head, -inf where masked
    penalty: np.ndarray  # float32 [S] of the chosen head; -inf outside the window
    reach: np.ndarray  # int64 [H, 3]: how many of the nearest tokens hold 50, 90 and 99% of the weight


def study(controls: Controls) -> Result:
    """The slopes set by hand, and those that training finds."""
    training = train(len(controls.slopes), controls.target)
    slopes, distances = torch.tensor([*controls.slopes, training.learned]), at_distances(controls)
    *held, learned = log_weight(slopes, controls.target).exp().tolist()
    method = Alibi(len(slopes), 1, len(slopes), slopes=slopes.tolist())
    penalties = method.bias_by_distance(torch.from_numpy(distances)).float().numpy()
    return Result(controls, distances, training, penalties, tuple(held), learned)


def at_distances(controls: Controls) -> np.ndarray:
    """0, and distances up to the farthest: int64 [S]."""
    return np.concatenate(([0], sampled(controls.farthest, even=True)))


def shapes(controls: Controls) -> list[Shape]:
    """Every shape of the penalty on the same content. Raises ValueError for an empty text."""
    if not controls.tokens:
        raise ValueError("The text is empty. Write a few words.")
    distances = torch.from_numpy(at_distances(controls))
    return [_shape(name, controls, distances) for name in SHAPES]


@torch.no_grad()
def _shape(name: str, controls: Controls, distances: torch.Tensor) -> Shape:
    setting = Setting(heads=len(controls.slopes), head_dim=16, content=controls.content)
    method = ShapedAlibi(setting.heads, setting.head_dim, setting.width, shape=name, slopes=controls.slopes)
    x, positions, head = embed(controls.tokens, setting), torch.arange(len(controls.tokens)), controls.head - 1
    weights = attend(method, setting, x, positions, x, positions, head).weights[0, 0]
    weights = weights.masked_fill(positions[:, None] < positions, -math.inf)
    reach = reach_of(method, replace(setting, content="equal"), PAST).tokens + 1
    return Shape(name, weights.numpy(), method.bias_by_distance(distances)[head].numpy(), reach)


def log_weight(slopes: torch.Tensor, distance: int) -> torch.Tensor:
    """Logarithm of the weight that the last token gives the key `distance` back, among equal content: [H] -> [H]."""
    distances = torch.arange(16 * max(distance, 16))  # what lies farther back has almost no weight
    return (-slopes[:, None] * distances).log_softmax(-1)[:, distance]


@lru_cache(maxsize=32)
def train(heads: int, distance: int) -> Training:
    """Learn slopes, from the paper's, so that the last token looks `distance` tokens back among equal content."""
    exponents = Alibi(heads, 1, heads).slopes.log2().requires_grad_()
    optimizer, path = torch.optim.Rprop([exponents], lr=FIRST_STEP), []
    for _ in range(MOST_STEPS + 1):
        slopes = exponents.exp2()
        path.append(slopes.detach().numpy())
        loss = -log_weight(slopes, distance).sum()
        optimizer.zero_grad()
        loss.backward()
        if exponents.grad is None or exponents.grad.abs().max() < FLAT:
            break
        optimizer.step()
    return Training(np.stack(path), math.log1p(1 / distance))
