"""The Start page: does attention see the order of words?

The same words stand in two orders. Both go through the same real attention, with random weights that are the same in
both runs. Outputs are compared word by word: the k-th "the" of the first text with the k-th "the" of the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.attention.attention import Attention
from alibi_viz.content import vectors, words
from alibi_viz.positions import build

WIDTH, HEADS = 12, 3
MOST = 24  # words a sentence


class NotSameWords(ValueError):
    """The two sentences do not hold the same words; `extra` names those without a partner."""

    def __init__(self, extra: Sequence[str]) -> None:
        super().__init__("The two sentences do not hold the same words.")
        self.extra = list(extra)


@dataclass(frozen=True)
class Case:
    """One attention over both sentences."""

    first: np.ndarray  # [T, D] outputs of the first sentence
    second: np.ndarray  # [T, D] outputs of the second sentence, in its own order
    reordered: np.ndarray  # [T, D] the same, in the order of the first sentence
    difference: float  # largest absolute difference between `first` and `reordered`


@dataclass(frozen=True)
class Result:
    """The words of both sentences, and three attentions over them."""

    first: list[str]
    second: list[str]
    plain: Case  # no positions, no mask
    masked: Case  # no positions, causal mask
    alibi: Case  # ALiBi and causal mask


def study(first: str, second: str, device: str = "cpu") -> Result:
    """Run both sentences through all three attentions.

    Raises:
        ValueError: for an empty or a too long sentence.
        NotSameWords: if the words are not the same.
    """
    a, b = words(first.lower()), words(second.lower())
    if not a or not b:
        raise ValueError("Write at least one word in each sentence.")
    if max(len(a), len(b)) > MOST:
        raise ValueError(f"Use at most {MOST} words in each sentence.")
    missing = (Counter(a) - Counter(b)) + (Counter(b) - Counter(a))
    if missing:
        raise NotSameWords(sorted(missing))
    order = partners(a, b)
    cases = [_case(a, b, order, *kind, device) for kind in (("none", False), ("none", True), ("alibi", True))]
    return Result(a, b, *cases)


def partners(a: Sequence[str], b: Sequence[str]) -> list[int]:
    """For every word of `a`, the place in `b` of the same occurrence of that word."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(b):
        places.setdefault(word, []).append(place)
    return [places[word].pop(0) for word in a]


def _case(a: Sequence[str], b: Sequence[str], order: list[int], method: str, causal: bool, device: str) -> Case:
    layer = attention(method, causal).to(device)
    first, second = outputs(layer, a, device), outputs(layer, b, device)
    reordered = second[order]
    return Case(first, second, reordered, float(np.abs(first - reordered).max()))


def attention(method: str, causal: bool) -> Attention:
    """A small attention whose random weights are always the same."""
    torch_state = torch.random.get_rng_state()
    torch.manual_seed(0)
    layer = Attention(WIDTH, HEADS, build(method, heads=HEADS, head_dim=WIDTH // HEADS), causal=causal)
    for part in (layer.to_q, layer.to_k, layer.to_v, layer.to_out):
        torch.nn.init.normal_(part.weight, std=WIDTH**-0.5)
    torch.random.set_rng_state(torch_state)
    return layer.eval()


@torch.no_grad()
def outputs(layer: Attention, sentence: Sequence[str], device: str) -> np.ndarray:
    """[T, D] output of every word."""
    x = torch.from_numpy(vectors(sentence, WIDTH)).to(device)
    return layer(x[None], path="eager")[0].float().cpu().numpy()
