"""What the sentences say of the further experiments: numbers of steps, training lengths, and stretched positions."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, nan

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from alibi_viz.results import measured, published
from alibi_viz.results.pretrained import SEEDS
from alibi_viz.ui.controls.method_pills import TITLES, titles
from pages.extrapolation import experiments
from pages.extrapolation.experiments import ORDER
from pages.extrapolation.facts import AtLengths
from pages.extrapolation.study import FAR, NEAR, TRAIN_LENGTH

PAPER_BASE = 512  # training length of the paper's headline, in words


@dataclass(frozen=True)
class Runs:
    """The runs of all methods and lengths."""

    tokens: int  # bytes that each has read
    each: int  # bytes a step
    seeds: int = len(SEEDS)
    train_length: int = TRAIN_LENGTH  # of the shipped ones


def runs_of() -> Runs:
    return Runs(measured.shipped()[0].config.tokens, experiments.step_bytes())


@dataclass(frozen=True)
class StepOrder:
    """The order of the methods at L, by steps of training."""

    before: int  # the two largest numbers of steps
    after: int
    order: str  # at the last
    count: int  # pairs of methods that change their order between them
    pairs: int  # of all
    distinct: int  # of those, where the seeds of the shipped runs agree
    moved: str
    worse: str  # methods
    least: float  # perplexity, of those that beat the n-gram model
    most: float
    names: str  # of the others
    shipped: int  # steps
    n: int = ORDER
    context: int = ORDER - 1  # bytes
    seed: int = SEEDS[0]
    seeds: int = len(SEEDS)
    train_length: int = TRAIN_LENGTH


def step_order() -> StepOrder:
    result = experiments.steps()
    return StepOrder(
        before=result.counts[-2],
        after=result.counts[-1],
        order=titles(result.order[-1]),
        count=len(result.swapped),
        pairs=comb(len(result.lines), 2),
        distinct=len(result.distinct),
        moved=", ".join(f"{TITLES[method]} {before} → {after}" for method, before, after in result.moved),
        worse=titles(result.worse),
        least=result.span[0],
        most=result.span[1],
        names=titles(result.beaten),
        shipped=measured.shipped()[0].config.steps,
    )


@dataclass(frozen=True)
class ShortAndLong:
    """Models that are tested at one length: the best ALiBi that was trained shorter, beside those trained at it."""

    at: int
    train_length: int  # of the best
    best: float
    sinusoidal: float
    alibi: float
    shorter: str = ""  # each of them


def short_and_long() -> ShortAndLong:
    trained = experiments.at_lengths()
    at = max(trained["alibi"])
    ours = {length: curve.at(at) or nan for length, curve in trained["alibi"].items()}
    alibi, best = ours.pop(at), min(ours, key=ours.__getitem__)
    shorter = ", ".join(f"L = {length}: {value:.2f}" for length, value in ours.items())
    return ShortAndLong(at, best, ours[best], trained["sinusoidal"][at].at(at) or nan, alibi, shorter)


def paper_short_and_long() -> ShortAndLong:
    short = published.row(experiments.PAPER_TABLE, str(PAPER_BASE))
    at = max(short)
    sinusoidal, alibi = (published.row(experiments.PAPER_TABLE, row)[at] for row in ("Sinusoidal", str(at)))
    return ShortAndLong(at, PAPER_BASE, short[at], sinusoidal, alibi)


@dataclass(frozen=True)
class StretchedModels:
    """Perplexities of the stretched models."""

    rope: AtLengths  # as trained
    alibi: AtLengths
    flatter: AtLengths  # ALiBi's slopes
    near_list: str  # RoPE in each way, best first
    far_list: str
    near: int = NEAR
    far: int = FAR


def stretched() -> StretchedModels:
    lines = {line.name: line for line in experiments.stretched()}
    rope, alibi, flatter = (
        AtLengths(*(_at(lines[name], times) for times in (1, 2, NEAR, FAR)))
        for name in ("rope/", "alibi/", "alibi/interpolated")
    )
    ways = [line for line in lines.values() if line.method == "rope" and line is not lines["rope/"]]
    return StretchedModels(rope, alibi, flatter, _best_first(ways, NEAR), _best_first(ways, FAR))


def _at(line: Line, times: int) -> float:
    return float(line.y[line.x == times][0]) if times in line.x else nan


def _best_first(lines: Iterable[Line], times: int) -> str:
    """Each way to stretch, with its perplexity."""
    titles_of = load("extrapolation").entries("ways")
    order = sorted((_at(line, times), titles_of[line.name.partition("/")[2]]) for line in lines)
    return ", ".join(f"{way} {value:.2f}" for value, way in order)
