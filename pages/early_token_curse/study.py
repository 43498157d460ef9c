"""The Early token curse page: which token sees how much context, what that costs, and what the runs gave.

Notable choices:
- Windows come from `evaluation.windows` and their cost from `evaluation.tokens_processed`: these also measure the runs.
- The context of a token is the number of tokens before it in its window. The first token of a text is never predicted,
  so eight words give seven predictions, and the least context is 1.
- Loss by position is averaged in groups of places that grow by half an octave: single places of a long window have few
  predictions behind them.
- The level of a method is its mean loss over the second half of the places it was trained on. Context is enough from the
  first group on that has come CLOSED of the way from the first place's loss down to the level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz import published
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import tokens_processed, windows
from alibi_viz.lm.recall import recall_question
from alibi_viz.measured import Curve, Measured, curves

FEWEST, MOST = 4, 12  # words of the sentence: with more, a cell would be too small to read
TEXT_LENGTHS = tuple(2**power for power in range(3, 14))  # windows over a long text
WITHIN = 0.01  # a perplexity that changes by less is called flat
CLOSED = 0.9
CHANCE, FOUND = 0.1, 0.9  # recall: share of right answers by guessing, and the share that counts as found


@dataclass(frozen=True)
class Window:
    """One pass through the model: it reads the words begin .. end - 1, and predicts the next word after each of them."""

    begin: int
    end: int
    first: int  # place, from 0, of the first prediction that counts

    @property
    def counted(self) -> range:
        """The words whose prediction counts in this pass."""
        return range(self.begin + self.first + 1, self.end + 1)


@dataclass(frozen=True)
class Plan:
    """One protocol over a short text, whose words are numbered from 0."""

    stride: int
    windows: tuple[Window, ...]
    context: np.ndarray  # int64 [words - 1]: context of the words 1, 2, ...
    words_read: int  # through the model, all passes together

    def short(self, least: int) -> float:
        """Share of the predicted words with less than `least` words of context."""
        return float((self.context < least).mean())


def plan(words: int, length: int, stride: int) -> Plan:
    """Every window over a text of that many words.

    Raises:
        ValueError: if the text has fewer than FEWEST words, or the stride is not between 1 and the length.
    """
    if words < FEWEST:
        raise ValueError(f"Write at least {FEWEST} words, so that a window has room to move.")
    found = tuple(Window(*one) for one in windows(words - 1, length, stride))
    context = np.concatenate([np.arange(one.first, one.end - one.begin) + 1 for one in found])
    return Plan(stride, found, context, tokens_processed(words - 1, length, stride))


@dataclass(frozen=True)
class Trade:
    """One protocol over a long text, at every length of the window. Arrays are [lengths]."""

    name: str  # a key of STRIDES
    lengths: np.ndarray  # int64
    share: np.ndarray  # of the predictions, those with too little context
    cost: np.ndarray  # tokens through the model for each prediction


STRIDES = {"nonoverlapping": lambda length: length, "quarter": lambda length: max(length // 4, 1), "one": lambda _: 1}


@lru_cache(maxsize=32)
def trades(predictions: int, least: int) -> tuple[Trade, ...]:
    """What less than `least` tokens of context and the cost are, for every protocol of STRIDES."""
    made = []
    for name, stride in STRIDES.items():
        pairs = [(length, stride(length)) for length in TEXT_LENGTHS]
        share = [short_share(predictions, *pair, least) for pair in pairs]
        cost = [_tokens_processed(predictions, *pair) / predictions for pair in pairs]
        made.append(Trade(name, np.array(TEXT_LENGTHS), np.array(share), np.array(cost)))
    return tuple(made)


def short_share(predictions: int, length: int, stride: int, least: int) -> float:
    """Share of the predictions with less than `least` tokens of context."""
    return int(contexts(predictions, length, stride)[:least].sum()) / predictions


@lru_cache(maxsize=128)
def contexts(predictions: int, length: int, stride: int) -> np.ndarray:
    """int64 [length + 1]: how many predictions have exactly n tokens of context, n = 0 .. length."""
    change = np.zeros(length + 2, dtype=np.int64)
    for begin, end, first in windows(predictions, length, stride):
        change[first + 1] += 1  # this window has one prediction with each context from first + 1 ...
        change[end - begin + 1] -= 1  # ... to end - begin
    return change.cumsum()[:-1]


_tokens_processed = lru_cache(maxsize=128)(tokens_processed)


@dataclass(frozen=True)
class Both:
    """The same runs under both protocols."""

    nonoverlapping: Curve
    sliding: Curve | None

    @property
    def config(self) -> TrainConfig:
        return self.nonoverlapping.config


def both(runs: Iterable[Measured]) -> tuple[Both, ...]:
    """Every curve of nonoverlapping windows with its sliding one, in the order in which the runs first appear."""
    runs = tuple(runs)
    sliding = {(one.origin, one.corpus, one.config): one for one in curves(runs, "sliding")}
    return tuple(Both(one, sliding.get((one.origin, one.corpus, one.config))) for one in curves(runs))


def changed(curve: Curve) -> str | None:
    """From L to the longest window: "better", "flat" or "worse"; None where nothing beyond L was measured."""
    base = curve.at(curve.config.length)
    if base is None or curve.lengths[-1] <= curve.config.length:
        return None
    return word_of(float(curve.mean[-1]) / base)


def word_of(ratio: float) -> str:
    """What became of a perplexity that was multiplied by `ratio`."""
    return "flat" if abs(ratio - 1) <= WITHIN else "better" if ratio < 1 else "worse"


@dataclass(frozen=True)
class Places:
    """Loss by position in nonoverlapping windows, in groups of places. Arrays are [groups]; losses are nats per byte."""

    first: np.ndarray  # first place of each group, from 1
    last: np.ndarray
    loss: np.ndarray  # mean of the seeds
    low: np.ndarray  # the smallest of the seeds
    high: np.ndarray
    predictions: np.ndarray  # behind each group, in each seed
    level: float  # with enough context
    needed: int  # place from which the context is enough
    mean: float  # over the whole window


def places(runs: Sequence[Measured], length: int) -> Places | None:
    """Loss by position of runs that differ in the seed alone; None where there is no such measurement."""
    points = [point for run in runs if (point := run.at(length)) is not None and point.by_position]
    if not points:
        return None
    table = np.array([point.by_position for point in points], dtype=np.float64)  # [seeds, length]
    counts = contexts(points[0].predictions, length, length)[1:]
    trained = min(length, runs[0].config.length)
    edges = groups(length, trained)
    sizes = np.add.reduceat(counts, edges[:-1])
    loss = np.add.reduceat(table * counts, edges[:-1], axis=1) / sizes  # [seeds, groups]
    late = slice(trained // 2, trained)
    level = float(np.average(table[:, late].mean(0), weights=counts[late]))
    mean = loss.mean(0)
    enough = mean <= level + (1 - CLOSED) * max(mean[0] - level, 0)
    return Places(
        first=edges[:-1] + 1,
        last=edges[1:],
        loss=mean,
        low=loss.min(0),
        high=loss.max(0),
        predictions=sizes,
        level=level,
        needed=int(edges[np.argmax(enough)]) + 1,
        mean=float(np.average(table.mean(0), weights=counts)),
    )


def groups(length: int, trained: int) -> np.ndarray:
    """Edges of groups of places, about half an octave each, with an edge where the trained places end."""
    halves = {round(2 ** (half / 2)) for half in range(2 * length.bit_length())}
    return np.array(sorted(edge for edge in {0, trained, length} | halves if edge <= length))


def recall_example(distance: int = 24) -> str:
    """A question of the recall task with its answer, as text."""
    text, answer = recall_question(1, distance, torch.Generator().manual_seed(0))
    return bytes([*text[0].tolist(), int(answer[0])]).decode("ascii")


@dataclass(frozen=True)
class Published:
    """One row of a table of the ALiBi paper: perplexity per word on WikiText-103."""

    table: str  # its number
    method: str
    sliding: bool  # stride 1; else nonoverlapping
    lengths: np.ndarray
    perplexity: np.ndarray

    @property
    def ratio(self) -> float:
        """Perplexity at the longest window divided by that at the training length."""
        return float(self.perplexity[-1] / self.perplexity[0])


TABLES = (
    ("5", "table5_alibi_train_by_eval", "alibi", False),
    ("15", "table15_sliding_alibi", "alibi", True),
    ("14", "table14_sliding_t5", "t5", True),
    ("13", "table13_sliding_sinusoidal", "sinusoidal", True),
)
PAPER_LENGTHS = (512, 1024)  # training lengths that both protocols were published for, at several windows


def paper(trained: int) -> tuple[Published, ...]:
    """The paper's rows for one training length, as published."""
    data, made = published.load(), []
    for number, key, method, sliding in TABLES:
        table = data[key]
        told = [
            (n, p) for n, p in zip(table["eval_lengths"], table["rows"][str(trained)], strict=True) if p is not None
        ]
        lengths, perplexity = zip(*told, strict=True)
        made.append(Published(number, method, sliding, np.array(lengths), np.array(perplexity)))
    return tuple(made)
