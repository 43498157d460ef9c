"""The playground: one sentence through one attention with ALiBi's bias, in PyTorch, and the measured models beside it.

Notable choices:
- The content is “same words attract” of `alibi_viz.content.synthetic`: random word vectors of one length, so that every
  word matches itself best.
- Heads share queries and keys: what differs between them is the slope alone.
- The text is pulled longer by its own words in front, so that its last word stays the last.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.attention.attention import trace_attention
from alibi_viz.content.synthetic import ATTRACTION
from alibi_viz.content.words import SPREAD, directions
from alibi_viz.pictures.playground.message import MOST_WORDS
from alibi_viz.positions.alibi import Alibi, slopes
from alibi_viz.results import measured
from alibi_viz.results.measured import Protocol

COUNTS = (1, 2, 4, 8, 16)  # of heads
GENTLEST, STEEPEST = 1 / 1024, 2.0  # slopes that a hand can set
TIMES = 16.0  # the text is pulled to at most so many times its length
HEAD_DIM = SPREAD
WHOLE = 128  # words: of a text up to this length every pair is computed
METHODS = ("rope", "sinusoidal", "t5", "alibi")


@dataclass(frozen=True)
class Controls:
    words: tuple[str, ...]  # of the text, 1 to MOST_WORDS
    heads: int  # one of COUNTS
    head: int  # from 1
    strength: float
    own: tuple[tuple[int, float], ...]  # head, and its slope that is not the rule's
    back: int  # words after the query
    ratio: float  # lengths of the text

    @property
    def count(self) -> int:
        """Words in all; a half is rounded up, as the browser does."""
        return min(max(math.floor(len(self.words) * self.ratio + 0.5), len(self.words)), MOST_WORDS)

    @property
    def query(self) -> int:
        """Its position, from 0."""
        return max(0, self.count - 1 - self.back)

    @property
    def slopes(self) -> list[float]:
        """One a head, without strength."""
        return [dict(self.own).get(head, slope) for head, slope in enumerate(slopes(self.heads), start=1)]


@dataclass(frozen=True)
class Result:
    """ids: the row of `vectors` of each word of the text. rows: weights of the query in every head.

    matrix: weights of the chosen head, every query; None for a long text.
    """

    ids: list[int]
    vectors: np.ndarray  # float32 [U, d]
    rows: np.ndarray  # float32 [H, query + 1]
    matrix: np.ndarray | None  # float32 [T, T]


def study(controls: Controls) -> Result:
    """Each stage that the picture shows, by the traced attention."""
    ids, table = content(controls.words)
    length, count, query = len(ids), controls.count, controls.query
    ends = [ids[length - 1 - (count - 1 - i) % length] for i in range(count)]
    x = torch.from_numpy(table)[ends][None, None].expand(1, controls.heads, -1, -1)  # [1, H, T, d]
    position = Alibi(
        controls.heads, HEAD_DIM, HEAD_DIM * controls.heads, slopes=controls.slopes, strength=controls.strength
    )
    at = torch.arange(count)
    past = slice(0, query + 1)
    last = trace_attention(
        x[:, :, query : query + 1], x[:, :, past], x[:, :, past], position, at[query : query + 1], at[past]
    )
    matrix = None
    if count <= WHOLE:
        matrix = trace_attention(x, x, x, position, at, at, head=controls.head - 1).weights[0, 0].numpy()
    return Result(ids, table, last.weights[0, :, 0].numpy(), matrix)


@lru_cache(maxsize=32)
def content(words: tuple[str, ...]) -> tuple[list[int], np.ndarray]:
    """The number of each word among the distinct ones (capitals do not count), and a vector for each: float32 [U, d].

    q.k / sqrt(d) of a word with itself is ATTRACTION, and less with any other.
    """
    lowered = [word.casefold() for word in words]
    distinct = list(dict.fromkeys(lowered))
    scaled = directions(distinct, HEAD_DIM) * np.float32(np.sqrt(ATTRACTION * np.sqrt(HEAD_DIM)))
    return [distinct.index(word) for word in lowered], scaled


@lru_cache(maxsize=2)
def lines(protocol: Protocol = "sliding") -> dict[str, tuple[list[float], list[float]]]:
    """Of each of METHODS: lengths in training lengths, and the mean perplexity of the shipped models there."""
    curves = {curve.config.method: curve for curve in measured.curves(measured.shipped(), protocol)}
    found = {}
    for method in METHODS:
        curve = curves[method]
        found[method] = ([float(n) / curve.config.length for n in curve.lengths], [float(y) for y in curve.mean])
    return found


def train_length() -> int:
    """Bytes that the shipped models were trained on at a time."""
    return measured.shipped()[0].config.length
