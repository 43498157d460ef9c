"""Compare: what each method adds to a score at every distance, how far each head reaches, and two tests of order.

Notable choices:
- Everything looks through one query, so 65,536 tokens cost a row and never a square.
- The content is the same token everywhere (“equal”), so that what changes with the distance is the method's doing.
- A method whose positions end is asked at its last one; its curve then ends there.
- Of a method whose scores follow the query's position too, there are two curves: for a query at the end of the training
  length, as in training, and for one at the end of the picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.pictures import to_numpy
from alibi_viz.content.synthetic import (
    MethodReach,
    Setting,
    attend,
    build_method,
    embed,
    query_row,
    reach_of,
    sampled,
    table_source,
    usable,
)
from alibi_viz.positions import PositionMethod
from pages.compare.study import Controls

FARTHEST = 65_536
ROUNDING = 1e-5  # a change below this is float32's rounding
SEEN = 0.01  # a difference below this is not seen in the picture


@dataclass(frozen=True)
class DistanceCurve:
    """What a method adds to the score at each distance, one head."""

    method: str
    query: int  # its position
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


def curves(controls: Controls, farthest: int, even: bool) -> tuple[DistanceCurve, ...]:
    """The curves of each method, for the chosen head; that of a query within the training length comes first.

    Half the training length is one of the distances.
    """
    setting, length = replace(controls.setting, content="equal"), train_length(controls)
    return tuple(
        curve for name in controls.methods for curve in _curves(name, setting, farthest, even, length, controls.head)
    )


def _curves(name: str, setting: Setting, farthest: int, even: bool, length: int, head: int) -> list[DistanceCurve]:
    far, problem, near = _added(name, setting, farthest, even, length)
    found = [DistanceCurve(name, query, at, added[head - 1], problem) for query, at, added in (near, far) if len(at)]
    if len(found) < 2:
        return found
    inside, long = found
    follows_query = not np.allclose(inside.added, long.added[: len(inside.added)], rtol=0, atol=SEEN)
    return found if follows_query else [long]


def train_length(controls: Controls) -> int:
    """The length that the chosen methods were trained at; without trained parameters, the one that the reader set."""
    loaded = (table_source(name, controls.setting) for name in controls.methods)
    return max((model.config.length for model in loaded if model), default=controls.setting.train_length)


def ends(curves: Sequence[DistanceCurve], distance: int) -> tuple[int, tuple[float, str], tuple[float, str]]:
    """The distance nearest to this one, and there the lowest and the highest of the curves that reach it.

    Each with its method, whose first curve counts.
    """
    first = list({curve.method: curve for curve in reversed(curves)}.values())
    at = min((int(d) for curve in first for d in curve.distances), key=lambda d: abs(d - distance))
    values = [(float(curve.added[curve.distances == at][0]), curve.method) for curve in first if at in curve.distances]
    return at, min(values), max(values)


Row = tuple[
    int, np.ndarray, np.ndarray
]  # the query's position, distances int64 [S], what is added there float32 [H, S]


@lru_cache(maxsize=128)  # all heads cost hardly more than one, and the reader goes from head to head; 26 kB for eight
@torch.no_grad()
def _added(name: str, setting: Setting, farthest: int, even: bool, length: int) -> tuple[Row, str, Row]:
    """What a method adds for the last query; its sentence about its end; and what it adds for the query at L - 1."""
    method = build_method(name, setting)
    positions, problem = usable(method, farthest + 1)
    query = positions - 1
    distances = np.union1d(sampled(query, even)[:query], [length // 2] if 0 < length // 2 <= query else [])
    distances = distances.astype(np.int64)
    inside = distances[distances < length] if query >= length else distances[:0]
    far, near = (_difference(method, setting, *at) for at in ((query, distances), (length - 1, inside)))
    return far, problem, near


def _difference(method: PositionMethod, setting: Setting, query: int, distances: np.ndarray) -> Row:
    if not len(distances):
        return query, distances, np.zeros((setting.heads, 0), np.float32)
    added = _row(method, setting, query, distances) - _plain(setting, query, tuple(distances.tolist()))
    return query, distances, to_numpy(added)


def _row(method: PositionMethod, setting: Setting, query: int, distances: np.ndarray) -> Tensor:
    """The query's scores at these distances, every head: [H, S]."""
    keys = query - torch.from_numpy(distances).to(setting.device)
    return query_row(method, setting, query, keys).masked[0, :, 0]


@lru_cache(maxsize=16)  # what every method's scores are compared with; SAMPLES numbers a head
def _plain(setting: Setting, query: int, distances: tuple[int, ...]) -> Tensor:
    return _row(build_method("none", setting), setting, query, np.array(distances))


@lru_cache(maxsize=32)
@torch.no_grad()
def reach(methods: tuple[str, ...], setting: Setting, past: int) -> tuple[MethodReach, ...]:
    """For every head, the distance that holds each share of the weight of equal content."""
    setting = replace(setting, content="equal")
    return tuple(reach_of(build_method(name, setting), setting, past) for name in methods)


@lru_cache(maxsize=32)
@torch.no_grad()
def shifted(controls: Controls, query: int, key: int, shift: int) -> tuple[Shift, ...]:
    """The score of one pair, and of the same pair with both positions moved by `shift`. key <= query."""
    setting = replace(controls.setting, content="equal")
    return tuple(_shift(name, setting, controls.head - 1, query, key, shift) for name in controls.methods)


def _shift(name: str, setting: Setting, head: int, query: int, key: int, shift: int) -> Shift:
    method = build_method(name, setting)
    known, problem = usable(method, query + shift + 1)

    def score(moved: int) -> float | None:
        if query + moved >= known:
            return None
        keys = torch.tensor([key + moved], device=setting.device)
        return float(query_row(method, setting, query + moved, keys).masked[0, head, 0, 0])

    return Shift(name, score(0), score(shift), problem)


@lru_cache(maxsize=32)
@torch.no_grad()
def reordered(controls: Controls) -> tuple[Order, ...]:
    """Does the last token notice that the tokens before it stand in reverse order? Causal mask, the page's content.

    Raises ValueError for an empty text.
    """
    if not controls.tokens:
        raise ValueError("The text is empty. Write a few words.")
    return tuple(_order(name, controls.setting, controls.tokens) for name in controls.methods)


def _order(name: str, setting: Setting, tokens: tuple[str, ...]) -> Order:
    method = build_method(name, setting)
    if problem := usable(method, len(tokens))[1]:
        return Order(name, None, problem)

    def last_output(tokens: tuple[str, ...]) -> Tensor:
        """Of every head: [H, d]."""
        x = embed(tokens, setting)
        positions = torch.arange(len(tokens), device=x.device)
        return attend(method, setting, x[:, -1:], positions[-1:], x, positions).output[0, :, 0]

    turned = (*tokens[-2::-1], tokens[-1])
    return Order(name, float((last_output(tokens) - last_output(turned)).abs().max()), "")
