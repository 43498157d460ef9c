"""What the sentences of the Extrapolation lesson say of the shipped runs, of the paper, and of the reader's runs.

Lengths are in bytes, those of the paper in words; `near` and `far` count training lengths. Losses are in nats a word.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp, expm1, log, nan
from statistics import fmean

from alibi_viz.lessons import printed
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import SHARED_BYTES, python_docs
from alibi_viz.positions import METHODS
from alibi_viz.results import measured, pretrained
from alibi_viz.results.measured import WORSE, Protocol, RunCurve
from alibi_viz.results.pretrained import SEEDS
from alibi_viz.ui.controls.method_pills import TITLES, titles
from pages.extrapolation import study
from pages.extrapolation.study import FAR, MOST_OWN, NEAR, TRAIN_LENGTH, Agreement, Break, shipped_curves

NEARLY = 0.1  # a published window this close to FAR training lengths counts as there
LAST = 10  # entries of the training loss that its end is the mean of


@dataclass(frozen=True)
class AtLengths:
    """One number in windows of L, of 2 L, and of `near` and `far` L. None or NaN: not measured."""

    at: float | None
    two: float | None
    near: float
    far: float


def _rises(curve: RunCurve) -> AtLengths:
    """The loss above that at L."""
    return AtLengths(*(study.rise_at(curve, times) for times in (1, 2, NEAR, FAR)))


def _perplexities(curve: RunCurve) -> AtLengths:
    return AtLengths(*(curve.at(times * TRAIN_LENGTH) or nan for times in (1, 2, NEAR, FAR)))


@dataclass(frozen=True)
class SeedSpread:
    """The method whose seeds differ most at one length."""

    name: str
    value: float


def _spread(curves: Mapping[str, RunCurve], times: float) -> SeedSpread:
    spreads = ((study.spread_at(curve, times), method) for method, curve in curves.items())
    value, method = max(pair for pair in spreads if pair[0] >= 0)  # NaN: not measured
    return SeedSpread(TITLES[method], value)


@dataclass(frozen=True)
class Facts:
    """The curves under one protocol."""

    best: str  # method at L
    value: float  # its perplexity
    alibi_value: float
    rank: int  # of ALiBi
    count: int  # methods
    alibi: AtLengths  # rise
    rope: AtLengths
    t5: AtLengths
    alibi_factor: float  # of its perplexity a word, from L to `far`
    breaks: str  # methods that break, and where
    broken: int  # how many these are
    first: str  # those that break first
    at: float | None  # and where; None: no method breaks
    near_list: str  # methods that are as good as at L
    far_list: str
    at_spread: SeedSpread
    far_spread: SeedSpread
    nonoverlapping: AtLengths  # ALiBi's perplexity
    sliding: AtLengths
    near: int = NEAR
    far: int = FAR
    seeds: int = len(SEEDS)
    worse: float = WORSE


@lru_cache(maxsize=2)
def facts_of(protocol: Protocol) -> Facts:
    curves = shipped_curves(protocol)
    ranking, breaks = dict(measured.ranked(curves.values())), study.breaks(curves.values())
    rises, best = {method: _rises(curve) for method, curve in curves.items()}, next(iter(ranking))
    broken = {method: first.at for method, first in breaks.items() if first.at is not None}
    at = min(broken.values(), default=None)
    return Facts(
        best=TITLES[best],
        value=ranking[best],
        alibi_value=ranking["alibi"],
        rank=list(ranking).index("alibi") + 1,
        count=len(ranking),
        alibi=rises["alibi"],
        rope=rises["rope"],
        t5=rises["t5"],
        alibi_factor=exp(rises["alibi"].far),
        breaks=_lengths(breaks, "g"),
        broken=len(broken),
        first=titles(method for method, where in broken.items() if where == at),
        at=at,
        near_list=titles(method for method, rise in rises.items() if rise.near <= WORSE),
        far_list=titles(method for method, rise in rises.items() if rise.far <= WORSE),
        at_spread=_spread(curves, 1),
        far_spread=_spread(curves, FAR),
        nonoverlapping=_perplexities(shipped_curves("nonoverlapping")["alibi"]),
        sliding=_perplexities(shipped_curves("sliding")["alibi"]),
    )


def _lengths(breaks: Mapping[str, Break], form: str) -> str:
    """Methods that break, earliest first, each with its length."""
    order = sorted((first.at, method) for method, first in breaks.items() if first.at is not None)
    return ", ".join(f"{TITLES[method]} ({at:{form}} L)" for at, method in order)


@dataclass(frozen=True)
class Asked:
    """The question about `length`; and to draw it, the method and its perplexity at L."""

    method: str = ""
    at: float = nan
    far: int = FAR
    length: int = FAR * TRAIN_LENGTH
    train_length: int = TRAIN_LENGTH


@dataclass(frozen=True)
class BreakOrder:
    """The paper's order of breaks, and what of it is the same here."""

    train_length: int
    order: str
    first: str  # method that breaks first in both; empty: none
    never: str  # methods that break in neither


