"""What the sentences of the Early token curse lesson say: of a sentence, a long text, the runs and the paper."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from alibi_viz.lessons import Lesson, printed
from alibi_viz.lm.config import TrainConfig
from alibi_viz.results import measured
from alibi_viz.results.measured import Protocol, RunCurve
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.format import format_share
from pages.early_token_curse import study
from pages.early_token_curse.contexts import ContextReach
from pages.early_token_curse.study import FLAT, MOST, Change, Pair, Positions, Published, Result, Trade

EXAMPLE = 512  # tokens: the window of the long text that the sentences speak of


@dataclass(frozen=True)
class Windows:
    """The windows of one protocol over the sentence."""

    passes: int
    read: int  # words, all passes together
    guessed: int  # words
    mean: float  # context
    share: str  # of the guessed words, with too little context
    least: int  # words of context that are enough


def windows_of(result: Result, protocol: Protocol) -> Windows:
    plan, least = result.plans[protocol], result.controls.least
    share = format_share(plan.short(least))
    return Windows(len(plan.read), plan.words_read, len(plan.context), plan.context.mean(), share, least)


@dataclass(frozen=True)
class Facts:
    """Both protocols over the sentence. Lengths in words."""

    window: int
    stride: int  # of the sliding window
    least: int  # context that is enough
    guessed: int
    squares: int  # in the row of a full window
    nonoverlapping: Windows
    sliding: Windows
    nonoverlapping_summary: str
    sliding_summary: str


def facts_of(lesson: Lesson, result: Result) -> Facts:
    chosen, plain, sliding = result.controls, windows_of(result, "nonoverlapping"), windows_of(result, "sliding")
    return Facts(
        window=chosen.window,
        stride=chosen.stride,
        least=chosen.least,
        guessed=plain.guessed,
        squares=chosen.window + 1,
        nonoverlapping=plain,
        sliding=sliding,
        nonoverlapping_summary=_summary(lesson, plain),
        sliding_summary=_summary(lesson, sliding),
    )


def _summary(lesson: Lesson, windows: Windows) -> str:
    return lesson.text("windows.summary" if windows.passes > 1 else "windows.summary_one", windows)


@dataclass(frozen=True)
class Cut:
    count: int  # words of the whole sentence
    used: int = MOST


@dataclass(frozen=True)
class Tokens:
    """The tokens of a long text."""

    share: str  # of them, with too little context
    cost: float  # tokens through the model for each prediction


@dataclass(frozen=True)
class LongText:
    """A long text in windows of `example` tokens."""

    predictions: int
    least: int  # tokens of context that are enough
    least_less: int  # one less
    nonoverlapping: Tokens
    quarter: Tokens  # windows that slide by a quarter of their length
    one: Tokens  # windows that slide by one token
    example: int = EXAMPLE


def long_text_of(predictions: int, least: int, trades: Sequence[Trade]) -> LongText:
    """trades: in the order of study.STRIDES."""
    at = study.TEXT_LENGTHS.index(EXAMPLE)
    plain, quarter, one = (Tokens(format_share(row.share[at]), row.cost[at]) for row in trades)
    return LongText(predictions, least, least - 1, plain, quarter, one)


def method_names(lesson: Lesson, methods: Iterable[str]) -> str:
    """Titles of methods, each once, or the words for none of them."""
    return titles(dict.fromkeys(methods)) or lesson.label("no_method")


@dataclass(frozen=True)
class ShortToFar:
    """Perplexities at the lengths of `AlibiRuns`."""

    short: float | None
    trained: float | None
    far: float | None


@dataclass(frozen=True)
class AlibiRuns:
    """ALiBi in short windows, in windows of its training length, and far beyond."""

    short: int  # bytes
    trained: int
    far: int
    seeds: int
    nonoverlapping: ShortToFar
    sliding: ShortToFar
    within: float = FLAT  # nats a word: a change that is called flat


def alibi_of(pair: Pair) -> AlibiRuns:
    first = pair["nonoverlapping"]
    short, trained, far = int(first.lengths[0]), first.config.length, int(first.lengths[-1])

    def at_lengths(protocol: Protocol) -> ShortToFar:
        return ShortToFar(*(pair[protocol].at(length) for length in (short, trained, far)))

    return AlibiRuns(short, trained, far, len(first.seeds), at_lengths("nonoverlapping"), at_lengths("sliding"))


@dataclass(frozen=True)
class Changes:
    """Methods by what becomes of their loss from L on."""

    better: str
    flat: str
    worse: str


@dataclass(frozen=True)
class RunChanges:
    """The shipped runs under both protocols."""

    seeds: int
    trained: int  # bytes
    far: int
    bytes_per_word: float | None
    nonoverlapping: Changes
    sliding: Changes
    reversed: str  # methods that are worse at L in sliding windows; empty: none
    within: float = FLAT  # nats a word: a change that is called flat


def changes_of(lesson: Lesson, shipped: Sequence[Pair]) -> RunChanges:
    first, groups = shipped[0]["nonoverlapping"], study.by_protocol(shipped)
    return RunChanges(
        seeds=len(first.seeds),
        trained=first.config.length,
        far=first.lengths[-1],
        bytes_per_word=first.bytes_per_word,
        nonoverlapping=_changes(lesson, groups["nonoverlapping"]),
        sliding=_changes(lesson, groups["sliding"]),
        reversed=titles(pair["sliding"].config.method for pair in shipped if study.worse_when_sliding(pair)),
    )


def _changes(lesson: Lesson, curves: Sequence[RunCurve]) -> Changes:
    methods = ([c.config.method for c in curves if study.changed(c) == change] for change in get_args(Change))
    return Changes(*(method_names(lesson, those) for those in methods))


@dataclass(frozen=True)
class Above:
    names: str  # of methods whose lines leave the picture


@dataclass(frozen=True)
class Row:
    """A row of the paper's tables: perplexity per word."""

    first: float
    last: float
    change: float  # relative, without its sign


