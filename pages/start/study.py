"""The Start page: does attention see the order of words?

Notable choices:
- The same words in two orders go through one attention with the same random weights. Attention weights and outputs are
  compared word by word: the k-th "the" of the first text with that of the second.
- Methods are compared under the same mask, since a causal mask alone breaks the symmetry. Without a mask ALiBi has its
  symmetric form: the causal one would reward later keys.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from alibi_viz.attention.attention import Attention
from alibi_viz.attention.pictures import difference
from alibi_viz.content.words import vectors, words
from alibi_viz.positions import build

WIDTH, HEADS = 12, 3
LONGEST = 24  # words a sentence
#: Case -> (method, causal mask).
CASES = {
    "plain": ("none", False),
    "alibi": ("alibi", False),
    "plain_masked": ("none", True),
    "alibi_masked": ("alibi", True),
}


@dataclass(frozen=True)
class Controls:
    first: str
    second: str
    device: str = "cpu"


@dataclass(frozen=True)
class Case:
    """One attention over both sentences, in the order of the words of the first one."""

    first: np.ndarray  # outputs [T, D]
    second: np.ndarray
    weights: np.ndarray  # of the first sentence [query, key], mean of the heads
    change: np.ndarray  # of the attention weights [query, key], mean of the heads: second minus first, without rounding

    @property
    def difference(self) -> float:
        """The largest absolute difference of an output between the two sentences."""
        return float(np.abs(self.first - self.second).max())

    @property
    def largest_change(self) -> float:
        """The same of the attention weights."""
        return float(np.abs(self.change).max())


@dataclass(frozen=True)
class Result:
    controls: Controls
    first: list[str]  # the words of the first sentence
    second: list[str]
    cases: dict[str, Case]  # key of CASES -> its numbers

    def sees(self, name: str) -> bool:
        """Whether a case tells the sentences apart: some weight changes."""
        return self.cases[name].largest_change > 0

    @property
    def most_changed(self) -> tuple[int, int]:
        """The query and the key, words of the first sentence, whose weight ALiBi changes most."""
        change = self.cases["alibi"].change
        query, key = divmod(int(np.abs(change).argmax()), change.shape[1])
        return query, key


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
    layers = {case: attention(*options).to(controls.device) for case, options in CASES.items()}
    cases = {case: compare(layer, first, second) for case, layer in layers.items()}
    return Result(controls, first, second, cases)


def compare(layer: Attention, first: Sequence[str], second: Sequence[str]) -> Case:
    """Both sentences through one attention."""
    order = partners(first, second)
    (weights, outputs), (other_weights, other_outputs) = run(layer, first), run(layer, second)
    return Case(outputs, other_outputs[order], weights, difference(other_weights[np.ix_(order, order)], weights))


def partners(first: Sequence[str], second: Sequence[str]) -> list[int]:
    """For every word of `first`, the position in `second` of the same occurrence of that word."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(second):
        positions.setdefault(word, []).append(position)
    return [positions[word].pop(0) for word in first]


def attention(method: str, causal: bool) -> Attention:
    """A small attention whose random weights are always the same."""
    form: dict[str, Any] = {"form": "symmetric"} if method == "alibi" and not causal else {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layer = Attention(WIDTH, HEADS, build(method, heads=HEADS, head_dim=WIDTH // HEADS, **form), causal=causal)
        for projection in (layer.to_q, layer.to_k, layer.to_v, layer.to_out):
            torch.nn.init.normal_(projection.weight, std=WIDTH**-0.5)
    return layer.eval()


@torch.no_grad()
def run(layer: Attention, sentence: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Attention weights [T, T], mean of the heads, and the output [T, D] of every word."""
    x = torch.from_numpy(vectors(sentence, WIDTH)).to(layer.to_q.weight.device)
    trace, output = layer.trace(x[None])
    return trace.weights[0].mean(0).float().cpu().numpy(), output[0].float().cpu().numpy()