def orders_of(train_length: int, theirs: Mapping[str, Break], order: Agreement) -> BreakOrder:
    first = TITLES[order.first] if order.first else ""
    return BreakOrder(train_length, _lengths(theirs, ".1f"), first, titles(order.never))


@dataclass(frozen=True)
class Pair:
    """Two methods; in the paper the first breaks before the second. Where they break here."""

    first: str
    first_break: Break
    second: str
    second_break: Break


@dataclass(frozen=True)
class LastNumber:
    """Where a line of the paper ends before `far` training lengths."""

    name: str
    rise: float
    at: float  # training lengths


@dataclass(frozen=True)
class Paper:
    """The rises of the paper's models at about `far` training lengths (nonoverlapping windows), and their ranking at L."""

    paper_far: str
    ours_far: str
    best: str  # method
    rank: int  # of ALiBi
    count: int  # methods
    far: int = FAR


def paper_of(train_length: int) -> tuple[Paper, list[LastNumber]]:
    theirs, ours = study.paper_rises(train_length, FAR), shipped_curves("nonoverlapping")
    far = {method: rise for method, (at, rise) in theirs.items() if abs(at / FAR - 1) <= NEARLY}
    shorter = [LastNumber(TITLES[method], rise, at) for method, (at, rise) in theirs.items() if method not in far]
    ours_far = _worst_first({method: study.rise_at(ours[method], FAR) for method in theirs})
    ranking = [method for _, method in sorted((float(line.y[0]), line.method) for line in study.paper(train_length))]
    place = ranking.index("alibi") + 1
    return Paper(_worst_first(far), ours_far, TITLES[ranking[0]], place, len(ranking)), shorter


def _worst_first(rises: Mapping[str, float]) -> str:
    order = sorted(rises, key=lambda method: -rises[method])
    return ", ".join(f"{TITLES[method]} {printed(rises[method], '+.2f')}" for method in order)


@dataclass(frozen=True)
class Units:
    """How losses per byte become losses per word, with ALiBi's numbers."""

    bytes_per_word: float
    tenth_per_word: float  # what a factor of 1.1 a byte is
    seed: int
    perplexity: float  # a byte, of this seed at L
    loss: float
    per_byte: float  # rise of the mean to `far`
    rise: float
    far: int = FAR
    seeds: int = len(SEEDS)
    worse: float = WORSE
    worse_share: float = expm1(WORSE)


def units() -> Units:
    curve = shipped_curves("nonoverlapping")["alibi"]
    per_word, rise = curve.bytes_per_word or nan, study.rise_at(curve, FAR)
    first = float(curve.per_seed[curve.lengths == TRAIN_LENGTH][0, 0])
    return Units(per_word, 1.1**per_word, curve.seeds[0], first, log(first), rise / per_word, rise)


@dataclass(frozen=True)
class Training:
    """How the shipped runs were trained, from their files."""

    config: TrainConfig  # but for its method and seed
    plain: int  # windows of this length in the held-out text
    slide: int  # sliding windows
    stride: int  # of these
    tokens: int
    pairs: int  # of dimensions in a head
    seeds: str
    text: str
    held_out: int
    methods: str
    max_distance: int  # of T5
    passes: float  # over the text
    gap_name: str  # method
    gap: float  # held-out loss minus training loss at the end, nats a byte
    shortest: float  # seconds
    longest: float
    torch: str
    python: str
    machine: str
    device: str
    threads: str
    shared: int = SHARED_BYTES


@lru_cache(maxsize=1)
def training() -> Training:
    runs, records = measured.shipped(), pretrained.load_all()
    config, seconds, record = runs[0].config, [run.seconds for run in runs], records[0]
    environment = record["made_with"]
    plain, slide = (study.window_count(runs, kind, TRAIN_LENGTH) for kind in measured.PROTOCOLS)
    at_end = fmean(fmean(r["losses"][-LAST:]) for r in records if r["config"]["method"] == "alibi")
    return Training(
        config=config,
        plain=plain[0],
        slide=slide[0],
        stride=slide[1],
        tokens=config.tokens,
        pairs=config.head_dim // 2,
        seeds=", ".join(str(seed) for seed in sorted({run.config.seed for run in runs})),
        text=record["corpus"]["title"],
        held_out=record["corpus"]["held_out_bytes"],
        methods=titles(dict.fromkeys(run.config.method for run in runs)),
        max_distance=METHODS["t5"].training_options(config.length)["max_distance"],
        passes=config.tokens / len(python_docs().train),
        gap_name=TITLES["alibi"],
        gap=log(shipped_curves("nonoverlapping")["alibi"].at(TRAIN_LENGTH) or nan) - at_end,
        shortest=min(seconds),
        longest=max(seconds),
        torch=environment["torch"],
        python=environment["python"],
        machine=environment["machine"],
        device=environment["device"],
        threads=environment["threads"],
    )


@dataclass(frozen=True)
class OwnRuns:
    count: int = 0
    most: int = MOST_OWN  # that are drawn
    train_length: int = TRAIN_LENGTH  # of the shipped ones


@dataclass(frozen=True)
class End:
    """Where a line ends, and why."""

    name: str
    length: float = nan
    reason: str = ""


@dataclass(frozen=True)
class Names:
    names: str
