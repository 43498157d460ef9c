"""What the sentences say of the further experiments: steps, training lengths, layers, and stretched positions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import nan

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from alibi_viz.results import measured, published
from alibi_viz.results.pretrained import MAIN, SEEDS
from alibi_viz.ui.controls.method_pills import TITLES, titles
from pages.extrapolation import experiments
from pages.extrapolation.experiments import FIRST, LARGER, ORDER
from pages.extrapolation.facts import AtLengths
from pages.extrapolation.study import FAR, NEAR, TRAIN_LENGTH, shipped_curves

PAPER_BASE = 512  # training length of the paper's headline, in words


@dataclass(frozen=True)
class Runs:
    """The runs of all methods and lengths, and how dynamic NTK reads `far` training lengths."""

    tokens: int  # bytes that each has read
    each: int  # bytes a step
    width: int  # of a head
    ntk: float  # times the base grows
    train_length: int = TRAIN_LENGTH  # of most of the shipped ones
    seed: int = FIRST
    far: int = FAR


def runs_of() -> Runs:
    config = measured.shipped()[0].config
    growth = FAR ** (config.head_dim / (config.head_dim - 2))
    return Runs(config.tokens, experiments.step_bytes(), config.head_dim, growth)


@dataclass(frozen=True)
class Costs:
    """How far the two methods differ at any training length: shares of the smaller one."""

    speed: float
    memory: float
    each: int  # bytes a step


def costs_of(entries: Sequence[Mapping[str, float]]) -> Costs:
    """entries: of `pretrained.load_costs`."""
    lengths = {entry["length"] for entry in entries}

    def difference(key: str) -> float:
        both = [[entry[key] for entry in entries if entry["length"] == length] for length in lengths]
        return max(max(values) / min(values) - 1 for values in both)

    return Costs(difference("tokens_per_second"), difference("memory"), experiments.step_bytes())


@dataclass(frozen=True)
class Larger:
    """The paper's largest models: perplexities, each at its tokens. `best_at` is twice `short`, `far_at` four times."""

    parameters: str
    at_short: float  # ALiBi trained at `short`
    best: float
    far: float
    tie: float  # the largest difference from sinusoidal positions, each trained and tested at one length
    equal_time: float  # at `far_at`: ALiBi trained at `best_at`
    sinusoidal: float  # trained at `far_at` for as long
    short: int = LARGER[0]
    best_at: int = LARGER[1]
    far_at: int = LARGER[2]


def larger_of() -> Larger:
    equal = partial(published.find, "table12_1p3B_equal_updates")
    pairs = ([equal(model=f"{name}, L = {n}")[f"ppl_{n}"] for name in ("ALiBi", "Sinusoidal")] for n in LARGER)
    short, far = equal(model=f"ALiBi, L = {LARGER[0]}"), f"ppl_{LARGER[2]}"
    times = partial(published.find, "table11_1p3B_equal_time")
    return Larger(
        published.load()["table12_1p3B_equal_updates"]["what"].split()[0],
        short[f"ppl_{LARGER[0]}"],
        short[f"ppl_{LARGER[1]}"],
        short[far],
        max(abs(alibi - sinusoidal) for alibi, sinusoidal in pairs),
        times(model=f"ALiBi, L = {LARGER[1]}")[far],
        times(model=f"Sinusoidal, L = {LARGER[2]}")[far],
    )


@dataclass(frozen=True)
class StepOrder:
    """The order of the leading methods at L, and what twice the steps change."""

    shipped: int  # steps
    twice: int
    better: str  # of each method that was trained for both: perplexity at L
    order: str  # of the leading methods, mean of the seeds, best first
    pairs: int  # of them
    settled: int  # pairs
    unsettled: str  # the other pairs
    names: str  # methods that are not better than the n-gram model
    n: int = ORDER
    context: int = ORDER - 1  # bytes
    seed: int = FIRST
    seeds: int = len(SEEDS)
    train_length: int = TRAIN_LENGTH


def step_order() -> StepOrder:
    lines, shipped = experiments.steps(), measured.shipped()[0].config.steps
    both = [line for line in lines if line.x[-1] > shipped]
    ranking = [method for method, _ in measured.ranked(shipped_curves("sliding").values()) if method in MAIN]
    pairs, settled = list(combinations(ranking, 2)), experiments.settled()
    unsettled = [pair for pair in pairs if pair not in settled and pair[::-1] not in settled]
    return StepOrder(
        shipped=shipped,
        twice=2 * shipped,
        better=", ".join(f"{line.name} {line.y[-2]:.2f} → {line.y[-1]:.2f}" for line in both),
        order=titles(ranking),
        pairs=len(pairs),
        settled=len(settled),
        unsettled=", ".join(f"{TITLES[a]} and {TITLES[b]}" for a, b in unsettled),
        names=titles(line.method for line in lines if line.y[-1] >= experiments.ngram()),
    )


