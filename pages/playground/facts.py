"""What the sentences of the playground say of its picture."""

from dataclasses import dataclass

from alibi_viz.attention.pictures import near_share, nearest
from alibi_viz.positions.alibi import half_weight_distance
from alibi_viz.ui.format import escape_markdown, format_number, format_slope
from pages.playground import study
from pages.playground.study import Controls, Result


@dataclass(frozen=True)
class Corrected:
    """What was asked for, and what is shown."""

    given: str
    used: str


@dataclass(frozen=True)
class Facts:
    """The chosen head, and where the query's weight goes."""

    query: str
    words: int  # in all
    heads: int
    head: int
    slope: str
    strength: str
    half: str  # words that halve a weight, for equal content; empty where nothing falls
    nearest: int  # words
    near: float  # share of the weight on earlier words that goes to these, and that without the bias
    near_plain: float
    earlier: int  # words before the query: of fewer than two none is far
    trained: int  # bytes, of the shipped models


def facts_of(controls: Controls, result: Result) -> Facts:
    slope = controls.slopes[controls.head - 1]
    rate = slope * controls.strength
    length, query = len(result.ids), controls.query
    plain = study.study(Controls(controls.words, 1, 1, 0.0, (), controls.back, controls.ratio))
    return Facts(
        query=escape_markdown(controls.words[length - 1 - (controls.count - 1 - query) % length][:24]),
        words=controls.count,
        heads=controls.heads,
        head=controls.head,
        slope=format_slope(slope),
        strength=format_number(controls.strength),
        half=format_number(half_weight_distance(rate)) if rate > 0 else "",
        nearest=nearest(query),
        near=near_share(result.rows[controls.head - 1], query),
        near_plain=near_share(plain.rows[0], query),
        earlier=query,
        trained=study.train_length(),
    )


@dataclass(frozen=True)
class Falls:
    """Perplexity of the shipped ALiBi models at the training length and at 16 times, by both protocols."""

    trained: int
    at_length: str
    at_far: str
    sliding_at_length: str
    sliding_at_far: str


def falls() -> Falls:
    (times, apart), (_, sliding) = (study.lines(protocol)["alibi"] for protocol in ("nonoverlapping", "sliding"))
    here, far = times.index(1.0), times.index(study.TIMES)
    numbers = (apart[here], apart[far], sliding[here], sliding[far])
    return Falls(study.train_length(), *(f"{number:.2f}" for number in numbers))
