"""What the sentences of the Extrapolation lesson say of the shipped runs and of the paper.

Lengths are in bytes, those of the paper in words; `near` and `far` count training lengths. Losses are in nats a word.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import expm1, log, nan

from alibi_viz.lessons import Lesson, printed
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import SHARED_BYTES, python_text
from alibi_viz.positions import METHODS
from alibi_viz.results import measured, pretrained, published
from alibi_viz.results.measured import WORSE, Protocol, RunCurve
from alibi_viz.ui.controls.method_pills import TITLES, titles
from pages.extrapolation import study
from pages.extrapolation.study import FAR, NEAR, TRAIN_LENGTH, Break, shipped_curves

NEARLY = 0.1  # a published window this close to FAR training lengths counts as there


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
class Seeds:
    """How often each method was trained."""

    most: int
    once: str  # methods with one seed


def seeds_of() -> Seeds:
    curves = shipped_curves("nonoverlapping")
    most = max(len(curve.seeds) for curve in curves.values())
    return Seeds(most, titles(method for method, curve in curves.items() if len(curve.seeds) < most))


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
    bytes_per_word: float
    breaks: str  # methods that break, and where
    broken: int  # how many these are
    held: str  # methods that do not break as far as they were measured
    unread: str  # those that cannot read beyond L
    hidden: str  # those that break in sliding windows alone
    fire_threshold: float  # of the shipped model, bytes
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
    seeds: Seeds = field(default_factory=lambda: seeds_of())
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
        bytes_per_word=curves["alibi"].bytes_per_word or nan,
        breaks=_lengths(breaks, "g"),
        broken=len(broken),
        held=titles(method for method, first in breaks.items() if first.at is None),
        unread=titles(method for method in ranking if method not in breaks),
        hidden=titles(sorted(_broken("sliding") - _broken("nonoverlapping"), key=list(curves).index)),
        fire_threshold=study.fire_threshold(),
        first=titles(method for method, where in broken.items() if where == at),
        at=at,
        near_list=titles(method for method, rise in rises.items() if rise.near <= WORSE),
        far_list=titles(method for method, rise in rises.items() if rise.far <= WORSE),
        at_spread=_spread(curves, 1),
        far_spread=_spread(curves, FAR),
        nonoverlapping=_perplexities(shipped_curves("nonoverlapping")["alibi"]),
        sliding=_perplexities(shipped_curves("sliding")["alibi"]),
    )


def _broken(protocol: Protocol) -> set[str]:
    breaks = study.breaks(shipped_curves(protocol).values())
    return {method for method, first in breaks.items() if first.at is not None}


def _lengths(breaks: Mapping[str, Break], form: str) -> str:
    """Methods that break, earliest first, each with its length."""
    order = sorted((first.at, method) for method, first in breaks.items() if first.at is not None)
    return ", ".join(f"{TITLES[method]} ({at:{form}} L)" for at, method in order)


@dataclass(frozen=True)
class Asked:
    """Kinds of windows: those of the picture, and those that the question is about."""

    shown: str
    other: str
    far: int = FAR


def asked(lesson: Lesson, other: Protocol) -> Asked:
    shown = next(protocol for protocol in measured.PROTOCOLS if protocol != other)
    return Asked(lesson.entry("choices", shown), lesson.entry("choices", other))


@dataclass(frozen=True)
class LastNumber:
    """Where a line of the paper ends before `far` training lengths."""

    name: str
    rise: float
    at: float  # training lengths


@dataclass(frozen=True)
class Paper:
    """The paper's models of one training length, and ours of the same methods (nonoverlapping windows in both)."""

    train_length: int
    order: str  # where they break, earliest first
    ours: str
    sliding: str  # ours, in sliding windows
    paper_far: str  # the rises at about `far` training lengths
    ours_far: str
    best: str  # method at L
    rank: int  # of ALiBi
    count: int  # methods
    rank_here: int
    count_here: int
    words_here: float  # in a window of L bytes
    behind: str  # words at which the paper's ALiBi is worse than sinusoidal positions, each trained at that length
    ahead: int  # the next length: from it on ALiBi is better
    train_bytes: int = TRAIN_LENGTH
    far: int = FAR


