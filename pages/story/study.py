"""What the scenes of the story compute: attention over two orders of one sentence, one penalty, trained heads by distance.

Notable choices:
- The scenes about order use one head without learned weights, the words' vectors as queries and keys: what they show holds
  for any weights, since attention without positions is permutation-equivariant.
- Where a trained head attends is averaged by distance, over the last QUERIES queries of the text: single queries differ by
  what they read.
- A loss is always in nats per word, above another one: losses of different texts and tokens can then be compared.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.charts.lines import Line
from alibi_viz.content.words import vectors
from alibi_viz.lm.corpus import python_text
from alibi_viz.positions import METHODS, build
from alibi_viz.positions.alibi import Alibi
from alibi_viz.results import measured, trained

TRAINED = 128  # tokens: L, also of the shipped models
WIDTH = 12  # of a word's vector
QUERIES = 32
TEXTS = 4  # pieces of the held-out text
TIMES = 4  # training lengths of the longer text
FAR = 16  # training lengths of the longest text
SHOWN = ("sinusoidal", "rope", "t5", "alibi")  # the paper's four methods
COMPARED = ("alibi", "t5", "sandwich", "fire", "sinusoidal", "rope")


@dataclass(frozen=True)
class Orders:
    """Weights [T, T] of two sentences, each in its own order, and the places of the first's words in the second."""

    first: np.ndarray
    second: np.ndarray
    places: tuple[int, ...]

    @property
    def difference(self) -> float:
        """The largest between the first and the second in the order of the first."""
        return float(np.abs(self.first - self.second[np.ix_(self.places, self.places)]).max())


def orders(first: Sequence[str], second: Sequence[str], *, causal: bool) -> Orders:
    """Attention without positions over both sentences, which hold the same words, each once."""
    a, b = (_weights(sentence, causal=causal) for sentence in (first, second))
    return Orders(a, b, tuple(list(second).index(word) for word in first))


@torch.no_grad()
def _weights(sentence: Sequence[str], *, causal: bool) -> np.ndarray:
    x = torch.from_numpy(vectors(list(sentence), WIDTH))[None, None]  # [1, 1, T, d]
    positions, method = torch.arange(len(sentence)), build("none", heads=1, head_dim=WIDTH)
    return trace_attention(x, x, x, method, positions, positions, causal=causal).weights[0, 0].numpy()


@dataclass(frozen=True)
class Penalty:
    """One head over tokens of equal content: what is added to the scores, and the weights. -inf where masked."""

    bias: np.ndarray  # float32 [queries, keys]
    weights: np.ndarray  # float32 [queries, keys]


def penalty(slope: float, tokens: int, step: int = 1) -> Penalty:
    """ALiBi's bias with one slope, and the softmax of it alone; of every `step`-th query and key."""
    whole = _equal_content(slope, torch.arange(0, tokens, step), tokens)
    return Penalty(whole.bias[:, ::step], whole.weights[:, ::step])


def last_query(slope: float, tokens: int) -> Penalty:
    """The same of the last query alone, with all of its keys."""
    return _equal_content(slope, torch.arange(tokens - 1, tokens), tokens)


@torch.no_grad()
def _equal_content(slope: float, queries: torch.Tensor, tokens: int) -> Penalty:
    method = Alibi(1, 1, 1, slopes=[slope])
    q, k = torch.zeros(1, 1, len(queries), 1), torch.zeros(1, 1, tokens, 1)
    trace = trace_attention(q, k, k, method, queries, torch.arange(tokens))
    hidden = trace.masked[0, 0].isneginf()
    assert trace.bias is not None
    bias, weights = trace.bias[0], trace.weights[0, 0]
    return Penalty(bias.masked_fill(hidden, -math.inf).numpy(), weights.masked_fill(hidden, -math.inf).numpy())


def beyond(slope: float) -> float:
    """Equal content: the share of the last query's weight beyond the first L distances, in a text of FAR · L."""
    return float(last_query(slope, FAR * TRAINED).weights[0, :-TRAINED].sum())


@lru_cache(maxsize=1)
def trained_beyond() -> tuple[float, float] | None:
    """The same of ALiBi's trained heads in the last layer: with the largest and with the smallest slope."""
    loaded = trained.load("alibi")
    if loaded is None or loaded.slopes is None:
        return None
    shares = _by_distance(loaded, FAR * loaded.config.length)[:, loaded.config.length :].sum(1)
    return float(shares[np.argmax(loaded.slopes)]), float(shares[np.argmin(loaded.slopes)])


@dataclass(frozen=True)
class Profile:
    """Mean weight by distance of one trained model, at L and at TIMES * L. float64 [distances] each."""

    method: str
    at_length: np.ndarray
    beyond: np.ndarray

    @property
    def shift(self) -> float:
        """How much of the weight moved: total variation between the two, from 0 (alike) to 1."""
        short = np.zeros_like(self.beyond)
        short[: len(self.at_length)] = self.at_length
        return float(np.abs(short - self.beyond).sum() / 2)


