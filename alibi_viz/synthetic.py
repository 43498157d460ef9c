"""One attention layer over synthetic content, with any position method: the same tokens, the same vectors, the same
projections, so that two results differ in the method alone.

Notable choices:
- One mechanism for all: `add_to_embeddings` is always called, then the projections, then the traced attention. A method
  does its work in whichever of the three places it acts; no line here asks which method it is.
- Parameters are those at initialization (drawn once from the seed) or, where asked for and where the shapes fit, those of
  a shipped run.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alibi_viz import trained_tables
from alibi_viz.attention.attention import Trace, trace_attention
from alibi_viz.content import vectors
from alibi_viz.positions import PositionMethod, build
from alibi_viz.trained_tables import Misfit

NUMBERS = ("fresh", "trained")
CONTENTS = ("equal", "same words attract", "random")
ATTRACTION = 4.0  # about the score of a word with itself
_DRAWING = threading.Lock()
SAMPLES = 400  # distances on a curve
SHARES = (0.5, 0.9, 0.99)


@dataclass(frozen=True)
class Setting:
    """What all methods share."""

    heads: int = 8
    head_dim: int = 32
    trained: int = 64  # tokens: the length that a table is made for
    content: str = "same words attract"  # one of CONTENTS
    seed: int = 0
    device: str = "cpu"
    weights: str = "fresh"  # one of NUMBERS

    @property
    def width(self) -> int:
        return self.heads * self.head_dim


def built(name: str, setting: Setting, max_length: int | None = None, **options: Any) -> PositionMethod:
    """A method with fresh numbers that are the same for the same seed, or with trained ones where they fit.

    options: the method's own; a method that is given any stays fresh, since it was not trained so.
    """
    rows = setting.trained if max_length is None else max_length
    trained = not options and uses_trained(name, setting, rows)
    options = options or (trained_tables.options(name) if trained else {})
    with _DRAWING, torch.random.fork_rng(devices=[]):
        torch.manual_seed(setting.seed)
        made = build(
            name,
            heads=setting.heads,
            head_dim=setting.head_dim,
            max_length=rows,
            **options,
        )
    if trained:
        trained_tables.fill(made)
    return made.to(setting.device).requires_grad_(False)


def uses_trained(name: str, setting: Setting, rows: int | None = None) -> bool:
    """Whether `built` puts a shipped run's numbers into this method."""
    return setting.weights == "trained" and not misfit(name, setting, rows)


def misfit(name: str, setting: Setting, rows: int | None = None) -> Misfit:
    """Why a shipped run's numbers cannot be used with these controls; empty when they can."""
    rows = setting.trained if rows is None else rows
    return trained_tables.misfit(name, setting.heads, setting.width, rows)


def count_parameters(method: PositionMethod) -> int:
    """How many numbers training would set, counted from the object."""
    return sum(parameter.numel() for parameter in method.parameters())


def words_of(tokens: Sequence[str], setting: Setting) -> Tensor:
    """Content vectors before any position: float32 [1, T, D]. “equal”: every token is the same word."""
    items = ["equal"] * len(tokens) if setting.content == "equal" else tokens
    return torch.from_numpy(vectors(items, setting.width, setting.seed))[None].to(setting.device)


@lru_cache(maxsize=6)
def _projection(setting: Setting, name: str) -> Tensor:
    """[D, D], random, keeping the variance at 1 (or at the page's gain for queries and keys)."""
    width = setting.width
    rng = np.random.default_rng([setting.seed, *name.encode()])
    weight = rng.standard_normal((width, width)).astype(np.float32) / math.sqrt(width)
    gain = 1.0 if name == "v" else math.sqrt(ATTRACTION / math.sqrt(setting.head_dim))
    return torch.from_numpy(weight * np.float32(gain)).to(setting.device)


def attend(
    method: PositionMethod, setting: Setting, x_q: Tensor, q_positions: Tensor, x_k: Tensor, k_positions: Tensor
) -> Trace:
    """Words and positions through one real attention with a causal mask, every stage kept.

    x_q [1, Tq, D], x_k [1, Tk, D], positions [Tq] and [Tk]. Raises the method's own ValueError for positions it lacks.
    """
    q_name = "q"
    k_name = "k" if setting.content == "random" else "q"  # a word fits itself unless all is random
    x_q, x_k = (method.add_to_embeddings(x, at) for x, at in ((x_q, q_positions), (x_k, k_positions)))
    q, k, v = (
        (x @ _projection(setting, name)).unflatten(-1, (setting.heads, setting.head_dim)).transpose(1, 2)
        for x, name in ((x_q, q_name), (x_k, k_name), (x_k, "v"))
    )
    return trace_attention(q, k, v, method, q_positions, k_positions)


@dataclass(frozen=True)
class Reach:
    """Distances in tokens that hold each share of the weight, one row a head."""

    name: str
    tokens: np.ndarray  # int64 [H, len(SHARES)]
    past: int  # tokens that the query could see
    problem: str


def sampled(farthest: int, even: bool) -> np.ndarray:
    """At most SAMPLES whole distances from 1 to `farthest`: evenly spaced, or (not `even`) evenly on a log axis."""
    farthest = max(farthest, 1)
    space = np.linspace(1, farthest, SAMPLES) if even else np.geomspace(1, farthest, SAMPLES)
    return np.unique(np.round(space).astype(np.int64))


def row(method: PositionMethod, setting: Setting, query: int, keys: Tensor) -> Trace:
    """One query at position `query`, keys at the positions `keys`, all the same word."""
    word = words_of(("",), setting)
    at = torch.tensor([query], device=word.device)
    return attend(method, setting, word, at, word.expand(1, len(keys), -1), keys)


def reach_of(method: PositionMethod, setting: Setting, past: int) -> Reach:
    """The reach of every head of one method, for a query with `past` tokens in sight, itself included."""
    problem = ""
    try:
        trace = row(method, setting, past - 1, torch.arange(past, device=setting.device))
    except ValueError as refused:
        problem, past = str(refused), method.max_length
        trace = row(method, setting, past - 1, torch.arange(past, device=setting.device))
    return Reach(method.name, held(trace.weights[0, :, 0].cpu().numpy()), past, problem)


def held(weights: np.ndarray) -> np.ndarray:
    """Weights [H, T], the nearest key last -> smallest distance D whose keys 0..D hold each share: int64 [H, shares]."""
    sums = np.cumsum(weights[:, ::-1].astype(np.float64), axis=1)
    sums /= sums[:, -1:]
    return np.stack([np.argmax(sums >= share, axis=1) for share in SHARES], axis=1)
