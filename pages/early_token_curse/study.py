"""The early token curse: which token sees how much context, what that costs, and what the runs gave.

Notable choices:
- Windows and their cost come from `alibi_viz.lm.evaluation`, which measured the runs too.
- The context of a token is the number of tokens before it in its window. The first token of a text is never predicted.
- Loss by position is averaged in groups that grow by half an octave: a single position has few predictions behind it.
- The level of a method is its mean loss over the second half of the positions it was trained on. Context is enough from
  the first group on that has come CLOSED of the way from the first position's loss down to the level.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from alibi_viz.lm.evaluation import tokens_processed, windows
from alibi_viz.results import published
from alibi_viz.results.measured import PROTOCOLS, MeasuredRun, Protocol, RunCurve, curves

FEWEST, MOST = 4, 12  # words of the sentence: with more, a cell would be too small to read
TEXT_LENGTHS = tuple(2**power for power in range(3, 14))  # windows over a long text, tokens
FLAT = 0.01  # nats per word; a loss that changes by no more is called flat, here and in the paper
CLOSED = 0.9
Change = Literal["better", "flat", "worse"]
Pair = Mapping[Protocol, RunCurve]  # the same runs, under each protocol that measured them


@dataclass(frozen=True)
class Controls:
    """Window, stride and enough context of the sentence, in words; then what the sections on long texts and runs show."""

    words: tuple[str, ...]  # at most MOST
    window: int
    stride: int
    least: int  # a word with less context counts as cursed
    protocol: Protocol  # whose windows the picture shows
    least_tokens: int  # the same for the tokens of a long text
    near: bool  # perplexities near ALiBi's, or all of them
    paper_length: int  # one of PAPER_LENGTHS
    method: str  # whose loss by position is shown
    length: int  # in windows of so many bytes


@dataclass(frozen=True)
class ProtocolPlan:
    """One protocol over a short text, whose words are numbered from 0."""

    stride: int
    read: np.ndarray  # bool [passes, words]: the words that each pass through the model reads
    counted: np.ndarray  # bool [passes, words]: the words whose prediction counts in that pass
    context: np.ndarray  # int64 [words - 1]: context of the words 1, 2, ...
    words_read: int  # through the model, all passes together

    def short(self, least: int) -> float:
        """Share of the predicted words with less than `least` words of context."""
        return self.short_count(least) / len(self.context)

    def short_count(self, least: int) -> int:
        """How many they are."""
        return int((self.context < least).sum())


@dataclass(frozen=True)
class Result:
    """Both protocols over the sentence."""

    controls: Controls
    plans: dict[Protocol, ProtocolPlan]

    @property
    def shown(self) -> ProtocolPlan:
        """The plan of the chosen protocol."""
        return self.plans[self.controls.protocol]

    @property
    def other(self) -> ProtocolPlan:
        """The plan of the other one."""
        return self.beside(self.controls.protocol)

    def beside(self, protocol: Protocol) -> ProtocolPlan:
        """The plan of the protocol that is not this one."""
        return next(plan for name, plan in self.plans.items() if name != protocol)


def study(controls: Controls) -> Result:
    """Raises ValueError for a sentence of fewer than FEWEST words."""
    strides = zip(PROTOCOLS, (controls.window, controls.stride), strict=True)
    return Result(controls, {name: plan(len(controls.words), controls.window, stride) for name, stride in strides})


def plan(words: int, length: int, stride: int) -> ProtocolPlan:
    """Every window over a text of that many words. Raises ValueError below FEWEST, or for a stride not in 1..length."""
    if words < FEWEST:
        raise ValueError(f"Write at least {FEWEST} words, so that a window has room to move.")
    begin, end, first = np.array(list(windows(words - 1, length, stride))).T[..., None]  # [passes, 1] each
    word = np.arange(words)
    counted = (begin + first < word) & (word <= end)  # after each word that it reads, a pass predicts the next one
    context = np.broadcast_to(word - begin, counted.shape)[counted]
    return ProtocolPlan(
        stride, (begin <= word) & (word < end), counted, context, tokens_processed(words - 1, length, stride)
    )


@dataclass(frozen=True)
class Trade:
    """One protocol over a long text, at every length of the window. Arrays are [windows]."""

    protocol: str  # a key of STRIDES
    window: np.ndarray  # int64, tokens
    share: np.ndarray  # of the predictions, those with too little context
    cost: np.ndarray  # tokens through the model for each prediction


STRIDES = {"nonoverlapping": lambda length: length, "quarter": lambda length: max(length // 4, 1), "one": lambda _: 1}


@lru_cache(maxsize=32)
def trades(predictions: int, least: int) -> tuple[Trade, ...]:
    """Share with less than `least` tokens of context, and the cost, for every protocol of STRIDES."""
    rows = []
    for protocol, stride in STRIDES.items():
        pairs = [(length, stride(length)) for length in TEXT_LENGTHS]
        share = np.array([short_share(predictions, *pair, least) for pair in pairs])
        cost = np.array([_tokens_processed(predictions, *pair) for pair in pairs]) / predictions
        rows.append(Trade(protocol, np.array(TEXT_LENGTHS), share, cost))
    return tuple(rows)


def short_share(predictions: int, length: int, stride: int, least: int) -> float:
    """Share of the predictions with less than `least` tokens of context."""
    return int(contexts(predictions, length, stride)[:least].sum()) / predictions


@lru_cache(maxsize=128)
def contexts(predictions: int, length: int, stride: int) -> np.ndarray:
    """int64 [length + 1]: how many predictions have exactly n tokens of context, n = 0 .. length."""
    steps = np.zeros(length + 2, dtype=np.int64)
    for begin, end, first in windows(predictions, length, stride):
        steps[first + 1] += 1  # this window has one prediction with each context from first + 1 ...
        steps[end - begin + 1] -= 1  # ... to end - begin
    return steps.cumsum()[:-1]


_tokens_processed = lru_cache(maxsize=128)(tokens_processed)


def both(runs: Iterable[MeasuredRun]) -> list[Pair]:
    """The curves of the same runs under both protocols, in the order in which the runs first appear."""
    runs, pairs = tuple(runs), dict[Hashable, dict[Protocol, RunCurve]]()
    for protocol in PROTOCOLS:
        for curve in curves(runs, protocol):
            if len(curve.lengths):
                pairs.setdefault((curve.origin, curve.corpus, curve.config), {})[protocol] = curve
    return list(pairs.values())


def by_protocol(pairs: Sequence[Pair]) -> dict[Protocol, list[RunCurve]]:
    """The curves of each protocol."""
    return {protocol: [pair[protocol] for pair in pairs if protocol in pair] for protocol in PROTOCOLS}


def worse_when_sliding(pair: Pair) -> bool:
    """Whether the sliding window is worse at L, and not only flat, although bytes then have more context."""
    plain, sliding = (pair[protocol].at(pair[protocol].config.length) for protocol in PROTOCOLS)
    per_word = pair["sliding"].bytes_per_word
    return bool(plain and sliding and per_word and change(np.log(sliding / plain) * per_word) == "worse")


def changed(curve: RunCurve) -> Change | None:
    """From L to the longest window; None where nothing beyond L was measured."""
    if curve.rise is None or curve.lengths[-1] <= curve.config.length:
        return None
    return change(curve.rise_at(curve.lengths[-1]))


def change(rise: float) -> Change:
    """What became of a loss that rose by so many nats per word."""
    return "flat" if abs(rise) <= FLAT else "better" if rise < 0 else "worse"


@dataclass(frozen=True)
class Positions:
    """Loss by position in nonoverlapping windows, in groups of positions. Arrays are [groups]; losses in nats per byte."""

    first: np.ndarray  # first position of each group, from 1
    last: np.ndarray
    loss: np.ndarray  # mean of the seeds
    low: np.ndarray  # the smallest of the seeds
    high: np.ndarray
    predictions: np.ndarray  # behind each group, in each seed
    level: float  # loss with enough context
    level_from: int  # the positions that the level is the mean of
    level_to: int
    needed: int  # position from which the context is enough

    @property
    def cursed(self) -> float:
        """Share of the window before that position."""
        return float((self.needed - 1) / self.last[-1])


def positions(runs: Sequence[MeasuredRun], length: int) -> Positions | None:
    """Loss by position of runs that differ in the seed alone; None where there is no such measurement."""
    points = [point for run in runs if (point := run.at(length)) is not None and point.by_position]
    if not points:
        return None
    by_position = np.array([point.by_position for point in points], dtype=np.float64)  # [seeds, length]
    counts, trained = contexts(points[0].predictions, length, length)[1:], min(length, runs[0].config.length)
    edges, late = groups(length, trained), slice(trained // 2, trained)
    sizes = np.add.reduceat(counts, edges[:-1])
    loss = np.add.reduceat(by_position * counts, edges[:-1], axis=1) / sizes  # [seeds, groups]
    level, mean = float(np.average(by_position[:, late].mean(0), weights=counts[late])), loss.mean(0)
    enough = mean <= level + (1 - CLOSED) * max(mean[0] - level, 0)
    needed = int(edges[np.argmax(enough)]) + 1
    spread = (mean, loss.min(0), loss.max(0))
    return Positions(edges[:-1] + 1, edges[1:], *spread, sizes, level, late.start + 1, late.stop, needed)


def groups(length: int, train_length: int) -> np.ndarray:
    """Edges of groups of positions, about half an octave each, with an edge where the trained positions end."""
    halves = {round(2 ** (half / 2)) for half in range(2 * length.bit_length())}
    return np.array(sorted(edge for edge in {0, train_length, length} | halves if edge <= length))


@dataclass(frozen=True)
class Published:
    """One row of a table of the ALiBi paper: perplexity per word on WikiText-103. Arrays are [lengths]."""

    table: str  # its number in the paper
    method: str
    protocol: Protocol  # sliding: with stride 1
    lengths: np.ndarray
    perplexity: np.ndarray

    @property
    def rise(self) -> float:
        """Loss at the longest window above that at the training length, nats per word."""
        return float(np.log(self.perplexity[-1] / self.perplexity[0]))


TABLES: tuple[tuple[str, str, str, Protocol], ...] = (
    ("5", "table5_alibi_train_by_eval", "alibi", "nonoverlapping"),
    ("15", "table15_sliding_alibi", "alibi", "sliding"),
    ("14", "table14_sliding_t5", "t5", "sliding"),
    ("13", "table13_sliding_sinusoidal", "sinusoidal", "sliding"),
)
PAPER_LENGTHS = (512, 1024)  # training lengths that both protocols were published for, at several windows


def paper(train_length: int) -> tuple[Published, ...]:
    """The paper's rows for one training length, in the order of TABLES."""
    rows = []
    for number, key, method, protocol in TABLES:
        values = published.row(key, str(train_length))
        lengths, perplexity = np.array(list(values)), np.array(list(values.values()), dtype=np.float64)
        rows.append(Published(number, method, protocol, lengths, perplexity))
    return tuple(rows)
