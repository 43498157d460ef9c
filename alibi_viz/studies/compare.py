"""The Compare page: the same words, the same vectors, the same projections and the same attention, for every method.

Notable choices:
- One mechanism for all: `add_to_embeddings` is always called, then the projections, then the traced attention. A method
  does its work in whichever of the three places it acts; no line here asks which method it is.
- What a method adds to a score is measured, not taken from a formula: its score minus the score without positions.
- A method that refuses some positions (a learned table ends) is asked again for those that it knows, and its own sentence
  is kept.
- Learned numbers are fresh (drawn once from the seed) or, where asked for and where the shapes fit, those of a shipped run.
- The latest results are kept: moving a slider of one section then computes that section alone.
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

from alibi_viz.attention import Trace, trace_attention
from alibi_viz.positions import METHODS, PositionMethod, build
from alibi_viz.studies import compare_trained
from alibi_viz.studies.compare_trained import Misfit
from alibi_viz.studies.content import vectors

NUMBERS = ("fresh", "trained")
CONTENTS = ("equal", "same words attract", "random")
LONGEST = 256  # tokens: every cell of six matrices still fits on the screen
FEWEST, MOST = 2, 6  # methods side by side
ATTRACTION = 4.0  # about the score of a word with itself
_DRAWING = threading.Lock()


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


@dataclass(frozen=True)
class Controls:
    setting: Setting
    methods: tuple[str, ...]  # keys of METHODS
    tokens: tuple[str, ...]
    head: int  # 1 .. heads


@dataclass(frozen=True)
class Shown:
    """One method, one head: float32 [T, T] each, -inf where nothing can be seen."""

    name: str
    title: str
    weights: np.ndarray
    scores: np.ndarray
    added: np.ndarray  # the score minus the score without positions
    learned: int  # numbers that training sets
    known: int  # tokens that the method could place
    problem: str  # its own sentence when that is fewer than all; else empty


@lru_cache(maxsize=8)  # six pictures of 256 x 256, three times: 5 MB an entry
def study(controls: Controls) -> tuple[Shown, ...]:
    """Every chosen method on the same words. Raises ValueError for an empty text."""
    if not controls.tokens:
        raise ValueError("The text is empty. Write a few words.")
    plain = _trace_of(built("none", controls.setting), controls)
    return tuple(_shown(built(name, controls.setting), controls, plain) for name in controls.methods)


def built(name: str, setting: Setting, max_length: int | None = None, **options: Any) -> PositionMethod:
    """A method with fresh numbers that are the same for the same seed, or with trained ones where they fit.

    options: the method's own; a method that is given any stays fresh, since it was not trained so.
    """
    rows = setting.trained if max_length is None else max_length
    trained = not options and uses_trained(name, setting, rows)
    options = options or (compare_trained.options(name) if trained else {})
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
        compare_trained.fill(made)
    return made.to(setting.device).requires_grad_(False)


def uses_trained(name: str, setting: Setting, rows: int | None = None) -> bool:
    """Whether `built` puts a shipped run's numbers into this method."""
    return setting.weights == "trained" and not misfit(name, setting, rows)


def misfit(name: str, setting: Setting, rows: int | None = None) -> Misfit:
    """Why a shipped run's numbers cannot be used with these controls; empty when they can."""
    rows = setting.trained if rows is None else rows
    return compare_trained.misfit(name, setting.heads, setting.width, rows)


def learned_numbers(method: PositionMethod) -> int:
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


def _trace_of(method: PositionMethod, controls: Controls, known: int | None = None) -> Trace:
    x = words_of(controls.tokens[:known], controls.setting)
    positions = torch.arange(x.shape[1], device=x.device)
    return attend(method, controls.setting, x, positions, x, positions)


def _shown(method: PositionMethod, controls: Controls, plain: Trace) -> Shown:
    problem, known = "", len(controls.tokens)
    try:
        trace = _trace_of(method, controls)
    except ValueError as refused:
        problem, known = str(refused), method.max_length
        trace = _trace_of(method, controls, known)
    head, count = controls.head - 1, len(controls.tokens)
    scores = trace.masked[0, head]
    weights = trace.weights[0, head].masked_fill(torch.isneginf(scores), -math.inf)
    added = scores - plain.content[0, head, :known, :known]
    return Shown(
        method.name,
        METHODS[method.name].title,
        weights=_square(weights, count),
        scores=_square(scores, count),
        added=_square(added, count),
        learned=learned_numbers(method),
        known=known,
        problem=problem,
    )


def _square(x: Tensor, count: int) -> np.ndarray:
    """[t, t] -> float32 [count, count], what is missing as -inf."""
    missing = count - x.shape[0]
    return torch.nn.functional.pad(x.float(), (0, missing, 0, missing), value=-math.inf).cpu().numpy()


def difference(shown: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """One picture minus another; -inf where either shows nothing."""
    both = np.isfinite(shown) & np.isfinite(reference)
    return np.where(both, np.where(both, shown, 0) - np.where(both, reference, 0), -np.inf).astype(np.float32)
