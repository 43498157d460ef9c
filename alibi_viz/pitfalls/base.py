"""What a pitfall is: a wrong and a right version of a few lines, the check that tells them apart, and what it costs.

Notable choices:
- Both versions have the same arguments, so `check` and `run` can be given either one.
- Whatever is drawn or counted comes from calling the two versions, now: no number is stored.
- Shapes: R rows and C columns of a picture, T tokens, H heads, d width of a head.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.evaluation import per_token_loss
from alibi_viz.lm.model import DecoderLM

Version = Callable[..., Any]  # wrong or right
Run = tuple[Tensor, float]  # what is drawn, [R, C], -inf where there is nothing to show; and its cost
WINDOWS, BYTES = 8, 128  # of the held-out text; BYTES is the training length of the shipped models


@dataclass(frozen=True)
class Pitfall:
    """A row of the table."""

    wrong: Version
    right: Version
    check: Callable[[Version], None]  # raises AssertionError for the wrong version
    run: Callable[[Version], Run]
    quantity: Literal["weight", "bias", "content"] = "weight"  # what the picture shows
    domain: tuple[float, float] = (0.0, 1.0)
    is_causal: bool = False  # whether keys after the query are hidden in the picture
    row: int = 0  # the number of the first row
    col: int = 0  # of the first column
    step: int = 1  # from one column to the next; the rows follow one another
    settings: Mapping[str, object] = field(default_factory=dict)  # that the sentences name


@dataclass(frozen=True)
class Comparison:
    """Both versions, run: each a pair, the wrong one first."""

    pictures: tuple[np.ndarray, np.ndarray]  # float32 [R, C]; -inf where there is nothing to show
    costs: tuple[float, float]


@torch.no_grad()
def measure(pitfall: Pitfall) -> Comparison:
    """Run both versions."""
    pictures, costs = [], []
    for version in (pitfall.wrong, pitfall.right):
        values, cost = pitfall.run(version)
        values = values.float().nan_to_num(-math.inf, math.inf, -math.inf)
        if pitfall.is_causal:
            values = values.masked_fill(~causal(*values.shape), -math.inf)
        pictures.append(np.ascontiguousarray(values.numpy()))
        costs.append(float(cost))
    return Comparison((pictures[0], pictures[1]), (costs[0], costs[1]))


def causal(queries: int, keys: int) -> Tensor:
    """True where a query may attend; the last query is the last token: bool [Tq, Tk]."""
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)


def causal_weights(scores: Tensor) -> Tensor:
    """Softmax of scores [..., Tq, Tk] over the keys that a query may attend to; 0 elsewhere."""
    return scores.masked_fill(~causal(*scores.shape[-2:]), -math.inf).softmax(-1)


def moved(weights: Tensor, right: Tensor) -> float:
    """Share of a query's attention weight that goes to other keys than it should: [Tk] each -> 0 to 1."""
    return float((weights - right).abs().sum()) / 2


@cache
def held_out() -> Tensor:
    """Windows of the held-out text, int64 [WINDOWS, BYTES + 1]: each byte but the first is predicted."""
    text = bytearray(python_text().held_out[: WINDOWS * (BYTES + 1)])
    return torch.frombuffer(text, dtype=torch.uint8).long().view(WINDOWS, BYTES + 1)


def perplexity(model: DecoderLM) -> float:
    """Per byte of held-out text."""
    tokens = held_out()
    return math.exp(per_token_loss(model, tokens[:, :-1], tokens[:, 1:]).double().mean())