@dataclass(frozen=True)
class Depth:
    """The models without positions: perplexity at L and at `far` L, by layers."""

    at: str
    ends: str
    alibi: float  # at L, with `layers` layers
    layers: int
    far: int = FAR
    seed: int = FIRST


def depth_of() -> Depth:
    lines, alibi = experiments.depth(), shipped_curves("sliding")["alibi"]
    at, ends = (", ".join(f"{line.name} layers {at(line):.2f}" for line in lines) for at in (_at_length, _at_end))
    return Depth(at, ends, float(alibi.per_seed[alibi.lengths == TRAIN_LENGTH][0, FIRST]), alibi.config.layers)


def _at_length(line: Line) -> float:
    return float(line.y[line.x == TRAIN_LENGTH][0])


def _at_end(line: Line) -> float:
    return float(line.y[-1])


@dataclass(frozen=True)
class ShortAndLong:
    """Models that are tested at one length: the best ALiBi that was trained shorter, beside those trained at it."""

    at: int
    train_length: int  # of the best
    best: float
    sinusoidal: float
    alibi: float
    shorter: str = ""  # each of them
    own: str = ""  # sinusoidal, each tested at its own training length


def short_and_long() -> ShortAndLong:
    trained = experiments.at_lengths()
    at = max(trained["alibi"])
    ours = {length: curve.at(at) or nan for length, curve in trained["alibi"].items()}
    alibi, best = ours.pop(at), min(ours, key=ours.__getitem__)
    shorter = ", ".join(f"L = {length}: {value:.2f}" for length, value in ours.items())
    rivals = {length: curve.at(length) or nan for length, curve in trained["sinusoidal"].items()}
    own = ", ".join(f"L = {length}: {value:.2f}" for length, value in rivals.items())
    return ShortAndLong(at, best, ours[best], rivals[at], alibi, shorter, own)


def paper_short_and_long() -> ShortAndLong:
    short = published.row(experiments.PAPER_TABLE, str(PAPER_BASE))
    at = max(short)
    sinusoidal, alibi = (published.row(experiments.PAPER_TABLE, row)[at] for row in ("Sinusoidal", str(at)))
    return ShortAndLong(at, PAPER_BASE, short[at], sinusoidal, alibi)


@dataclass(frozen=True)
class Flatter:
    """ALiBi with all slopes, or the gentle half of them, divided by 2 at L and by the lengths of `AtLengths` beyond."""

    halved: float  # at L, slopes divided by two
    at_lengths: AtLengths


@dataclass(frozen=True)
class StretchedModels:
    """Perplexities of the stretched models."""

    rope: AtLengths  # as trained
    alibi: AtLengths
    flatter: Flatter  # all slopes
    gentle: Flatter  # the gentle half
    near_list: str  # RoPE in each way, best first
    far_list: str
    layers: int
    near: int = NEAR
    far: int = FAR


def stretched() -> StretchedModels:
    lines = {line.name: line for line in experiments.stretched()}
    (alibi,) = (run for run in measured.shipped() if run.config.method == "alibi" and run.config.seed == FIRST)
    ways = [line for line in lines.values() if line.method == "rope" and line is not lines["rope/"]]

    def lengths(name: str) -> AtLengths:
        point = alibi.at(TRAIN_LENGTH) if name == "alibi/" else None
        two, near, far = (_at(lines[name], times) for times in (2, NEAR, FAR))
        return AtLengths(point.perplexity if point else None, two, near, far)

    flatter, gentle = (
        Flatter(experiments.at_train_length(alibi, way)[2], lengths(f"alibi/{way}"))
        for way in ("interpolated", "gentle half")
    )
    return StretchedModels(
        lengths("rope/"),
        lengths("alibi/"),
        flatter,
        gentle,
        _best_first(ways, NEAR),
        _best_first(ways, FAR),
        alibi.config.layers,
    )


def _at(line: Line, times: int) -> float:
    return float(line.y[line.x == times][0]) if times in line.x else nan


def _best_first(lines: Iterable[Line], times: int) -> str:
    """Each way to stretch, with its perplexity."""
    titles_of = load("extrapolation").entries("ways")
    order = sorted((_at(line, times), titles_of[line.name.partition("/")[2]]) for line in lines)
    return ", ".join(f"{way} {value:.2f}" for value, way in order)
