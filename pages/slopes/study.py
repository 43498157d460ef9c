"""Slopes: one number a head, by whichever rule; how far a head and a stack of layers look; and slopes that are trained.

Notable choices:
- All of it is for equal content and no end to the left. Weights are then a geometric series in e^-m (see
  `alibi_viz.positions.alibi` for the two closed forms).
- A head moves d tokens back with the chance (1 - e^-m) e^(-m d). The distances of layers add, so their distribution is
  that of one layer, convolved with itself: the product of Fourier transforms.
- Training has one task with a known answer: the weight should lie D tokens back. The best single slope is ln(1 + 1/D):
  there the derivative of -m D + ln(1 - e^-m) is zero. Trained are the exponents, by Rprop: a slope 2^-e stays above zero.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import torch
from torch.optim.rprop import rprop

from alibi_viz.lessons.problems import Problem
from alibi_viz.positions.alibi import Alibi
from alibi_viz.rules import distance_holding, half_weight_distance, slope_exponents, slope_families, slopes

#: The words of the address, and the rule's name in the library.
RULES: dict[str, Literal["code", "sentence", "blog", "custom"]]
RULES = {"code": "code", "sentence": "sentence", "2^-h": "blog", "own list": "custom"}
PUBLISHED = {"code": "sentence", "sentence": "code"}  # the authors' rules; each with the other one
FARTHEST = 4096  # tokens: the end of the curves
DISTANCES = np.geomspace(1, FARTHEST, 97).astype(np.float32)  # evenly on a log axis
SHARE = 0.9  # of the weight, of which a reach speaks
LAYERS = (1, 2, 4, 8, 12, 16, 24)
LONGEST_SUM = 2**20  # distances; the sum of the gentlest heads of all layers must fit
FIRST_STEP, MOST_STEPS = 0.1, 300  # of an exponent, then Rprop finds its own step sizes; about 60 steps are enough
#: Rprop's own choices. The class around the function would import PyTorch's compiler: 4 s of the first reader's time.
RPROP: dict[str, Any] = {"step_size_min": 1e-6, "step_size_max": 50.0, "etaminus": 0.5, "etaplus": 1.2}
FLAT = 1e-4  # training stops when every gradient is below: then a slope is right to about as many parts


@dataclass(frozen=True)
class Result:
    """One entry a head, in head order (never sorted)."""

    rule: str  # a key of RULES
    max_bias: float  # the largest exponent
    slopes: list[float]
    exponents: list[Fraction | None]  # slope = 2^-exponent; None where a typed slope has no short exact form
    families: list[int]  # 1: the extra family of head counts that are not a power of two
    half: list[float]  # tokens
    reach: list[float]  # how many of the nearest keys hold SHARE of the weight
    weights: np.ndarray  # float32 [H, S]: of a key at each of DISTANCES, against the nearest key
    other: list[float] | None = None  # the slopes by the other one of PUBLISHED, where they differ

    @property
    def heads(self) -> int:
        return len(self.slopes)

    @property
    def most_different(self) -> int:
        """The head, from 0, whose slopes by the two published rules differ most, as a ratio. `other` is there."""
        assert self.other is not None
        return int(np.argmax(np.abs(np.log(self.slopes) - np.log(self.other))))


@lru_cache(maxsize=64)  # 50 kB each at most
def compute(heads: int, rule: str, max_bias: float, own_slopes: tuple[float, ...] = ()) -> Result:
    """All that the picture shows. own_slopes: those of the rule "own list". Raises ValueError where they are missing."""
    name = RULES[rule]
    values = list(own_slopes) if name == "custom" else slopes(heads, name, max_bias)
    if not values:
        raise Problem("numbers.none")
    exponents = map(_exact, values) if name == "custom" else slope_exponents(heads, name, max_bias)
    families = slope_families(heads) if name == "code" else [0] * len(values)
    other = slopes(heads, PUBLISHED[name], max_bias) if name in PUBLISHED and heads & (heads - 1) else None
    half = [half_weight_distance(slope) for slope in values]
    reach = [distance_holding(slope, SHARE) + 1 for slope in values]  # distance 0 is a key too
    bias = Alibi(len(values), 1, len(values), slopes=values).bias_by_distance(torch.from_numpy(DISTANCES))
    weights = bias.clamp(max=1.0).exp().numpy()  # a negative slope leaves every picture
    return Result(rule, max_bias, values, list(exponents), families, half, reach, weights, other)


def _exact(slope: float) -> Fraction | None:
    """The exponent of a typed slope when it is a short fraction, such as 1/2 for 2^-0.5."""
    if slope <= 0:
        return None
    exponent = Fraction(-math.log2(slope)).limit_denominator(64)
    return exponent if math.isclose(2.0 ** -float(exponent), slope, rel_tol=1e-12) else None


@lru_cache(maxsize=32)
def reach_by_layers(slopes: tuple[float, ...]) -> tuple[list[int], list[int]] | None:
    """Tokens that hold SHARE of what reaches the last of LAYERS: with one head after the other, each as likely; and with
    the gentlest head in every layer. None where a slope is zero or negative, or too gentle for LONGEST_SUM."""
    gentlest = min(slopes)
    if gentlest <= 0 or 2 * LAYERS[-1] / gentlest > LONGEST_SUM:
        return None
    distances = np.arange(2 ** int(np.ceil(np.log2(4 * LAYERS[-1] / gentlest))))

    def chances(slope: float) -> np.ndarray:
        return -np.expm1(-slope) * np.exp(-slope * distances)

    return _quantiles(np.mean([chances(slope) for slope in slopes], axis=0)), _quantiles(chances(gentlest))


def _quantiles(chances: np.ndarray) -> list[int]:
    """Of the sum of so many independent distances."""
    transform = np.fft.rfft(chances, 2 * len(chances))
    sums = (np.fft.irfft(transform**layers)[: len(chances)].cumsum() for layers in LAYERS)
    return [int(np.searchsorted(total, SHARE)) + 1 for total in sums]


@dataclass(frozen=True)
class Training:
    path: np.ndarray  # slopes after every step, float32 [steps + 1, H]; the first row is the start
    best: float  # the slope that the task asks for
    held: float  # the share of the weight on the asked key, with the learned slope
    held_before: float  # the same with the best of the slopes that training began with


@lru_cache(maxsize=32)
def train(slopes: tuple[float, ...], distance: int) -> Training:
    """Learn slopes, all above zero at first, so that the last token looks `distance` tokens back among equal content."""
    exponents = torch.tensor(slopes).log2().requires_grad_()
    before, sizes, step, path = torch.zeros(len(slopes)), torch.full((len(slopes),), FIRST_STEP), torch.zeros(()), []
    for _ in range(MOST_STEPS + 1):
        path.append(exponents.exp2().detach().numpy())
        loss = -_log_weight(exponents.exp2(), distance).sum()
        (gradient,) = torch.autograd.grad(loss, exponents)
        if gradient.abs().max() < FLAT:
            break
        with torch.no_grad():
            rprop([exponents], [gradient], [before], [sizes], [step], **RPROP)
    ends = (_log_weight(torch.from_numpy(path[at]), distance).exp().max().item() for at in (-1, 0))
    return Training(np.stack(path), math.log1p(1 / distance), *ends)


def _log_weight(slopes: torch.Tensor, distance: int) -> torch.Tensor:
    """Logarithm of the weight that the last token gives the key `distance` back, among equal content: [H] -> [H]."""
    distances = torch.arange(16 * max(distance, 16))  # what lies farther back has almost no weight
    return (-slopes[:, None] * distances).log_softmax(-1)[:, distance]
