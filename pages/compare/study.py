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
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.attention import Trace
from alibi_viz.positions import METHODS, PositionMethod
from alibi_viz.synthetic import Setting, attend, built, count_parameters, words_of

LONGEST = 256  # tokens: every cell of six matrices still fits on the screen
FEWEST, MOST = 2, 6  # methods side by side


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
        learned=count_parameters(method),
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
