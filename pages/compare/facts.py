"""Compare: the facts about each method, counted and tried on the running objects.

Notable choices:
- Nothing here is typed: parameters and bytes are counted on a method that is built for n tokens, work is counted while
  PyTorch computes the positions of one more token, and whether positions beyond the training length exist is tried.
- Milliseconds are measured on this device: every method in turn, round after round; the median of the rounds is given.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from alibi_viz.attention.fused import fused_attention
from alibi_viz.positions import PositionMethod
from alibi_viz.synthetic import Setting, attend, built, count_parameters, words_of

ROUNDS = 7


@dataclass(frozen=True)
class Facts:
    name: str
    title: str
    acts_on: str
    learned: int  # numbers that training sets
    state: int  # bytes that the method holds for n tokens
    work: int  # numbers computed for one more token at n
    beyond: bool  # positions beyond the training length exist
    refusal: str  # the method's own sentence when they do not


@dataclass(frozen=True)
class Timing:
    milliseconds: float  # one attention call, median
    ratio: float  # against no positions, median of the rounds


class _Counter(TorchDispatchMode):
    """Counts the numbers that PyTorch computes; a view computes none."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not func.is_view:
            for one in result if isinstance(result, tuple | list) else (result,):
                self.numbers += one.numel() if isinstance(one, torch.Tensor) else 0
        return result


@lru_cache(maxsize=32)
@torch.no_grad()
def facts(names: tuple[str, ...], setting: Setting, n: int) -> tuple[Facts, ...]:
    """One row a method, for n tokens."""
    return tuple(_facts(name, setting, n) for name in names)


def _facts(name: str, setting: Setting, n: int) -> Facts:
    method = built(name, setting, max_length=n)
    refusal = _refusal(built(name, setting), setting)
    tensors = [*method.parameters(), *method.buffers()]
    return Facts(
        name,
        method.title,
        method.acts_on,
        count_parameters(method),
        sum(tensor.numel() * tensor.element_size() for tensor in tensors),
        work(method, setting, n),
        not refusal,
        refusal,
    )


def work(method: PositionMethod, setting: Setting, n: int) -> int:
    """Numbers that the method computes to place token n: its vector, its query and key, its row of biases."""
    now, keys = torch.tensor([n - 1], device=setting.device), torch.arange(n, device=setting.device)
    x = torch.zeros(1, 1, setting.width, device=setting.device)
    q = torch.zeros(1, setting.heads, 1, setting.head_dim, device=setting.device)
    with _Counter() as counter:
        method.add_to_embeddings(x, now)
        method.rotate(q, q, now, now)
        method.score_bias(now, keys)
    return counter.numbers


def _refusal(method: PositionMethod, setting: Setting) -> str:
    """The method's sentence about a text of twice its training length; empty when it takes it."""
    word, last = words_of(("",), setting), 2 * method.max_length - 1
    at = torch.tensor([last], device=setting.device)
    try:
        attend(method, setting, word, at, word, at)
    except ValueError as refused:
        return str(refused)
    return ""


@torch.no_grad()
def timings(names: Sequence[str], setting: Setting, n: int, rounds: int = ROUNDS) -> dict[str, Timing]:
    """Milliseconds of one fused attention call over n tokens, and their ratio to no positions at all.

    Vectors added to the embeddings cost nothing here: they are added once, before the first layer.
    """
    device = setting.device
    q, k, v = (torch.randn(1, setting.heads, n, setting.head_dim, device=device) for _ in range(3))
    positions = torch.arange(n, device=device)
    methods = {name: built(name, setting, max_length=n) for name in dict.fromkeys(("none", *names))}
    took: dict[str, list[float]] = {name: [] for name in methods}
    for turn in range(rounds + 1):
        for name, method in methods.items():
            seconds = _timed(q, k, v, method, positions)
            if turn:  # the first turn warms up
                took[name].append(seconds)
    return {name: _timing(took[name], took["none"]) for name in names}


def _timed(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, method: PositionMethod, positions: torch.Tensor) -> float:
    _wait(q.device)
    start = time.perf_counter()
    fused_attention(q, k, v, method, positions, positions)
    _wait(q.device)
    return time.perf_counter() - start


def _wait(device: torch.device) -> None:
    """Let a GPU finish what it was given; the CPU has finished when the call returns."""
    if device.type != "cpu":
        torch.accelerator.synchronize()


def _timing(ours: Sequence[float], plain: Sequence[float]) -> Timing:
    ratio = statistics.median(a / b for a, b in zip(ours, plain, strict=True))
    return Timing(1000 * statistics.median(ours), ratio)
