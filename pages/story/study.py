"""What the scenes of the story compute: attention over two orders of one sentence, one penalty, trained heads by distance.

Notable choices:
- The scenes about order use one head without learned weights, the words' vectors as queries and keys: what they show holds
  for any weights, since attention without positions is permutation-equivariant.
- Where a trained head attends is averaged by distance, over all heads of the last layer and the last QUERIES queries of the
  text: single queries differ by what they read.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.pictures import difference
from alibi_viz.charts.lines import Line
from alibi_viz.content.words import vectors
from alibi_viz.lm.corpus import python_docs
from alibi_viz.positions import METHODS, build
from alibi_viz.positions.alibi import Alibi
from alibi_viz.results import measured, trained

WIDTH = 12  # of a word's vector
QUERIES = 32
TEXTS = 4  # pieces of the held-out text
TIMES = 4  # training lengths of the longer text
SHOWN = ("sinusoidal", "rope", "t5", "alibi")  # the paper's four methods
COMPARED = ("alibi", "sinusoidal", "rope", "learned")
COSTS = ("sinusoidal", "learned", "rope", "t5", "alibi")


@dataclass(frozen=True)
class Orders:
    """Weights [T, T] of one sentence, and those of the other with its rows and columns in the order of the first."""

    first: np.ndarray
    second: np.ndarray

    @property
    def change(self) -> np.ndarray:
        """First minus second, without rounding."""
        return difference(self.first, self.second)

    @property
    def difference(self) -> float:
        return float(np.abs(self.change).max())


def orders(first: Sequence[str], second: Sequence[str], *, causal: bool) -> Orders:
    """Attention without positions over both sentences, which hold the same words, each once."""
    order = [list(second).index(word) for word in first]
    a, b = (_weights(sentence, causal=causal) for sentence in (first, second))
    return Orders(a, b[np.ix_(order, order)])


@torch.no_grad()
def _weights(sentence: Sequence[str], *, causal: bool) -> np.ndarray:
    x = torch.from_numpy(vectors(list(sentence), WIDTH))[None, None]  # [1, 1, T, d]
    positions, method = torch.arange(len(sentence)), build("none", heads=1, head_dim=WIDTH)
    return trace_attention(x, x, x, method, positions, positions, causal=causal).weights[0, 0].numpy()


@dataclass(frozen=True)
class Penalty:
    """One head over T tokens of equal content: what is added to the scores, and the weights. -inf where masked."""

    bias: np.ndarray  # float32 [T, T]
    weights: np.ndarray  # float32 [T, T]


@torch.no_grad()
def penalty(slope: float, tokens: int) -> Penalty:
    """ALiBi's bias with one slope, and the softmax of it alone."""
    positions, method = torch.arange(tokens), Alibi(1, 1, 1, slopes=[slope])
    zeros = torch.zeros(1, 1, tokens, 1)
    trace = trace_attention(zeros, zeros, zeros, method, positions, positions)
    hidden = trace.masked[0, 0].isneginf()
    assert trace.bias is not None
    bias, weights = trace.bias[0], trace.weights[0, 0]
    return Penalty(bias.masked_fill(hidden, -math.inf).numpy(), weights.masked_fill(hidden, -math.inf).numpy())


@dataclass(frozen=True)
class Profile:
    """Mean weight by distance of one trained model, at L and at TIMES * L. float64 [distances] each."""

    method: str
    at_length: np.ndarray
    beyond: np.ndarray | None  # None: the model cannot read so far

    @property
    def shift(self) -> float:
        """How much of the weight moved: total variation between the two, from 0 (alike) to 1."""
        if self.beyond is None:
            return math.nan
        short = np.zeros_like(self.beyond)
        short[: len(self.at_length)] = self.at_length
        return float(np.abs(short - self.beyond).sum() / 2)


@lru_cache(maxsize=1)
def profiles() -> tuple[Profile, ...]:
    """Of the compared methods; those whose model is not there are left out."""
    return tuple(profile for method in COMPARED if (profile := _profile(method)))


def _profile(method: str) -> Profile | None:
    loaded = trained.load(method)
    if loaded is None:
        return None
    length = loaded.config.length
    at_length = _by_distance(loaded, length)
    beyond = _by_distance(loaded, TIMES * length) if loaded.max_bytes >= TIMES * length else None
    return Profile(method, at_length, beyond)


@torch.no_grad()
def _by_distance(loaded: trained.Loaded, length: int) -> np.ndarray:
    """Mean weight at each distance below `length`, of the last queries of texts of that length."""
    held_out, total = python_docs().held_out, torch.zeros(length, dtype=torch.float64)
    rows = torch.arange(length - QUERIES, length)
    for piece in range(TEXTS):
        start = piece * len(held_out) // TEXTS
        inputs = trained.inputs(loaded, held_out[start : start + length], loaded.config.layers)
        weights = inputs.trace(rows).weights[0].double().mean(0)  # [queries, keys]
        distance = rows[:, None] - torch.arange(length)
        seen = distance >= 0
        total.index_add_(0, distance[seen], weights[seen])
    return (total / total.sum()).numpy()


def breaks() -> dict[str, float]:
    """Method -> the first measured window, in training lengths, where it breaks (see measured.WORSE); infinite: none."""
    first = {}
    for curve in measured.curves(measured.shipped()):
        if curve.config.method in SHOWN and curve.rise is not None:
            rise = curve.rise.mean(1)
            broken = curve.lengths[(rise > measured.WORSE) & (curve.lengths > curve.config.length)]
            first[curve.config.method] = float(broken[0]) / curve.config.length if len(broken) else np.inf
    return first


def lines(protocol: measured.Protocol, methods: tuple[str, ...], *, rise: bool) -> list[Line]:
    """Curves of the shipped runs from L on: loss above that at L, or perplexity."""
    chosen = []
    for curve in measured.curves(measured.shipped(), protocol):
        if curve.config.method in methods:
            keep = curve.lengths >= curve.config.length
            values = curve.rise if rise else curve.per_seed
            if values is not None:
                of_seeds = values[keep]
                spread = of_seeds.mean(1), of_seeds.min(1), of_seeds.max(1)
                chosen.append(
                    Line(curve.config.method, METHODS[curve.config.method].title, curve.lengths[keep], *spread)
                )
    return chosen


def alibi_lines() -> dict[measured.Protocol, Line]:
    """ALiBi's perplexity in each kind of windows."""
    return {kind: lines(kind, ("alibi",), rise=False)[0] for kind in measured.PROTOCOLS}