@dataclass(frozen=True)
class Paper:
    """The paper's models in windows of `first` and `last` words."""

    trained: int
    first: int
    last: int
    nonoverlapping: Row  # ALiBi
    sliding: Row  # ALiBi
    t5: Row  # sliding, as the next
    sinusoidal: Row


def paper_of(trained: int, published: Sequence[Published]) -> Paper:
    """published: in the order of study.TABLES."""
    lengths = published[0].lengths
    rows = (Row(row.perplexity[0], row.perplexity[-1], abs(np.expm1(row.rise))) for row in published)
    return Paper(trained, lengths[0], lengths[-1], *rows)


@dataclass(frozen=True)
class ByPosition:
    """Loss by position of one method, nats a byte."""

    title: str
    length: int  # of the windows, bytes
    seeds: int
    losses: Positions
    first: float  # loss
    last: float
    share: str  # of the window, before the context is enough
    least: int  # predictions in a point


def by_position_of(method: str, length: int, seeds: int, losses: Positions) -> ByPosition:
    ends = losses.loss[0], losses.loss[-1]
    return ByPosition(
        TITLES[method], length, seeds, losses, *ends, format_share(losses.cursed), losses.predictions.min()
    )


@dataclass(frozen=True)
class NotMeasured:
    title: str
    length: int
    reason: str


@dataclass(frozen=True)
class Contexts:
    """How much context each model uses, in bytes."""

    train_length: int
    most: int
    needed: str  # of each method, the bytes that are enough
    gain: float  # the most that a method gains beyond `train_length`
    gainer: str
    beyond: str  # and the change of the loss from `train_length` to `most`
    enough: float = measured.WORSE  # nats per word


def contexts_of(train_length: int, every: Sequence[ContextReach]) -> Contexts:
    beyond = sorted((reach.beyond, TITLES[reach.method]) for reach in every if reach.beyond is not None)
    most = max(every, key=lambda reach: reach.gain)
    return Contexts(
        gain=most.gain,
        gainer=TITLES[most.method],
        train_length=train_length,
        most=every[0].contexts[-1],
        needed=", ".join(f"{TITLES[r.method]} {r.needed}" for r in sorted(every, key=lambda r: r.needed)),
        beyond=", ".join(f"{title} {printed(change, '+.3f')}" for change, title in beyond),
    )


def shipped_config() -> TrainConfig:
    """What the shipped runs are."""
    return measured.shipped()[0].config