@lru_cache(maxsize=1)
def profiles() -> tuple[Profile, ...]:
    """Of the compared methods; those whose model is not there are left out."""
    return tuple(profile for method in COMPARED if (profile := _profile(method)))


def _profile(method: str) -> Profile | None:
    loaded = trained.load(method)
    if loaded is None:
        return None
    length = loaded.config.length
    at_length = _by_distance(loaded, length)
    beyond = _by_distance(loaded, TIMES * length)
    return Profile(method, at_length.mean(0), beyond.mean(0))


@torch.no_grad()
def _by_distance(loaded: trained.Loaded, length: int) -> np.ndarray:
    """Mean weight [heads, distances] of the last layer, of the last queries of texts of that length."""
    held_out, total = python_text().held_out, torch.zeros(loaded.config.heads, length, dtype=torch.float64)
    rows = torch.arange(length - QUERIES, length)
    for piece in range(TEXTS):
        start = piece * len(held_out) // TEXTS
        inputs = trained.inputs(loaded, held_out[start : start + length], loaded.config.layers)
        weights = inputs.trace(rows).weights[0].double()  # [heads, queries, keys]
        distance = rows[:, None] - torch.arange(length)
        seen = distance >= 0
        total.index_add_(1, distance[seen], weights[:, seen])
    return (total / total.sum(1, keepdim=True)).numpy()


def of_shipped(methods: Sequence[str], protocol: measured.Protocol = "sliding") -> dict[str, measured.RunCurve]:
    """The measured curves of shipped models whose loss above that at L is known, by method."""
    curves = {curve.config.method: curve for curve in measured.curves(measured.shipped(), protocol)}
    return {method: curves[method] for method in methods if method in curves and curves[method].rise is not None}


def breaks(methods: Sequence[str] = SHOWN) -> dict[str, float]:
    """Method -> the first measured window, in training lengths, where it breaks (see measured.WORSE); infinite: none.

    Without the methods that cannot read beyond L.
    """
    first = {}
    for method, curve in of_shipped(methods).items():
        assert curve.rise is not None
        if curve.lengths[-1] <= curve.config.length:
            continue
        broken = curve.lengths[(curve.rise.mean(1) > measured.WORSE) & (curve.lengths > curve.config.length)]
        first[method] = float(broken[0]) / curve.config.length if len(broken) else np.inf
    return first


def rises_at(times: int, methods: Sequence[str] = COMPARED) -> dict[str, float]:
    """Method -> its loss in windows of so many training lengths above that at L, nats per word."""
    return {method: curve.rise_at(times * curve.config.length) for method, curve in of_shipped(methods).items()}


def rises() -> list[Line]:
    """From L on, the loss of each method above its own at L."""
    lines = []
    for method, curve in of_shipped(SHOWN).items():
        assert curve.rise is not None
        lines.append(_line(method, METHODS[method].title, curve, curve.rise))
    return lines


def by_windows(names: Mapping[measured.Protocol, str]) -> dict[measured.Protocol, Line]:
    """ALiBi in each kind of windows: its loss above that in nonoverlapping windows of L, seed by seed."""
    curves = {kind: of_shipped(("alibi",), kind)["alibi"] for kind in measured.PROTOCOLS}
    plain = curves["nonoverlapping"]
    at_length = np.log(plain.per_seed[plain.lengths == plain.config.length])  # [1, seeds]
    lines = {}
    for kind, curve in curves.items():
        assert curve.bytes_per_word is not None
        above = (np.log(curve.per_seed) - at_length) * curve.bytes_per_word
        lines[kind] = _line("alibi", names[kind], curve, above, hollow=kind == "sliding")
    return lines


def _line(method: str, name: str, curve: measured.RunCurve, values: np.ndarray, *, hollow: bool = False) -> Line:
    """values: [lengths, seeds]"""
    keep = curve.lengths >= curve.config.length
    of_seeds = values[keep]
    spread = of_seeds.mean(1), of_seeds.min(1), of_seeds.max(1)
    return Line(method, name, curve.lengths[keep], *spread, hollow=hollow)


def recalled() -> tuple[dict[str, float], list[str]]:
    """Right answers at the farthest distance, of the methods shown that learned the task; and which recall there too."""
    runs = [run for run in measured.shipped("recall") if not run.config.options]
    right, wrong_key = (measured.recall_curves(runs, share) for share in ("right", "wrong_key"))
    curves = {curve.config.method: curve for curve in measured.learned(right, wrong_key)}
    controls = {curve.config.method: curve for curve in wrong_key}
    shown = [method for method in SHOWN if method in curves]
    shares = {method: float(curves[method].mean[-1]) for method in shown}
    return shares, [method for method in shown if measured.recalls(curves[method], controls[method])[-1]]
