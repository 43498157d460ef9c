"""What a pitfall is: the wrong version, the right one, the check that tells them apart, and what the mistake costs.

Notable choices:
- A pitfall is a module with `wrong`, `right`, `check` and `measure`. Both versions have the same arguments, so the check
  can be given either one: it returns for the right version and raises AssertionError for the wrong one.
- Whatever is drawn or counted comes from calling the two versions, now: no number is stored.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import torch
from torch import Tensor

Quantity = Literal["weight", "bias", "content"]


@dataclass(frozen=True)
class Pictures:
    """The two versions as matrices of the same cells, float32 [R, C]; -inf where there is nothing to show."""

    wrong: np.ndarray
    right: np.ndarray
    quantity: Quantity = "weight"
    domain: tuple[float, float] = (0.0, 1.0)
    row: int = 0  # the number of the first row
    col: int = 0  # the number of the first column
    step: int = 1  # from one column to the next; the rows follow one another


@dataclass(frozen=True)
class Damage:
    """What the mistake costs: one number for each version, and the same along something, float64 [points]."""

    wrong: float
    right: float
    x: np.ndarray
    wrong_y: np.ndarray
    right_y: np.ndarray


@dataclass(frozen=True)
class Comparison:
    """Both versions, run."""

    pictures: Pictures
    damage: Damage


class Pitfall(Protocol):
    """A module of this package."""

    wrong: Callable[..., Any]
    right: Callable[..., Any]

    def check(self, version: Callable[..., Any]) -> None: ...

    def measure(self) -> Comparison: ...


def picture(values: Tensor) -> np.ndarray:
    """A matrix for the screen: float32, NaN as -inf."""
    return np.ascontiguousarray(values.detach().float().nan_to_num(-math.inf, math.inf, -math.inf).numpy())


def causal(queries: int, keys: int) -> Tensor:
    """True where a query may attend; the last query is the last token: bool [Tq, Tk]."""
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)


def causal_weights(scores: Tensor) -> Tensor:
    """Softmax of scores [Tq, Tk] over the keys that a query may attend to; 0 elsewhere."""
    return scores.masked_fill(~causal(*scores.shape[-2:]), -math.inf).softmax(-1)


def visible(weights: Tensor) -> np.ndarray:
    """Weights as a picture: -inf where the causal mask hides a key."""
    return picture(weights.masked_fill(~causal(*weights.shape[-2:]), -math.inf))


def moved(weights: Tensor, right: Tensor) -> Tensor:
    """Share of the attention weight that goes to other keys than it should: [..., Tk] each -> [...], 0 to 1."""
    return (weights - right).abs().sum(-1) / 2


def floats(values: object) -> np.ndarray:
    """A row of numbers for a chart."""
    return np.asarray(values, dtype=np.float64)
