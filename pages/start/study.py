"""The Start page: does attention see the order of words? The same words in two orders go through one attention with the
same random weights, and outputs are compared word by word: the k-th "the" of the first text with that of the second.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.attention.attention import Attention
from alibi_viz.content import vectors, words
from alibi_viz.positions import build

WIDTH, HEADS = 12, 3
LONGEST = 24  # words a sentence
CASES = {"plain": ("none", False), "masked": ("none", True), "alibi": ("alibi", True)}  # (method, causal mask)


@dataclass(frozen=True)
class Controls:
    first: str
    second: str
    device: str = "cpu"


@dataclass(frozen=True)
class Case:
    """Outputs of one attention over both sentences, [T, D], in the order of the first sentence."""

    first: np.ndarray
    second: np.ndarray

    @property
    def difference(self) -> float:
        """The largest absolute difference between the two sentences."""
        return float(np.abs(self.first - self.second).max())


@dataclass(frozen=True)
class Result:
    controls: Controls
    first: list[str]  # the words of the first sentence
    second: list[str]
    cases: dict[str, Case]  # key of CASES -> its outputs


def study(controls: Controls) -> Result:
    """Run both sentences through all attentions.

    Raises ValueError for an empty or a too long sentence, and for words without a partner in the other one.
    """
    first, second = words(controls.first.lower()), words(controls.second.lower())
    if not first or not second:
        raise ValueError("Write at least one word in each sentence.")
    if max(len(first), len(second)) > LONGEST:
        raise ValueError(f"Use at most {LONGEST} words in each sentence.")
    alone = sorted((Counter(first) - Counter(second)) + (Counter(second) - Counter(first)))
    if alone:
        raise ValueError(f"The two sentences must hold the same words. Without a partner: {', '.join(alone[:8])}.")
    order = partners(first, second)
    layers = {case: attention(*options).to(controls.device) for case, options in CASES.items()}
    cases = {case: Case(outputs(layer, first), outputs(layer, second)[order]) for case, layer in layers.items()}
    return Result(controls, first, second, cases)


def partners(first: Sequence[str], second: Sequence[str]) -> list[int]:
    """For every word of `first`, the position in `second` of the same occurrence of that word."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(second):
        positions.setdefault(word, []).append(position)
    return [positions[word].pop(0) for word in first]


def attention(method: str, causal: bool) -> Attention:
    """A small attention whose random weights are always the same."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layer = Attention(WIDTH, HEADS, build(method, heads=HEADS, head_dim=WIDTH // HEADS), causal=causal)
        for projection in (layer.to_q, layer.to_k, layer.to_v, layer.to_out):
            torch.nn.init.normal_(projection.weight, std=WIDTH**-0.5)
    return layer.eval()


@torch.no_grad()
def outputs(layer: Attention, sentence: Sequence[str]) -> np.ndarray:
    """[T, D] output of every word."""
    x = torch.from_numpy(vectors(sentence, WIDTH)).to(layer.to_q.weight.device)
    return layer(x[None], path="eager")[0].float().cpu().numpy()
