"""What the scenes of the story compute and look up.

Notable choices:
- The scenes over words use one head, “same words attract” of the playground: what they show of attention without positions
  holds for any weights, since no term of it depends on a place.
- Measured scenes read the shipped models on all held-out text. Perplexities are per byte, of all seeds (`table.means`);
  where keys are hidden, of the first seed, the one that was measured so.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch

from alibi_viz.attention.attention import Trace, trace_attention
from alibi_viz.charts.lines import Line
from alibi_viz.content.synthetic import ATTRACTION
from alibi_viz.content.words import SPREAD, directions, words
from alibi_viz.lessons.problems import Problem
from alibi_viz.pictures.orders.message import MAX_WORDS
from alibi_viz.positions.alibi import Alibi
from alibi_viz.results import pretrained, table
from alibi_viz.results.facts import load_facts
from alibi_viz.results.table import Protocol

TRAINED = 128  # tokens: L, also of the shipped models
FAR = 16  # training lengths of the longest text
HIDDEN_AT = 4  # training lengths of the text in which keys are hidden
SLOPE = 0.5  # of the head over words
SHOWN = ("sinusoidal", "rope", "t5", "alibi")  # the paper's four methods
#: Content scores, ALiBi's bias and the weights: float32 [T, T] each, -inf where the mask hides a key.
Stages = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Orders:
    """Attention over a sentence in its own order, and in the reader's; without positions, and with ALiBi."""

    content: np.ndarray  # float32 [T, T]: scores in the sentence's own order
    before: np.ndarray  # float32 [2, T, T]: weights in the sentence's own order
    weights: np.ndarray  # float32 [2, T, T]: in the reader's
    order: tuple[int, ...]  # the word of each place

    @property
    def changes(self) -> tuple[float, float]:
        """The largest change of the weight between two words: without positions, and with ALiBi."""
        rows, cols = np.ix_(self.order, self.order)
        plain, alibi = np.abs(self.before[:, rows, cols] - self.weights).max((1, 2))
        return float(plain), float(alibi)


def split(sentence: str) -> tuple[str, ...]:
    """Its words. Raises ValueError where there are too few or too many."""
    parts = tuple(words(sentence))
    if not 2 <= len(parts) <= MAX_WORDS:
        raise Problem("texts.words", most=MAX_WORDS)
    return parts


def read_order(text: str, count: int) -> tuple[int, ...]:
    """The places that an address names, “1,0,2”; the sentence's own order where they are not those of `count` words."""
    try:
        order = tuple(map(int, text.split(",")))
    except ValueError:
        order = ()
    return order if sorted(order) == list(range(count)) else tuple(range(count))


def orders(sentence: Sequence[str], order: Sequence[int], *, causal: bool, slope: float = SLOPE) -> Orders:
    """One head over the sentence in both orders. order: a permutation of its places."""
    own = [_over_words(sentence, m, causal=causal) for m in (0.0, slope)]
    moved = [_over_words([sentence[at] for at in order], m, causal=causal) for m in (0.0, slope)]
    before, weights = (np.stack([trace.weights[0, 0].numpy() for trace in traces]) for traces in (own, moved))
    return Orders(own[0].content[0, 0].numpy(), before, weights, tuple(order))


@torch.no_grad()
def _over_words(sentence: Sequence[str], slope: float, *, causal: bool) -> Trace:
    """One head with this slope; without a mask in ALiBi's symmetric form, since the causal one rewards later keys."""
    x = torch.from_numpy(directions(sentence, SPREAD))[None, None] * math.sqrt(ATTRACTION * math.sqrt(SPREAD))
    method = Alibi(1, SPREAD, SPREAD, slopes=[slope], form="causal" if causal else "symmetric")
    positions = torch.arange(len(sentence))
    return trace_attention(x, x, x, method, positions, positions, causal=causal)


def stages(sentence: Sequence[str], slope: float) -> Stages:
    """Of one head with this slope, under the causal mask."""
    return _stages(_over_words(sentence, slope, causal=True))


def equal_content(slope: float, tokens: int, step: int = 1) -> Stages:
    """The same over tokens that match equally well, so that only the bias decides; of every `step`-th query and key."""
    return _stages(_equal(slope, torch.arange(0, tokens, step), tokens), step)


def share_beyond(slope: float, tokens: int) -> float:
    """With equal content: the share of the last query's weight on keys at L tokens or more."""
    weights = _equal(slope, torch.arange(tokens - 1, tokens), tokens).weights[0, 0, 0]
    return float(weights[: max(tokens - TRAINED, 0)].sum())


@torch.no_grad()
def _equal(slope: float, queries: torch.Tensor, tokens: int) -> Trace:
    q, k = torch.zeros(1, 1, len(queries), 1), torch.zeros(1, 1, tokens, 1)
    return trace_attention(q, k, k, Alibi(1, 1, 1, slopes=[slope]), queries, torch.arange(tokens))


def _stages(trace: Trace, step: int = 1) -> Stages:
    assert trace.bias is not None
    hidden = trace.masked[0, 0].isneginf()
    parts = (trace.content[0, 0], trace.bias[0], trace.weights[0, 0])
    content, bias, weights = (part.masked_fill(hidden, -math.inf)[:, ::step].contiguous().numpy() for part in parts)
    return content, bias, weights


def of_shipped(protocol: Protocol = "sliding") -> pd.DataFrame:
    """The measurements of the methods shown, in windows of L and longer."""
    every = table.losses()
    return every[(every.protocol == protocol) & every.method.isin(SHOWN) & (every.length >= every.train_length)]


def lines() -> list[Line]:
    """From L on, the perplexity of each method in sliding windows."""
    return table.lines(of_shipped())


def first_to_break() -> list[str]:
    """The methods that break at the shortest window of all (`table.breaks`)."""
    broken = {method: first.at or math.inf for method, first in table.breaks(of_shipped()).items()}
    return [method for method, times in broken.items() if times == min(broken.values())]


def hidden_keys() -> pd.DataFrame:
    """Perplexity per byte of the first seed, a row a method, in nonoverlapping windows: of L (`at_length`); of HIDDEN_AT L
    (`longer`), and there if each query sees the nearest L keys alone (`hidden`)."""
    every, far = table.measurements("windows"), HIDDEN_AT * TRAINED
    losses = every[every.seed == pretrained.SEEDS[0]].set_index(["length", "window", "method"]).loss.sort_index()
    parts = {"at_length": (TRAINED, TRAINED), "longer": (far, far), "hidden": (far, TRAINED)}
    return pd.DataFrame({part: np.exp(losses[sizes][list(SHOWN)]) for part, sizes in parts.items()})


def alibi_far_share() -> float:
    """Of ALiBi's weights in windows of HIDDEN_AT L the share on the keys that `hidden_keys` hides, over all heads."""
    return float(load_facts("why")["hidden"]["alibi_share"])


def by_windows(names: Mapping[Protocol, str]) -> dict[Protocol, Line]:
    """ALiBi's perplexity from L on, in each kind of windows."""
    lines = {}
    for protocol, name in names.items():
        every = of_shipped(protocol)
        (line,) = table.lines(every[every.method == "alibi"])
        lines[protocol] = replace(line, name=name, hollow=protocol == "sliding")
    return lines
