"""Compare: what each method adds to a score at every distance, how far each head reaches, and two tests of order.

Notable choices:
- Everything looks through one query, so 65,536 tokens cost a row and never a square.
- The content is the same token everywhere (“equal”), so that what changes with the distance is the method's doing.
- A method whose positions end is asked at its last one; its curve then ends there.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.positions import PositionMethod
from alibi_viz.synthetic import Reach, Setting, attend, build_method, embed, query_row, reach_of, sampled, usable
from pages.compare.study import Controls

FARTHEST = 65_536


@dataclass(frozen=True)
class Curve:
    """What a method adds to the score at each distance, one head."""

    method: str
    distances: np.ndarray  # int64 [S]
    added: np.ndarray  # float32 [S]
    problem: str  # the method's sentence where its positions end before the farthest one; else empty


@dataclass(frozen=True)
class Shift:
    """The score of one pair of tokens, and of the same pair moved by some tokens. None: a position is not known."""

    method: str
    before: float | None
    after: float | None
    problem: str

    @property
    def change(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True)
class Order:
    """Largest change of the last token's output when the tokens before it are reversed. None: the text is too long."""

    method: str
    change: float | None
    problem: str


def _equal(setting: Setting) -> Setting:
    return replace(setting, content="equal")


@lru_cache(maxsize=32)
@torch.no_grad()
def curves(controls: Controls, farthest: int, even: bool) -> tuple[Curve, ...]:
    """One curve a method, for the chosen head."""
    setting = _equal(controls.setting)
    methods = [build_method(name, setting) for name in controls.methods]
    return tuple(_curve(method, setting, controls.head - 1, farthest, even) for method in methods)


def _curve(method: PositionMethod, setting: Setting, head: int, farthest: int, even: bool) -> Curve:
    positions, problem = usable(method, farthest + 1)
    query = positions - 1
    distances = sampled(query, even)[:query]
    keys = query - torch.from_numpy(distances).to(setting.device)
    trace, plain = (query_row(m, setting, query, keys) for m in (method, build_method("none", setting)))
    added = (trace.masked - plain.masked)[0, head, 0].float().cpu().numpy()
    return Curve(method.name, distances, added, problem)


@lru_cache(maxsize=32)
@torch.no_grad()
def reach(methods: tuple[str, ...], setting: Setting, past: int) -> tuple[Reach, ...]:
    """For every head, the distance that holds each share of the weight of equal content."""
    equal = _equal(setting)
    return tuple(reach_of(build_method(name, equal), equal, past) for name in methods)


@lru_cache(maxsize=32)
@torch.no_grad()
def shifted(controls: Controls, query: int, key: int, shift: int) -> tuple[Shift, ...]:
    """The score of one pair, and of the same pair with both positions moved by `shift`. key <= query."""
    setting = _equal(controls.setting)
    methods = [build_method(name, setting) for name in controls.methods]
    return tuple(_shift(method, setting, controls.head - 1, query, key, shift) for method in methods)


def _shift(method: PositionMethod, setting: Setting, head: int, query: int, key: int, shift: int) -> Shift:
    known, problem = usable(method, query + shift + 1)

    def score(moved: int) -> float | None:
        if query + moved >= known:
            return None
        keys = torch.tensor([key + moved], device=setting.device)
        return float(query_row(method, setting, query + moved, keys).masked[0, head, 0, 0])

    return Shift(method.name, score(0), score(shift), problem)


@lru_cache(maxsize=32)
@torch.no_grad()
def reordered(controls: Controls) -> tuple[Order, ...]:
    """Does the last token notice that the tokens before it stand in reverse order? Causal mask, the page's content."""
    return tuple(_order(build_method(name, controls.setting), controls) for name in controls.methods)


def _order(method: PositionMethod, controls: Controls) -> Order:
    problem = usable(method, len(controls.tokens))[1]
    if problem:
        return Order(method.name, None, problem)
    *earlier, last = controls.tokens
    output, reversed_output = (
        _last_output(method, controls.setting, (*tokens, last)) for tokens in (earlier, earlier[::-1])
    )
    return Order(method.name, float((output - reversed_output).abs().max()), "")


def _last_output(method: PositionMethod, setting: Setting, tokens: tuple[str, ...]) -> Tensor:
    """Output of the last token, every head: [H, d]."""
    x = embed(tokens, setting)
    positions = torch.arange(len(tokens), device=x.device)
    return attend(method, setting, x[:, -1:], positions[-1:], x, positions).output[0, :, 0]