def paper_of(train_length: int) -> tuple[Paper, list[LastNumber]]:
    theirs, ours = study.paper_rises(train_length, FAR), shipped_curves("nonoverlapping")
    far = {method: rise for method, (at, rise) in theirs.items() if abs(at / FAR - 1) <= NEARLY}
    shorter = [LastNumber(TITLES[method], rise, at) for method, (at, rise) in theirs.items() if method not in far]
    ranking = [method for _, method in sorted((float(line.y[0]), line.method) for line in study.paper(train_length))]
    nonoverlapping, sliding = (_lengths(_same(protocol, theirs), "g") for protocol in measured.PROTOCOLS)
    here = [method for method, _ in measured.ranked(ours.values())]
    sinusoidal = published.row("table5_alibi_train_by_eval", "Sinusoidal")
    behind = [n for n, value in sinusoidal.items() if published.row("table5_alibi_train_by_eval", str(n))[n] > value]
    facts = Paper(
        train_length,
        _lengths(study.paper_breaks(train_length), ".1f"),
        nonoverlapping,
        sliding,
        _worst_first(far),
        _worst_first({method: study.rise_at(ours[method], FAR) for method in theirs}),
        TITLES[ranking[0]],
        ranking.index("alibi") + 1,
        len(ranking),
        here.index("alibi") + 1,
        len(here),
        TRAIN_LENGTH / (ours["alibi"].bytes_per_word or nan),
        " and ".join(map(str, behind)),
        min(n for n in sinusoidal if n > max(behind)),
    )
    return facts, shorter


def _same(protocol: Protocol, methods: Iterable[str]) -> dict[str, Break]:
    """Where these methods break here."""
    return study.breaks(curve for method, curve in shipped_curves(protocol).items() if method in methods)


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
    seeds: Seeds = field(default_factory=seeds_of)
    worse: float = WORSE
    worse_share: float = expm1(WORSE)


def units(protocol: Protocol) -> Units:
    curve = shipped_curves(protocol)["alibi"]
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
    text: str
    held_out: int
    methods: str
    max_distance: int  # of T5
    t5_used: int  # buckets of T5 that a text of L bytes uses
    t5_single: int  # those of them that hold a single distance
    code: float  # share of the text
    passes: float  # over the text
    validation: int  # bytes
    torch: str
    python: str
    machine: str
    device: str
    threads: str
    shared: int = SHARED_BYTES
    seeds: Seeds = field(default_factory=seeds_of)


@lru_cache(maxsize=1)
def training() -> Training:
    runs, record, corpus = measured.shipped(), pretrained.load_all()[0], python_text()
    config, environment = runs[0].config, record["made_with"]
    distances = study.t5_distances(config.length)
    plain, slide = (study.window_count(runs, kind, TRAIN_LENGTH) for kind in measured.PROTOCOLS)
    return Training(
        config=config,
        plain=plain[0],
        slide=slide[0],
        stride=slide[1],
        tokens=config.tokens,
        pairs=config.head_dim // 2,
        text=record["corpus"]["title"],
        held_out=record["corpus"]["held_out_bytes"],
        methods=titles(dict.fromkeys(run.config.method for run in runs)),
        max_distance=METHODS["t5"].training_options(config.length)["max_distance"],
        t5_used=int((distances > 0).sum()),
        t5_single=int((distances == 1).sum()),
        code=corpus.code,
        passes=config.tokens / len(corpus.train),
        validation=len(corpus.validation),
        torch=environment["torch"],
        python=environment["python"],
        machine=environment["machine"],
        device=environment["device"],
        threads=environment["threads"],
    )


@dataclass(frozen=True)
class End:
    """Where a line ends, and why."""

    name: str
    length: float = nan
    reason: str = ""


@dataclass(frozen=True)
class Names:
    names: str
