"""What the sentences of the Recall lesson say of the runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from alibi_viz.jobs import window
from alibi_viz.lessons import Lesson
from alibi_viz.results import measured
from alibi_viz.results.measured import RunCurve
from alibi_viz.results.pretrained import SEEDS
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.format import format_share
from pages.recall import study
from pages.recall.study import Result


@dataclass(frozen=True)
class Facts:
    length: int  # of the training, bytes
    steps: int
    heads: int
    trained_pairs: int  # in a sequence of the training
    pairs: int  # in a sequence of the questions
    any: float  # how often one of their digits is right
    farthest: int  # trained distance, bytes
    far: int  # farthest distance of a question
    times: int  # the same in training lengths
    all: int  # methods
    count: int  # of these, that learned the task
    names: str  # of these, and of the others
    others: str  # with the share of right answers at their worst trained distance
    best: str  # of the drawn methods that recall at `far`; empty: none does
    share: str  # of its answers that are right
    second: str  # that of ALiBi, in a sentence
    alibi: str  # the same of ALiBi, drawn or not; empty: it did not learn the task
    ahead: int  # methods that recall there and are right more often
    penalty: float  # what ALiBi's gentlest head takes from the score there
    chance: float = study.CHANCE
    success: float = measured.RECALLED
    failure: float = 1 - measured.RECALLED
    seed: int = SEEDS[0]


def facts_of(lesson: Lesson, result: Result) -> Facts:
    config, pairs, learned = result.config, result.controls.pairs, result.learned
    drawn, best = result.at_far(), result.best_at_far()
    shares = {curve.config.method: curve.at(result.far) or 0 for curve in learned}
    recalling = result.recalling(result.far)
    is_second = "alibi" in drawn and "alibi" not in best
    return Facts(
        length=config.length,
        steps=config.steps,
        heads=config.heads,
        trained_pairs=config.pairs,
        pairs=pairs,
        any=1 / pairs,
        farthest=result.trained,
        far=result.far,
        times=result.times,
        all=len(result.right),
        count=len(learned),
        names=_names(lesson, learned),
        others=_with_least(lesson, [curve for curve in result.right if curve.config.method not in shares]),
        best=titles(best),
        share=format_share(drawn[best[0]]) if best else "",
        second=" " + lesson.label("note_alibi", share=format_share(drawn["alibi"])) if is_second else "",
        alibi=format_share(shares["alibi"]) if "alibi" in shares else "",
        ahead=sum(shares[curve.config.method] > shares.get("alibi", 1.0) for curve in recalling),
        penalty=result.penalty[1],
    )


def _names(lesson: Lesson, curves: Iterable[RunCurve]) -> str:
    """Titles of their methods, each once, or the words for none of them."""
    return titles(dict.fromkeys(curve.config.method for curve in curves)) or lesson.label("no_method")


def _with_least(lesson: Lesson, curves: Sequence[RunCurve]) -> str:
    listed = (f"{TITLES[curve.config.method]} ({format_share(measured.least(curve))})" for curve in curves)
    return ", ".join(listed) or lesson.label("no_method")


@dataclass(frozen=True)
class Flatter:
    """ALiBi with a larger largest exponent, beside ALiBi as usual; first seed."""

    max_bias: float
    usual: str  # share of right answers at `far`
    share: str
    far: int
    seed: int = SEEDS[0]


def flatter_of(result: Result) -> Flatter | None:
    """None where its run is not there."""
    tried, far = study.flatter(result.controls.pairs), result.far
    if tried is None:
        return None
    usual = next(curve for curve in result.right if curve.config.method == "alibi")
    usually, flat = (format_share(curve.at(far) or 0) for curve in (usual, tried))
    return Flatter(dict(tried.config.options)["max_bias"], usually, flat, far)


@dataclass(frozen=True)
class Table:
    """Which methods succeed at so many training lengths."""

    names_2: str
    names_4: str
    names_8: str
    names_16: str
    success: float = measured.RECALLED
    failure: float = 1 - measured.RECALLED


def table_of(lesson: Lesson, result: Result) -> Table:
    distances = (window(result.config, times, result.controls.pairs) for times in study.TIMES)
    two, four, eight, sixteen = (_names(lesson, result.recalling(distance)) for distance in distances)
    return Table(two, four, eight, sixteen)


@dataclass(frozen=True)
class Task:
    example: str
    chance: float = study.CHANCE


@dataclass(frozen=True)
class Unknown:
    given: str  # in the place of a method
