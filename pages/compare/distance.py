"""Compare: what each method adds to a score at every distance, how far each head reaches, and two tests of order.

Notable choices:
- Everything looks through one query, so 65,536 tokens cost a row and never a square.
- The content is the same word everywhere (“equal”), so that what changes with the distance is the method's doing.
- A method that does not know the query's position is asked at the last one that it knows; its curve then ends there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.positions import PositionMethod
from alibi_viz.synthetic import Reach, Setting, attend, built, reach_of, row, sampled, words_of
from pages.compare.study import Controls

FARTHEST = 65_536


@dataclass(frozen=True)
class Curve:
    """What a method adds to the score at each distance, one head."""

    name: str
    distances: np.ndarray  # int64 [S]
    added: np.ndarray  # float32 [S]
    problem: str  # the method's sentence when it does not know the far positions; else empty


@dataclass(frozen=True)
class Shift:
    """One pair of tokens, and the same pair moved by some tokens."""

    name: str
    before: float
    after: float | None  # None: the method does not know that position
    problem: str

    @property
    def change(self) -> float | None:
        return None if self.after is None else self.after - self.before


@dataclass(frozen=True)
class Order:
    """Largest change of the last token's output when the tokens before it are reversed."""

    name: str
    change: float
    problem: str


@lru_cache(maxsize=32)
@torch.no_grad()
def curves(controls: Controls, farthest: int, even: bool) -> tuple[Curve, ...]:
    """One curve a method, for the chosen head."""
    setting = _equal(controls)
    return tuple(_curve(built(name, setting), setting, controls.head - 1, farthest, even) for name in controls.methods)


def _equal(controls: Controls) -> Setting:
    return replace(controls.setting, content="equal")


def _curve(method: PositionMethod, setting: Setting, head: int, farthest: int, even: bool) -> Curve:
    problem = ""
    try:
        distances = sampled(farthest, even)
        added = _added(method, setting, distances, farthest)
    except ValueError as refused:
        problem, last = str(refused), method.max_length - 1
        distances = sampled(last, even)[: max(last, 0)]
        added = _added(method, setting, distances, last)
    return Curve(method.name, distances, added[head], problem)


def _added(method: PositionMethod, setting: Setting, distances: np.ndarray, query: int) -> np.ndarray:
    """Score of one query with keys so many tokens back, minus that without positions: float32 [H, S]."""
    keys = query - torch.from_numpy(distances).to(setting.device)
    trace, plain = (row(one, setting, query, keys) for one in (method, built("none", setting)))
    return (trace.masked - plain.masked)[0, :, 0].float().cpu().numpy()


@lru_cache(maxsize=32)
@torch.no_grad()
def reach(methods: tuple[str, ...], setting: Setting, past: int) -> tuple[Reach, ...]:
    """For every head, the distance that holds each share of the weight of equal content."""
    setting = replace(setting, content="equal")
    return tuple(reach_of(built(name, setting), setting, past) for name in methods)


@lru_cache(maxsize=32)
@torch.no_grad()
def shifted(controls: Controls, query: int, key: int, shift: int) -> tuple[Shift, ...]:
    """The score of one pair, and of the same pair with both positions moved by `shift`. key <= query."""
    setting = _equal(controls)
    return tuple(
        _shift(built(name, setting), setting, controls.head - 1, query, key, shift) for name in controls.methods
    )


def _shift(method: PositionMethod, setting: Setting, head: int, query: int, key: int, shift: int) -> Shift:
    def score(moved: int) -> float:
        keys = torch.tensor([key + moved], device=setting.device)
        return float(row(method, setting, query + moved, keys).masked[0, head, 0, 0])

    try:
        before = score(0)
    except ValueError as refused:
        return Shift(method.name, float("nan"), None, str(refused))
    try:
        return Shift(method.name, before, score(shift), "")
    except ValueError as refused:
        return Shift(method.name, before, None, str(refused))


@lru_cache(maxsize=32)
@torch.no_grad()
def reordered(controls: Controls) -> tuple[Order, ...]:
    """Does the last token notice that the tokens before it stand in reverse order? Causal mask, the page's content."""
    return tuple(_order(built(name, controls.setting), controls) for name in controls.methods)


def _order(method: PositionMethod, controls: Controls) -> Order:
    *before, last = controls.tokens
    try:
        one, other = (_last_output(method, controls.setting, (*words, last)) for words in (before, before[::-1]))
    except ValueError as refused:
        return Order(method.name, float("nan"), str(refused))
    return Order(method.name, float((one - other).abs().max()), "")


def _last_output(method: PositionMethod, setting: Setting, tokens: tuple[str, ...]) -> Tensor:
    """Output of the last token, every head: [H, d]."""
    x = words_of(tokens, setting)
    positions = torch.arange(len(tokens), device=x.device)
    return attend(method, setting, x[:, -1:], positions[-1:], x, positions).output[0, :, 0]
