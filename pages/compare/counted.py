"""Compare: the facts about each method, counted and tried on the running objects.

Notable choices:
- Nothing here is typed: parameters and bytes are counted on a method that is built for n tokens, new numbers on what it
  gives for one more token, and whether it takes positions beyond the training length is tried.
- Whether the biases of one query serve the next one again (the same at the same distances) is tried, not taken from a name.
- Milliseconds are measured on this device: every method in turn, round after round; the median of the rounds is given.
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch

from alibi_viz.attention.fused import fused_attention
from alibi_viz.content.synthetic import Setting, attend, build_method, count_parameters, embed
from alibi_viz.positions import PositionMethod

ROUNDS = 7


@dataclass(frozen=True)
class Facts:
    """What can be counted and tried on one method."""

    method: str
    acts_on: str
    parameters: int  # numbers that training sets
    state: int  # bytes that the method holds for n tokens
    new: int  # numbers that one more token at n needs, when those of earlier tokens are kept
    refusal: str  # the method's own sentence about a position beyond the training length; empty when it takes it


@dataclass(frozen=True)
class Timing:
    milliseconds: float  # one attention call, median
    ratio: float  # against no positions, median of the rounds


@lru_cache(maxsize=32)
@torch.no_grad()
def facts(methods: tuple[str, ...], setting: Setting, n: int) -> tuple[Facts, ...]:
    """One row a method, for n tokens."""
    return tuple(_facts(name, setting, n) for name in methods)


def _facts(name: str, setting: Setting, n: int) -> Facts:
    method = build_method(name, setting, max_length=n)
    state = sum(tensor.numel() * tensor.element_size() for tensor in (*method.parameters(), *method.buffers()))
    counts = count_parameters(method), state, new_numbers(method, setting, n)
    return Facts(name, method.acts_on, *counts, _refusal(build_method(name, setting), setting))


def new_numbers(method: PositionMethod, setting: Setting, n: int) -> int:
    """Numbers that place token n and that no earlier token had: in its vector, its query and key, its row of biases."""
    now, keys = torch.tensor([n - 1], device=setting.device), torch.arange(n, device=setting.device)
    x = torch.zeros(1, 1, setting.width, device=setting.device)
    q = torch.zeros(1, setting.heads, 1, setting.head_dim, device=setting.device)
    placed = method.add_to_embeddings(x, now), *method.rotate(q, q, now, now)
    count = sum(y.numel() for y in placed if y is not x and y is not q)
    bias, earlier = method.score_bias(now, keys), method.score_bias(now - 1, keys[:-1])
    if bias is None or earlier is None:
        return count
    kept = torch.allclose(bias[..., 1:], earlier, rtol=1e-6, atol=1e-6)
    return count + bias.numel() - (earlier.numel() if kept else 0)


def _refusal(method: PositionMethod, setting: Setting) -> str:
    """The method's sentence about a text of twice its training length; empty when it takes it."""
    x, at = embed(("",), setting), torch.tensor([2 * method.max_length - 1], device=setting.device)
    try:
        attend(method, setting, x, at, x, at)
    except ValueError as error:
        return str(error)
    return ""


@torch.no_grad()
def timings(methods: Sequence[str], setting: Setting, n: int, rounds: int = ROUNDS) -> dict[str, Timing]:
    """Milliseconds of one fused attention call over n tokens, and their ratio to no positions at all.

    Vectors added to the embeddings cost nothing here: they are added once, before the first layer.
    """
    device = setting.device
    q, k, v = (torch.randn(1, setting.heads, n, setting.head_dim, device=device) for _ in range(3))
    positions = torch.arange(n, device=device)
    built = {name: build_method(name, setting, max_length=n) for name in dict.fromkeys(("none", *methods))}

    def measure(method: PositionMethod) -> float:
        _wait(device)
        start = time.perf_counter()
        fused_attention(q, k, v, method, positions, positions)
        _wait(device)
        return time.perf_counter() - start

    turns = [{name: measure(method) for name, method in built.items()} for _ in range(rounds + 1)][1:]  # first: warm-up
    seconds = {name: statistics.median(turn[name] for turn in turns) for name in methods}
    ratios = {name: statistics.median(turn[name] / turn["none"] for turn in turns) for name in methods}
    return {name: Timing(1000 * seconds[name], ratios[name]) for name in methods}


def _wait(device: str) -> None:
    """Let a GPU finish its queue; the CPU has finished when the call returns."""
    if device != "cpu":
        torch.accelerator.synchronize()
