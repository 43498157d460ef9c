"""What the sentences say of where the break comes from. Lengths in bytes, losses in nats a byte."""

from dataclasses import dataclass

from alibi_viz.lessons import Lesson
from alibi_viz.results.pretrained import SEEDS
from alibi_viz.results.trained import ModelReading
from alibi_viz.ui.controls.method_pills import TITLES
from pages.why import study
from pages.why.controls import MOST_READ
from pages.why.study import CHANGE, TRAIN_LENGTH, Buckets, PositionLoss, Result

NEAREST = 16  # bytes, the query's own among them
FAR = 4  # training lengths of the longer windows in which far keys were hidden
NEAR = 64  # bytes: beyond them keys are hidden, in the sentences


@dataclass(frozen=True)
class Course:
    """How the loss of one method goes on."""

    name: str
    before: float  # L
    after: float  # L
    last: float  # in the last quarter of the window


def course_of(loss: PositionLoss) -> Course:
    return Course(TITLES[loss.method], loss.before, loss.after, loss.last)


@dataclass(frozen=True)
class Facts:
    """The method whose loss rises most just after L, and the one whose loss changes least."""

    most: Course
    least: Course
    each: str  # method, a sentence
    length: int  # of the window
    train_length: int = TRAIN_LENGTH
    change: float = CHANGE


def facts_of(lesson: Lesson, result: Result) -> Facts | None:
    """None where no method is drawn, or nothing is extrapolated."""
    if not result.losses or result.controls.window <= TRAIN_LENGTH:
        return None
    each = "\n".join(f"- {lesson.text(f'course.{loss.course}', course_of(loss))}" for loss in result.losses)
    return Facts(course_of(result.most()), course_of(result.least()), each, result.controls.window)


@dataclass(frozen=True)
class How:
    length: int
    block: int  # positions in a point of the picture
    half: int = TRAIN_LENGTH // 2
    change: float = CHANGE


@dataclass(frozen=True)
class Formula:
    name: str  # of the method
    train_length: int = TRAIN_LENGTH


@dataclass(frozen=True)
class Names:
    """Methods that are not drawn."""

    names: str


@dataclass(frozen=True)
class Text:
    """What the trained heads read."""

    count: int
    most: int = MOST_READ
    train_length: int = TRAIN_LENGTH


@dataclass(frozen=True)
class Heads:
    losses: str  # of each method, within L and, if the text goes on so far, beyond
    shares: str  # of the weight, on the nearest bytes
    nearest: int = NEAREST
    half: int = TRAIN_LENGTH // 2
    length: int = TRAIN_LENGTH


def heads_of(readings: dict[str, ModelReading], *, beyond: bool) -> Heads:
    """beyond: whether the text is longer than L. readings: method -> what one head of its model does with it."""
    losses, shares = [], []
    for method, reading in readings.items():
        within, outside = ("–" if loss is None else f"{loss:.2f}" for loss in (reading.inside, reading.beyond))
        losses.append(f"{TITLES[method]} {within}" + (f" → {outside}" if beyond else ""))
        if beyond:
            near, far = study.near_share(reading.stages.weights, NEAREST, TRAIN_LENGTH)
            shares.append(f"{TITLES[method]} {near:.0%} → {far:.0%}")
    return Heads(", ".join(losses), ", ".join(shares))


@dataclass(frozen=True)
class Refused:
    name: str  # of the method
    problem: str


@dataclass(frozen=True)
class Seed:
    seed: int = SEEDS[0]


@dataclass(frozen=True)
class Ours:
    """T5's buckets in these runs."""

    max_distance: int
    tested: int
    in_training: float  # share of the pairs in the last bucket, of a training window
    in_test: float
    train_length: int = TRAIN_LENGTH


@dataclass(frozen=True)
class Tables:
    """T5's buckets, in these runs and in the invented case."""

    these_runs: str
    count: int
    untrained: int  # in the invented case
    listed: str
    untrained_share: float  # of the pairs
    t5_last_start: int  # distance
    t5_max_distance: int = study.T5_MAX_DISTANCE
    t5_length: int = study.T5_TRAIN_LENGTH
    train_length: int = TRAIN_LENGTH


def tables_of(lesson: Lesson, tested: int, ours: Buckets, invented: Buckets) -> Tables:
    """tested: length of the test, bytes."""
    in_training = study.buckets(TRAIN_LENGTH, ours.max_distance, TRAIN_LENGTH).share[-1]
    section = "buckets.here" if tested > TRAIN_LENGTH else "buckets.here_short"
    return Tables(
        these_runs=lesson.text(section, Ours(ours.max_distance, tested, in_training, ours.share[-1])),
        count=len(ours.state),
        untrained=len(invented.untrained),
        listed=", ".join(str(bucket) for bucket in invented.untrained),
        untrained_share=invented.share[invented.untrained].sum(),
        t5_last_start=invented.last_start,
    )


@dataclass(frozen=True)
class Ends:
    at: float  # at L
    longest: float  # at the longest


@dataclass(frozen=True)
class Hidden:
    """What hiding far keys changes, nats a byte."""

    rope_far: float  # RoPE in windows of `far` L with keys beyond L hidden
    rope_usual: float  # and at L
    sinusoidal_far: float  # as `rope_far`
    cost: float  # ALiBi at L: of hiding the keys beyond `near` bytes
    near: int = NEAR
    far: int = FAR


@dataclass(frozen=True)
class Probes:
    """What single heads do: losses in nats a byte, entropies in nats."""

    slope: str  # of ALiBi's head without which the loss is highest
    cost: float  # its loss less that of the whole model
    other: float  # the same of the next head
    rope: float  # the same of RoPE's most important head
    hidden: float  # ALiBi at L: the loss with keys beyond `near` bytes hidden, less that with none hidden
    sink: str  # the largest weight of the first token in any head of these methods, at any length
    rope_entropy: Ends  # mean of the heads, nats
    alibi_entropy: Ends
    near: int = NEAR
    longest: int = 16
    train_length: int = TRAIN_LENGTH
    seed: int = SEEDS[0]
